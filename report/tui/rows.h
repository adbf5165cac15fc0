#ifndef REPORT_TUI_ROWS_H
#define REPORT_TUI_ROWS_H

#include "report/rows/hierarchy.h"
#include "report/tui/tui_tree.h"

/*
 * The rows of a view, or the nodes of a hierarchy, as lines of a screen: those that pass the filters, and below each
 * opened one its call graph. Only changes of a filter walk over all rows, in steps, so that keys can be read in
 * between; finding a line takes a binary search over the opened rows.
 */
struct rows_filter {
	double min_percent;
	const char *text; /* in any column of text; NULL or "": all. Letters in lower case mean either case */
	VEC(struct rows_zoom) zooms; /* rows must be equal to all of these in that key */
};
/* key NULL: of that object (0: of the kernel and its modules). */
struct rows_zoom {
	const struct key *key;
	const struct row *row;
	uint32_t dso;
	bool kernel;
	char *name;
};

struct rows_open {
	size_t pos, before;
	struct tree *tree;
}; /* before: lines of the trees above */

struct rows {
	const struct view *v;
	const struct hierarchy *h; /* NULL: flat */
	const struct graph_opts *graph;
	VEC(uint32_t) items;          /* shown: indices of v->rows or of h->nodes, ascending */
	VEC(struct rows_open) opened; /* by pos */
	bool *open, *shown; /* per node of the hierarchy: unfolded; passes, or is above or below one that does */
	/* Those that the filter has yet to pass on, and trees of such ones. */
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
 * Find which items pass, in steps of some thousand items: begin, then step until it returns false. `narrower`: whatever
 * did not pass before does not pass now. Trees of items that stay stay open. Rows of a view appear as they pass, the
 * first ones first; of a hierarchy the nodes shown before stay until all is known. It may begin anew at any time.
 */
void rows_filter_begin(struct rows *r, bool narrower);
bool rows_filter_step(struct rows *r, const struct rows_filter *f);
/* Whether it is known if the item is shown. */
bool rows_is_settled(const struct rows *r, uint32_t item);

struct rows_line {
	size_t pos;
	uint32_t item;
	struct tree *tree;
	size_t line; /* of the tree, if any; else it is the row's own */
};
size_t rows_lines(const struct rows *r);
struct rows_line rows_at(const struct rows *r, size_t line); /* line < rows_lines() */
/* The place of an item among those shown, or of the next one; false if it is not there itself. */
bool rows_find(const struct rows *r, uint32_t item, size_t *pos);
size_t rows_line_of(const struct rows *r, size_t pos); /* of the row at pos */

const struct view_row *rows_row(const struct rows *r, uint32_t item);
/* Has the row something to open: a call graph, or nodes below it? And is it open? */
bool rows_foldable(const struct rows *r, uint32_t item);
bool rows_is_open(const struct rows *r, size_t pos);
/* Open or close: a row, or the line of a tree. Returns whether anything changed. */
bool rows_toggle(struct rows *r, size_t line);
/* All below one row, or all rows of which no more than `max` get a call graph. */
void rows_open_row(struct rows *r, size_t pos, bool open);
void rows_open_all(struct rows *r, bool open, size_t max);
/* Does any column of text of this item contain it? */
bool rows_contain(const struct rows *r, uint32_t item, const char *text, struct out *scratch);

#endif
