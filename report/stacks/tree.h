#ifndef REPORT_STACKS_TREE_H
#define REPORT_STACKS_TREE_H

#include "base/mem.h"

/*
 * A tree of stacks that share prefixes, outermost frame first. A node stands for a sequence of
 * keys; its parent has all but the last key. Node 0 is the empty sequence; a parent has a smaller
 * number than its children. Zeroed memory has only node 0.
 */
struct stack_node {
	uint32_t parent, key;
};
struct stack_tree {
	VEC(struct stack_node) nodes;
	struct stack_slot {
		uint64_t step;
		uint32_t node;
	} * slots; /* parent << 32 | key, by hash; node 0: free */
	unsigned bits;
};
/* Return the child of `parent` with this key; make it if there is none. */
uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key);
static inline size_t stack_tree_size(const struct stack_tree *t) { return t->nodes.len ? t->nodes.len : 1; }
void stack_tree_release(struct stack_tree *t);

#endif
