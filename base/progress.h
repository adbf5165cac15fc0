#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How far a long job is, told by those who do it (any thread), read by those who wait. Zeroed memory is a job not begun; all functions take NULL.
 * Work is in parts of known size: progress_begin names one, progress_add moves it on.
 */
struct progress {
	_Atomic(const char *) what;	/* a constant */
	_Atomic uint64_t done, total;
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

#endif
