#ifndef STAT_DERIVED_PRIV_H
#define STAT_DERIVED_PRIV_H

#include "stat/table_priv.h"

/*
 * A value derived from a count and printed beside it: a rate, a share of another event, or a
 * metric. Kinds, words and number formats are those of perf 6.1, because scripts depend on them.
 */
/* how bad the value is, for colours */
enum shade { SHADE_NONE, SHADE_MIDDLE, SHADE_HIGH, SHADE_TOO_HIGH };
struct derived {
	double value;
	const char *format; /* printf format of the number */
	const char *unit;   /* what the number means */
	enum shade shade;
};
enum { DERIVED_MAX = 2 };

/* Fill `d` for a counted cell. Return how many, from 0 to DERIVED_MAX. */
size_t derived_find(const struct table *t, size_t counter, size_t place, struct derived *d);

#endif
