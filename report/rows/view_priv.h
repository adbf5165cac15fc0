#ifndef REPORT_ROWS_VIEW_PRIV_H
#define REPORT_ROWS_VIEW_PRIV_H

#include "report/rows/view.h"

/* --- view_order.c --- */
/* Sort the view's rows. */
void view_sort_rows(struct view *v);

/* --- view_numbers.c --- */
/* The numbers that decide between two rows. Larger weights and second sums come first, and smaller other numbers. */
struct order_number {
	uint64_t weight, second; /* the first sum and the second one */
	uint64_t visible;        /* all that follows the sums: ranks of sample keys, object and symbol */
	/* By identity: the rank of what precedes the symbol, rows with a symbol first; then the signed address. */
	uint64_t class, at;
	uint32_t depth, thread; /* between rows of one thread and weight, the depth decides before the second sum */
};
/*
 * Return the numbers of v->rows, which must have their places and weights; NULL: other keys than these decide. The
 * caller frees them.
 */
struct order_number *view_numbers(const struct view *v);

#endif
