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
static inline uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key);
/* The same, when the first slot does not match. */
uint32_t stack_tree_child_any(struct stack_tree *t, uint32_t parent, uint32_t key);
static inline size_t stack_tree_size(const struct stack_tree *t) { return t->nodes.len ? t->nodes.len : 1; }
/* The child of `parent` with this key; 0 if there is none. The tree has had a child, or room reserved for some. */
uint32_t stack_tree_find(const struct stack_tree *t, uint32_t parent, uint32_t key);
/* The nodes were changed: stack_tree_child has to look at them again. */
void stack_tree_forget(struct stack_tree *t);
/* Reserve room for about so many nodes. */
void stack_tree_reserve(struct stack_tree *t, size_t n);
void stack_tree_release(struct stack_tree *t);

static inline size_t stack_tree_begin(const struct stack_tree *t, uint64_t step)
{
	return (step ^ step >> 32) * 0x9e3779b97f4a7c15ull >> (64 - t->bits);
}

/* Prefetch the slot of this child for a later lookup. */
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
