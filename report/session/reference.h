#ifndef REPORT_SESSION_REFERENCE_H
#define REPORT_SESSION_REFERENCE_H

#include "report/session/chain.h"

/*
 * Stacks for samples of events that were recorded without one: take the callers from the last
 * sample of the same thread that has a stack. Zeroed memory is empty.
 */
struct reference {
	struct u64map threads; /* tid -> index of its stack */
	VEC(struct reference_stack {
		VEC(uint64_t) words;
		uint64_t unwound;
	})
	stacks;
	struct chain_buffer made;
};
void reference_keep(struct reference *r, uint32_t tid, const struct chain_words *c);
/*
 * Build a chain from the sampled address and the callers in the kept stack. Leave `c` alone if the
 * thread has no kept stack. The chain lives until the next call.
 */
void reference_borrow(struct reference *r, uint32_t tid, uint64_t ip, unsigned cpumode, struct chain_words *c);
void reference_clear(struct reference *r);
void reference_release(struct reference *r);

#endif
