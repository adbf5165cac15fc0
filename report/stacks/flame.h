#ifndef REPORT_STACKS_FLAME_H
#define REPORT_STACKS_FLAME_H

#include "report/stacks/stacks.h"

/*
 * Sorted stacks as a tree of boxes: what a flame graph draws. A box is as wide as the weight of the stacks that run
 * through it, and lies above the box that called it. Boxes are in the order of a walk that meets callers first and
 * neighbours from left to right.
 */
struct flame_box {
	uint32_t name;               /* of the stacks; 0: the root, that all stacks share */
	uint32_t depth;              /* 0: the root */
	uint32_t parent;             /* index; the root's is itself */
	uint64_t start;              /* weight of all that is left of it */
	uint64_t weight[2], samples; /* [1]: in the recording compared with */
};

struct flame {
	const struct stacks *stacks;
	VEC(struct flame_box) boxes; /* [0] is the root */
	uint32_t *leaf_of;           /* stack -> the box it ends in, 0 if that was left out */
	uint32_t depth;              /* of the deepest box */
};

/* Boxes of stacks that have been sorted; those of less than `least` are left out. `stacks` must outlive the tree. */
struct flame *flame_new(const struct stacks *stacks, uint64_t least);
void flame_free(struct flame *f);

#endif
