#ifndef REPORT_PROFILE_REPEATS_H
#define REPORT_PROFILE_REPEATS_H

#include "format/format.h"
#include "base/hash.h"

/*
 * Most samples differ from one met a moment ago in nothing but their time. They are told by the fields of fixed place
 * and their chain as it lies there, without any of the lookups that led to what the one before was added to. A table
 * that forgets: it starts small and doubles when it forgets too much, up to a size. A sample is looked for in the slots
 * of one line of the processor's cache, which is what one look costs.
 */
enum { REPEATS_ABREAST = 4 };
struct repeat {
	uint64_t hash;
	uint32_t thread, to;
}; /* to: + 1; 0 = none */
struct repeats {
	struct repeat (*lines)[REPEATS_ABREAST];
	unsigned bits;
	size_t forgotten;
}; /* without lines: nothing is kept */
void repeats_init(struct repeats *r);
void repeats_keep(struct repeats *r, struct repeat repeat);
void repeats_release(struct repeats *r);
static inline struct repeat *repeats_line(const struct repeats *r, uint64_t hash)
{
	return r->lines[hash >> (64 - r->bits)];
}
/* NULL: none like it is known. `hash` as repeat_hash() has it. */
static inline const struct repeat *repeats_find(const struct repeats *r, uint64_t hash)
{
	const struct repeat *line = repeats_line(r, hash);

	for (size_t i = 0; i < REPEATS_ABREAST; i++)
		if (line[i].hash == hash)
			return &line[i];
	return NULL;
}

/* Have the samples of that event nothing but what is looked at here? */
static inline bool repeats_possible(const struct file_event *ev)
{
	uint64_t type = ev->attr.sample_type;

	return !(type & ~(SAMPLE_FIXED | SAMPLE_CALLCHAIN)) && !(~type & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME));
}

/* Is such a sample as sample_decode wants it? */
static inline bool repeat_whole(const struct file_event *ev, const struct record *r)
{
	const struct layout *l = &ev->layout;

	if (!(ev->attr.sample_type & SAMPLE_CALLCHAIN))
		return r->size >= l->fixed_size;
	return r->size >= l->fixed_size + 8 && load_u64(r->body + l->fixed_size) <= (r->size - l->fixed_size - 8u) / 8;
}

/* What tells such a sample; never 0. `more`: what else does, its moment at least. `place`: where it was taken does,
 * besides its chain. */
static inline uint64_t repeat_hash(const struct file_event *ev, const struct record *r, uint64_t more, bool place,
				   bool chain)
{
	const struct layout *l = &ev->layout;
	uint64_t hash = hash_mix(load_u64(r->body + l->tid), more);

	if (place)
		hash = hash_mix(load_u64(r->body + l->ip), hash ^ (r->misc & MISC_CPUMODE));
	if (chain)
		hash = hash_words(r->body + l->fixed_size + 8, load_u64(r->body + l->fixed_size), hash);
	return hash | 1;
}

#endif
