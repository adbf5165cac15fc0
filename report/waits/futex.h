#ifndef REPORT_WAITS_FUTEX_H
#define REPORT_WAITS_FUTEX_H

#include "report/waits/lock.h"

/*
 * The locks of programs for which threads waited, and the threads that held them, from the system calls futex,
 * futex_wait, futex_wake, futex_waitv and futex_requeue.
 *
 *	live_open_file -> struct futexes *f = futexes_new(live, &opts) -> futexes_read -> futexes_print -> futexes_free
 *
 * If a lock is taken, a thread asks the kernel to sleep until another thread wakes the waiters of this word of
 * memory. The waking thread held the lock, or signalled a condition variable. A lock without waiters makes no system
 * call.
 *
 * Source of operations and arguments: futex(2), include/uapi/linux/futex.h.
 */
enum futex_by { FUTEX_BY_LOCK, FUTEX_BY_WAITER, FUTEX_BY_OWNER };

struct futex_opts {
	enum futex_by by;
	struct lock_opts lock;        /* sort, fields, entries, max_stack, separator, stacks */
	struct sample_filter *filter; /* threads whose waits to show; NULL: all */
};

struct futexes;
/* `live` and `opts` must outlive it. */
struct futexes *futexes_new(struct live *live, const struct futex_opts *opts);
void futexes_free(struct futexes *f);
/* -1 with e: the input fails or has no such events. */
int futexes_read(struct futexes *f, struct err *e);
/* -1 with e: the options name unknown columns (exit status 129). */
int futexes_print(struct futexes *f, struct out *o, struct err *e);

#endif
