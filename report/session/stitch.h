#ifndef REPORT_SESSION_STITCH_H
#define REPORT_SESSION_STITCH_H

#include "report/session/session.h"

/*
 * Some processors keep the call stack in branch registers (attr.branch_sample_type has CALL_STACK).
 * A stack deeper than the number of registers loses its outer calls, but an earlier sample of the
 * thread may have seen them. We continue with the earlier stack if the outermost register of this
 * sample holds the same call in both, and so do its neighbours up to the last register that both
 * use, or to the first one written again.
 *
 * The recording must have the index of the register written last (BRANCH_HW_INDEX) and the number
 * of registers (the processor's capability "branches"). The result is a guess: a program that
 * leaves functions without returning may get joined stacks that never existed.
 */
struct stitches;

/* Join the stacks of a walked session. NULL if the recording lacks something: `why` tells what. */
struct stitches *stitches_new(const struct session *s, const char **why);
void stitches_free(struct stitches *x);

/* An overwritten call: its source address, and the call outside of it. */
struct stitch {
	uint64_t from;
	uint32_t outer, depth;
};
/* What continues the stack of the sample at `pos` (session_pos); NULL if nothing does. */
const struct stitch *stitches_of(const struct stitches *x, uint64_t pos);
/* The next outer call; NULL after the last. */
const struct stitch *stitch_outer(const struct stitches *x, const struct stitch *call);

#endif
