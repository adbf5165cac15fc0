#ifndef REPORT_SCRIPT_CHAIN_TEXTS_PRIV_H
#define REPORT_SCRIPT_CHAIN_TEXTS_PRIV_H

#include "base/hash.h"
#include "base/out.h"

/*
 * A cache of the texts of whole chains, by the hash of the chain. When it is full, it forgets all of them. Zeroed
 * memory is empty. As elsewhere, we treat chains with equal hashes as equal.
 */
struct chain_text {
	uint64_t hash;
	uint32_t len;
	char text[]; /* room for whole blocks of CHAIN_TEXT_BLOCK */
};
struct chain_texts {
	uint32_t *slots; /* where the text lies, in units; 0 = none */
	char *texts;
	size_t len, used; /* texts, units */
	size_t found;     /* number of texts found since it was empty */
	bool useless;     /* nearly all chains are different: most texts were added, but never used */
};
enum {
	CHAIN_TEXT_BLOCK = 64,
	CHAIN_TEXT_UNIT = 16,
	CHAIN_TEXT_MOST = 1024, /* longer ones are not kept */
	CHAIN_TEXT_SLOTS = 16384,
	CHAIN_TEXT_BYTES = 2 << 20,
};

/*
 * Fetch into the CPU's cache what chain_texts_find will need. Call the first function, then, some time later, the
 * second one.
 */
static inline void chain_texts_fetch_slot(const struct chain_texts *c, uint64_t hash)
{
	__builtin_prefetch(c->slots + hash % CHAIN_TEXT_SLOTS);
}

static inline void chain_texts_fetch(const struct chain_texts *c, uint64_t hash)
{
	const char *text;

	if (!c->len)
		return;
	text = c->texts + (size_t)c->slots[hash % CHAIN_TEXT_SLOTS] * CHAIN_TEXT_UNIT;
	for (int i = 0; i < 4; i++)
		__builtin_prefetch(text + i * CHAIN_TEXT_BLOCK);
}

/* Return the text of a chain, valid until the next chain_texts_add. NULL: not known. */
static inline const struct chain_text *chain_texts_find(struct chain_texts *c, uint64_t hash)
{
	if (!c->len)
		return NULL;
	for (size_t at = hash % CHAIN_TEXT_SLOTS; c->slots[at]; at = (at + 1) % CHAIN_TEXT_SLOTS) {
		const struct chain_text *t = (const void *)(c->texts + (size_t)c->slots[at] * CHAIN_TEXT_UNIT);

		if (t->hash == hash) {
			c->found++;
			return t;
		}
	}
	return NULL;
}

static inline void chain_text_copy(const struct chain_text *t, struct out *o)
{
	const char *from = t->text, *end = from + t->len;
	char *to = out_room(o, CHAIN_TEXT_MOST + CHAIN_TEXT_BLOCK);

	for (; from < end; from += CHAIN_TEXT_BLOCK, to += CHAIN_TEXT_BLOCK)
		memcpy(to, from, CHAIN_TEXT_BLOCK);
	o->len += t->len;
}

/* Add a chain that is not known. Does nothing if its text is too long. */
void chain_texts_add(struct chain_texts *c, uint64_t hash, const char *text, size_t len);
void chain_texts_release(struct chain_texts *c);

#endif
