#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bytes.h"
#include "base/mem.h"

/* Odd constants with about half of their bits set. They need no other property. */
#define HASH_K0 0x9e3779b97f4a7c15u
#define HASH_K1 0xc2b2ae3d27d4eb4fu
#define HASH_K2 0x165667b19e3779f9u
#define HASH_K3 0xd6e8feb86659fd93u

/*
 * Fold both halves of the 128-bit product together, so that every input bit reaches every output
 * bit.
 */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 r = (unsigned __int128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

/* Hash n words of 8 bytes at any alignment: the inline form of hash_bytes(). */
static inline uint64_t hash_words(const void *words, size_t n, uint64_t seed)
{
	const uint8_t *p = words;
	uint64_t a = seed ^ HASH_K0, b = seed + HASH_K1;
	size_t left = n;

	/* Use two lanes, so that the multiplications of one do not wait for those of the other. */
	for (; left >= 4; left -= 4, p += 32) {
		a = hash_fold(load_u64(p) ^ HASH_K2, load_u64(p + 8) ^ a);
		b = hash_fold(load_u64(p + 16) ^ HASH_K3, load_u64(p + 24) ^ b);
	}
	if (left >= 2) {
		a = hash_fold(load_u64(p) ^ HASH_K2, load_u64(p + 8) ^ a);
		left -= 2;
		p += 16;
	}
	if (left)
		b = hash_fold(load_u64(p) ^ HASH_K3, b ^ HASH_K0);
	return hash_fold(hash_fold(a ^ n * 8, HASH_K1) ^ b, HASH_K2 ^ n * 8);
}

/*
 * Hash any bytes. The hash does not resist attackers; with many collisions the tables stay correct
 * but get slower.
 */
uint64_t hash_bytes(const void *p, size_t len, uint64_t seed);

/* Mix a number so that every input bit affects every output bit. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/*
 * Hash a pair of numbers. First spread `a` far, so that close pairs (an object and an offset in it,
 * an event and a thread) get different hashes. Otherwise 64 more in `a` could cancel one less in
 * `b`.
 */
static inline uint64_t hash_mix(uint64_t a, uint64_t b) { return hash_u64((a * 0xd1342543de82ef95u) ^ b); }

/*
 * Map from a u64 key to a u32 value (open addressing, linear probing). Zeroed memory is a valid
 * empty map. Every key is allowed. The pointer returned by u64map_put is valid until the next put.
 */
struct u64map {
	struct u64map_slot {
		uint64_t key;
		uint32_t value, used;
	} * slots;
	size_t len, cap; /* cap is a power of two */
};
uint32_t *u64map_find(const struct u64map *m, uint64_t key); /* NULL if absent */
/* the existing value, or a new one set to 0 */
uint32_t *u64map_put(struct u64map *m, uint64_t key, bool *is_new);
void u64map_free(struct u64map *m);

/*
 * Index over the items of a flat array that the caller owns. It maps a hash to item ids (array
 * indices from 1; 0 = none); the caller compares the items itself. Typical use:
 *
 *	struct idtable_probe p = idtable_probe(&t, hash);
 *	while ((id = idtable_next(&t, &p)))
 *		if (same(&items[id], wanted)) return id;
 *	id = new item; idtable_add(&t, hash, id);
 */
struct idtable {
	struct idtable_slot {
		uint64_t hash;
		uint32_t id;
	} * slots;
	size_t len, cap; /* cap is a power of two */
};
struct idtable_probe {
	size_t at;
	uint64_t hash;
};
static inline struct idtable_probe idtable_probe(const struct idtable *t, uint64_t hash)
{
	return (struct idtable_probe){ .at = t->cap ? hash & (t->cap - 1) : 0, .hash = hash };
}
static inline uint32_t idtable_next(const struct idtable *t, struct idtable_probe *p)
{
	while (t->cap && t->slots[p->at].id) {
		const struct idtable_slot *s = &t->slots[p->at];

		p->at = (p->at + 1) & (t->cap - 1);
		if (s->hash == p->hash)
			return s->id;
	}
	return 0;
}
/* Prefetch the slot of a hash that we will look up soon. */
static inline void idtable_fetch(const struct idtable *t, uint64_t hash)
{
	if (t->cap)
		__builtin_prefetch(&t->slots[hash & (t->cap - 1)]);
}
/* Add an id, which must not be 0. Does not look for duplicates. */
void idtable_add(struct idtable *t, uint64_t hash, uint32_t id);
void idtable_free(struct idtable *t);

/*
 * Strings stored once. Id 0 is the empty string. strtab_get never fails for an id from
 * strtab_intern. A text is valid as long as the table and does not move. Bytes are stored
 * unchanged; a text ends at its first NUL.
 */
struct strtab {
	struct arena arena, before; /* before: the texts as they lay before the last sweep */
	VEC(const char *) texts;    /* NULL: swept away */
	VEC(uint32_t) unused;       /* ids to give again */
	struct idtable index;
};
uint32_t strtab_intern(struct strtab *t, const char *s);
uint32_t strtab_intern_len(struct strtab *t, const char *s, size_t len); /* up to len bytes or a NUL */
uint32_t strtab_find(const struct strtab *t, const char *s);             /* 0 if absent or empty */
const char *strtab_get(const struct strtab *t, uint32_t id);             /* "" for 0 */
/*
 * Forget the strings whose entry in `keep` (by id) is not set; their ids are given again. The others keep
 * their ids, but their texts move: pointers to them hold until the next sweep.
 */
void strtab_sweep(struct strtab *t, const bool *keep);
void strtab_free(struct strtab *t);

#endif
