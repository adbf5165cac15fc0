#ifndef REPORT_SESSION_CHAIN_H
#define REPORT_SESSION_CHAIN_H

#include "report/session/session.h"

/*
 * A sample's call chain in the kernel's form (addresses behind context markers, innermost first), whatever it was
 * recorded as: frame pointers, a copy of the stack to unwind, the branch records of a call stack, or a user part that
 * came later in a record of its own. Branch records stand for the user part: behind the marker follow the sampled
 * address and the source of every branch, and what they are stitched to (session_opts.stitch_lbr).
 */
struct chain_words {
	const uint8_t *words; /* u64 each, maybe unaligned: of the record, or of the buffer */
	uint64_t n;
	uint64_t unwound;        /* words[unwound .. n) are from unwinding */
	struct unwind_stop stop; /* of which */
	bool continued; /* where unwinding had to stop, by the frame pointers that the kernel followed: also that is
			   told by `stop` */
};

struct chain_buffer {
	VEC(uint64_t);
};

/* Whose chain. */
struct chain_place {
	const struct sample *sample;
	const struct task *task;
	uint64_t pos; /* session_pos of its record */
	uint32_t moment;
	unsigned worker; /* as unwind_user has it */
	uint64_t max;    /* so many frames are wanted of what is unwound or stitched */
};
/* The chain lives as long as the record and until the next call with this buffer. false: the stack was there but could
 * not be unwound. */
bool chain_of_sample(const struct session *s, const struct chain_place *p, struct chain_buffer *buffer,
		     struct chain_words *c);
/* Keep what a CALLCHAIN_DEFERRED record has for the samples that wait for it: those of its thread with its cookie.
 * While walking. */
void chain_defer(struct session *s, const struct record *r);
/* The cpumode of addresses behind a marker; -1 for one that nobody knows: such a chain means nothing. */
int chain_marker_mode(uint64_t marker);

#endif
