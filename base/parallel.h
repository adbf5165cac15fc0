#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Calls fn(ctx, item, worker) for every item in 0..n, from up to `threads` threads; the items are handed out in ascending order.
 * `worker` is 0..threads-1 and unique among running calls, so that workers may own tables by index. Returns when all are
 * done. threads 0 or 1, or n 1: runs on the caller's thread. If a thread cannot be started the others do its share.
 */
void parallel_for(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker), void *ctx);

/* CPUs this process may use (sched_getaffinity), or STROBE_THREADS from the environment; at least 1, at most 64. */
unsigned parallel_threads(void);

#endif
