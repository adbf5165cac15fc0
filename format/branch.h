#ifndef FORMAT_BRANCH_H
#define FORMAT_BRANCH_H

#include "base/bytes.h"

/*
 * One entry of a sample's branch stack: from, to and flags, each a u64. `entries` are those of struct sample, newest
 * first. Source: linux/perf_event.h, struct perf_branch_entry.
 */
enum {
	BRANCH_BYTES = 24,
	BRANCH_WORDS = 3,
	BRANCH_FLAGS_WORD = 2,
};
enum { /* bits of the flags */
       BRANCH_MISPREDICTED = 1,
       BRANCH_PREDICTED = 2,
       BRANCH_IN_TX = 4,
       BRANCH_ABORTED = 8,
};

/* perf sets this bit when it decodes a trace; the kernel never does. */
#define BRANCH_NOT_TAKEN (1ull << 33)
/* PERF_BR_*, a part of the flags. */
enum branch_type {
	BRANCH_TYPE_UNKNOWN,
	BRANCH_TYPE_CONDITIONAL,
	BRANCH_TYPE_UNCONDITIONAL,
	BRANCH_TYPE_CALL = 4,
	BRANCH_TYPE_RETURN = 6,
	BRANCH_TYPE_CONDITIONAL_CALL = 9,
	BRANCH_TYPE_CONDITIONAL_RETURN = 10
};
static inline uint64_t branch_flags_of(enum branch_type type, uint16_t cycles)
{
	return (uint64_t)type << 20 | (uint64_t)cycles << 4;
}

static inline const uint8_t *branch_at(const uint8_t *entries, uint64_t i) { return entries + BRANCH_BYTES * i; }
static inline uint64_t branch_from(const uint8_t *branch) { return load_u64(branch); }
static inline uint64_t branch_to(const uint8_t *branch) { return load_u64(branch + 8); }
static inline uint64_t branch_flags(const uint8_t *branch) { return load_u64(branch + 16); }

/* The CPU cycles since the branch before; 0 = not measured. */
static inline uint64_t branch_cycles(uint64_t flags) { return flags >> 4 & 0xffff; }
/* The part of the flags that has no meaning yet. */
static inline unsigned branch_reserved(uint64_t flags) { return (unsigned)(flags >> 33); }
/* PERF_BR_SPEC_*: 0 = unknown; "" for it, else the constant's name without the prefix. */
static inline unsigned branch_speculation(uint64_t flags) { return flags >> 24 & 3; }
const char *branch_speculation_name(uint64_t flags);
/* The name of the constant without its prefix (PERF_BR_*, PERF_BR_NEW_*), "" if unknown. */
const char *branch_type_name(uint64_t flags);

#endif
