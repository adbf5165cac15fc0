#include "report/script/chain_texts_priv.h"

static void clear(struct chain_texts *c)
{
	c->useless = c->found < 2 * c->len;
	c->found = 0;
	memset(c->slots, 0, CHAIN_TEXT_SLOTS * sizeof(*c->slots));
	c->len = 0;
	c->used = 1; /* 0 is no place */
}

void chain_texts_add(struct chain_texts *c, uint64_t hash, const char *text, size_t len)
{
	size_t room = sizeof(struct chain_text) + ROUND_UP(len, (size_t)CHAIN_TEXT_BLOCK);
	size_t units = (room + CHAIN_TEXT_UNIT - 1) / CHAIN_TEXT_UNIT, at = hash % CHAIN_TEXT_SLOTS;
	struct chain_text *t;

	if (len > CHAIN_TEXT_MOST)
		return;
	if (!c->slots) {
		c->slots = xcalloc(CHAIN_TEXT_SLOTS, sizeof(*c->slots));
		c->texts = xmalloc(CHAIN_TEXT_BYTES);
		c->used = 1;
	}
	if (c->len == CHAIN_TEXT_SLOTS / 2 || (c->used + units) * CHAIN_TEXT_UNIT > CHAIN_TEXT_BYTES)
		clear(c);
	while (c->slots[at])
		at = (at + 1) % CHAIN_TEXT_SLOTS;
	c->slots[at] = (uint32_t)c->used;
	t = (void *)(c->texts + c->used * CHAIN_TEXT_UNIT);
	t->hash = hash;
	t->len = (uint32_t)len;
	memcpy(t->text, text, len);
	c->used += units;
	c->len++;
}

void chain_texts_release(struct chain_texts *c)
{
	free(c->slots);
	free(c->texts);
	*c = (struct chain_texts){ 0 };
}
