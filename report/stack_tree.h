#ifndef REPORT_STACK_TREE_H
#define REPORT_STACK_TREE_H

#include "base/mem.h"

/*
 * Stacks by their prefixes, outermost first: a node is a sequence of keys, and its parent the same without the last one. Node 0 is the empty one; parents have
 * smaller numbers than their children. Zeroed memory has node 0 alone.
 */
struct stack_node { uint32_t parent, key; };
struct stack_tree {
	VEC(struct stack_node) nodes;
	uint32_t *slots;		/* nodes, by hash of parent and key */
	unsigned bits;
};
/* The node that follows `parent` by `key`, made if there is none. */
uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key);
static inline size_t stack_tree_size(const struct stack_tree *t) { return t->nodes.len ? t->nodes.len : 1; }
void stack_tree_release(struct stack_tree *t);

#endif
