#ifndef REPORT_WAITS_WALL_H
#define REPORT_WAITS_WALL_H

#include "report/waits/waits.h"

/*
 * Make one profile of wall-clock time: a recording with the event "wall", whose samples are nanoseconds. For running
 * time it has CPU samples, weighted so that a thread's samples add up to its running time. For each wait it has a
 * sample with the stack of the wait. The innermost function of such a sample is the kind of wait: "[lock]",
 * "[runnable]" (it could run, but had no CPU), or "[running]" for threads without samples. The new recording has the
 * maps and thread names of the old one, so all commands that read recordings can use it.
 */
struct wall_opts {
	struct session_opts session;
	const char *kinds_file;                                                /* as in waits_opts */
	void (*span)(void *ctx, const struct wait_span *s, const char *label); /* gets each span; may be NULL */
	void *ctx;
	bool wakers; /* on top of each wait: the thread that ended it, outermost function last; only names */
};
struct wall_notes {
	uint64_t samples, waits; /* written ones */
	uint64_t unplaced;       /* CPU samples without a known time; they are left out */
};
/* Read `input` twice; write `output`. -1 with e, also if it has no switches and wakeups. */
int wall_write(const char *input, const struct wall_opts *opts, const char *output, struct wall_notes *notes,
	       struct err *e);

#endif
