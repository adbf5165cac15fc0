#ifndef STAT_DERIVED_H
#define STAT_DERIVED_H

#include "stat/table.h"

/*
 * What is said beside a count: a rate, a share of other events, or what a metric computes. The kinds, their words and
 * the shape of their numbers are those of perf 6.1, which scripts know.
 */
enum shade { SHADE_NONE, SHADE_MIDDLE, SHADE_HIGH, SHADE_TOO_HIGH }; /* how far from good, for terminals */
struct derived {
	double value;
	const char *format; /* of the number as text: takes the value */
	const char *unit;   /* what the number is */
	enum shade shade;
};
enum { DERIVED_MAX = 2 };

/* Fill `d` for a counted cell. Returns how many: 0 to DERIVED_MAX. */
size_t derived_find(const struct table *t, size_t counter, size_t place, struct derived *d);

#endif
