#ifndef REPORT_STACKS_WALK_PRIV_H
#define REPORT_STACKS_WALK_PRIV_H

#include "report/stacks/tree.h"

/*
 * Walk several stacks into the tree at the same time. Each step depends on the previous one, and a
 * large tree is not in the cache. So the stacks take turns: each turn prefetches what the stack's
 * next turn needs. Zeroed memory is an empty walk.
 *
 *	repeat:
 *		up to STACK_WALKS times: stack_walk_next, then fill in its keys
 *		stack_walk_run
 *		stack_walk_node of each
 */
enum { STACK_WALKS = 16 };
struct stack_walk {
	struct stack_way {
		size_t at;              /* its keys and nodes are [at .. at + n) */
		uint32_t root, n, node; /* node: the current node */
		uint32_t shared;        /* number of steps shared with the previous stack */
		uint32_t base;          /* the nearest earlier stack that takes the last of the shared steps itself */
		uint32_t done;
		bool begun;      /* the shared steps are done */
	} ways[STACK_WALKS + 1]; /* [0]: the last stack of the previous run */
	size_t n;                /* number of ways in use, [1 ..] */
	bool ran;
	VEC(uint32_t) keys;
	VEC(uint32_t) nodes;
};
/*
 * Begin a stack of `n` keys below the node `root`, outermost first. The first `same` keys equal
 * those of the previous stack below the same root. Return where to put the other keys; the pointer
 * is valid until the next call.
 */
uint32_t *stack_walk_next(struct stack_walk *w, uint32_t root, uint32_t same, uint32_t n);
/* Find all nodes. Always pass the same tree. The next stack_walk_next begins a new run. */
void stack_walk_run(struct stack_walk *w, struct stack_tree *t);
/* Where stack i (from 0) ends. Call it after the run and before the next stack. */
static inline uint32_t stack_walk_node(const struct stack_walk *w, size_t i) { return w->ways[i + 1].node; }
void stack_walk_release(struct stack_walk *w);

#endif
