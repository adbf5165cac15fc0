#ifndef REPORT_SESSION_STITCH_PRIV_H
#define REPORT_SESSION_STITCH_PRIV_H

#include "report/session/stitch.h"

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
