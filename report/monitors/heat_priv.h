#ifndef REPORT_MONITORS_HEAT_PRIV_H
#define REPORT_MONITORS_HEAT_PRIV_H

#include "report/waits/durations.h"

/*
 * Histograms of durations by powers of two of ns, and heat maps of them over time. Zeroed memory is an empty histogram.
 */
enum { SLOTS = 64 };
struct heat_slots {
	uint64_t counts[SLOTS];
};
static inline void slots_add(struct heat_slots *s, uint64_t ns) { s->counts[ns ? 63 - __builtin_clzll(ns) : 0]++; }
static inline uint64_t slot_begins(int slot) { return slot ? 1ull << slot : 0; }
/* Find the first and the last used slot; false: all are empty. `most`: the count of the fullest. */
bool slots_range(const struct heat_slots *s, int *first, int *last, uint64_t *most);
struct out;
/*
 * Print a heading, and a row "0 -> 255 : 0 |****   |" for each power of two. Empty slots before the first used one
 * share a row.
 */
void slots_print(const struct heat_slots *s, const char *title, struct out *o);

/* A histogram for each column. A column lasts `span` intervals of heat_tick. */
enum { HEAT_COLUMNS = 100 };
struct heat {
	VEC(struct heat_slots) columns; /* the last one is still growing */
	uint64_t span, ticks;           /* ticks: intervals since the last column began */
	struct durations all;
};
void heat_init(struct heat *h); /* the memory is zeroed; release with heat_release */
void heat_release(struct heat *h);
static inline bool heat_is_on(const struct heat *h) { return h->columns.len; }
void heat_add(struct heat *h, uint64_t ns);
/* End an interval. When there are too many columns for a line, join them in pairs. */
void heat_tick(struct heat *h);
/* Add this many empty intervals; does nothing if the map is off. */
void heat_skip(struct heat *h, uint64_t n);
/* Return the sum of all columns. */
void heat_sum(const struct heat *h, struct heat_slots *sum);
/* Return the shade for a count: 0 for none, then 1 to `steps`; only `most` gets `steps`. */
unsigned heat_shade(uint64_t n, uint64_t most, unsigned steps);
/* Return the count of the fullest slot of all columns. */
uint64_t heat_most(const struct heat *h);
/* Print a row for each power of two between the shortest and the longest, a character for each column. */
void heat_print(const struct heat *h, struct out *o);

#endif
