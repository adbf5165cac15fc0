#ifndef REPORT_ROWS_GRAPH_H
#define REPORT_ROWS_GRAPH_H

#include "report/rows/fold.h"

/*
 * Call graphs of rows. They are made for visible rows only, and only as deep as branches reach the
 * threshold. A node is a run of frames without a fork. All stretches through a node share it; no
 * stretch is stored.
 */
enum graph_form { GRAPH_NONE, GRAPH_ABSOLUTE, GRAPH_FRACTAL, GRAPH_FLAT, GRAPH_FOLDED };

struct graph_node {
	uint32_t first_frame, n_frames;   /* sites in graph.frames */
	uint32_t first_child, n_children; /* nodes in graph.nodes, most hits first */
	uint64_t hits, samples;           /* of all stretches that reach this node */
	uint64_t own, own_samples;        /* of stretches that end here */
};

struct graph {
	VEC(uint32_t) frames;
	VEC(struct branch_sums) branches; /* by frame, with branch_history */
	VEC(struct graph_node) nodes;     /* [0] is the root, without frames */
};

struct graph_opts {
	enum graph_form form;
	double min_percent;
	uint64_t total; /* what is 100 % */
};

/*
 * Make the graphs of n rows (indexes into fold.rows). The caller frees the array and calls
 * graph_release on each graph.
 */
struct graph *graphs_new(const struct fold *f, const uint32_t *rows, size_t n, const struct graph_opts *o);
void graph_release(struct graph *g);
/*
 * Make one graph from stretches of sites. `at` points to n sites, which are needed during this call
 * only.
 */
struct graph_stretch {
	const uint32_t *at;
	uint32_t n;
	uint64_t period, samples;
};
struct graph graph_new(const struct fold *f, const struct graph_stretch *stretches, size_t n,
		       const struct graph_opts *o);
/* Compare the first sites of two branches with equal hits. */
int graph_site_compare(const struct profile *p, uint32_t a, uint32_t b);

#endif
