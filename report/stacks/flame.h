#ifndef REPORT_STACKS_FLAME_H
#define REPORT_STACKS_FLAME_H

#include "report/stacks/stacks.h"

/*
 * Sorted stacks as a tree of boxes, as in a flame graph. The width of a box is the weight of the
 * stacks that run through it; it lies above its caller. A caller comes before its callees, and
 * neighbours are ordered from left to right.
 */
struct flame;

/*
 * Make the boxes of sorted stacks; leave out those below `least`, with 0 only those that weigh nothing in both
 * recordings. `stacks` must outlive the tree.
 */
struct flame *flame_new(const struct stacks *stacks, uint64_t least);
/* Return true if frames name what threads waited for: then boxes below `least` decide colours. */
bool flame_has_waits(const struct stacks *st);
/* The samples of all boxes, in column 0. */
uint64_t flame_samples(const struct flame *f);
void flame_free(struct flame *f);

#endif
