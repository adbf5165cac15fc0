#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Calls fn(ctx, item, worker) for every item in 0..n, from up to `threads` threads; the items are handed out in
 * ascending order. `worker` is 0..threads-1 and unique among running calls, so that workers may own tables by index.
 * Returns when all are done. threads 0 or 1, or n 1: runs on the caller's thread. If a thread cannot be started the
 * others do its share.
 */
void parallel_for(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker), void *ctx);

/*
 * The same for items that print: fn writes its piece of text into `o` (memory), and the pieces go to `to` in the order
 * of the items. A few pieces per thread wait at most, so memory stays bounded. When `to` cannot be written (to->error)
 * the rest is skipped. `buffers` keeps the memory of pieces for the next call; zeroed at first, to be freed at last.
 * NULL: there is no next call.
 */
struct out;
struct text_buffers {
	struct text_shelf *shelves;
	unsigned n_shelves;
}; /* by worker */
void parallel_text(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o),
		   void *ctx, struct text_buffers *buffers, struct out *to);
void text_buffers_free(struct text_buffers *b);

/* CPUs this process may use (sched_getaffinity), or STROBE_THREADS from the environment; at least 1, at most 64. */
unsigned parallel_threads(void);

#endif
