#include "base/hash.h"

/* Load up to 7 bytes as a number. */
static inline uint64_t load_tail(const uint8_t *p, size_t len)
{
	uint64_t v = 0;

	memcpy(&v, p, len);
	return v;
}

uint64_t hash_bytes(const void *data, size_t len, uint64_t seed)
{
	size_t tail = len % 8;
	uint64_t hash = hash_words(data, len / 8, seed);

	return tail ? hash_fold(hash ^ HASH_K3,
				load_tail((const uint8_t *)data + len - tail, tail) ^ HASH_K1 ^ (uint64_t)tail << 56)
		    : hash;
}

/* A table grows before it is 70 % full. */
static bool too_full(size_t len, size_t cap) { return len + 1 > cap / 10 * 7; }

static struct u64map_slot *u64map_slot(const struct u64map *m, uint64_t key)
{
	size_t at = hash_u64(key) & (m->cap - 1);

	while (m->slots[at].used && m->slots[at].key != key)
		at = (at + 1) & (m->cap - 1);
	return &m->slots[at];
}

uint32_t *u64map_find(const struct u64map *m, uint64_t key)
{
	struct u64map_slot *s;

	if (!m->cap)
		return NULL;
	s = u64map_slot(m, key);
	return s->used ? &s->value : NULL;
}

static void u64map_grow(struct u64map *m)
{
	struct u64map bigger = { .cap = m->cap ? m->cap * 2 : 16, .len = m->len };

	bigger.slots = xtable(bigger.cap, sizeof(*bigger.slots));
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*u64map_slot(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
}

uint32_t *u64map_put(struct u64map *m, uint64_t key, bool *is_new)
{
	struct u64map_slot *s;

	/* Grow before the search, so that one search is enough. */
	if (too_full(m->len, m->cap))
		u64map_grow(m);
	s = u64map_slot(m, key);
	if (is_new)
		*is_new = !s->used;
	if (!s->used) {
		*s = (struct u64map_slot){ .key = key, .used = 1 };
		m->len++;
	}
	return &s->value;
}

void u64map_free(struct u64map *m)
{
	free(m->slots);
	*m = (struct u64map){ 0 };
}

static void idtable_place(struct idtable *t, uint64_t hash, uint32_t id)
{
	size_t at = hash & (t->cap - 1);

	while (t->slots[at].id)
		at = (at + 1) & (t->cap - 1);
	t->slots[at] = (struct idtable_slot){ .hash = hash, .id = id };
}

void idtable_add(struct idtable *t, uint64_t hash, uint32_t id)
{
	if (too_full(t->len, t->cap)) {
		struct idtable bigger = { .cap = t->cap ? t->cap * 2 : 16, .len = t->len };

		bigger.slots = xtable(bigger.cap, sizeof(*bigger.slots));
		for (size_t i = 0; i < t->cap; i++)
			if (t->slots[i].id)
				idtable_place(&bigger, t->slots[i].hash, t->slots[i].id);
		free(t->slots);
		*t = bigger;
	}
	idtable_place(t, hash, id);
	t->len++;
}

void idtable_free(struct idtable *t)
{
	free(t->slots);
	*t = (struct idtable){ 0 };
}

static uint32_t strtab_lookup(const struct strtab *t, const char *s, size_t len, uint64_t hash)
{
	struct idtable_probe p = idtable_probe(&t->index, hash);
	uint32_t id;

	while ((id = idtable_next(&t->index, &p)))
		if (!strncmp(t->texts.items[id], s, len) && !t->texts.items[id][len])
			return id;
	return 0;
}

uint32_t strtab_intern_len(struct strtab *t, const char *s, size_t len)
{
	uint64_t hash;
	uint32_t id;

	len = len ? strnlen(s, len) : 0;
	if (!len)
		return 0;
	hash = hash_bytes(s, len, 0);
	id = strtab_lookup(t, s, len, hash);
	if (id)
		return id;
	if (!t->texts.len)
		vec_push(&t->texts, "");
	if (t->unused.len) {
		id = t->unused.items[--t->unused.len];
		t->texts.items[id] = arena_strndup(&t->arena, s, len);
	} else {
		id = (uint32_t)t->texts.len;
		vec_push(&t->texts, arena_strndup(&t->arena, s, len));
	}
	idtable_add(&t->index, hash, id);
	return id;
}

uint32_t strtab_intern(struct strtab *t, const char *s) { return strtab_intern_len(t, s, strlen(s)); }

uint32_t strtab_find(const struct strtab *t, const char *s)
{
	size_t len = strlen(s);

	return len ? strtab_lookup(t, s, len, hash_bytes(s, len, 0)) : 0;
}

const char *strtab_get(const struct strtab *t, uint32_t id)
{
	return id < t->texts.len && t->texts.items[id] ? t->texts.items[id] : "";
}

void strtab_sweep(struct strtab *t, const bool *keep)
{
	arena_release(&t->before);
	t->before = t->arena;
	t->arena = (struct arena){ 0 };
	idtable_free(&t->index);
	for (uint32_t id = 1; id < t->texts.len; id++) {
		const char *text = t->texts.items[id];
		size_t len = text ? strlen(text) : 0;

		if (!text)
			continue;
		if (!keep[id]) {
			t->texts.items[id] = NULL;
			vec_push(&t->unused, id);
			continue;
		}
		t->texts.items[id] = arena_strndup(&t->arena, text, len);
		idtable_add(&t->index, hash_bytes(text, len, 0), id);
	}
}

void strtab_free(struct strtab *t)
{
	arena_release(&t->arena);
	arena_release(&t->before);
	vec_free(&t->texts);
	vec_free(&t->unused);
	idtable_free(&t->index);
}
