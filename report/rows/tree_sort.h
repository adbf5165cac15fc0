#ifndef REPORT_ROWS_TREE_SORT_H
#define REPORT_ROWS_TREE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The order that items 0..n have in a red-black tree into which they were put one after the other, without balance
 * changes other than the textbook's (Cormen et al., "Introduction to Algorithms", ch. 13). perf sorts rows that way,
 * and where its comparison contradicts itself (a before b, b before c, c before a) the way decides. `before(ctx, a,
 * b)`: a goes to the left of b.
 */
void tree_sort(uint32_t *order, size_t n, bool (*before)(void *ctx, uint32_t a, uint32_t b), void *ctx);

#endif
