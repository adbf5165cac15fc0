#ifndef STAT_COUNT_PRIV_H
#define STAT_COUNT_PRIV_H

#include "base/spread.h"
#include <stdbool.h>
#include <stdint.h>

/*
 * A counter's reading: its value, and for how many ns it was enabled and on the hardware. Source:
 * perf_event_open(2), "read_format".
 */
struct count {
	uint64_t value, enabled, running;
};

/* Add b to a. */
static inline void count_add(struct count *a, const struct count *b)
{
	a->value += b->value;
	a->enabled += b->enabled;
	a->running += b->running;
}

/*
 * Return what was counted between two readings. If the counter was reset meanwhile, return the
 * whole later reading.
 */
static inline struct count count_since(const struct count *now, const struct count *before)
{
	struct count c = { now->value - before->value, now->enabled - before->enabled, now->running - before->running };

	return now->enabled < before->enabled || now->running < before->running || now->value < before->value ? *now
													      : c;
}

/* Return true if the counter was ever on the hardware. Otherwise its value is meaningless. */
static inline bool count_ran(const struct count *c) { return c->enabled && c->running; }

/*
 * Return the value scaled to the whole enabled time, rounded; unscaled if the counter was always on
 * the hardware.
 */
uint64_t count_scaled(const struct count *c);

#endif
