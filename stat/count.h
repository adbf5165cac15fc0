#ifndef STAT_COUNT_H
#define STAT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* What a counter says when it is read: its value, and for how many ns it was enabled and on the hardware. Source:
 * perf_event_open(2), "read_format". */
struct count {
	uint64_t value, enabled, running;
};

/* b's share added to a. */
static inline void count_add(struct count *a, const struct count *b)
{
	a->value += b->value;
	a->enabled += b->enabled;
	a->running += b->running;
}

/* What happened between two readings; a counter that was set back meanwhile has all of the later one. */
static inline struct count count_since(const struct count *now, const struct count *before)
{
	struct count c = { now->value - before->value, now->enabled - before->enabled, now->running - before->running };

	return now->enabled < before->enabled || now->running < before->running || now->value < before->value ? *now
													      : c;
}

/* Was it ever on the hardware? Else its value says nothing. */
static inline bool count_ran(const struct count *c) { return c->enabled && c->running; }

/* The value as if it had been on the hardware all the time it was enabled, rounded; the value itself when it was. */
uint64_t count_scaled(const struct count *c);

/* Running mean and sum of squared deviations. Source: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2
 * (Welford). Zeroed = no values. */
struct spread {
	double n, mean, m2;
};
void spread_add(struct spread *s, double value);
double spread_of_mean(const struct spread *s); /* standard deviation of the mean; 0 with fewer than two values */
double spread_percent(const struct spread *s); /* the same in percent of the mean; 0 when that is 0 */

#endif
