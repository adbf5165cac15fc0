#ifndef REPORT_PROFILE_ENTRIES_PRIV_H
#define REPORT_PROFILE_ENTRIES_PRIV_H

#include "report/profile/profile_priv.h"

/* --- sum.c --- */
/* Collects the distinct chains of sites from the chains of frames of a part. */
struct collector {
	/*
	 * The only site of each frame of the part; NULL: some frame has several. If it is given, chains of sites are as
	 * long as those of frames, and overwrite them to save memory.
	 */
	const uint32_t *only;
	uint64_t *hashes; /* room for the hash of each collected chain; may be NULL */
	bool apart;       /* do not merge equal chains */
	struct part *part;
	VEC(struct chain) chains;
	VEC(uint32_t) words;
	struct idtable index;
};
/*
 * Collect the part's chains from number `from` on. `map`: frame of the part -> frame of the profile; fills `numbers`:
 * chain of the part -> collected chain.
 */
void collect_chains(const struct profile *p, struct collector *c, uint32_t from, const uint32_t *map,
		    uint32_t *numbers);
/* Return the number of a frame's place for an event. `first`: by frame, its first place + 1. */
uint32_t part_place(struct part *part, uint32_t *first, uint32_t frame, uint32_t event);
/* Add a sample to its entry, and return the entry's number. */
uint32_t part_add_entry(struct part *to, const struct entry *e);
/* Add `e`, with what `from` measured and kept for its entry of that number, to the sums of `to`. */
void part_take_entry(struct part *to, const struct profile *p, const struct part *from, size_t number,
		     const struct entry *e);
/* Replace the entries of the part by those of `summed`. */
void part_move_entries(struct part *part, struct part *summed);

/* --- join.c --- */
/* Merge entries of equal chains of several parts. `hashes`: by part and chain, of its sites. */
void join_entries(struct profile *p, uint64_t *const *hashes);

/* Most chains have few entries. We keep this many in a list at the chain, and further ones in a hash table. */
enum { CHAIN_ENTRIES = 8 };

/*
 * The table of entries of a part: each combination of ids once. struct frame_entry and struct entry
 * differ in what `SELF` and `OTHER` number, so each has a table of its own. Defines TYPE_add, which
 * adds a sample to its entry and returns the entry's number.
 */
#define ENTRY_TABLE(TYPE, LIST, SELF, OTHER) \
	static bool TYPE##_is(const struct TYPE *a, const struct TYPE *b) \
	{ \
		return a->chain == b->chain && a->SELF == b->SELF && a->outer == b->outer && a->event == b->event && \
		       a->OTHER == b->OTHER; \
	} \
\
	static void TYPE##_more(struct TYPE *to, const struct TYPE *e) \
	{ \
		to->period += e->period; \
		to->samples += e->samples; \
		ENTRY_FIRST(to, e->first_time, e->first_thread, e->first_mode); \
	} \
\
	/* Returns the number + 1. */ \
	static uint32_t TYPE##_new(struct part *part, const struct TYPE *e) \
	{ \
		vec_push(&part->LIST, *e); \
		part->LIST.items[part->LIST.len - 1].next = 0; \
		return (uint32_t)part->LIST.len; \
	} \
\
	static uint32_t TYPE##_add_by_hash(struct part *part, const struct TYPE *e) \
	{ \
		uint64_t hash = hash_mix((uint64_t)e->SELF << 32 | e->chain, \
					 hash_mix((uint64_t)e->outer << 32 | e->event, e->OTHER)); \
		struct idtable_probe probe = idtable_probe(&part->entry_index, hash); \
		uint32_t id; \
\
		while ((id = idtable_next(&part->entry_index, &probe))) { \
			if (TYPE##_is(&part->LIST.items[id - 1], e)) { \
				TYPE##_more(&part->LIST.items[id - 1], e); \
				return id - 1; \
			} \
		} \
		id = TYPE##_new(part, e); \
		idtable_add(&part->entry_index, hash, id); \
		return id - 1; \
	} \
\
	static uint32_t TYPE##_add(struct part *part, const struct TYPE *e) \
	{ \
		uint32_t id, n = 0; \
\
		if (!e->chain) \
			return TYPE##_add_by_hash(part, e); \
		if (part->chain_entries.len <= e->chain) \
			vec_add(&part->chain_entries, \
				MAX(part->chains.len, e->chain + (size_t)1) - part->chain_entries.len); \
		for (id = part->chain_entries.items[e->chain]; id; id = part->LIST.items[id - 1].next, n++) { \
			if (TYPE##_is(&part->LIST.items[id - 1], e)) { \
				TYPE##_more(&part->LIST.items[id - 1], e); \
				return id - 1; \
			} \
		} \
		if (n == CHAIN_ENTRIES) \
			return TYPE##_add_by_hash(part, e); \
		id = TYPE##_new(part, e); \
		part->LIST.items[id - 1].next = part->chain_entries.items[e->chain]; \
		part->chain_entries.items[e->chain] = id; \
		return id - 1; \
	}

#endif
