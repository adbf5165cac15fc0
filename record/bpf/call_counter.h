#ifndef RECORD_BPF_CALL_COUNTER_H
#define RECORD_BPF_CALL_COUNTER_H

/*
 * System calls summed up in the kernel, by programs at their entries and exits: no event leaves it.
 *
 *	struct call_counter *c = call_counter_open(&(struct call_counter_opts){ .threads.everyone = true }, &e);
 *	...
 *	call_counter_stop(c);
 *	call_counter_take(c, true, each, each_error, of);
 *	call_counter_close(c);
 */
#include "record/bpf/threads.h"

enum { CALL_BUCKETS = 32, CALL_NEVER_RETURNED = -1 };

/* What one thread spent in calls of one number. */
struct call_count {
	uint64_t n;         /* exits */
	uint64_t unentered; /* of these: the entry was not seen, so they count 0 ns */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t errors;
	uint64_t squares_low, squares_high; /* of ns: 128 bits */
	uint32_t buckets[CALL_BUCKETS];     /* by power of two of microseconds; only with opts.histogram */
};
struct call_counter_opts {
	struct bpf_threads_opts threads;
	const bool *calls; /* by number, n_calls of them; NULL: all */
	unsigned n_calls;
	const bool *cpus; /* exits on these, n_cpus of them; NULL: all */
	unsigned n_cpus;
	bool histogram, codes;
	bool by_cgroup; /* sums have the low half of a control group's id (version 2) instead of a thread id */
};

/* NULL with e when the kernel refuses. */
struct call_counter *call_counter_open(const struct call_counter_opts *opts, struct err *e);
void call_counter_close(struct call_counter *c);
/* Count no more. */
void call_counter_stop(struct call_counter *c);
/*
 * Pass on the sums of ended threads and forget them, if the maps are nearly full; with `all`, always. number
 * CALL_NEVER_RETURNED: a call without a return. A thread may come more than once.
 */
void call_counter_take(struct call_counter *c, bool all,
		       void (*each)(void *of, int32_t id, int32_t number, const struct call_count *count),
		       void (*each_error)(void *of, int32_t id, int32_t number, int32_t code, uint64_t n), void *of);
/* Calls that were not counted: no room was left, or the program could not run. */
uint64_t call_counter_lost(const struct call_counter *c);

#endif
