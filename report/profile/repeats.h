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
	uint64_t hash;   /* from repeat_hash() */
	uint32_t thread; /* of the first such sample */
	uint32_t to;     /* the caller's number of it, plus 1; 0 = an empty slot */
};
struct repeats {
	struct repeat (*lines)[REPEATS_ABREAST]; /* NULL: keep nothing */
	unsigned bits;                           /* there are 1 << bits lines */
	size_t forgotten;                        /* samples that replaced others since the table last grew */
};
void repeats_init(struct repeats *r);
/* Keep a sample. If its line is full, it replaces another one, or the table grows. */
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

/* The fields that show repeats among the samples of an event, and their offsets. */
struct repeat_plan {
	uint64_t default_period;       /* if `period` is -1 */
	int16_t ip, tid, time, period; /* offsets; see struct layout */
	uint16_t least; /* bytes of the shortest body, with the chain's length; NEVER: no sample is compared */
	bool has_chain, by_chain, by_ip; /* samples have a chain; it counts; the sampled address counts */
};
enum { REPEAT_NEVER = UINT16_MAX }; /* no body is as long */

/* Only samples that have no other fields than those that we compare can be repeats. */
static inline struct repeat_plan repeat_plan(const struct file_event *ev, bool by_ip, bool by_chain)
{
	uint64_t type = ev->attr.sample_type;
	const struct layout *l = &ev->layout;
	bool chain = type & SAMPLE_CALLCHAIN, possible = !(type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN)) &&
							 !(~type & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME));

	return (struct repeat_plan){ .default_period = ev->default_period,
				     .ip = l->ip,
				     .tid = l->tid,
				     .time = l->time,
				     .period = l->period,
				     .least = possible ? (uint16_t)(l->fixed_size + 8 * chain) : REPEAT_NEVER,
				     .has_chain = chain,
				     .by_chain = by_chain && chain,
				     .by_ip = by_ip || !(by_chain && chain) };
}

/* Return whether we can compare the sample. It is then well-formed, as sample_decode would require. */
static inline bool repeat_comparable(const struct repeat_plan *plan, const struct record *r)
{
	return r->size >= plan->least &&
	       (!plan->has_chain || load_u64(r->body + plan->least - 8) <= (r->size - plan->least) / 8u);
}

/* The chain of a comparable sample: its addresses, and their number. */
static inline const uint8_t *repeat_chain(const struct repeat_plan *plan, const struct record *r, uint64_t *n)
{
	*n = plan->has_chain ? load_u64(r->body + plan->least - 8) : 0;
	return r->body + plan->least;
}

/* Hash the thread of a sample, and `more`: other values that must be equal, at least the moment. */
static inline uint64_t repeat_hash_thread(uint64_t thread, uint64_t more)
{
	return hash_fold(thread ^ HASH_K0, more ^ HASH_K1);
}
/*
 * Hash all that identifies a comparable sample; never 0. `hash`: repeat_hash_thread of it. `chain_hash`: of its chain,
 * if that counts.
 */
static inline uint64_t repeat_hash(const struct repeat_plan *plan, const struct record *r, uint64_t hash,
				   uint64_t chain_hash)
{
	if (plan->by_ip)
		hash = hash_fold(load_u64(r->body + plan->ip) ^ HASH_K2, hash ^ (r->misc & MISC_CPUMODE));
	if (plan->by_chain)
		hash = hash_fold(chain_hash ^ HASH_K3, hash ^ HASH_K1);
	return hash | 1;
}

#endif
