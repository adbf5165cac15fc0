#ifndef REPORT_SESSION_TIME_RANGES_H
#define REPORT_SESSION_TIME_RANGES_H

#include "base/err.h"
#include "base/mem.h"

/* Spans of time in ns. Both ends belong to the last span; of the others only the start does, so that neighbours share
 * nothing. */
struct time_span {
	uint64_t from, to;
};
struct time_ranges {
	VEC(struct time_span);
};

/*
 * What --time takes: "START,STOP" in seconds with up to nine decimals, either may be missing, several separated by
 * blanks; or, of the time between `first` and `last` (the recording's first and last sample), "N%" (its first N
 * percent), "N%/I" (the I-th slice of N percent), "A%-B%", several separated by commas. `relative`: START and STOP
 * count from `first`. -1 and e when malformed, or when percents are asked of a recording without times (last is 0).
 */
int time_ranges_parse(struct time_ranges *r, const char *text, uint64_t first, uint64_t last, bool relative,
		      struct err *e);
bool time_ranges_have(const struct time_ranges *r, uint64_t time_ns);
void time_ranges_free(struct time_ranges *r);

#endif
