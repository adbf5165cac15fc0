#ifndef STAT_DERIVED_PRIV_H
#define STAT_DERIVED_PRIV_H

#include "stat/table_priv.h"

/* How bad a value is, for colours. */
enum shade { SHADE_NONE, SHADE_MIDDLE, SHADE_HIGH, SHADE_TOO_HIGH };
/*
 * A value derived from a count and printed beside it: a rate, a share of another event, or a
 * metric. Kinds, words and number formats are those of perf 6.1, because scripts depend on them.
 */
struct derived {
	double value;
	const char *format; /* printf format of the number */
	const char *unit;   /* what the number means */
	enum shade shade;
};
enum { DERIVED_MAX = 2 };

/* Fill `d`, which has room for DERIVED_MAX values, for a counted cell. Return the number of values. */
size_t derived_find(const struct table *t, size_t counter, size_t place, struct derived *d);

#endif
