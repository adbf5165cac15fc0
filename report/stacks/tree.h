#ifndef REPORT_STACKS_TREE_H
#define REPORT_STACKS_TREE_H

#include "base/mem.h"

/*
 * Stacks by their prefixes, outermost first: a node is a sequence of keys, and its parent the same without the last
 * one. Node 0 is the empty one; parents have smaller numbers than their children. Zeroed memory has node 0 alone.
 */
struct stack_node {
	uint32_t parent, key;
};
struct stack_tree {
	VEC(struct stack_node) nodes;
	struct stack_slot {
		uint64_t step;
		uint32_t node;
	} * slots; /* parent << 32 | key, by its hash; node 0: free */
	unsigned bits;
};
/* The node that follows `parent` by `key`, made if there is none. */
static inline uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key);
/* The same, if it is not where it is looked for first. */
uint32_t stack_tree_child_any(struct stack_tree *t, uint32_t parent, uint32_t key);
static inline size_t stack_tree_size(const struct stack_tree *t) { return t->nodes.len ? t->nodes.len : 1; }
/* There will be about so many nodes: make the room at once. */
void stack_tree_reserve(struct stack_tree *t, size_t n);
void stack_tree_release(struct stack_tree *t);

static inline size_t stack_tree_begin(const struct stack_tree *t, uint64_t step)
{
	return (step ^ step >> 32) * 0x9e3779b97f4a7c15ull >> (64 - t->bits);
}

/* That child will be asked for: fetch what has to be looked at. */
static inline void stack_tree_fetch(const struct stack_tree *t, uint32_t parent, uint32_t key)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[stack_tree_begin(t, (uint64_t)parent << 32 | key)]);
}

static inline uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key)
{
	uint64_t step = (uint64_t)parent << 32 | key;
	const struct stack_slot *slot = t->slots ? &t->slots[stack_tree_begin(t, step)] : NULL;

	return slot && slot->step == step && slot->node ? slot->node : stack_tree_child_any(t, parent, key);
}

#endif
