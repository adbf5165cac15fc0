#ifndef REPORT_PROFILE_PROFILE_H
#define REPORT_PROFILE_PROFILE_H

#include <regex.h>

#include "report/session/filter.h"
#include "report/profile/quality.h"
#include "report/session/session.h"
#include "report/session/time_ranges.h"
#include "report/session/windows.h"
#include "symbols/code/access.h"

/*
 * The samples of a session, summed by what they have in common. Several workers decode samples, each
 * into tables of its own; then the tables are merged and named. Most work is done once per distinct
 * chain, not per sample. report/rows/fold.h groups the result by the sort keys, from the ids kept here.
 *
 *	profile_new -> profile_decode -> profile_name -> fold
 *
 * Example: print how many samples each function got.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct profile_opts opts = { .want_names = true };
 *	struct profile_filter all = { 0 };
 *	struct profile *p;
 *
 *	if (!s || session_walk(s, NULL) < 0)
 *		return 1;
 *	p = profile_new(s, &opts, &all);
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
	struct sample_filter who; /* cpus: others are dropped as if they were not there; the rest: others count in the
				     totals, but in no row */
	struct time_ranges times; /* others are dropped; empty = all */
	struct windows windows;   /* others are dropped */
	struct cpuset
		parallelism; /* numbers of threads that ran; others count in the totals, but in no row; empty = all */
	int64_t socket;      /* + 1; samples on CPUs of others count in the totals, but in no row; 0 = all */
	const char *symbol_part; /* rows whose symbol's name does not contain it are not shown */
	bool hide_unresolved;    /* without a symbol: dropped, and left out of chains */
};

/* Texts that keys made of samples, each under a number that is the same in every worker. Zeroed memory is empty. */
struct texts {
	struct strtab table;
	struct u64map ids;
};
uint64_t texts_number(struct texts *t, const char *text);
const char *texts_get(const struct texts *t, uint64_t number); /* "" for numbers it does not know */

struct trace_text;
/* What a key is made of from a sample. */
struct sample_context {
	const struct session *session;
	const struct sample *sample;
	const struct task *task;
	const struct file_event *event;
	const uint8_t *branch; /* the entry { from, to, flags } of which this is the row, NULL if none */
	uint64_t period;
	uint32_t event_number, moment;
	uint32_t parallelism;         /* threads that ran; 1 unless the session keeps it */
	const struct sample_key *key; /* the one whose value is asked for */
	struct texts *texts;          /* the worker's */
	struct trace_text *trace;     /* NULL unless a key needs it */
	struct out *scratch;          /* memory to write into */
};
struct profile_opts;
typedef uint64_t sample_value(const struct sample_context *c, const struct profile_opts *o);

/* A number that a sample gives, by which samples are grouped. */
struct sample_key {
	sample_value *value; /* profile_opts tells how to quantise */
	bool of_task;        /* follows from event and task: all samples of a thread have it between two changes */
	const struct trace_key *field; /* of a tracepoint (report/rows/trace_keys.h), for its value(); else NULL */
};

/* What an entry { from, to, flags } of a branch stack cost: the cycles since the one before, 1 where they are not told.
 * Source: linux/perf_event.h. */
static inline uint64_t branch_cost(const uint8_t *branch)
{
	uint64_t cycles = load_u64(branch + 16) >> 4 & 0xffff;

	return cycles ? cycles : 1;
}

enum profile_kind {
	PROFILE_SAMPLES,
	PROFILE_BRANCHES,
	PROFILE_MEMORY
}; /* MEMORY: a sample counts as much as its access cost */

struct profile_opts {
	enum profile_kind kind;
	const struct sample_key *const *keys;
	size_t n_keys;
	bool chains;       /* keep call chains */
	bool caller_first; /* max_stack keeps the outermost frames */
	uint32_t max_stack;
	bool inlines;             /* name inlined calls in chains */
	bool by_address, by_line; /* sites are single instructions, or source lines, not whole functions */
	enum graph_by {
		GRAPH_BY_FUNCTION,
		GRAPH_BY_ADDRESS,
		GRAPH_BY_LINE
	} graph_by;            /* what makes two frames one in a call graph */
	bool want_names;       /* most symbols' names will be asked for: they are made while workers are at it */
	bool want_lines;       /* sites know their line */
	bool want_types;       /* keep what data the sampled instructions access */
	bool want_trace;       /* keys need the text of tracepoints */
	bool want_measures;    /* keep struct measures of entries */
	bool reference_graphs; /* samples recorded without a stack get the callers of their thread's last one that has
				  some */
	bool branch_history;   /* chains begin with the branches that were recorded, each where it went to and where it
				  came from */
	unsigned threads;
	uint64_t time_quantum; /* ns */
	bool raw_trace;        /* tracepoints: their fields, not the text of their formats */
	bool no_quality;       /* profile.quality is not filled */
	bool no_kernel_names;  /* nobody asks for the kernel's: its addresses stay without */
	bool keep_places;      /* keep how often each single address was sampled, whatever rows are made of */
	uint64_t keep_samples; /* keep so many single samples of each entry */
	bool first_look;       /* decode a few chunks from all over the recording, as many as a moment allows */
	struct {
		uint64_t from, to;
		uint32_t dso;
	} only;      /* samples elsewhere than at these offsets of the object count in the totals alone; dso 0: all */
	bool beside; /* another profile of this session may be decoded at the same time; 8 threads at most */
	struct progress *progress; /* told how far decoding and naming are, and whether to stop; may be NULL */
	bool no_notes;             /* an earlier profile of this session has counted the damage */
};

/* An address as it was sampled. `dso` DSO_UNKNOWN: nothing was mapped there, dso_off is the address. */
struct frame {
	uint64_t ip, dso_off, map_size;
	uint32_t dso;
	uint8_t mode; /* CPUMODE_* */
};

/*
 * What rows and call graphs name: a function, a call inlined into one, or an address that has no symbol; finer with
 * by_address or by_line.
 */
struct site {
	uint32_t dso, symbol; /* symbol 0: none covers it */
	const char *inlined;  /* name of the inlined function; `symbol` is the one it was inlined into */
	uint64_t address; /* shown when there is no symbol: as sampled in chains, relative to the object where sampled
			     itself */
	uint64_t ip, dso_off;  /* of the first such frame */
	uint64_t map_size;     /* bytes mapped there, 0 = nothing */
	const char *line_file; /* with want_lines */
	uint32_t line;
	uint32_t graph; /* sites with equal numbers are one in a call graph */
	uint8_t mode;
	bool leaf; /* from sampled places, not from chains */
};

/* Call chains as site numbers, in the order in which they are shown; filled by profile_name. Before, as frames,
 * innermost first. */
struct chain {
	uint64_t at : 40, n : 24;
};
enum { CHAIN_SITES_MAX = (1 << 24) - 1 };
/* Why unwinding a chain stopped before the thread's start, as an enum reason, and in which object. Not `unwound`: the
 * kernel found its frames. */
struct chain_end {
	uint32_t dso;
	uint8_t why;
	bool unwound;
};

/* Samples that have all of this in common. */
struct entry {
	uint32_t event, outer, chain;
	uint32_t self;         /* frame, later site */
	uint32_t other;        /* the same of where a branch came from, or of the data accessed; 0 none */
	uint32_t first_thread; /* thread of the first one; not part of what is common */
	uint64_t first_time;
	uint64_t period, samples;
	uint8_t first_mode; /* CPUMODE_* of the first one */
	uint32_t next;      /* the next entry of the same chain + 1 */
};

/* Samples of one event at one address. */
struct sampled_place {
	uint32_t frame, event;
	uint64_t samples, period;
	uint32_t next; /* the next one of the same frame + 1 */
};

/* What samples measured besides their period, summed. */
enum { WEIGHTS = 3 };
struct measures {
	uint64_t latency; /* period, divided by the number of threads that ran */
	uint64_t weights[WEIGHTS];
};
static inline void measures_add(struct measures *to, const struct measures *m)
{
	to->latency += m->latency;
	for (size_t i = 0; i < WEIGHTS; i++)
		to->weights[i] += m->weights[i];
}

/*
 * What the branches said that a frame of a chain stands for, with branch_history: of frames that
 * were gone to, how many and how many of these were predicted or ended a transaction; of frames
 * that were left, how many and the cycles spent before, and rounds of loops that are not among the
 * frames.
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

/* A single sample that was kept: who ran it where. `rank` is a hash of its place in the input: those of the lowest
 * ranks are kept, so that they come from all over the recording and any number of workers keeps the same ones. */
struct kept_sample {
	uint64_t rank, time;    /* ns, ~0 = not recorded */
	uint32_t pid, tid, cpu; /* ~0 = not recorded */
	uint32_t comm;          /* of the thread then: session_comm() */
};
struct kept_samples {
	VEC(struct kept_sample); /* once there are as many as wanted, the highest rank is first */
};
/* Add one unless `most` of lower ranks are there. */
void kept_samples_add(struct kept_samples *l, uint64_t most, const struct kept_sample *s);

/* One worker's part. Numbers of frames and outers are its own until merged; chains stay its own. */
struct part {
	VEC(struct frame) frames; /* [0] is none */
	struct idtable frame_index;
	VEC(uint64_t) outers; /* n_keys numbers each */
	struct idtable outer_index;
	uint32_t n_outers;
	VEC(struct entry) entries;
	VEC(struct sampled_place) places; /* with keep_places; filled by profile_name */
	VEC(struct measures) measures;    /* of the entries of the same numbers, with want_measures */
	VEC(struct kept_samples) kept;    /* of the entries of the same numbers, with keep_samples */
	struct idtable entry_index;       /* of those without a chain, or of chains that have many */
	VEC(uint32_t) chain_entries;      /* chain -> its first entry + 1 */
	VEC(struct chain) chains;         /* [0] is the empty chain */
	VEC(struct chain_end) chain_ends; /* of the same numbers; until profile_name is done */
	struct idtable chain_index;
	VEC(uint32_t) words;
	VEC(struct branch_sums) branches; /* of the words of the same numbers, with branch_history */
	struct texts texts;
	struct event_total *totals; /* of samples that are in no entry */
	uint64_t *n_samples;        /* per event: all that were decoded */
	uint64_t n_alone;           /* of all events: taken while no other thread ran, if the session keeps that */
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
	VEC(struct frame) frames; /* all, sorted by object and offset */
	VEC(uint64_t) outers;     /* n_keys numbers each; [0] unused when there are none */
	uint32_t n_outers;
	VEC(struct site) sites;    /* [0] is none */
	VEC(uint32_t) leaf_sites;  /* frame -> site of it as sampled place */
	VEC(uint32_t) chain_sites; /* sites of frames in chains, innermost inlined first */
	VEC(uint32_t) chain_first; /* frame -> its first in chain_sites; one more at the end */
	uint32_t n_graph;          /* graph numbers are below */
	struct strtab names;       /* of inlined functions and source lines */
	struct texts texts;        /* of keys */
	struct access_type *types; /* by site, with want_types; of those that are no sampled instruction: name NULL */
	struct access *access;     /* owns their names */
	struct quality quality;    /* what is missing, filled by profile_name */
};

/* What `opts` and `filter` point at must outlive the profile. */
struct profile *profile_new(struct session *s, const struct profile_opts *opts, const struct profile_filter *filter);
void profile_free(struct profile *p);
void profile_decode(struct profile *p);
void profile_name(struct profile *p);
/* After profile_name: samples below a function that matches count for it, and chains end there. */
void profile_ignore_callees(struct profile *p, const regex_t *pattern);

/* So many of its samples were taken while no other thread ran that latencies tell nothing new: 99 of 100, as perf has
 * it. */
bool profile_is_alone(const struct profile *p);

static inline const uint64_t *profile_outer(const struct profile *p, uint32_t outer)
{
	return p->outers.items + (size_t)outer * p->opts.n_keys;
}

#endif
