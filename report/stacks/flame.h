#ifndef REPORT_STACKS_FLAME_H
#define REPORT_STACKS_FLAME_H

#include "report/stacks/stacks.h"

/*
 * Sorted stacks as a tree of boxes, as in a flame graph. The width of a box is the weight of the
 * stacks that run through it; it lies above its caller. A caller comes before its callees, and
 * neighbours are ordered from left to right.
 */
struct flame_box {
	uint32_t name;               /* id in stacks; 0: the root, which all stacks share */
	uint32_t depth;              /* 0: the root */
	uint32_t parent;             /* index; the root is its own parent */
	uint64_t start;              /* sum of the weights to its left */
	uint64_t weight[2], samples; /* [1]: in the recording to compare with */
	uint32_t wait;               /* of flame_waits: what nearly all of it is; 0: none or several */
};

struct flame {
	const struct stacks *stacks;
	VEC(struct flame_box) boxes; /* [0] is the root */
	uint32_t *leaf_of;           /* stack -> the box it ends in; 0 if that was left out */
	uint32_t depth;              /* of the deepest box */
};

/*
 * Make the boxes of sorted stacks; leave out those below `least`, with 0 only those that weigh nothing in both
 * recordings. `stacks` must outlive the tree.
 */
struct flame *flame_new(const struct stacks *stacks, uint64_t least);
/* Tell whether frames name what threads waited for: then the boxes below `least` decide colours. */
bool flame_has_waits(const struct stacks *st);
void flame_free(struct flame *f);

#endif
