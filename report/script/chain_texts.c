#include "report/script/chain_texts_priv.h"

#include "base/bytes.h"

enum {
	SLOT_BITS = 14,
	SLOTS = 1 << SLOT_BITS,
	WORDS = (2 << 20) / 8, /* of entries */
	CHAIN_MOST = 64,       /* words */
	TEXT_MOST = 2048,      /* bytes */
	ROUND = 512,           /* after so many chains, check the share of hits */
	REST = 15 * ROUND,
};

/* The chain and its text follow the entry. */
struct chain_entry {
	uint32_t user_view, kernel_view, n, len;
};
#define ENTRY_WORDS (sizeof(struct chain_entry) / 8)

static uint64_t hash_of(const struct chain_key *key)
{
	uint64_t hash = key->user_view + ((uint64_t)key->kernel_view << 32);

	for (uint64_t i = 0; i < key->n; i++)
		hash = ((hash << 5 | hash >> 59) ^ load_u64(key->words + 8 * i)) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline struct chain_slot *slot_of(const struct chain_texts *t, uint64_t hash)
{
	return &t->slots[hash >> 32 & (SLOTS - 1)];
}

static inline struct chain_slot *next_slot(const struct chain_texts *t, struct chain_slot *s)
{
	return ++s == t->slots + SLOTS ? t->slots : s;
}

static bool is_chain(const struct chain_entry *e, const struct chain_key *key)
{
	const uint64_t *words = (const uint64_t *)(e + 1);

	if (e->n != key->n || e->user_view != key->user_view || e->kernel_view != key->kernel_view)
		return false;
	for (uint64_t i = 0; i < key->n; i++)
		if (words[i] != load_u64(key->words + 8 * i))
			return false;
	return true;
}

static void count(struct chain_texts *t, bool found)
{
	t->found += found;
	if (++t->asked < ROUND)
		return;
	if (t->found < ROUND / 2)
		t->rest = REST;
	t->asked = t->found = 0;
}

enum chain_texts_answer chain_texts_print(struct chain_texts *t, struct chain_key *key, struct out *o)
{
	if (t->rest) {
		t->rest--;
		return CHAIN_TEXT_UNKNOWN;
	}
	if (key->n > CHAIN_MOST) {
		count(t, false);
		return CHAIN_TEXT_UNKNOWN;
	}
	if (!t->slots) {
		t->slots = xcalloc(SLOTS, sizeof(*t->slots));
		t->words = xmalloc(WORDS * sizeof(*t->words));
		t->used = 1;
	}
	key->hash = hash_of(key);
	for (struct chain_slot *s = slot_of(t, key->hash); s->at; s = next_slot(t, s)) {
		const struct chain_entry *e = (const struct chain_entry *)(t->words + s->at);

		if (s->tag == (uint32_t)key->hash && is_chain(e, key)) {
			out_mem(o, (const char *)(t->words + s->at + ENTRY_WORDS + e->n), e->len);
			count(t, true);
			return CHAIN_TEXT_PRINTED;
		}
	}
	count(t, false);
	return CHAIN_TEXT_NEW;
}

void chain_texts_keep(struct chain_texts *t, const struct chain_key *key, const char *text, size_t len)
{
	size_t size = ENTRY_WORDS + key->n + (len + 7) / 8;
	struct chain_slot *s;
	uint64_t *at;

	if (len > TEXT_MOST)
		return;
	if (t->used + size > WORDS || t->n >= SLOTS / 2) {
		memset(t->slots, 0, SLOTS * sizeof(*t->slots));
		t->used = 1;
		t->n = 0;
	}
	for (s = slot_of(t, key->hash); s->at;)
		s = next_slot(t, s);
	*s = (struct chain_slot){ .tag = (uint32_t)key->hash, .at = (uint32_t)t->used };
	at = t->words + t->used;
	*(struct chain_entry *)at =
		(struct chain_entry){ key->user_view, key->kernel_view, (uint32_t)key->n, (uint32_t)len };
	if (key->n)
		memcpy(at + ENTRY_WORDS, key->words, 8 * key->n);
	memcpy(at + ENTRY_WORDS + key->n, text, len);
	t->used += size;
	t->n++;
}

void chain_texts_release(struct chain_texts *t)
{
	free(t->slots);
	free(t->words);
	*t = (struct chain_texts){ 0 };
}
