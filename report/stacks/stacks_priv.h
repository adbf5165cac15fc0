#ifndef REPORT_STACKS_STACKS_PRIV_H
#define REPORT_STACKS_STACKS_PRIV_H

#include <pthread.h>

#include "report/stacks/stacks.h"

/* --- stacks/places.c --- */

/* A name as it stands in stacks, escaped; of which kind. `order`: its turn among those of its place, the innermost
 * inlined call's first. */
struct place_name {
	uint32_t text;
	enum stack_kind kind;
	uint16_t order;
};

/*
 * Addresses by the names they have: those of one function are one place, those that other calls are inlined at are
 * others. Shared by all workers; place 0 is none.
 */
struct place {
	uint32_t first, n, dso;
};
struct places {
	struct session *session;
	const struct stacks_opts *opts;
	pthread_mutex_t lock; /* of all below */
	struct strtab texts;
	VEC(struct place_name) names;
	VEC(struct place) items;         /* names[first .. first + n), outermost first */
	struct idtable index, by_offset; /* by what they are; by hash of object, offset and whether sampled itself */
};
/* What a worker of its own needs for it. */
struct pending_name {
	size_t at, len;
	enum stack_kind kind;
	uint16_t order;
};
struct placer {
	struct places *places;
	struct u64map by_symbol; /* place + 1 by object and symbol, without inlined calls */
	VEC(uint64_t) least;     /* by place: the least offset that it was met at, + 1 */
	struct out text, escaped;
	VEC(struct pending_name) pending; /* texts of a place on its way */
};
void places_init(struct places *p, struct session *s, const struct stacks_opts *opts);
void places_release(struct places *p);
void placer_init(struct placer *r, struct places *p);
void placer_release(struct placer *r);
/* `itself`: it was sampled there, and no chain tells who inlined what. */
uint32_t placer_find(struct placer *r, const struct map_hit *hit, uint64_t ip, bool itself);
/*
 * Give all names their numbers among those of `st`, in the order of the places that they were met at first, so that it
 * is the same for any number of workers. Returns the numbers by place name, 0 for empty ones; the caller's.
 */
uint32_t *places_number(const struct places *p, struct placer *const *placers, size_t n, struct stacks *st);
/* The number of a name, made if it is new. `object`: what it is in. 0 = empty. */
uint32_t stacks_name(struct stacks *st, const char *text, enum stack_kind kind, const char *object);
/* "comm", "comm-PID" or "comm-PID/TID", with '_' for blanks. */
void task_name(const struct session *s, const struct stacks_opts *o, uint32_t comm, int32_t pid, int32_t tid,
	       struct out *to);

/* --- stacks/decode.c --- */

/* Samples of one stack, event and bin of time. */
struct stack_sum {
	uint32_t node, event, bin;
	uint64_t period, samples;
};
struct stack_task {
	uint32_t comm;
	int32_t pid, tid;
};

/* What one worker made of its samples: keys of the tree's first nodes are indices of tasks, of all others places. */
struct stack_part {
	struct stack_tree tree;
	VEC(struct stack_sum) sums;
	VEC(struct stack_task) tasks;
	uint64_t *first; /* by event: the time of its first sample, UINT64_MAX if it has none */
	struct placer placer;
	struct format_notes notes;
};
/* Decode all samples that `filter` lets pass. *n parts, the caller's. */
struct stack_part *stack_decode(struct session *s, const struct stacks_opts *opts, uint64_t bin_ns,
				const struct profile_filter *filter, struct places *places, unsigned *n);
void stack_parts_free(struct stack_part *parts, unsigned n);

#endif
