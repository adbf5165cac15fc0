#ifndef REPORT_SESSION_SESSION_PRIV_H
#define REPORT_SESSION_SESSION_PRIV_H

#include "format/scouts.h"
#include "report/session/stitch_priv.h"
#include "symbols/arch/arch.h"

/* The end of a round: from position `pos` on, records with times up to `limit` are delivered. */
struct round {
	uint64_t pos, limit;
};

/* A sideband record that changes the timeline. Sorted by place, in which order the records get their moments. */
struct sideband {
	struct session_place place;
	uint64_t pos;
};

/* The lives of one thread id, ascending. Only the last of them may be open. */
struct tid_lives {
	VEC(uint32_t) threads;
};

/* A piece of jitted code that waits for its moment. A map record of this process announced it. */
struct jit_map {
	int32_t pid, tid;
	struct jit_code code;
};
struct jit_codes {
	struct jit_code *items;
	size_t n;
}; /* ascending by address */

/* The number of a stream that is not in the input: a position in it is an index into jit_codes. */
enum { JIT_STREAM = 0xffff };

struct deferred_chain {
	uint64_t cookie;
	uint32_t tid;
	uint64_t at, n;
};

struct session_priv {
	struct session_opts opts;
	const struct arch *arch;           /* of the recording; NULL: it does not say, or we do not know it */
	VEC(struct session_place) moments; /* place of each moment's record, ascending */
	VEC(struct round) rounds;
	struct u64map tids;     /* tid -> index into lives */
	struct u64map subjects; /* tids of the feature SUBJECTS */
	VEC(struct tid_lives) lives;
	struct u64map private_roots; /* processes that see other files than we do: pid -> 1; 0 = no longer */
	uint64_t our_root;           /* inode of our mount namespace; 0 = recorded on another machine */
	struct u64map cgroups;       /* id -> string */
	struct u64map maps;          /* hash of a map -> index into inodes */
	VEC(uint64_t) inodes;
	struct u64map jitdumps; /* jitdump files already read */
	VEC(struct jit_map) jit_codes;
	struct u64map untimed; /* pid -> index + 1 into untimed_codes */
	VEC(struct jit_codes) untimed_codes;
	uint64_t n_untimed_maps;             /* number of maps made from untimed code */
	VEC(struct deferred_chain) deferred; /* user parts of chains, from records of their own */
	VEC(uint64_t) deferred_words;
	struct u64map deferred_index; /* hash of cookie and tid -> index into deferred + 1 */
	struct stitches stitches;
	struct scouts scouts;
	VEC(struct sideband) pending;           /* while walking: not applied yet */
	uint64_t max_time, next_flush, flushed; /* while walking */
	VEC(uint32_t) free_threads;             /* ids to use again */
	/* of a walk in steps: see steps.c */
	bool stepping, late;     /* late: see session_is_late() */
	uint64_t step_end;       /* the step ends before the first record from here on */
	uint64_t applied;        /* records that take effect until this time are applied */
	VEC(uint64_t) due_times; /* by chunk: it is due when all records until this time are delivered */
	size_t n_rested;         /* number of chunks whose pages were released at least once */
	/* of a live input: see feed.c */
	bool live;
	uint64_t bad_records;              /* how many of the input's notes are already in ours */
	uint64_t round_from;               /* where the open round began; some of its chunks may be closed already */
	uint64_t fed;                      /* walked up to here; in steps, too */
	struct session_chunk open;         /* the chunk of the round that has not ended */
	size_t n_ended, n_due;             /* chunks of rounds that have ended; those that can be decoded */
	VEC(struct session_place) waiting; /* records not delivered yet, with opts.in_order; sorted by feed */
	size_t n_delivered;                /* how many of these session_due() has returned */
};

/* A comm id with this bit names a thread that has no name: the other bits are the tid. */
#define COMM_OF_TID 0x80000000u

static inline bool place_before(const struct session_place *a, const struct session_place *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

static const struct session_place NO_PLACE = { UINT64_MAX, UINT64_MAX };

/* --- session.c --- */
/* Walk the records [from, end) of a stream. `open` is the chunk that they continue. */
void session_walk_span(struct session *s, uint64_t from, uint64_t end, struct session_chunk *open);
/* End a round: all records from before the end of the previous round are delivered. */
void session_end_round(struct session *s, uint64_t pos);
/* Apply the records that take effect until this time, in that order. Read each record again from its position. */
void session_apply_sideband(struct session *s, uint64_t until);

/* --- steps.c --- */
/* A record changed the past: what was decoded so far may be wrong. */
void session_rewrite(struct session *s);

/* --- feed.c --- */
/* End a round of a live input, whose chunk ends after the mark. */
void feed_round(struct session *s, uint64_t end, struct session_chunk *open);

/* --- timeline.c --- */
void timeline_init(struct session *s);
/* Apply a sideband record at `moment`. Return -1 if its body is malformed. */
int timeline_apply(struct session *s, const struct record *r, uint32_t moment);
/* Map jitted code at `moment`. */
void timeline_map_jit(struct session *s, const struct jit_map *j, uint32_t moment);
void timeline_release(struct session *s);

/* --- timeline_jit.c --- */
/* If a map record announces a jitdump, read that file and queue its code. */
void timeline_see_jit(struct session *s, const struct record *r, const struct session_place *place);
/* Map the untimed jitted code in memory that a process has just mapped. */
void timeline_untimed_jit(struct session *s, int32_t pid, uint32_t space, const struct map_args *map);
void timeline_jit_release(struct session *s);

#endif
