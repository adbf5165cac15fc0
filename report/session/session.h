#ifndef REPORT_SESSION_SESSION_H
#define REPORT_SESSION_SESSION_H

#include "base/hash.h"
#include "base/progress.h"
#include "format/format.h"
#include "format/live.h"
#include "report/session/parallelism.h"
#include "symbols/symbols.h"

/*
 * A session is an opened input and what happened in it over time: which threads lived, what their
 * names were, what was mapped. Everything in report/ starts from a session.
 *
 * Example: print the thread ids and names of a recording.
 *
 *	struct err e = { 0 };
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, &e);
 *	char text[16];
 *
 *	if (!s || session_walk(s, &e) < 0)
 *		return fprintf(stderr, "%s\n", e.what), 1;
 *	for (uint32_t i = 1; i < s->threads.len; i++) {
 *		int32_t tid = s->threads.items[i].tid;
 *
 *		printf("%d %s\n", tid, session_comm(s, thread_last_comm(s, i, tid), text));
 *	}
 *	session_close(s);
 *
 * How to look up a sample. After the walk the session is read-only: any number of threads may call
 * these functions.
 *
 *	session_open -> session_walk -> session_moment -> session_task -> session_find
 *
 * The timeline counts time in moments. A moment is the number of sideband records (mmap, comm, fork,
 * exit ...) that have taken effect. The time and position of a sample give its moment; everything
 * else (comm, maps, the owner of a thread id) is looked up by moment. The `time_ns` of
 * symbols/symbols.h is a moment here too. So records with equal times keep their order, and inputs
 * without times need no special care.
 *
 * If the first event has times and sample_id_all, records take effect in the order of (time,
 * position); otherwise by position. A record without a time (0 or ~0) in a sorted input takes effect
 * where a reader that delivers by rounds would be when it meets the record: at the largest time of
 * the round before last. Source: strobe.data(5), "Order".
 */

/*
 * How to format the payload of tracepoints: by the kernel's format strings, or by plugins of libtraceevent where one
 * exists. USUAL: format strings, unless TRACEEVENT_PLUGIN_DIR names a directory with plugins.
 */
enum trace_text_by { TRACE_TEXT_USUAL, TRACE_TEXT_KERNEL, TRACE_TEXT_PLUGINS };

struct session_opts {
	bool force; /* read files of other users (-f) */
	/* Drop a thread's name at its exit: later samples get an unknown thread, as in perf script. */
	bool forget_exited;
	bool inodes;       /* keep the inodes of maps for session_inode */
	bool parallelism;  /* fill session.parallelism */
	bool in_order;     /* session_feed: keep the places of records for session_due */
	bool split_chains; /* do not join user parts of chains that have records of their own */
	enum trace_text_by trace_text;
	/*
	 * Load the kernel's symbols in parallel with the walk if there are kernel samples; for
	 * callers that will ask for names.
	 */
	bool read_ahead;
	struct symbols_opts symbols; /* `foreign` and `arch` come from the input unless set */
	struct progress *progress;   /* of opening; may be NULL */
	uint64_t chunk_size;         /* bytes per chunk, 0 = 1 MB; for tests */
};

/* The name of a thread from `moment` on. `exec`: the thread ran another program then. */
struct comm_change {
	uint32_t moment, comm;
	bool exec;
};

/* The cgroup namespace of a thread from `moment` on. */
struct cgroup_change {
	uint32_t moment;
	uint64_t dev, ino;
};

/*
 * One life of a thread id: from its first record (or fork) until the id is used again, since
 * samples may follow its exit.
 */
struct thread {
	int32_t pid, tid, ppid;            /* pid -1 = no record told it */
	uint32_t from, to;                 /* moments: from <= m < to; to UINT32_MAX = until the end */
	uint32_t space;                    /* id in symbols/ */
	uint32_t parent;                   /* thread that forked it, 0 = unknown */
	bool about;                        /* it, or a thread that led to it, is in the feature SUBJECTS */
	VEC(struct comm_change) comms;     /* ascending; empty = never named */
	VEC(struct cgroup_change) cgroups; /* ascending; empty = unknown */
	/* of live inputs: whether and when it ended; the thread was forgotten, and the id may be used again */
	bool exited;
	uint64_t exit_time;
	bool swept;
};

/*
 * A record's place in the order of delivery (report/session/delivery.h walks it). `time` is when
 * the record takes effect; this may differ from the time in the record.
 */
struct session_place {
	uint64_t time, pos;
};

/* A span of whole records for one worker. Chunks are in file order. */
struct session_chunk {
	size_t stream;
	uint64_t from, to;
	uint64_t records;           /* how many it has */
	struct session_place first; /* the first of its records in order of delivery; FINISHED_ROUND does not count */
};

struct session_notes {
	struct format_notes format; /* from opening and walking */
	uint64_t lost, lost_chunks; /* LOST records: sum of lost events, number of records */
	uint64_t lost_samples;      /* sum of LOST_SAMPLES records */
	uint64_t aux, aux_lost;     /* AUX records; number of those that lost hardware trace data */
	uint64_t bad_sideband;      /* malformed bodies, skipped */
	uint64_t bad_records;       /* places where the bytes make no record */
	uint64_t out_of_order;      /* records that came after their time was delivered */
	uint64_t proc_map_timeouts; /* map records saying that the recorder ran out of time for this process */
	uint64_t throttled, unthrottled;
	const char *not_stitched; /* after session_stitch: why it is impossible; else NULL */
};

/* Per event, filled by the walk. */
struct session_event {
	uint64_t lost; /* from LOST_SAMPLES and LOST records with its id */
};

struct session {
	struct perfdata *pd;
	struct symbols *symbols;
	struct strtab strings;      /* comms, cgroup paths */
	VEC(struct thread) threads; /* [0] is no thread */
	VEC(struct session_chunk) chunks;
	enum trace_text_by trace_text;  /* from opts */
	struct parallelism parallelism; /* with opts.parallelism */
	struct session_event *events;   /* pd->n_events of them */
	uint64_t types[RECORD_TYPES];   /* records by type; [0]: unknown types */
	uint64_t first_time, last_time; /* of samples; 0 when none has a time */
	bool sorted;                    /* delivery by time, not by position */
	bool has_kernel_map;            /* a map record of the kernel exists */
	struct session_notes notes;
	struct progress *progress; /* of walking, which it may stop; may be NULL */
	struct session_priv *priv;
};

/* Open the input and make its symbols. NULL and e: see perfdata_open. */
struct session *session_open(const char *path, const struct session_opts *opts, struct err *e);
/* The same for an input that is open already; the session closes it, also where this fails. */
struct session *session_over(struct perfdata *pd, const struct session_opts *opts, struct err *e);
/*
 * Walk over all records, build the timeline, note chunks. Count damage in notes. -1 and e only when
 * nothing is readable.
 */
int session_walk(struct session *s, struct err *e);
void session_close(struct session *s);

/*
 * Walk over a large file in steps, instead of session_walk. Samples are decoded soon after the walk stepped over
 * them, while their pages are still in memory: half of the time of a pass goes into pages.
 *
 *	if (session_can_step(s) && !session_steps(s, decode, ctx))
 *		... begin anew, with another session and session_walk ...
 *
 * After each step, decode(ctx, from, to) decodes the chunks [from, to), which have become due by the rounds of the
 * recorder, as in session_feed. It may use several threads; changes may have come after those that they know. What is
 * decoded has the answers of session_walk, unless the session is late: then a record came that changes what earlier
 * samples see, and session_steps stops and returns false.
 */
bool session_can_step(const struct session *s);
size_t session_n_steps(const struct session *s); /* about as many chunks as there will be */
bool session_steps(struct session *s, void (*decode)(void *ctx, size_t from, size_t to), void *ctx);
bool session_is_late(const struct session *s);

/*
 * The same for an input that still arrives (format/live.h), round by round, instead of session_walk:
 *
 *	while (perfdata_more(s->pd, ...)) {
 *		n = session_feed(s, false);
 *		... decode chunks 0 .. n-1, or read the records of session_due() ...
 *		session_settle(s, n);
 *	}
 *	session_feed(s, true) ...
 *
 * Samples of a round are due when the next round has ended: until then sideband may come that took effect before
 * them. session_feed returns the number of chunks that are due; it changes the timeline, so nothing may look things
 * up meanwhile. session_settle forgets the first `n` chunks, whose records then leave memory.
 */
size_t session_feed(struct session *s, bool at_end);
void session_settle(struct session *s, size_t n);
/*
 * Forget ended threads, with their names and maps, and unused objects. All data that is not decoded yet is later, so
 * the present state becomes the state at all times, and moments count from 0 again: release lookups first. Living
 * threads and what `roots` name by id stay; other ids are reused. Call it when no chunk is due.
 */
struct session_roots {
	bool *threads, *dsos, *strings; /* strings: ids of comms */
};
struct session_roots *session_roots_new(const struct session *s); /* none is set */
void session_roots_free(struct session_roots *r);
void session_sweep(struct session *s, const struct session_roots *roots);
bool session_has_grown(const struct session *s); /* there is enough to forget */
size_t session_changes(const struct session *s); /* since the last sweep: forks, maps, names ... */
/* With opts.in_order: the places of the records that are due, in order of delivery; they hold until session_settle. */
const struct session_place *session_due(const struct session *s, size_t *n);

/* One number for a position in any stream. `pos` is record.pos. */
static inline uint64_t session_pos(size_t stream, uint64_t pos) { return (uint64_t)stream << 48 | pos; }
static inline size_t session_pos_stream(uint64_t pos) { return (size_t)(pos >> 48); }
static inline uint64_t session_pos_offset(uint64_t pos) { return pos & ((1ull << 48) - 1); }

/* The place of a record in a walked session, the same that the walk gave it. */
struct session_place session_place_of(const struct session *s, const struct record *r);
/* Are the records of a chunk so small that to read them is to read all of its pages? */
bool session_chunk_is_dense(const struct session_chunk *k);
/* Open the chunk's records for chunk_next, perhaps as a copy. Release with chunk_release. */
void session_chunk_open(const struct session *s, size_t chunk, struct records_copy *copy, struct chunk *c);

/* The owner of a record with this pid and tid. */
struct task {
	uint32_t thread;  /* index into session.threads; 0 = no record about it so far */
	int32_t pid, tid; /* from the timeline if it knows, else as passed in */
	uint32_t comm;    /* for session_comm(): the name at this moment */
	/* as comm, but a thread without a name has the first name that it gets later; reports show this */
	uint32_t first_comm;
	uint32_t space;         /* of its process; SPACE_NONE when nothing is mapped */
	uint32_t space_version; /* space_version() of symbols at this moment */
};

/* A worker's cache of its last lookups. Zeroed memory is empty. One per worker thread. */
enum { LOOKUP_SLOTS = 64 };
struct lookup {
	uint32_t moment; /* the last result; valid from before[0] up to, but not including, before[1] */
	bool valid;
	struct session_place before[2];
	struct task_slot {
		int32_t pid, tid;
		uint32_t moment, used;
		struct task task;
	} * slots;
};
void lookup_release(struct lookup *l);

/*
 * The moment of a record that has `time` (~0 or 0: none) and lies at `pos` (session_pos). A
 * sideband record sees the moment before its own effect.
 */
static inline uint32_t session_moment(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos);
/* The slow path of session_moment. */
uint32_t session_moment_any(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos);
static inline uint32_t session_moment(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos)
{
	/*
	 * In most inputs no sideband comes for thousands of samples. A time strictly between two
	 * changes needs no position.
	 */
	if (l->valid && s->sorted && time > l->before[0].time && time < l->before[1].time)
		return l->moment;
	return session_moment_any(s, l, time, pos);
}

void session_task(const struct session *s, struct lookup *l, int32_t pid, int32_t tid, uint32_t moment, struct task *t);

/*
 * Text of a comm id; ":TID" for threads without a name. Foreign text; lives as long as the session,
 * or in buf.
 */
const char *session_comm(const struct session *s, uint32_t comm, char buf[16]);
/* The last comm of a thread. Rows with a pid or tid key show it. */
uint32_t thread_last_comm(const struct session *s, uint32_t thread, int32_t tid);
/*
 * Return true if the recording was made for this thread or for one that started it. A recording of the whole system
 * may name the threads that it was made for (FEATURE_SUBJECTS); without such names it is for all. `thread` 0:
 * unknown.
 */
bool session_is_about(const struct session *s, uint32_t thread, int32_t tid);
/* The last thread with this id, 0 if none. */
uint32_t session_last_thread(const struct session *s, int32_t tid);
/* Parts of call chains came in records of their own. */
bool session_defers_chains(const struct session *s);
/* The inode in the map's record, 0 if none. Needs opts.inodes. */
uint64_t session_inode(const struct session *s, const struct map_args *m);
/* The thread's cgroup namespace at this moment; NULL if no record has named it so far. */
const struct cgroup_change *session_cgroup_namespace(const struct session *s, uint32_t thread, uint32_t moment);
/* Path of a cgroup id, NULL if unknown. Foreign text. */
const char *session_cgroup(const struct session *s, uint64_t id);

/*
 * Look up addr for a task at a moment, in the space that cpumode (CPUMODE_*) names: the kernel's,
 * the guest's or the task's. false: nothing is mapped there.
 */
bool session_find(const struct session *s, const struct task *t, uint32_t moment, unsigned cpumode, uint64_t addr,
		  struct map_hit *hit);
/* The space in which session_find looks; SPACE_NONE for hypervisor and unknown modes. */
uint32_t task_space(const struct task *t, unsigned cpumode);

#endif
