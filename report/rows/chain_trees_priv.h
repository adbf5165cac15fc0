#ifndef REPORT_ROWS_CHAIN_TREES_PRIV_H
#define REPORT_ROWS_CHAIN_TREES_PRIV_H

#include "base/hash.h"
#include "report/rows/fold.h"

/*
 * Prefix trees of chains: chains that begin with the same sites share nodes. Each group of entries
 * of each part has a tree. Long stacks differ in few places, so that a walk over the trees is many
 * times shorter than one over all chains.
 */
struct tree_node {
	const uint32_t *sites; /* n of them, inside one of the chains */
	uint32_t n;
	uint32_t parent, child, sibling; /* nodes; 0 = none */
	uint32_t depth;                  /* of the first site on its chains */
	uint64_t period, samples;        /* of all entries whose chains come through */
	uint64_t own, own_samples;       /* of those whose chains end here */
};

/*
 * The entries of one class below a node, and those that end there. A row counts such an entry by its whole chain, so
 * they are no part of the row's stretches.
 */
struct tree_self {
	uint64_t period, samples, own, own_samples;
};

struct chain_tree {
	VEC(struct tree_node) nodes; /* [0] has no sites */
	VEC(struct tree_self) selves;
	struct u64map self_of; /* node and class -> index in `selves` + 1 */
};

/* All stretches of a row that begin at this place: `at` sites after the beginning of the node. */
struct tree_start {
	uint32_t tree, node, at;
};
struct start_list {
	VEC(struct tree_start);
};

struct chain_trees {
	struct chain_tree *trees;
	size_t n_trees;
	struct start_list *lists; /* by part and number of the row */
	size_t n_lists;
};

/* Do the chains have so much in common that trees save time? It looks at a thousand chains of each part. */
bool chain_trees_pay(const struct fold *f);
/*
 * Make the trees, and list where the callers of some rows stand in them. `wanted` and `n` are those of fold_stretches,
 * which has been called before: it groups the entries.
 */
void chain_trees_make(struct chain_trees *t, const struct fold *f, const uint32_t *wanted, size_t n);
void chain_trees_release(struct chain_trees *t);
/* What the entries of this class add to a node; NULL: there are none. */
const struct tree_self *chain_tree_self(const struct chain_tree *t, uint32_t node, uint32_t class);

#endif
