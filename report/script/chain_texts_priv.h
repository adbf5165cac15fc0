#ifndef REPORT_SCRIPT_CHAIN_TEXTS_PRIV_H
#define REPORT_SCRIPT_CHAIN_TEXTS_PRIV_H

#include "base/out.h"

/*
 * Cache for texts of whole call chains. For programs with few short chains, one lookup and one copy
 * replace those of each frame. It keeps the latest chains in a fixed amount of memory. Where most
 * chains are new, it saves time and looks up only one of sixteen, until that changes. Use one per
 * thread; zeroed memory is empty.
 */
struct chain_texts {
	struct chain_slot {
		uint32_t tag, at;
	} * slots;             /* at: index of the entry in words; 0 = none */
	uint64_t *words;       /* entries one after another; word 0 is unused */
	size_t used;           /* words */
	size_t n;              /* entries */
	uint32_t asked, found; /* of the last few chains */
	uint32_t rest;         /* skip the lookup for so many chains */
};

/*
 * All that the text of a chain depends on: its recorded words (u64 each, maybe unaligned), and what
 * addresses mean.
 */
struct chain_key {
	const uint8_t *words;
	uint64_t n;
	uint32_t user_view, kernel_view;
	uint64_t hash; /* filled in by chain_texts_print */
};

enum chain_texts_answer {
	CHAIN_TEXT_PRINTED,
	CHAIN_TEXT_NEW, /* not cached; worth keeping */
	CHAIN_TEXT_UNKNOWN,
};
/* Append the text of this chain to `o` if it is cached. */
enum chain_texts_answer chain_texts_print(struct chain_texts *t, struct chain_key *key, struct out *o);
/* Cache the text of a chain that was new. The text is copied. */
void chain_texts_keep(struct chain_texts *t, const struct chain_key *key, const char *text, size_t len);
void chain_texts_release(struct chain_texts *t);

#endif
