#ifndef REPORT_SCRIPT_CHAIN_TEXTS_H
#define REPORT_SCRIPT_CHAIN_TEXTS_H

#include "base/out.h"

/*
 * Texts of whole call chains, for programs whose chains are short and few: one look and one copy instead of one for
 * each frame. Of the last ones met, in a bounded amount of memory. Where most chains are new it asks for little: it
 * then looks at one of sixteen only, until that changes. One for each thread; zeroed memory is a valid empty one.
 */
struct chain_texts {
	struct chain_slot {
		uint32_t tag, at;
	} * slots;             /* at: of the entry, in words; 0 = none */
	uint64_t *words;       /* entries, one behind the other; the first word is of none */
	size_t used;           /* words */
	size_t n;              /* entries */
	uint32_t asked, found; /* of the last few chains */
	uint32_t rest;         /* so many chains are not looked for */
};

/* What the text of a chain follows from: its words as recorded (u64 each, maybe unaligned), and what the addresses in
 * it mean. */
struct chain_key {
	const uint8_t *words;
	uint64_t n;
	uint32_t user_view, kernel_view;
	uint64_t hash; /* filled by chain_texts_print */
};

enum chain_texts_answer {
	CHAIN_TEXT_PRINTED,
	CHAIN_TEXT_NEW, /* worth keeping */
	CHAIN_TEXT_UNKNOWN,
};
/* Append the text of this chain to `o`, if it was kept. */
enum chain_texts_answer chain_texts_print(struct chain_texts *t, struct chain_key *key, struct out *o);
/* Keep the text of a chain that was found new. The text is copied. */
void chain_texts_keep(struct chain_texts *t, const struct chain_key *key, const char *text, size_t len);
void chain_texts_release(struct chain_texts *t);

#endif
