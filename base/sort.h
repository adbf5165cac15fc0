#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/*
 * qsort_r by up to `threads` threads: `compare` is called from several at once. Few items, or one thread: sorted on the
 * caller's. As with qsort_r the order of equal items is anyone's guess: compare all that can be seen.
 */
void parallel_sort(void *items, size_t n, size_t size, unsigned threads,
		   int (*compare)(const void *a, const void *b, void *ctx), void *ctx);

#endif
