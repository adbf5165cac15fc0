#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Call fn(ctx, item, worker) for every item in 0..n-1, from up to `threads` threads, and return
 * when all calls are done. Items are handed out in ascending order. `worker` is 0..threads-1 and
 * unique among running calls, so each worker can own a table by index. With threads 0 or 1, or n 1,
 * the caller's thread does all the work. If a thread cannot be started, the others do its share.
 */
void parallel_for(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker), void *ctx);

/*
 * The same for items that print: fn writes its piece of text into `o` (memory), and the pieces are
 * written to `to` in item order. Only a few pieces per thread wait at a time, so memory stays
 * bounded. When `to` cannot be written (to->error), the remaining items are skipped.
 *
 * `buffers` keeps for the next call what this one has: the pieces' memory, and how many threads had
 * work. A reader that is slower than they are needs fewer of them: the others would make texts that
 * leave the CPU's cache before they are written, and take CPU time from the reader. Zero it before
 * the first call and free it after the last. NULL: keep nothing.
 */
struct out;
struct text_buffers {
	struct text_shelf *shelves; /* indexed by worker */
	unsigned n_shelves;
	unsigned threads; /* this many are enough; 0: not known */
};
void parallel_text(size_t n, unsigned threads, void (*fn)(void *ctx, size_t item, unsigned worker, struct out *o),
		   void *ctx, struct text_buffers *buffers, struct out *to);
void text_buffers_free(struct text_buffers *b);

/*
 * Return the number of CPUs that this process may use (sched_getaffinity), or STROBE_THREADS from
 * the environment; from 1 to 64.
 */
unsigned parallel_threads(void);

#endif
