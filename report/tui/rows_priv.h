#ifndef REPORT_TUI_ROWS_PRIV_H
#define REPORT_TUI_ROWS_PRIV_H

#include "report/rows/hierarchy.h"
#include "report/tui/tui_tree_priv.h"

/*
 * The rows of a view, or the nodes of a hierarchy, as lines on a screen: those that pass the filters, and the call
 * graph below each opened one. Only a change of a filter walks over all rows, in steps, so that keys can be read in
 * between. rows_at() finds a line by binary search over the opened rows.
 */
struct rows_filter {
	double min_percent;
	/* some text column must contain this; NULL or "": all rows pass; without capital letters, ignore case */
	const char *text;
	VEC(struct rows_zoom) zooms; /* a row must match all of these */
};
/*
 * A zoom: rows whose key has the same value as `row` (NULL: no row has the value now). With key NULL: rows of the
 * object `dso`, or, if `kernel` is set, of the kernel and its modules.
 */
struct rows_zoom {
	const struct key *key;
	const struct row *row;
	uint32_t dso;
	bool kernel;
	char *name, *text; /* for the screen; the value as text, or the object's name */
};

void rows_zoom_release(struct rows_zoom *z);

/* A row with an open call graph. */
struct rows_open {
	size_t pos;    /* index into rows.items */
	size_t before; /* lines of the trees above */
	struct tree *tree;
};

struct rows {
	const struct view *v;
	const struct hierarchy *h; /* NULL: flat */
	const struct graph_opts *graph;
	VEC(uint32_t) items;          /* visible items: ascending indices into v->rows or h->nodes */
	VEC(struct rows_open) opened; /* sorted by pos */
	bool *open, *shown; /* per node of the hierarchy: unfolded; visible because it, a parent or a child passes */
	/* The filter has decided about sieved[0 .. at-1]; `kept` are the open trees of the items after these. */
	uint32_t *sieved;
	bool *passed; /* per node of the hierarchy */
	size_t n_sieved, at;
	VEC(struct rows_kept {
		uint32_t item;
		struct tree *tree;
	})
	kept;
};

void rows_init(struct rows *r, const struct view *v, const struct hierarchy *h, const struct graph_opts *graph);
void rows_release(struct rows *r);
/*
 * Find the items that pass, in steps of some thousand: call rows_filter_begin, then rows_filter_step until it returns
 * false. `narrower`: only items that passed before can pass. Open trees stay open. Rows of a view appear as they pass,
 * in their order. In a hierarchy, the old nodes stay visible until the filter is done. It may begin again at any time.
 */
void rows_filter_begin(struct rows *r, bool narrower);
bool rows_filter_step(struct rows *r, const struct rows_filter *f);
/* Has the filter decided about the item? */
bool rows_is_settled(const struct rows *r, uint32_t item);

struct rows_line {
	size_t pos;
	uint32_t item;
	struct tree *tree;
	size_t line; /* line of the tree, if there is one; otherwise this is the row itself */
};
size_t rows_lines(const struct rows *r);
struct rows_line rows_at(const struct rows *r, size_t line); /* line < rows_lines() */
/* Find the position of a visible item, or of the next one; false if the item is not visible. */
bool rows_find(const struct rows *r, uint32_t item, size_t *pos);
size_t rows_line_of(const struct rows *r, size_t pos); /* line of the row at pos */

const struct view_row *rows_row(const struct rows *r, uint32_t item);
/* Can the row be opened? It can if it has a call graph or child nodes. */
bool rows_foldable(const struct rows *r, uint32_t item);
/* Is the row open? */
bool rows_is_open(const struct rows *r, size_t pos);
/* Open or close a row or a line of a tree. Return true if anything changed. */
bool rows_toggle(struct rows *r, size_t line);
/* Open or close everything below one row, or all rows; at most `max` of these get a call graph. */
void rows_open_row(struct rows *r, size_t pos, bool open);
void rows_open_all(struct rows *r, bool open, size_t max);
/* Open the call graphs of rows at ascending positions. Each row must have one, and must be closed. */
void rows_open_graphs(struct rows *r, const size_t *pos, size_t n);
/* Does any text column of this item contain the text? */
bool rows_contain(const struct rows *r, uint32_t item, const char *text, struct out *scratch);

#endif
