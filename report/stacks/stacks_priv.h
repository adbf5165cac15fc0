#ifndef REPORT_STACKS_STACKS_PRIV_H
#define REPORT_STACKS_STACKS_PRIV_H

#include <pthread.h>

#include "report/stacks/data.h"
#include "report/stacks/word_blocks_priv.h"

/* --- stacks/places.c --- */

/*
 * An escaped name in stacks, and its kind. `order`: its position among the names of its place, from the innermost
 * inlined call on; with frames, from the outermost one on.
 */
struct place_name {
	uint32_t text;
	enum stack_kind kind;
	uint16_t order;
	uint32_t file, line; /* with frames */
};

/*
 * Places: addresses grouped by their names. All addresses of a function are one place, except those
 * with inlined calls. All workers share the places; place 0 is none.
 */
struct named_place {
	uint32_t first, n, dso;
};
struct places {
	struct session *session;
	const struct stacks_opts *opts;
	pthread_mutex_t lock; /* protects all members below */
	struct strtab texts;
	VEC(struct place_name) names;
	VEC(struct named_place) items;   /* names[first .. first + n), outermost first */
	struct idtable index, by_offset; /* by content; by hash of object, offset and whether sampled */
};
/* A name that a worker has described, but not yet stored. */
struct pending_name {
	size_t at, len;
	enum stack_kind kind;
	uint16_t order;
	struct source_line line;
};
/* Where a worker met a place: the least offset, + 1, and the lowest map. */
struct place_met {
	uint64_t least, start, length, pgoff;
};
struct placer {
	struct places *places;
	struct u64map by_symbol;   /* place + 1 by object and symbol, for addresses without inlined calls */
	VEC(struct place_met) met; /* by place */
	struct out text, escaped;
	VEC(struct pending_name) pending; /* names of the place being built */
};
void places_init(struct places *p, struct session *s, const struct stacks_opts *opts);
void places_release(struct places *p);
void placer_init(struct placer *r, struct places *p);
void placer_release(struct placer *r);
/* Return the place of an address. `itself`: it is the sampled address, not one of a chain. */
uint32_t placer_find(struct placer *r, const struct map_hit *hit, uint64_t ip, bool itself);
/*
 * Give all names their numbers in `st`, in the order in which their places were first met, so the
 * result does not depend on the number of workers. Return the numbers by place name, 0 for empty
 * ones; the caller frees it.
 */
uint32_t *places_number(const struct places *p, struct placer *const *placers, size_t n, struct stacks *st);
/* Sort the names of all places by object, offset and order. */
struct radix_item;
void places_sort(const struct places *p, struct placer *const *placers, size_t n_placers, struct radix_item *items);
/* Return where all workers together met a place. */
struct place_met place_met(uint32_t place, struct placer *const *placers, size_t n);
/* Print "comm", "comm-PID" or "comm-PID/TID", with '_' instead of blanks. */
void task_name(const struct session *s, const struct stacks_opts *o, uint32_t comm, int32_t pid, int32_t tid,
	       struct out *to);

/* --- stacks/decode.c --- */

/* A stack of a worker: n keys, then a 0. The first is the number of its task, all others are places. */
struct part_stack {
	uint32_t *keys;
	uint32_t n;
	uint32_t sum : 31;    /* number of the sum last used, + 1; 0: none yet */
	uint32_t several : 1; /* it has more than one sum */
};
/* Sum over samples of one stack and event; with slices also of one slot of time and one thread. */
struct stack_sum {
	uint32_t stack, event, slot;
	uint32_t thread; /* of the part's threads, + 1 */
	uint64_t period, samples;
};
struct stack_task_id {
	int32_t pid, tid;
};
struct stack_task {
	uint32_t comm;
	int32_t pid, tid;
	uint32_t unused;
	uint64_t cgroup; /* with frames */
};

/* The result of one worker: each stack of places once. */
struct stack_part {
	VEC(struct part_stack) stacks;
	struct word_blocks keys;
	VEC(struct stack_sum) sums;
	VEC(struct stack_task) tasks;
	VEC(struct stack_task_id) threads;
	uint64_t *first;               /* by event: the time of its first sample, UINT64_MAX if none */
	VEC(struct stack_sample) each; /* `group` is an index into sums */
	struct placer placer;
	struct format_notes notes;
};
struct stack_decoding {
	struct session *session;
	const struct stacks_opts *opts;
	uint64_t slot_ns; /* with slices */
	uint32_t n_slots;
	const struct profile_filter *filter;
	struct places *places;
};
/* Decode all samples that pass the filter. Return *n parts; the caller frees them. */
struct stack_part *stack_decode(const struct stack_decoding *how, unsigned *n);
/* The same, in steps, for a session that was not walked yet. The result is valid unless session_is_late(). */
struct stack_part *stack_decode_steps(const struct stack_decoding *how, unsigned *n);
void stack_parts_free(struct stack_part *parts, unsigned n);
void stack_part_release(struct stack_part *p);
/* Decode chunks that still arrive into one part, which is complete after stack_decoder_free(). */
struct stacks_worker *stack_decoder_new(const struct stack_decoding *how, struct stack_part *part);
void stack_decoder_take(struct stacks_worker *w, size_t n); /* the first n chunks of the session */
void stack_decoder_forget(struct stacks_worker *w);         /* call it when session_sweep runs */
void stack_decoder_free(struct stacks_worker *w);

/* --- stacks/stacks.c --- */

/* Free the names of all stacks. */
void stacks_release_words(struct stacks *st);
/* Add decoded parts, as stacks_add does. Return -1 with e if no event has the wanted name. */
int stacks_merge(struct stacks *st, struct places *places, struct stack_part *parts, unsigned n, unsigned column,
		 struct err *e);

/* --- stacks/join.c --- */

/* The input of a join: `names` of place names by number, `tasks` of each part's tasks. */
struct stack_parts {
	const struct places *places;
	struct stack_part *parts;
	size_t n_parts;
	const uint32_t *names, **tasks;
};
/*
 * Add the stacks of all parts, by name and without weights, and take the parts' keys. Return the number of each part's
 * first stack; the caller frees it. Stacks with equal names stay apart until they are sorted.
 */
size_t *stack_parts_join(struct stacks *st, const struct stack_parts *m);

/* --- stacks/order.c --- */

/*
 * How to sort stacks: by words, which are ranks[2 * name], and ranks[2 * name + 1] for the last name. A rank is > 0 and
 * at most `most`. `least`: join stacks with the same first names if the sum of their weights is smaller than this; 0 =
 * join none.
 */
struct stack_order {
	const struct stacks *st;
	const uint32_t *ranks;
	uint32_t most;
	uint64_t least;
};
/* A stack, by number. `names`: use at most this many of its names; 0: it was joined to the stack before it. */
enum { STACK_ALL_NAMES = INT32_MAX };
struct ordered_stack {
	uint32_t stack, names;
};
/* Sort *n stacks, those with samples unless `all`. The caller frees them. */
struct ordered_stack *stack_order_sort(const struct stack_order *order, bool all, size_t *n);

/* --- stacks/tracks.c --- */

/* Choose the length of slots for a walked session. */
void choose_slots(struct stacks *st, const struct session *s);
/* Give all threads their tracks, by pid and tid. Return the track of each thread, part by part; the caller frees it. */
uint16_t *number_tracks(struct stacks *st, const struct session *s, const struct stack_part *parts, unsigned n);
/* Sort the slices by stack, slot and track, merge those that several workers share, and give them to their stacks. */
void sort_slices(struct stacks *st);

/* --- stacks/frames.c --- */

/* The same as places_number, for frames: each has its own name, and the names of a place are neighbours. */
uint32_t *stack_frames_number(const struct places *p, struct placer *const *placers, size_t n, struct stacks *st);
/* Return the name of a task. */
uint32_t stack_frames_task(struct stacks *st, const struct session *s, const struct stack_task *t, const char *text);
/* Add a part's sums and samples: `first` is the number of its first stack. */
void stack_frames_add(struct stacks *st, const struct session *s, const struct stack_part *part, size_t first,
		      const bool *chosen);
/* Sort everything into the order that the public header promises. */
void stack_frames_settle(struct stacks *st);
void stack_frames_release(struct stacks *st);

#endif
