#ifndef REPORT_MONITORS_HEAT_H
#define REPORT_MONITORS_HEAT_H

#include "report/waits/durations.h"

/*
 * Durations by the power of two of their ns, as a histogram and, over time, as a heat map. Zeroed memory is an empty
 * histogram.
 */
enum { SLOTS = 64 };
struct heat_slots {
	uint64_t counts[SLOTS];
};
static inline void slots_add(struct heat_slots *s, uint64_t ns) { s->counts[ns ? 63 - __builtin_clzll(ns) : 0]++; }
static inline uint64_t slot_begins(int slot) { return slot ? 1ull << slot : 0; }
/* The slots from the first to the last that has any; false: none has. `most`: the fullest. */
bool slots_range(const struct heat_slots *s, int *first, int *last, uint64_t *most);
struct out;
/*
 * Print "0 -> 255 : 0 |****   |", a row for each power of two below a heading. Those before the first that has any are
 * one row.
 */
void slots_print(const struct heat_slots *s, const char *title, struct out *o);

/* A histogram for each interval: all intervals are as long as `span` of heat_tick's. */
enum { HEAT_COLUMNS = 100 };
struct heat {
	VEC(struct heat_slots) columns; /* the last one goes on */
	uint64_t span, ticks;           /* ticks: since the last one began */
	struct durations all;
};
void heat_init(struct heat *h); /* the memory is zeroed; release with heat_release */
void heat_release(struct heat *h);
static inline bool heat_is_on(const struct heat *h) { return h->columns.len; }
void heat_add(struct heat *h, uint64_t ns);
/* An interval is over. So that a long watch fits on a line, two columns become one. */
void heat_tick(struct heat *h);
/* So many intervals were empty; does nothing if the map is off. */
void heat_skip(struct heat *h, uint64_t n);
/* The sum of all columns. */
void heat_sum(const struct heat *h, struct heat_slots *sum);
/* The sign's, or shade's, place for a count: 0 for none, then 1 to `steps`, which is for `most` alone. */
unsigned heat_shade(uint64_t n, uint64_t most, unsigned steps);
/* The fullest slot of all columns. */
uint64_t heat_most(const struct heat *h);
/* Print a row for each power of two between the shortest and the longest, a sign for each column. */
void heat_print(const struct heat *h, struct out *o);

#endif
