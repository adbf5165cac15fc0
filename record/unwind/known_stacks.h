#ifndef RECORD_UNWIND_KNOWN_STACKS_H
#define RECORD_UNWIND_KNOWN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The stacks that threads had, as trees from where they began: to continue a stack that was cut. A frame that was
 * called from the same address and has the same stack pointer as one before most likely has the same callers. Where
 * several stacks had such a frame, the latest counts.
 *
 * When there are too many frames, all are forgotten; those of the next stacks come again.
 */
struct known_stacks;
struct known_stacks *known_stacks_new(void);
void known_stacks_free(struct known_stacks *s);

/* The number of the thread that has this number now; one that comes after its end has another. */
uint64_t known_stacks_thread(const struct known_stacks *s, int32_t tid);
/* The thread has ended, or runs another program. */
void known_stacks_forget(struct known_stacks *s, int32_t tid);

/* Keep a stack, innermost frame first: its addresses and stack pointers. `end` is the caller's. */
void known_stacks_add(struct known_stacks *s, uint64_t thread, const uint64_t *ips, const uint64_t *sps, size_t n,
		      uint8_t end);

/* A frame by number; 0 is none. Numbers hold until the next call of known_stacks_add. */
uint32_t known_stacks_find(const struct known_stacks *s, uint64_t thread, uint64_t ip, uint64_t sp);
struct known_frame {
	uint64_t ip, sp;
	uint32_t caller; /* 0: the stack began here */
	uint8_t end;     /* of a frame without caller */
};
const struct known_frame *known_stacks_frame(const struct known_stacks *s, uint32_t frame);

#endif
