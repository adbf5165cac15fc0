#ifndef REPORT_ROWS_HIERARCHY_H
#define REPORT_ROWS_HIERARCHY_H

#include "report/rows/view.h"

/*
 * The rows of a view as a tree: one level per key that rows are grouped by, with sums for each
 * node. A column of sums that follows a key belongs to the key's level.
 */
struct hierarchy_node {
	struct view_row row; /* `row`: for inner nodes, that of the first leaf below; the sums are the node's own */
	uint32_t depth;      /* 0 = outermost level */
	uint32_t end;        /* index behind the last node below this one */
};

/* This level shows columns [from, to) of the view. */
struct hierarchy_level {
	size_t from, to;
};

struct hierarchy {
	const struct view *v;
	size_t n_sums; /* columns before the first level */
	VEC(struct hierarchy_level) levels;
	VEC(struct hierarchy_node) nodes; /* a node comes before its children; most hits first */
	struct row_sums *sums;
};

struct hierarchy *hierarchy_new(const struct view *v);
void hierarchy_free(struct hierarchy *h);

#endif
