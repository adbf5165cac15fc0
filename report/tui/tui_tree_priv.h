#ifndef REPORT_TUI_TUI_TREE_PRIV_H
#define REPORT_TUI_TUI_TREE_PRIV_H

#include "report/rows/graph.h"
#include "report/rows/view.h"

/*
 * A call graph as lines that can be folded. Each frame is a line; the first line of a node folds the rest of the node
 * and all nodes below it. The root has no line.
 */
struct tree_line {
	uint32_t node, frame; /* index into graph.frames */
	uint32_t depth;
};

struct tree {
	struct graph graph;
	bool *open;                  /* per node */
	VEC(struct tree_line) lines; /* visible lines */
};

/* Make a tree; it takes over the graph. At first, lines are open as long as a node has only one child. */
struct tree *tree_new(struct graph *g);
void tree_free(struct tree *t);
/* Can the line be folded? Only the first line of a node can. */
bool tree_foldable(const struct tree *t, size_t line);
/* Is the line open? */
bool tree_is_open(const struct tree *t, size_t line);
void tree_toggle(struct tree *t, size_t line);
void tree_open_all(struct tree *t, bool open);
/*
 * Return the line of the node's parent, or the first line of the line's own node; `line` itself if there
 * is none.
 */
size_t tree_up(const struct tree *t, size_t line);

/* Return the share that a line shows: of `total` (absolute), or of its parent (fractal). */
double tree_percent(const struct tree *t, const struct graph_opts *o, uint32_t node);
/* Return the site of a line. tree_name prints its name as call graphs do, with its object if `with_object`. */
uint32_t tree_site(const struct tree *t, const struct tree_line *l);
void tree_name(const struct view *v, uint32_t site, bool with_object, bool lines, struct out *o);

#endif
