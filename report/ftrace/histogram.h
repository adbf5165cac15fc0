#ifndef REPORT_FTRACE_HISTOGRAM_H
#define REPORT_FTRACE_HISTOGRAM_H

#include "base/out.h"

/*
 * A histogram of durations, as `perf ftrace latency` prints it. Its buckets are powers of two, or have
 * equal width from `least` to `most`. All numbers have the same unit: us or ns.
 */
enum { HISTOGRAM_BUCKETS = 22, HISTOGRAM_MAX = 4096 };
struct histogram_opts {
	bool nanoseconds, hide_empty;
	uint64_t width; /* of a bucket; 0: powers of two */
	uint64_t least, most;
};
struct histogram {
	struct histogram_opts opts;
	size_t n;
	uint64_t *counts;
	uint64_t count, total_ns, min_ns, max_ns;
};
/* -1 with e: there would be too many buckets, or none. */
int histogram_init(struct histogram *h, const struct histogram_opts *opts, struct err *e);
void histogram_release(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t duration_ns);
void histogram_print(const struct histogram *h, struct out *o);

#endif
