#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Progress of a long job: the threads that do the job update it, and those that wait read it.
 * Zeroed memory is a job that has not begun. The job consists of parts of known size:
 * progress_begin starts a part and progress_add advances it. A waiting thread can ask the job to
 * end with progress_stop. The workers check progress_stopped between pieces of work; a stopped
 * job's result must not be used. Except for progress_stop, all functions accept NULL.
 */
struct progress {
	_Atomic(const char *) what; /* a constant */
	_Atomic uint64_t done, total;
	atomic_bool stop;
};

static inline void progress_begin(struct progress *p, const char *what, uint64_t total)
{
	if (!p)
		return;
	atomic_store(&p->total, total);
	atomic_store(&p->done, 0);
	atomic_store(&p->what, what);
}

static inline void progress_add(struct progress *p, uint64_t n)
{
	if (p)
		atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
}

static inline void progress_stop(struct progress *p) { atomic_store(&p->stop, true); }

static inline bool progress_stopped(struct progress *p)
{
	return p && atomic_load_explicit(&p->stop, memory_order_relaxed);
}

#endif
