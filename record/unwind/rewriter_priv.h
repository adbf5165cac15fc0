#ifndef RECORD_UNWIND_REWRITER_PRIV_H
#define RECORD_UNWIND_REWRITER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "format/format.h"
#include "record/unwind/known_stacks_priv.h"
#include "record/unwind/processes_priv.h"
#include "record/unwind/rewriter.h"

enum {
	ROOM = 32 << 20, /* bytes of copies that may wait */
	HELPERS_MAX = 4,
	FRAMES_MAX = 8000, /* a record has 64 kB */
	SLICE = 64,        /* samples that a helper takes at once */
	READS_MAX = 256,   /* reads of the rest of cut stacks, per round */
	RESTS_MAX = 4096,
	/* A sweep may be running when memory is read. The data of the second sweep after it was written later. */
	READ_BEFORE = 3,
	/*
	 * Cut stacks wait for this many rounds that were not complete yet when memory was read, or until the waiting
	 * rounds have this many bytes.
	 */
	PATIENCE = 16,
	JOINING_BYTES = 8 << 20,
};

/* Where a sample's chain and copies lie in its record, counted from the body. */
struct sample_shape {
	uint32_t chain, chain_end, user; /* user: where the kernel's user frames begin, or chain_end */
	uint32_t copies, copies_end;     /* registers and stack */
};

struct unwound_stack {
	uint64_t at; /* in the round's words of this worker: n addresses, n stack pointers */
	uint32_t n;
	uint8_t worker, end; /* enum unwound_end */
	bool cut;            /* the stack may continue */
	enum unwind_end stop;
};

struct stack_words {
	uint64_t *items;
	size_t len, cap;
};

/* One record of a round. */
struct round_entry {
	uint64_t time;
	uint32_t at; /* of its header, in the round's bytes */
	bool applied;
	bool unwinds; /* a sample with a user stack */
	int32_t tid;
	uint64_t thread; /* known_stacks_thread() at its time */
	struct live_maps *maps;
	struct sample_shape shape;
	struct unwound_stack result;
};

struct unwind_round {
	struct unwind_round *next;
	uint8_t *raw;
	size_t len, cap;
	size_t waiting; /* its bytes in rewriter.waiting */
	VEC(struct round_entry) entries;
	struct stack_words words[HELPERS_MAX];
	size_t n_cut; /* stacks that the next rounds may continue */
	uint64_t last_time;
	uint64_t number;
	uint64_t n_rounds; /* how many were complete when its stacks were joined */
	bool flushes;      /* do not wait for later rounds */
	struct out done;
};

/* The content of memory after a cut stack. */
struct stack_rest {
	uint64_t hash;
	uint64_t round; /* the last round that was complete when this was first read */
};

struct rewrite_worker {
	struct unwind_cache *cache;
	struct stack_words words;
	uint64_t ips[FRAMES_MAX], sps[FRAMES_MAX];
};

/* An entry in the order of time. */
struct round_order {
	uint64_t time;
	size_t seq;
	struct unwind_round *round;
	struct round_entry *entry;
};

struct rewriter {
	struct rewriter_opts opts;
	struct perfdata *pd; /* knows the layouts of records */
	bool *unwinds;
	size_t n_events;
	pthread_t thread;
	bool runs;

	pthread_mutex_t lock; /* guards from here to `stop` */
	pthread_cond_t news, done;
	struct unwind_round *queue, **queue_end; /* not unwound */
	struct unwind_round *ready, **ready_end; /* rounds to write */
	uint64_t waiting;                        /* bytes in rounds that are not unwound */
	unsigned n_waiting;                      /* rounds */
	bool stop;
	struct rewriter_count told; /* a copy of `count` for other threads */
	uint64_t waits;

	_Atomic uint64_t n_rounds;

	/* the thread that records */
	struct unwind_round *filling, *taken;
	size_t put_left; /* bytes left of a record that began in an earlier piece of a ring */

	/* the helper's own */
	struct processes *processes;
	struct unwind_round *held;                   /* waits for the next one */
	struct unwind_round *joining, **joining_end; /* unwound rounds with cut stacks, and the rounds after them */
	size_t joining_bytes;
	struct unwind_round *finished, **finished_end;
	VEC(struct round_order) order;
	VEC(struct round_entry *) work;
	struct rewrite_worker *workers[HELPERS_MAX];
	struct unwind_round *at_hand;
	struct rewriter_count count;
	struct known_stacks *known;
	bool joins; /* there was a cut stack: keep other stacks to continue such ones */
	VEC(struct stack_rest) rests;
	struct u64map rest_by_place; /* thread and stack pointer -> index */
};

/* ---- rewrite_round.c ---- */
struct unwind_round *unwind_round_new(void);
void unwind_round_free(struct unwind_round *r); /* r may be NULL */
struct rewrite_worker *rewrite_worker_new(void);
/*
 * Take the next round, and unwind the one that waits for it: `next` has the last sideband before its end. `behind`:
 * more rounds wait, so use more threads.
 */
void rewriter_complete(struct rewriter *l, struct unwind_round *next, bool behind);
void rewriter_record_at(const struct unwind_round *r, size_t at, struct record *rec);
/* Get what an entry of the round `at_hand` is unwound from; false: nothing to unwind. */
bool rewriter_args(struct rewriter *l, const struct round_entry *entry, struct unwind_args *args, int32_t *pid);
enum unwound_end rewriter_end_of(const struct unwind_stop *stop);

static inline const uint64_t *words_of(const struct unwind_round *r, const struct unwound_stack *res)
{
	return r->words[res->worker].items + res->at;
}

/* ---- rewrite_join.c ---- */
/* Continue the cut stacks of a round that was just unwound. */
void rewriter_join(struct rewriter *l, struct unwind_round *r);
/* Continue those of an earlier round, with the stacks that we have unwound since. */
void rewriter_join_again(struct rewriter *l, struct unwind_round *r);

/* ---- rewrite_emit.c ---- */
/* Write the round's records, with chains, into r->done. */
void rewriter_emit(struct rewriter *l, struct unwind_round *r);

#endif
