#ifndef REPORT_WAITS_DURATIONS_H
#define REPORT_WAITS_DURATIONS_H

#include <stdint.h>

#include "base/mem.h"

/*
 * Durations in ns: exact count, sum, minimum and maximum, and percentiles to 12.5 %. Zeroed memory is empty. Memory
 * grows with the spread, up to some 8 kB.
 */
struct duration_bucket {
	uint64_t count, total; /* ns */
	uint32_t bucket;
};
struct durations {
	uint64_t count, total, min, max;
	VEC(struct duration_bucket) buckets; /* ascending */
};
void durations_add(struct durations *d, uint64_t ns);
/* Add this many durations of a bucket, with their sum in ns. */
void durations_add_some(struct durations *d, uint32_t bucket, uint64_t count, uint64_t ns);
/* Return the number of durations in this bucket. */
uint64_t durations_in(const struct durations *d, uint32_t bucket);
/* Return a percentile, in ns. */
uint64_t durations_percentile(const struct durations *d, double percent);
static inline uint64_t durations_average(const struct durations *d) { return d->count ? d->total / d->count : 0; }
void durations_clear(struct durations *d);
void durations_free(struct durations *d);

#endif
