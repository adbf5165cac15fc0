#ifndef REPORT_ROWS_HIERARCHY_H
#define REPORT_ROWS_HIERARCHY_H

#include "report/rows/view.h"

/*
 * The rows of a view as a tree: one level per key that rows are grouped by, shares summed upwards. Columns of sums that
 * follow a key belong to its level.
 */
struct hierarchy_node {
	struct view_row row; /* `row`: for branches, that of the first leaf below; its sums are the node's own */
	uint32_t depth;      /* 0 = outermost level */
	uint32_t end;        /* index behind the last node below this one */
};

/* Columns [from, to) of the view are shown on this level. */
struct hierarchy_level {
	size_t from, to;
};

struct hierarchy {
	const struct view *v;
	size_t n_sums; /* columns before the first level */
	VEC(struct hierarchy_level) levels;
	VEC(struct hierarchy_node) nodes; /* each before what is below it; most hits first */
	struct row_sums *sums;
};

struct hierarchy *hierarchy_new(const struct view *v);
void hierarchy_free(struct hierarchy *h);

#endif
