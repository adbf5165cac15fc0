#ifndef REPORT_WAITS_WALL_H
#define REPORT_WAITS_WALL_H

#include "report/waits/waits.h"

/*
 * Make one profile of the time on the wall clock: a recording with the event "wall", whose samples are nanoseconds.
 * Where a thread ran, they are samples of the CPU, weighted so that a thread's samples add up to the time it ran. Where
 * it waited, there is a sample for each wait, with the stack in which it did. The innermost function of these says what
 * for: "[lock]", "[runnable]" (it could have run, but had no CPU), or "[running]" of threads that nobody sampled. The
 * new recording has the maps and names of threads of the old one, so everything that reads recordings takes it.
 */
struct wall_opts {
	struct session_opts session;
	const char *kinds_file;                                                /* as in waits_opts */
	void (*span)(void *ctx, const struct wait_span *s, const char *label); /* who wants to know each; may be NULL */
	void *ctx;
	bool wakers; /* on top of each wait: who ended it, outermost function last; by name only */
};
struct wall_notes {
	uint64_t samples, waits; /* that were written */
	uint64_t unplaced;       /* samples of a CPU that stand for no known time, and were left out */
};
/* Read `input` twice; write `output`. -1 with e, also if it has no switches and wakeups. */
int wall_write(const char *input, const struct wall_opts *opts, const char *output, struct wall_notes *notes,
	       struct err *e);

#endif
