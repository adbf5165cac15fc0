#ifndef REPORT_PROFILE_PROFILE_H
#define REPORT_PROFILE_PROFILE_H

#include <regex.h>

#include "format/branch.h"
#include "report/session/filter.h"
#include "report/profile/quality.h"
#include "report/session/session.h"
#include "report/session/time_ranges.h"
#include "report/session/windows.h"
#include "symbols/code/access.h"

/*
 * The samples of a session, summed by what they have in common. Several workers decode samples, each into its own
 * tables; then the tables are merged and named. Most work is done once per distinct chain, not per sample.
 * report/rows/fold.h groups the result by the sort keys, from the ids kept here.
 *
 *	profile_new -> profile_decode -> profile_name -> fold
 *
 * Example: print how many samples each function got.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct profile_opts opts = { .want_names = true };
 *	struct profile_filter all = { 0 };
 *
 *	if (!s || session_walk(s, NULL) < 0)
 *		return 1;
 *	struct profile *p = profile_new(s, &opts, &all);
 *	profile_decode(p);
 *	profile_name(p);
 *	for (size_t i = 0; i < p->parts[0].entries.len; i++) {
 *		struct entry x = p->parts[0].entries.items[i];
 *		struct site at = p->sites.items[x.self];
 *
 *		printf("%ju %s\n", (uintmax_t)x.samples, symbol_name(s->symbols, at.dso, at.symbol));
 *	}
 */

/* Which samples count. */
struct profile_filter {
	/* The list of CPUs drops other samples. For the other lists, they count in the totals, but in no row. */
	struct sample_filter who;
	struct time_ranges times; /* drop others; empty = all */
	struct windows windows;   /* drop others */
	/* Numbers of threads that ran; others count in the totals, but in no row; empty = all. */
	struct cpuset parallelism;
	int64_t socket;          /* + 1; samples on CPUs of other sockets count in the totals, but in no row; 0 = all */
	const char *symbol_part; /* show only rows whose symbol name contains this text */
	bool hide_kernel, hide_user; /* they count in the totals, but in no row */
	bool hide_unresolved;        /* drop samples without a symbol, and leave such frames out of chains */
};

/*
 * Texts that keys derive from samples. A text has the same number in every worker. Zeroed memory is
 * empty.
 */
struct texts {
	struct strtab table;
	struct u64map ids;
};
uint64_t texts_number(struct texts *t, const char *text);
const char *texts_get(const struct texts *t, uint64_t number); /* "" for unknown numbers */

struct trace_text;
/* All that a key can use of a sample. */
struct sample_context {
	const struct session *session;
	const struct sample *sample;
	const struct task *task;
	const struct file_event *event;
	const uint8_t *branch; /* the entry { from, to, flags } of this row, NULL if none */
	uint64_t period;
	uint32_t event_number, moment;
	uint32_t parallelism;         /* threads that ran; 1 unless the session counts them */
	const struct sample_key *key; /* the key whose value is asked for */
	struct texts *texts;          /* the worker's */
	struct trace_text *trace;     /* NULL unless a key needs it */
	struct out *scratch;          /* a memory sink to write into */
};
struct profile_opts;
typedef uint64_t sample_value(const struct sample_context *c, const struct profile_opts *o);

/* A number that each sample has. Samples with equal numbers form a group. */
struct sample_key {
	sample_value *value; /* profile_opts tells the quantum */
	bool of_task;        /* depends on the event and the thread only, and changes with sideband only */
	/* Field of a tracepoint (report/rows/trace_keys.h), for its value(); else NULL. */
	const struct trace_key *field;
	bool is_comm; /* the value is for session_comm() */
};

/*
 * The cost of an entry of a branch stack: the cycles since the previous entry, 1 if unknown.
 */
static inline uint64_t branch_cost(const uint8_t *branch)
{
	uint64_t cycles = branch_cycles(branch_flags(branch));

	return cycles ? cycles : 1;
}

enum profile_kind {
	PROFILE_SAMPLES,
	PROFILE_BRANCHES, /* each recorded branch counts 1 */
	PROFILE_MEMORY    /* the cost of its access is a sample's weight */
};

struct profile_opts {
	enum profile_kind kind;
	const struct sample_key *const *keys;
	size_t n_keys;
	bool chains;       /* keep call chains */
	bool caller_first; /* max_stack keeps the outermost frames */
	uint32_t max_stack;
	bool inlines;             /* name inlined calls in chains */
	bool by_address, by_line; /* one site per instruction or per source line, not per function */
	enum graph_by {
		GRAPH_BY_FUNCTION,
		GRAPH_BY_ADDRESS,
		GRAPH_BY_LINE
	} graph_by;         /* which frames a call graph merges */
	bool want_names;    /* most symbol names will be needed: demangle them in the workers */
	bool want_lines;    /* fill in the line of sites */
	bool want_types;    /* keep which data the sampled instructions access */
	bool want_trace;    /* keys need the text of tracepoints */
	bool want_measures; /* keep struct measures of entries */
	/* A sample without a stack gets the callers of its thread's last sample that has one. */
	bool reference_graphs;
	bool branch_history; /* chains begin with the recorded branches: for each, its target and its source. */
	unsigned threads;
	uint64_t time_quantum; /* ns */
	bool raw_trace;        /* tracepoints: print the fields, not the text of print fmt */
	bool no_quality;       /* do not fill profile.quality */
	bool no_kernel_names;  /* leave kernel addresses without names */
	bool keep_places;      /* count samples per address, whatever the rows group by */
	uint64_t keep_samples; /* keep at most this many single samples of each entry */
	bool steps;            /* the session was not walked yet: walk it in steps (session_can_step) */
	bool first_look;       /* decode only a few chunks spread over the recording, as many as a moment allows */
	/* Only this part of the object gets rows; other samples count in the totals; dso 0: everything. */
	struct {
		uint64_t from, to;
		uint32_t dso;
	} only;
	bool beside; /* another profile of this session may be decoded at the same time; at most 8 threads */
	struct progress *progress; /* of decoding and naming, which it may stop; may be NULL */
	bool no_notes;             /* an earlier profile of this session has counted the damage */
};

/* A sampled address. `dso` DSO_UNKNOWN: nothing was mapped there; dso_off is the address. */
struct frame {
	uint64_t ip, dso_off, map_size;
	uint32_t dso;
	uint8_t mode; /* CPUMODE_* */
};

/*
 * What rows and call graphs name: a function, an inlined call, or an address without a symbol; with
 * by_address or by_line also parts of a function.
 */
struct site {
	uint32_t dso, symbol; /* symbol 0: none covers the address */
	const char *inlined;  /* name of the inlined function; `symbol` is the function that contains it */
	/*
	 * Shown when there is no symbol: as sampled for frames of chains, relative to the object
	 * for sampled addresses.
	 */
	uint64_t address;
	uint64_t ip, dso_off;  /* of the first frame at this site */
	uint64_t map_size;     /* bytes mapped there, 0 = nothing */
	const char *line_file; /* with want_lines */
	uint32_t line;
	uint32_t graph; /* call graphs merge sites with equal numbers */
	uint8_t mode;
	bool leaf;     /* a sampled address, not a frame of a chain */
	bool left_out; /* samples here are treated as if they were not there; set after naming */
};

/*
 * A call chain. After profile_name it holds site numbers in the order of display; before, it holds
 * frames, innermost first.
 */
struct chain {
	uint64_t at : 40, n : 24;
};
enum { CHAIN_SITES_MAX = (1 << 24) - 1 };

/*
 * Samples that have all of this in common. Decoding counts them by frames; profile_name makes entries
 * by sites of them.
 */
struct frame_entry {
	uint32_t event, outer, chain;
	uint32_t frame;
	uint32_t other_frame;  /* source of a branch, or address of accessed data; 0 = none */
	uint32_t first_thread; /* thread of the first sample */
	uint64_t first_time;
	uint64_t period, samples;
	uint8_t first_mode; /* CPUMODE_* of the first sample */
	uint32_t next;      /* next entry of the same chain + 1 */
};
struct entry {
	uint32_t event, outer, chain;
	uint32_t self;         /* site */
	uint32_t other;        /* site of the source of a branch, or of accessed data; 0 = none */
	uint32_t first_thread; /* thread of the first sample */
	uint64_t first_time;
	uint64_t period, samples;
	uint8_t first_mode; /* CPUMODE_* of the first sample */
	uint32_t next;      /* next entry of the same chain + 1 */
};

/* The samples of one event at one address. */
struct sampled_place {
	uint32_t frame, event;
	uint64_t samples, period;
	uint32_t next; /* next place of the same frame + 1 */
};

/* Sums of what samples measured besides their period. */
enum { WEIGHTS = 3 };
struct measures {
	uint64_t latency; /* sum of periods, each divided by the number of threads that ran */
	uint64_t weights[WEIGHTS];
};
static inline void measures_add(struct measures *to, const struct measures *m)
{
	to->latency += m->latency;
	for (size_t i = 0; i < WEIGHTS; i++)
		to->weights[i] += m->weights[i];
}

/*
 * Sums over the branches that a frame of a chain stands for (branch_history). For targets of
 * branches: their number, and how many were predicted or ended a transaction. For sources: their
 * number, the cycles spent before, and the rounds of loops that were left out of the frames.
 */
struct branch_sums {
	uint64_t to, predicted, aborted, from, cycles, rounds, round_cycles;
};
static inline void branch_sums_add(struct branch_sums *a, const struct branch_sums *b)
{
	a->to += b->to;
	a->predicted += b->predicted;
	a->aborted += b->aborted;
	a->from += b->from;
	a->cycles += b->cycles;
	a->rounds += b->rounds;
	a->round_cycles += b->round_cycles;
}

/*
 * A single sample that was kept: its thread, time and CPU. `rank` is a hash of its position in the input. We keep the
 * samples with the lowest ranks: they come from all over the recording, and the choice does not depend on the number
 * of workers.
 */
struct kept_sample {
	uint64_t rank, time;    /* ns, ~0 = not recorded */
	uint32_t pid, tid, cpu; /* ~0 = not recorded */
	uint32_t comm;          /* the thread's name at that time, for session_comm() */
};
struct kept_samples {
	VEC(struct kept_sample); /* when full, the highest rank comes first */
};
/* Add a sample, unless `most` samples have lower ranks. */
void kept_samples_add(struct kept_samples *l, uint64_t most, const struct kept_sample *s);

struct chain_end;
struct faded;

/*
 * The tables of one worker. Frames and outers are numbered per part until the merge; chains always
 * are.
 */
struct part {
	VEC(struct frame) frames; /* [0] is no frame */
	struct idtable frame_index;
	VEC(uint64_t) outers; /* n_keys numbers each */
	struct idtable outer_index;
	uint32_t n_outers;
	VEC(struct frame_entry) found;    /* until profile_name */
	VEC(struct entry) entries;        /* after it */
	VEC(struct sampled_place) places; /* with keep_places; filled by profile_name */
	VEC(struct measures) measures;    /* by entry (of what was found, before), with want_measures */
	VEC(struct kept_samples) kept;    /* the same, with keep_samples */
	struct idtable entry_index;       /* of those found without a chain, and of chains with many */
	VEC(uint32_t) chain_entries;      /* chain -> its first entry + 1 */
	VEC(struct chain) chains;         /* [0] is the empty chain */
	VEC(struct chain_end) chain_ends; /* by chain, until profile_name is done */
	struct idtable chain_index;
	VEC(uint32_t) words;
	VEC(struct branch_sums) branches; /* by word, with branch_history */
	struct texts texts;
	struct event_total *totals; /* of samples that are in no entry */
	uint64_t *n_samples;        /* per event: all decoded samples */
	/*
	 * Samples of all events that were taken while no other thread ran, if the session counts
	 * threads.
	 */
	uint64_t n_alone;
	uint64_t n_modes[8], n_exact; /* samples by CPUMODE_*; those whose address is exact */
	struct format_notes notes;
	uint64_t unwind_failed;
};

struct event_total {
	uint64_t samples, period, latency;
};

struct profile {
	struct session *session;
	struct profile_opts opts;
	const struct profile_filter *filter;
	struct part *parts;
	unsigned n_parts;
	VEC(struct frame) frames; /* of all parts, sorted by object and offset */
	VEC(uint64_t) outers;     /* n_keys numbers each; [0] unused when there are none */
	uint32_t n_outers;
	VEC(struct site) sites; /* [0] is no site */
	struct idtable site_index, graph_index;
	VEC(uint32_t) leaf_sites;  /* frame -> its site as a sampled address */
	VEC(uint32_t) chain_sites; /* sites of frames in chains, innermost inlined call first */
	VEC(uint32_t) chain_first; /* frame -> its first index into chain_sites; one more at the end */
	uint32_t n_graph;          /* graph numbers are below this */
	struct strtab names;       /* of inlined functions and source lines */
	struct texts texts;        /* of keys */
	struct access_type *types; /* by site, with want_types; name NULL where no instruction was sampled */
	struct access *access;     /* owns the names of types */
	struct quality quality;    /* what is missing; filled by profile_name */
	/* of one that grows: */
	struct decoder *decoder; /* NULL: it does not */
	VEC(struct faded) faded; /* by entry of the one part: what is left of earlier sums, fewer if none has any */
	struct faded *lost;      /* per event: of entries that were forgotten; NULL: none was */
	double least_left;       /* an entry with less left of its samples is forgotten */
	size_t compacted;        /* its bytes after it was made smaller last */
	bool settled;            /* all sums are in `faded` */
	unsigned fades;          /* how often it faded */
	unsigned numbering;      /* changes when its entries, chains and frames are renumbered */
	/* of one that follows it: */
	struct follower *follower; /* NULL: it does not */
};

/* `opts`, `filter` and what they point at must outlive the profile. */
struct profile *profile_new(struct session *s, const struct profile_opts *opts, const struct profile_filter *filter);
void profile_free(struct profile *p);
/*
 * Decode all samples. With opts.steps this walks as well; false: the session is late, see session_is_late(). Then
 * free the profile and start again.
 */
bool profile_decode(struct profile *p);
/* Merge the workers' tables, name frames, and make sites and the entries by site. Call it once, after decoding. */
void profile_name(struct profile *p);

/*
 * Use it instead of profile_decode for a live input (session_feed): a profile of one thread takes chunks as they
 * arrive. Name only its copies: a copy gives the same answer as a profile that decoded those chunks.
 *
 *	p = profile_new(s, opts with threads 1, filter)
 *	profile_take(p, session_feed(s, ...)) ...; copy = profile_copy(p); profile_name(copy); ... profile_free(copy)
 *
 * Instead of a copy for each look, one named profile can follow it. Each step takes as long as what has changed
 * needs:
 *
 *	shown = profile_new_follower(p); fold = fold_new(shown, ...)
 *	profile_take(p, ...) ...; if (profile_follow(shown, p)) fold_follow(fold); else begin anew
 */
void profile_take(struct profile *p, size_t n); /* chunks 0 .. n-1 */
/* The caller frees the copy with profile_free. */
struct profile *profile_copy(const struct profile *p);
/* Return whether a profile with these options can be followed; the others need a copy for each look. */
bool profile_can_follow(const struct profile_opts *opts);
/* A named profile with the sums so far. `p` then counts from here what has changed. */
struct profile *profile_new_follower(struct profile *p);
/*
 * Bring the follower up to date: name new frames and chains, and copy the sums of `p`. Return false if it cannot
 * continue, because `p` has renumbered its entries or has faded entries that the follower has not seen.
 */
bool profile_follow(struct profile *shown, struct profile *p);
/* The entries that changed in the last step, with what was added to them; and how often all sums faded before. */
const struct part *profile_changed(const struct profile *shown, unsigned *fades);
/* A refresh is over: every sum becomes 7/8 of itself, as in perf. Compaction forgets sums that are nearly zero. */
void profile_fade(struct profile *p);
void profile_clear(struct profile *p); /* all sums are 0 again */
/*
 * Go on with the sums of another such profile, which is left empty. Its samples must have been summed
 * by the same keys, with chains if these are wanted; how frames are named and merged may differ.
 */
void profile_take_over(struct profile *p, struct profile *from);
/* Drop everything that no sum refers to. It pays off when profile_has_grown. */
void profile_compact(struct profile *p);
bool profile_has_grown(const struct profile *p);
/* Set in `roots` what the profile, named or not, refers to. */
void profile_mark(const struct profile *p, struct session_roots *roots);
/* Forget all, because the session has renumbered its moments, spaces or threads. */
void profile_forget(struct profile *p);

/*
 * Call it after profile_name. Samples below a matching function count for this function, and their
 * chains end there.
 */
void profile_ignore_callees(struct profile *p, const regex_t *pattern);

/*
 * Nearly all samples were taken while no other thread ran, so latencies tell nothing new. Like
 * perf: 99 of 100.
 */
bool profile_is_alone(const struct profile *p);

static inline const uint64_t *profile_outer(const struct profile *p, uint32_t outer)
{
	return p->outers.items + (size_t)outer * p->opts.n_keys;
}

#endif
