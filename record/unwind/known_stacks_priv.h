#ifndef RECORD_UNWIND_KNOWN_STACKS_PRIV_H
#define RECORD_UNWIND_KNOWN_STACKS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Keep the stacks of threads as trees, outermost frames first, to continue cut stacks. A frame with the same call
 * address and stack pointer as an earlier one most likely has the same callers. If several stacks had such a frame, use
 * the latest.
 *
 * If there are too many frames, forget all; the next stacks add them again.
 */
struct known_stacks;
struct known_stacks *known_stacks_new(void);
void known_stacks_free(struct known_stacks *s);

/* Return a unique number for the thread that has this id now; a later thread with this id gets another number. */
uint64_t known_stacks_thread(const struct known_stacks *s, int32_t tid);
/* Say that the thread has ended, or runs another program. */
void known_stacks_forget(struct known_stacks *s, int32_t tid);

/*
 * Keep a stack, innermost frame first: its addresses and stack pointers. `end` is a value of the
 * caller.
 */
void known_stacks_add(struct known_stacks *s, uint64_t thread, const uint64_t *ips, const uint64_t *sps, size_t n,
		      uint8_t end);

/*
 * Find a frame and return its number; 0 if there is none. Numbers are valid until the next call of
 * known_stacks_add.
 */
uint32_t known_stacks_find(const struct known_stacks *s, uint64_t thread, uint64_t ip, uint64_t sp);
struct known_frame {
	uint64_t ip, sp;
	uint32_t caller; /* 0: the stack began here */
	uint8_t end;     /* of a frame without caller */
};
const struct known_frame *known_stacks_frame(const struct known_stacks *s, uint32_t frame);

#endif
