#ifndef REPORT_PROFILE_PROFILE_PRIV_H
#define REPORT_PROFILE_PROFILE_PRIV_H

#include "report/profile/profile.h"

/*
 * Why unwinding stopped before the thread's start (an enum reason), and in which object. `unwound`
 * is false when the kernel found the frames.
 */
struct chain_end {
	uint32_t dso;
	uint8_t why;
	bool unwound;
};

/* What is left of an entry's earlier sums: see profile_fade(). */
struct faded {
	double samples, period;
};

/* --- decode.c --- */
/* Decode all chunks of the session into the parts. */
void decode_run(struct profile *p);
/* The same while the session walks in steps. Return false if it did not finish in time. */
bool decode_steps(struct profile *p);
/* Return a worker for the profile's first part; it stays between chunks. */
struct decoder *decoder_new(struct profile *p);
void decoder_free(struct decoder *d);
void decoder_take(struct decoder *d, uint32_t chunk);
/* Forget all cached results: moments, spaces, threads or numbers of the part have changed. */
void decoder_forget(struct decoder *d);

/* ---- naming: what one step passes to the next ---- */

struct naming {
	struct profile *p;
	uint32_t from;                       /* frames before this one have their sites */
	uint32_t **frame_maps, **outer_maps; /* by part: its number -> the profile's */
	uint32_t *n_frames;                  /* by part */
	uint32_t *symbols;                   /* by frame, counted from `from` */
	struct frame_names {                 /* the same: what DWARF knows; NULL if nobody asks */
		struct inline_frame *inlined;
		struct source_line line;
		uint32_t n_inlined;
	} * dwarf;
};

/* --- merge.c --- */
/* Make the frames and key values of the profile from those of the parts, with the maps. */
void merge_parts(struct naming *n);
/*
 * Add the frames of these parts to the profile, each part's from frame `from` on, sorted by object and offset.
 * `maps`: by part, frame of the part -> frame of the profile.
 */
void merge_frames(struct profile *p, const struct part *parts, unsigned n_parts, uint32_t from, uint32_t *const *maps);

/* --- name.c --- */
/* Find the symbol of each frame, and lines and inlined calls where they are wanted. */
void name_frames(struct naming *n);
void naming_release(struct naming *n);

/* --- sites.c --- */
void make_sites(const struct naming *n);

/* --- sum.c --- */
/* Fill the entries of each part, and turn its chains into sites. */
void sum_sites(const struct naming *n);

/* --- growing.c --- */
/* Return the remains of an entry's earlier samples; NULL: there were none. */
static inline struct faded *faded_of(const struct profile *p, size_t entry)
{
	return entry < p->faded.len ? &p->faded.items[entry] : NULL;
}
/* Is enough left of the entry's samples to keep it? */
bool entry_is_alive(const struct profile *p, size_t entry);
/*
 * Move the samples that the entry got since the last call to its faded sums, for which there is room. Store the entry
 * with only these samples in `news`, which may be NULL. Return false if there are none.
 */
bool profile_settle(struct profile *p, size_t entry, struct frame_entry *news);

/* --- shown.c --- */
void follower_free(struct follower *f);

/* --- data_types.c --- */
void profile_find_types(struct profile *p);

/* --- texts.c --- */
void texts_free(struct texts *t);

/* --- part.c --- */
bool frame_same_place(const struct frame *a, const struct frame *b);
void part_free_kept(struct part *part);
/* Make an empty part; n_events 0: without sums of events. */
void part_init(struct part *part, size_t n_events);
void part_release(struct part *part);
/* Return the number of the frame in the part; add the frame if it is new. */
uint32_t part_frame(struct part *part, const struct frame *f);
uint32_t part_outer(struct part *part, const uint64_t *values, size_t n);
/*
 * Add a sample with these ids to its entry. Return the number of the entry, valid until the part is
 * merged.
 */
uint32_t part_add(struct part *part, const struct frame_entry *e);
/* Add what a sample measured to its entry. */
void part_measure(struct part *part, uint32_t entry, const struct measures *m);
/* Keep a single sample of an entry, unless the entry has `most` samples with lower ranks. */
void part_keep(struct part *part, uint32_t entry, uint64_t most, const struct kept_sample *s);
/* Return the number of entries that measures and kept samples belong to. */
static inline size_t part_n_entries(const struct part *part) { return MAX(part->found.len, part->entries.len); }
/*
 * Give an entry the thread of its earliest sample. At equal times take the lower number, so that the order of workers
 * does not matter.
 */
#define ENTRY_FIRST(to, time, thread, mode) \
	do { \
		if ((time) < (to)->first_time || ((time) == (to)->first_time && (thread) < (to)->first_thread)) { \
			(to)->first_time = (time); \
			(to)->first_thread = (thread); \
			(to)->first_mode = (mode); \
		} \
	} while (0)

#endif
