#ifndef REPORT_ROWS_TREE_SORT_PRIV_H
#define REPORT_ROWS_TREE_SORT_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Order the items 0..n as a red-black tree does when they are inserted one by one with the
 * textbook's balancing (Cormen et al., "Introduction to Algorithms", ch. 13). perf sorts rows in
 * this way. Where its comparison contradicts itself (a before b, b before c, c before a), the
 * result depends on the algorithm. `before(ctx, a, b)`: a goes to the left of b.
 */
void tree_sort(uint32_t *order, size_t n, bool (*before)(void *ctx, uint32_t a, uint32_t b), void *ctx);

#endif
