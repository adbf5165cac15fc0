#ifndef FORMAT_SCOUTS_H
#define FORMAT_SCOUTS_H

#include "format/reader.h"

/*
 * Threads that run ahead of the walk over a large file. Only the walk knows where records begin, so
 * a scout guesses: it searches for bytes that look like several samples in a row, and sums up the
 * samples that follow. When the walk comes to exactly such a place, it takes the sum and jumps. A
 * wrong guess is never met, and costs only the scout's time.
 */
struct scout_run {
	uint64_t from, to, records; /* samples with a time, nothing else */
	uint64_t least_time, most_time, least_pos;
	bool kernel; /* some are of the kernel */
};
/*
 * Step over the samples that come next and begin before `until`, and sum them up: those with a time from `least_time`
 * on, which is at least 1. For inputs whose samples all have their time at one place (perfdata.sample_time).
 */
struct scout_run scout_sum(const struct perfdata *pd, struct chunk *c, uint64_t until, uint64_t least_time);

struct scouts {
	const struct perfdata *pd;
	size_t stream, next;
	uint64_t most;        /* bytes to look at in one go, 0 = as many as is useful */
	uint64_t from, until; /* what was looked at; UINT64_MAX: to the end */
	VEC(struct scout_run) runs;
	struct records_copy
		copy; /* of what was looked at, and of the record that begins there last; empty: unreadable */
	/* while looking */
	struct scout_part *parts;
	size_t n_parts;
	bool failed;
};
/* Begin a walk. Zero the struct before the first one. */
void scouts_begin(struct scouts *x, uint64_t most);
/* Read the part of a stream that begins with the record at `from`, and look for runs in it. */
void scouts_look(struct scouts *x, const struct perfdata *pd, size_t stream, uint64_t from);
/* Return whether a stream is worth it. */
bool scouts_wanted(const struct perfdata *pd, size_t stream);
/* The next run that begins at `pos` or later; NULL if none. */
const struct scout_run *scouts_find(struct scouts *x, uint64_t pos);
void scouts_release(struct scouts *x);

#endif
