#ifndef BASE_SORT_SORT_H
#define BASE_SORT_SORT_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Like qsort_r, with up to `threads` threads that call `compare` at the same time. With few items
 * or one thread, the caller's thread sorts. As with qsort_r, the order of equal items is undefined:
 * compare everything that the user can see.
 */
void parallel_sort(void *items, size_t n, size_t size, unsigned threads,
		   int (*compare)(const void *a, const void *b, void *ctx), void *ctx);

/* Sort a vec. One without items has no address that qsort may be given. */
#define vec_sort(v, compare) ((v)->len ? qsort((v)->items, (v)->len, sizeof(*(v)->items), (compare)) : (void)0)
#define vec_sort_r(v, compare, ctx) \
	((v)->len ? qsort_r((v)->items, (v)->len, sizeof(*(v)->items), (compare), (ctx)) : (void)0)

#endif
