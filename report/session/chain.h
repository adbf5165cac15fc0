#ifndef REPORT_SESSION_CHAIN_H
#define REPORT_SESSION_CHAIN_H

#include "report/session/session.h"

/*
 * A sample's call chain in the kernel's form: addresses behind context markers, innermost first. It
 * may have been recorded as frame pointers, as a copy of the stack (we unwind it), as branch
 * records of a call stack, or with a user part that came later in a record of its own.
 *
 * Branch records become the user part: behind the marker follow the sampled address, the source of
 * each branch, and the frames they are stitched to (session_stitch).
 */
struct chain_words {
	const uint8_t *words; /* u64 each, maybe unaligned; they lie in the record or in the buffer */
	uint64_t n;
	uint64_t unwound;        /* words[unwound .. n) come from unwinding */
	struct unwind_stop stop; /* why unwinding stopped */
	/*
	 * Unwinding stopped, then frame pointers of the kernel continued; `stop` still tells why it
	 * stopped.
	 */
	bool continued;
};

/* Return how the unwinding of a chain ended, as recordings store it (format/features.h). */
enum unwound_end chain_unwound_end(const struct chain_words *c);

struct chain_buffer {
	VEC(uint64_t);
};

/* Whose chain it is. */
/* What unwinding needs of a sample with copied registers and stack. `moment`: see session_moment(). */
struct unwind_args sample_unwind_args(const struct sample *sample, const struct task *task, uint32_t moment);

struct chain_place {
	const struct sample *sample;
	const struct task *task;
	uint64_t pos; /* session_pos of the record */
	uint32_t moment;
	unsigned worker; /* number of the worker, see unwind_user */
	uint64_t max;    /* keep at most this many frames of an unwound or stitched chain */
};
/*
 * The chain lives as long as the record, and until the next call with this buffer. false: there was
 * a copy of the stack, but unwinding it failed.
 */
bool chain_of_sample(const struct session *s, const struct chain_place *p, struct chain_buffer *buffer,
		     struct chain_words *c);
/* Chains with equal hashes are taken for equal. */
static inline uint64_t chain_hash(const uint8_t *words, uint64_t n) { return hash_words(words, n, 0); }
/*
 * Keep the chain of a CALLCHAIN_DEFERRED record for the samples that wait for it: samples of its
 * thread with its cookie. Call it while walking.
 */
void chain_defer(struct session *s, const struct record *r);
/*
 * Return the cpumode of addresses behind a marker; -1 for an unknown marker, which makes the chain
 * useless.
 */
int chain_marker_mode(uint64_t marker);

#endif
