#ifndef REPORT_PROFILE_REPEATS_H
#define REPORT_PROFILE_REPEATS_H

#include "format/format.h"
#include "base/hash.h"
#include "report/session/chain.h"

/*
 * Most samples differ from a recent one only in their time. We recognise such a repeat by its
 * fields at fixed offsets and by the raw bytes of its chain, and skip all lookups. The table
 * forgets: it starts small and doubles when it forgets too much, up to a limit. One look costs one
 * cache line of slots.
 */
enum { REPEATS_ABREAST = 4 };
struct repeat {
	uint64_t hash;
	uint32_t thread, to;
}; /* to: number + 1; 0 = none */
struct repeats {
	struct repeat (*lines)[REPEATS_ABREAST];
	unsigned bits;
	size_t forgotten;
}; /* NULL: keep nothing */
void repeats_init(struct repeats *r);
void repeats_keep(struct repeats *r, struct repeat repeat);
void repeats_release(struct repeats *r);
static inline struct repeat *repeats_line(const struct repeats *r, uint64_t hash)
{
	return r->lines[hash >> (64 - r->bits)];
}
/* Find a known sample like this one, NULL if none. `hash` comes from repeat_hash(). */
static inline const struct repeat *repeats_find(const struct repeats *r, uint64_t hash)
{
	const struct repeat *line = repeats_line(r, hash);

	for (size_t i = 0; i < REPEATS_ABREAST; i++)
		if (line[i].hash == hash)
			return &line[i];
	return NULL;
}

/* Tell whether samples of this event have only the fields that we compare. */
static inline bool repeats_possible(const struct file_event *ev)
{
	uint64_t type = ev->attr.sample_type;

	return !(type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN)) && !(~type & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME));
}

/* Tell whether the sample is well-formed, as sample_decode would require. */
static inline bool repeat_whole(const struct file_event *ev, const struct record *r)
{
	const struct layout *l = &ev->layout;

	if (!(ev->attr.sample_type & SAMPLE_CALLCHAIN))
		return r->size >= l->fixed_size;
	return r->size >= l->fixed_size + 8 && load_u64(r->body + l->fixed_size) <= (r->size - l->fixed_size - 8u) / 8;
}

/* The chain_hash() of a whole sample's chain. */
static inline uint64_t repeat_chain_hash(const struct file_event *ev, const struct record *r)
{
	const uint8_t *chain = r->body + ev->layout.fixed_size;

	return chain_hash(chain + 8, load_u64(chain));
}

/*
 * Hash all that identifies a sample; never 0. `more`: other values that must be equal, at least the
 * moment. `place`: the sampled address counts, besides the chain. `chain`: the hash of its chain; NULL: does not count.
 */
static inline uint64_t repeat_hash(const struct file_event *ev, const struct record *r, uint64_t more, bool place,
				   const uint64_t *chain)
{
	const struct layout *l = &ev->layout;
	uint64_t hash = hash_mix(load_u64(r->body + l->tid), more);

	if (place)
		hash = hash_mix(load_u64(r->body + l->ip), hash ^ (r->misc & MISC_CPUMODE));
	if (chain)
		hash = hash_mix(*chain, hash);
	return hash | 1;
}

#endif
