#ifndef REPORT_STACKS_PRUNE_H
#define REPORT_STACKS_PRUNE_H

#include "report/stacks/stacks.h"

/*
 * Drop the details of stacks that weigh too little to be drawn: what nodes below `least` call
 * becomes one child. The sums, and the order of all that stays, do not change. Call it before
 * stacks_sort; not with slices.
 */
void stacks_prune(struct stacks *st, uint64_t least);

#endif
