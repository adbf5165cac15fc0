#ifndef REPORT_SESSION_STITCH_H
#define REPORT_SESSION_STITCH_H

#include "report/session/session.h"

/*
 * Call stacks that processors keep in registers for branches (attr.branch_sample_type has CALL_STACK) and that are
 * deeper than there are registers: their outer calls were overwritten, but an earlier sample of the thread may have
 * seen them. They go on where that one does if the outermost register of this sample has in both the same call, and so
 * have its neighbours up to the last register that both use or the first that was written again.
 *
 * Needed for it, each in the recording: the index of the register written last (BRANCH_HW_INDEX) and the number of
 * registers (the processor's capability "branches"). It is a guess: where a program leaves functions other than by
 * returning from them, stacks may be joined that never were one.
 */
struct stitches;

/* Join the stacks of a walked session. NULL where the recording does not have what is needed: `why` is what it lacks.
 */
struct stitches *stitches_new(const struct session *s, const char **why);
void stitches_free(struct stitches *x);

/* A call that was overwritten: where it came from, and the one outside of it. */
struct stitch {
	uint64_t from;
	uint32_t outer, depth;
};
/* What the stack of the sample at `pos` (session_pos) goes on with; NULL if nothing. */
const struct stitch *stitches_of(const struct stitches *x, uint64_t pos);
/* The call outside of one; NULL behind the last. */
const struct stitch *stitch_outer(const struct stitches *x, const struct stitch *call);

#endif
