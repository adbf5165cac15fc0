#ifndef REPORT_REPEATS_H
#define REPORT_REPEATS_H

#include "format/format.h"
#include "base/hash.h"

/*
 * Most samples differ from one met a moment ago in nothing but their time. They are told by the fields of fixed place and their chain as it lies there, without
 * any of the lookups that led to what the one before was added to. A table that forgets: it starts small and doubles when it forgets too much, up to a size.
 */
struct repeat { uint64_t hash; uint32_t moment, thread, to; /* + 1; 0 = none */ };
struct repeats { struct repeat *slots; unsigned bits; size_t forgotten; };	/* without slots: nothing is kept */
void repeats_init(struct repeats *r);
void repeats_keep(struct repeats *r, struct repeat repeat);
void repeats_release(struct repeats *r);
static inline struct repeat *repeats_slot(const struct repeats *r, uint64_t hash)
{
	return &r->slots[hash >> (64 - r->bits)];
}

/* Is the sample as sample_decode wants it, and has it nothing but what is looked at here? */
static inline bool repeat_possible(const struct file_event *ev, const struct record *r)
{
	const struct layout *l = &ev->layout;
	uint64_t type = ev->attr.sample_type;

	if (type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN) || ~type & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME) || r->size < l->fixed_size)
		return false;
	return !(type & SAMPLE_CALLCHAIN) || (r->size >= l->fixed_size + 8 && load_u64(r->body + l->fixed_size) <= (r->size - l->fixed_size - 8u) / 8);
}

/* What tells such a sample; never 0. `more`: what else does. `place`: where it was taken does, besides its chain. */
static inline uint64_t repeat_hash(const struct file_event *ev, const struct record *r, uint64_t more, bool place, bool chain)
{
	const struct layout *l = &ev->layout;
	uint64_t hash = hash_mix(load_u64(r->body + l->tid), more);

	if (place)
		hash = hash_mix(load_u64(r->body + l->ip), hash ^ (r->misc & MISC_CPUMODE));
	if (chain)
		hash = hash_bytes(r->body + l->fixed_size + 8, load_u64(r->body + l->fixed_size) * 8, hash);
	return hash | 1;
}

#endif
