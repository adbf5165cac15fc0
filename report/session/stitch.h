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
/* An overwritten call: its source address, and the call outside of it. */
struct stitch {
	uint64_t from;
	uint32_t outer, depth;
};
/* What a session keeps of it. Zeroed memory is none. */
struct stitches {
	VEC(struct stitch) calls; /* distinct calls; [0] is none */
	struct u64map by_pos;     /* session_pos of a sample -> what continues its stack */
};

/*
 * After session_walk: join the stacks. If the recording lacks something, join none, and name it in
 * notes.not_stitched.
 */
void session_stitch(struct session *s);

/* Return the continuation of the stack of the sample at `pos` (session_pos); NULL if there is none. */
static inline const struct stitch *stitches_of(const struct stitches *x, uint64_t pos)
{
	const uint32_t *id = u64map_find(&x->by_pos, pos);

	return id ? &x->calls.items[*id] : NULL;
}

/* The next outer call; NULL after the last. */
static inline const struct stitch *stitch_outer(const struct stitches *x, const struct stitch *call)
{
	return call->outer ? &x->calls.items[call->outer] : NULL;
}

#endif
