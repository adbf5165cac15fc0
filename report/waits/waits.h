#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "base/opt.h"
#include "report/live/events.h"
#include "report/session/filter.h"

/*
 * Where the time of threads goes on the wall clock, and who made them wait: from sched_switch (why a thread left its
 * CPU) and sched_waking (who made it run again), each with a call chain.
 *
 *	struct waits *w = waits_new(live, &opts);
 *	if (waits_read(w, e) == 0)
 *		waits_print(w, out);
 *	waits_free(w);
 *
 * A thread runs, is runnable (woken or preempted, waiting for a CPU), or is blocked. Its three times add up to the time
 * from the first to the last event that tells of it.
 */
enum wait_kind {
	WAIT_IO,
	WAIT_LOCK,
	WAIT_PIPE, /* and sockets */
	WAIT_TIMER,
	WAIT_CHILD,
	WAIT_FAULT,
	WAIT_POLL, /* for the first of several files: idle servers are here */
	WAIT_OTHER,
	WAIT_KINDS
};
extern const char *const wait_kind_names[WAIT_KINDS];

struct waits_opts {
	struct sample_filter *filter; /* whose waits; NULL: everybody's */
	const char *kinds_file;       /* lines "FUNCTION KIND", which come before ours; NULL = none */
	bool follow;                  /* pass a wait on to what its waker waited for meanwhile */
	uint64_t rows;                /* of who made whom wait; 0 = all */
	size_t max_stack;             /* functions of each chain that are printed */
	bool json;
};

struct waits;
/* `live` and `opts` must outlive it. */
struct waits *waits_new(struct live *live, const struct waits_opts *opts);
void waits_free(struct waits *w);
/* -1 with e when the input fails, has no such events, or the file of kinds is wrong. */
int waits_read(struct waits *w, struct err *e);
void waits_print(const struct waits *w, struct out *o);

#endif
