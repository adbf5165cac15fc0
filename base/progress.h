#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How far a long job is, told by those who do it (any thread), read by those who wait. Zeroed memory is a job not
 * begun; all functions take NULL. Work is in parts of known size: progress_begin names one, progress_add moves it on.
 * Who waits may ask for the end (progress_stop); those who do it look at that between pieces of work, and what they
 * leave is not to be used.
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
