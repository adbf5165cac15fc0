#ifndef SYMBOLS_LINE_INTERVALS_PRIV_H
#define SYMBOLS_LINE_INTERVALS_PRIV_H

#include "base/mem.h"

/*
 * Nested ranges of code, sorted by start, wider ones first. `up` is one more than the index of
 * the nearest earlier range that encloses this one, 0 for none.
 */
struct interval {
	uint64_t start, end;
	uint32_t up, id, depth;
};
struct intervals {
	VEC(struct interval) v;
};

/* Add a range; passes over empty ones, and over those that the linker dropped, which begin at 0. */
void intervals_add(struct intervals *t, uint64_t start, uint64_t end, uint32_t id, uint32_t depth);
/* Sort the ranges, after the last one was added. */
void intervals_nest(struct intervals *t);
/* Return the innermost range that covers the address; NULL: none does. */
const struct interval *intervals_find(const struct intervals *t, uint64_t addr);

#endif
