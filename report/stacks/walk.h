#ifndef REPORT_STACKS_WALK_H
#define REPORT_STACKS_WALK_H

#include "report/stacks/tree.h"

/*
 * Stacks on their way into a tree, some at a time: each step needs the one before, and a tree of
 * many stacks is nowhere near the processor. So they take turns: what a step looks at is asked
 * for, and by the time of that stack's next turn it has come. Zeroed memory is an empty walk.
 *
 *	for each of at most STACK_WALKS: stack_walk_next, its keys -> stack_walk_run -> stack_walk_node of each -> ...
 */
enum { STACK_WALKS = 16 };
struct stack_walk {
	struct stack_way {
		size_t at;              /* its keys and nodes are [at .. at + n) */
		uint32_t root, n, node; /* node: where it is */
		uint32_t shared;        /* so many steps are those of the stack before as well */
		uint32_t base;          /* the nearest stack before it that takes the last of these itself */
		uint32_t done;
		bool begun;      /* the shared steps are done */
	} ways[STACK_WALKS + 1]; /* [0]: the last one of those before */
	size_t n;                /* of ways [1 ..] */
	bool ran;
	VEC(uint32_t) keys;
	VEC(uint32_t) nodes;
};
/*
 * A stack of `n` keys after the node `root`, outermost first; of these, `same` are as those of the
 * stack before, after the same root. Returns where the others are to be put, which lives until the
 * next call.
 */
uint32_t *stack_walk_next(struct stack_walk *w, uint32_t root, uint32_t same, uint32_t n);
/* Find all nodes, in a tree that is always the same one. The next stack begins anew. */
void stack_walk_run(struct stack_walk *w, struct stack_tree *t);
/* Where stack i (from 0) ends; after the run, until the next stack. */
static inline uint32_t stack_walk_node(const struct stack_walk *w, size_t i) { return w->ways[i + 1].node; }
void stack_walk_release(struct stack_walk *w);

#endif
