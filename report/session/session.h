#ifndef REPORT_SESSION_SESSION_H
#define REPORT_SESSION_SESSION_H

#include "base/hash.h"
#include "base/progress.h"
#include "format/format.h"
#include "report/session/parallelism.h"
#include "symbols/symbols.h"

/*
 * An input and what happened in it over time: which threads lived, how they were called, what was mapped.
 *
 *	session_open -> session_walk -> (read-only from here, any number of threads:) session_moment -> session_task ->
 * space_find
 *
 * Time in the timeline is counted in moments: the number of sideband records (mmap, comm, fork, exit ...) that have
 * taken effect. A sample's time and position give its moment; everything else (comm, maps, who a thread id was) is
 * looked up by moment, spaces included: `time_ns` of symbols/symbols.h is a moment here. So
 * records of equal time keep their order, and inputs without times need no care.
 *
 * When a record takes effect: sorted by (time, position) if the first event has times and sample_id_all, else by
 * position. In sorted inputs a record without a time (0 or ~0) takes effect where a reader that
 * delivers by rounds would be when it meets it: at the largest time of the round before last.
 * Source: strobe.data(5), "Order".
 */
/*
 * Who puts the payload of tracepoints into words: their formats, as the kernel has them; or plugins of libtraceevent,
 * for those that have one. USUAL: formats, unless TRACEEVENT_PLUGIN_DIR names a directory with plugins.
 */
enum trace_text_by { TRACE_TEXT_USUAL, TRACE_TEXT_KERNEL, TRACE_TEXT_PLUGINS };

struct session_opts {
	bool force;         /* read files of other users (-f) */
	bool forget_exited; /* a thread's name ends with it: samples it still gets are of a thread unknown, as perf's
			       script has it */
	bool inodes;        /* keep the inodes of maps for session_inode */
	bool parallelism;   /* keep session.parallelism */
	bool split_chains;  /* user parts of chains that came in records of their own stay there */
	bool stitch_lbr;    /* join call stacks of branch records with earlier ones of their thread
			       (report/session/stitch.h) */
	enum trace_text_by trace_text;
	bool read_ahead; /* names will be asked for: read the kernel's beside the walk, if there are samples of it */
	struct symbols_opts symbols; /* `foreign` and `arch` are filled from the input unless set */
	struct progress *progress;   /* of opening; may be NULL */
	uint64_t chunk_size;         /* bytes of one chunk, 0 = 4 MB; for tests */
};

/* What a thread was called from `moment` on. `exec`: it ran another program then. */
struct comm_change {
	uint32_t moment, comm;
	bool exec;
};

/* The cgroup namespace a thread was in from `moment` on. */
struct cgroup_change {
	uint32_t moment;
	uint64_t dev, ino;
};

/* One life of a thread id: from its first record (or fork) until the id is used again: samples may come after its exit.
 */
struct thread {
	int32_t pid, tid, ppid;            /* pid -1 = never told */
	uint32_t from, to;                 /* moments: from <= m < to; to UINT32_MAX = to the end */
	uint32_t space;                    /* symbols' id */
	uint32_t parent;                   /* thread that forked it, 0 = not told */
	VEC(struct comm_change) comms;     /* ascending; empty = never named */
	VEC(struct cgroup_change) cgroups; /* the same; empty = never told */
};

/* A record's place in delivery order (report/session/delivery.h walks it). `time` is when it takes effect, not always
 * the time it states. */
struct session_place {
	uint64_t time, pos;
};

/* A stretch of whole records for one worker. Chunks are in file order. */
struct session_chunk {
	size_t stream;
	uint64_t from, to;
	struct session_place first; /* of its records but FINISHED_ROUND, that which is delivered first */
};

struct session_notes {
	struct format_notes format; /* what opening and walking found */
	uint64_t lost, lost_chunks; /* LOST records: lost events, and number of such records */
	uint64_t lost_samples;      /* LOST_SAMPLES records: sum */
	uint64_t aux, aux_lost;     /* AUX records; those behind which a part of the hardware trace is missing */
	uint64_t bad_sideband;      /* malformed bodies, skipped */
	uint64_t bad_records;       /* places where the bytes made no record */
	uint64_t out_of_order;      /* records that came after their time was delivered */
	uint64_t proc_map_timeouts; /* maps of processes that were not read in time */
	uint64_t throttled, unthrottled;
	const char
		*not_stitched; /* opts.stitch_lbr: why nothing could be joined; NULL: it could, or was not asked for */
};

/* Per event, filled by the walk. */
struct session_event {
	uint64_t samples; /* SAMPLE records of it; without -1 ids */
	uint64_t lost;    /* from LOST_SAMPLES and LOST records that name it */
};

struct session {
	struct perfdata *pd;
	struct symbols *symbols;
	struct strtab strings;      /* comms, cgroup paths */
	VEC(struct thread) threads; /* by thread id; [0] is nobody */
	VEC(struct session_chunk) chunks;
	enum trace_text_by trace_text;  /* of opts */
	struct parallelism parallelism; /* only with opts.parallelism */
	struct session_event *events;   /* pd->n_events */
	uint64_t types[RECORD_TYPES];   /* records by type; [0]: unknown types */
	uint64_t first_time, last_time; /* of samples; 0 when none has a time */
	bool sorted;                    /* records are delivered by time, not by position */
	bool has_kernel_map;            /* a kernel map record was there */
	struct session_notes notes;
	struct progress *progress; /* told how far walking is, and whether to stop; may be NULL */
	struct session_priv *priv;
};

/* Open the input and make its symbols. NULL with e: see perfdata_open. */
struct session *session_open(const char *path, const struct session_opts *opts, struct err *e);
/* Hop over all records, build the timeline, note chunks. Damage is counted in notes; -1 with e only when nothing can be
 * read. */
int session_walk(struct session *s, struct err *e);
void session_close(struct session *s);

/* Positions are one number over all streams. `pos` is record.pos. */
static inline uint64_t session_pos(size_t stream, uint64_t pos) { return (uint64_t)stream << 48 | pos; }
static inline size_t session_pos_stream(uint64_t pos) { return (size_t)(pos >> 48); }
static inline uint64_t session_pos_offset(uint64_t pos) { return pos & ((1ull << 48) - 1); }

/* The place of a record of a walked session; the walk itself comes to the same. */
struct session_place session_place_of(const struct session *s, const struct record *r);
/* The chunk's records, for chunk_next; release with chunk_release. */
void session_chunk_open(const struct session *s, size_t chunk, struct format_notes *notes, struct chunk *c);

/* Who a record with this pid and tid is from. */
struct task {
	uint32_t thread;     /* index into session.threads; 0 = nothing was told of it until then */
	int32_t pid, tid;    /* as told by the timeline, else as asked */
	uint32_t comm;       /* for session_comm(): the name at that moment */
	uint32_t first_comm; /* the same, but a thread not yet named has the first name it gets later: what reports show
			      */
	uint32_t space;      /* of its process; SPACE_NONE when nothing is mapped */
	uint32_t space_version; /* symbols' space_version() at that moment */
};

/*
 * A worker's memory of its last lookups; zeroed = empty. One per thread of ours, of no use to others.
 */
enum { LOOKUP_SLOTS = 64 };
struct lookup {
	uint32_t moment; /* the last one, which holds from before[0] up to, but not including, before[1] */
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
 * When in the timeline a record lies that states `time` (~0 or 0: none) at `pos` (session_pos). The record itself, if
 * it is sideband, is not counted: it sees what was before.
 */
static inline uint32_t session_moment(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos);
/* The same for all cases. */
uint32_t session_moment_any(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos);
static inline uint32_t session_moment(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos)
{
	/* In most inputs nothing happens for thousands of samples: those strictly between two changes need no look at
	 * positions. */
	if (l->valid && s->sorted && time > l->before[0].time && time < l->before[1].time)
		return l->moment;
	return session_moment_any(s, l, time, pos);
}

void session_task(const struct session *s, struct lookup *l, int32_t pid, int32_t tid, uint32_t moment, struct task *t);

/* Text of a comm id: ":TID" for threads without a name. Foreign text; lives as long as the session, or in buf. */
const char *session_comm(const struct session *s, uint32_t comm, char buf[16]);
/* The last comm a thread had, as rows that are keyed by pid or tid show it. */
uint32_t thread_last_comm(const struct session *s, uint32_t thread, int32_t tid);
/* The thread that had this id last, 0 if none. */
uint32_t session_last_thread(const struct session *s, int32_t tid);
/* Parts of call chains came in records of their own. */
bool session_defers_chains(const struct session *s);
/* The inode that the record of a map told, 0 if none. With opts.inodes. */
uint64_t session_inode(const struct session *s, const struct map_args *m);
/* The thread's cgroup namespace at that moment; NULL if none was told until then. */
const struct cgroup_change *session_cgroup_namespace(const struct session *s, uint32_t thread, uint32_t moment);
/* Path of a cgroup id, NULL if none was told. Foreign text. */
const char *session_cgroup(const struct session *s, uint64_t id);

/*
 * Where addr lies for a task at a moment: looks in the space that cpumode (CPUMODE_*) names: the
 * kernel's, the guest's or the task's. false: nothing is mapped there.
 */
bool session_find(const struct session *s, const struct task *t, uint32_t moment, unsigned cpumode, uint64_t addr,
		  struct map_hit *hit);
/* The space session_find looks in; SPACE_NONE for hypervisor and unknown modes. */
uint32_t task_space(const struct task *t, unsigned cpumode);

#endif
