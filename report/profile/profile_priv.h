#ifndef REPORT_PROFILE_PROFILE_PRIV_H
#define REPORT_PROFILE_PROFILE_PRIV_H

#include "report/profile/profile.h"

/* --- decode.c --- */
/* Decode all chunks of the session into the parts. */
void decode_run(struct profile *p);

/* --- data_types.c --- */
void profile_find_types(struct profile *p);

/* --- profile.c --- */
/* Number of the frame in the part, added if it is new. */
uint32_t part_frame(struct part *part, const struct frame *f);
uint32_t part_outer(struct part *part, const uint64_t *values, size_t n);
/* Adds a sample of those ids to its entry; returns the entry's number, which holds until the part is merged. */
uint32_t part_add(struct part *part, const struct entry *e);
/* Adds what its samples measured to an entry. */
void part_measure(struct part *part, uint32_t entry, const struct measures *m);
/* Keeps a sample of an entry, unless it has `most` of lower ranks. */
void part_keep(struct part *part, uint32_t entry, uint64_t most, const struct kept_sample *s);
/* Who came first gives an entry its thread; at the same time the lower number, so that workers need no order. */
static inline void entry_first(struct entry *to, uint64_t time, uint32_t thread, uint8_t mode)
{
	if (time < to->first_time || (time == to->first_time && thread < to->first_thread)) {
		to->first_time = time;
		to->first_thread = thread;
		to->first_mode = mode;
	}
}

#endif
