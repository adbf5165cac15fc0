#ifndef REPORT_SESSION_TIME_RANGES_H
#define REPORT_SESSION_TIME_RANGES_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Spans of time in ns. Each span includes its start. Only the last span includes its end, so
 * neighbours share no time.
 */
struct time_span {
	uint64_t from, to;
};
struct time_ranges {
	VEC(struct time_span);
};

/*
 * Parse the value of --time. Forms:
 *
 *	START,STOP   seconds with up to nine decimals; either may be missing; blanks separate several
 *	N%           the first N percent of the recording; commas separate several
 *	N%/I         the I-th slice of N percent
 *	A%-B%        from A to B percent
 *
 * `first` and `last` are the times of the first and last sample. `relative`: START and STOP count
 * from `first`. -1 and e when the text is malformed, or when it has percents and the recording has
 * no times (last is 0).
 */
int time_ranges_parse(struct time_ranges *r, const char *text, uint64_t first, uint64_t last, bool relative,
		      struct err *e);
bool time_ranges_have(const struct time_ranges *r, uint64_t time_ns);
void time_ranges_free(struct time_ranges *r);

#endif
