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

/* Return NULL with e if the kernel refuses. */
struct call_counter *call_counter_open(const struct call_counter_opts *opts, struct err *e);
void call_counter_close(struct call_counter *c);
/* Stop counting. */
void call_counter_stop(struct call_counter *c);
/*
 * Call `each` for each sum and `each_error` for each error code, and remove them from the maps. With `all`, take those
 * of all threads. Otherwise take only those of ended threads, and only if the maps are nearly full. The number
 * CALL_NEVER_RETURNED stands for calls that did not return. There may be several sums of one thread and number: add
 * them up.
 */
void call_counter_take(struct call_counter *c, bool all,
		       void (*each)(void *of, int32_t id, int32_t number, const struct call_count *count),
		       void (*each_error)(void *of, int32_t id, int32_t number, int32_t code, uint64_t n), void *of);
/* Return the number of calls that were not counted, because the maps were full or the program could not run. */
uint64_t call_counter_lost(const struct call_counter *c);

#endif
