#ifndef REPORT_ROWS_GRAPH_H
#define REPORT_ROWS_GRAPH_H

#include "report/rows/fold.h"

/*
 * Call graphs of rows: made for the rows that are shown, and only as deep as branches reach the threshold. A node is a
 * run of frames without a fork, shared by all stretches below it; nobody keeps the stretches.
 */
enum graph_form { GRAPH_NONE, GRAPH_ABSOLUTE, GRAPH_FRACTAL, GRAPH_FLAT, GRAPH_FOLDED };

struct graph_node {
	uint32_t first_frame, n_frames;   /* sites, in graph.frames */
	uint32_t first_child, n_children; /* in graph.nodes, most hits first */
	uint64_t hits, samples;           /* of all stretches that come here */
	uint64_t own, own_samples;        /* of those that end here */
};

struct graph {
	VEC(uint32_t) frames;
	VEC(struct branch_sums) branches; /* of the frames of the same numbers, with branch_history */
	VEC(struct graph_node) nodes;     /* [0] is the root: it has no frames */
};

struct graph_opts {
	enum graph_form form;
	double min_percent;
	uint64_t total; /* 100 % */
};

/* Graphs of n rows (indexes into fold.rows), malloc'd; released one by one with graph_release. */
struct graph *graphs_new(const struct fold *f, const uint32_t *rows, size_t n, const struct graph_opts *o);
void graph_release(struct graph *g);
/* A graph of stretches that are given as sites: n of them from `at` on, which are needed for this call only. */
struct graph_stretch {
	const uint32_t *at;
	uint32_t n;
	uint64_t period, samples;
};
struct graph graph_new(const struct fold *f, const struct graph_stretch *stretches, size_t n,
		       const struct graph_opts *o);
/* The order of two branches with equal hits, by the sites they begin with. */
int graph_site_compare(const struct profile *p, uint32_t a, uint32_t b);

#endif
