#ifndef CMD_REPORT_REPORT_PRIV_H
#define CMD_REPORT_REPORT_PRIV_H

#include <regex.h>

#include "base/config.h"
#include "cmd/shared/options.h"
#include "cmd/shared/screen_settings.h"
#include "report/brief/brief.h"
#include "report/profile/blocks.h"
#include "report/rows/fields.h"
#include "report/rows/hierarchy.h"
#include "report/text/text.h"

/* What the files of this command share. The data flow: options -> what lower layers need -> text. */

/* How call graphs are shown (-g). */
struct call_graph {
	bool given, off, order_given, caller;
	bool branches; /* chains begin with the recorded branches */
	enum graph_form form;
	enum graph_by by;
	enum text_value value;
	double min_percent;
	uint32_t print_limit;
};
#define CALL_GRAPH_DEFAULTS \
	{ \
		.form = GRAPH_ABSOLUTE, .min_percent = 0.5 \
	}
/* Parse the value of -g; `unset`: --no-call-graph. -1 with e. */
int call_graph_parse(struct call_graph *g, const char *value, bool unset, struct err *e);

struct report_opts {
	const char *input, *itrace, *callees, *sort, *fields, *parent, *symbol_part, *times, *widths, *separator,
		*parallelism, *switch_on, *switch_off;
	struct screen_settings settings;
	struct object_opts objects;
	struct sample_opts samples_of;
	struct code_opts code; /* for annotated functions */
	bool source, raw;
	const char *color, *percentage, *diff;
	bool brief, json;
	bool waits, wall;
	bool tui, quiet, dump, stats, tasks, mmaps, header, header_only, full_header, force, stdio;
	bool samples, period, children, invert, exclude_other, hide_unresolved, full_names, inlines, nanoseconds,
		full_paths;
	bool none;          /* target of options that are refused */
	const char *unused; /* the same, for options with a value */
	bool threads, pretty_raw;
	bool skip_empty, hierarchy, memory, utilization, quality, quality_line, latency, history, blocks, raw_trace,
		show_switches, reference_graphs, stitch;
	uint64_t group_sort;
	int64_t socket;
	int verbose, branch, group; /* branch: -1 = if the input has branch stacks; group: -1 = as recorded */
	uint64_t max_stack;
	double percent_limit;
	uint64_t time_quantum;
	uint64_t verify; /* number of stacks to walk again, 0 = none */
	/* Single samples to keep per row, for the browser; how much time to show around one. */
	uint64_t keep_samples, context_ns;
	enum trace_text_by trace_text;
	struct call_graph graph;
	struct fetched *fetched; /* show the report first, then ask debuginfod servers; NULL: ask while it is made */
};
#define AT(member) offsetof(struct report_opts, member)

/* The state of a run, freed in one place. */
struct run {
	const struct report_opts *o;
	struct session *session;
	struct fields_opts how;
	struct fields fields;
	struct profile_filter filter;
	struct profile *profile;
	struct fold *fold;
	struct view_opts view;
	struct text_opts text;
	bool *hidden;
	VEC(int) widths;
	VEC(const struct sample_key *) sample_keys; /* sample keys of the fields that rows are grouped by */
	VEC(const struct key *) site_keys;
	regex_t parent, callees;
	bool has_parent, has_callees, branches, history, children, chains;
	bool branch_chains;        /* chains begin with branches: history, or -g branch */
	bool first_look;           /* as in profile_opts: part of the samples */
	bool steps;                /* as in profile_opts */
	struct progress *progress; /* as in profile_opts; may be NULL */
	bool keep_places;          /* as in profile_opts, if rows are of samples: needed to show code */
	bool keep_samples;         /* the user can look at single samples */
	bool live;                 /* of samples that still arrive */
	bool as_file;              /* its rows are those of a file, although it is a pipe; perf differs */
	bool again;                /* this session had another profile before */
};

/* --- report.c --- */
/* Path of the input: from the options, else a pipe at stdin, else perf.data. */
const char *report_input(const struct report_opts *o);
struct session_opts report_session_opts(const struct report_opts *o);
struct session *report_open(const struct report_opts *o, const char *path, struct progress *progress, struct err *e);

/* --- brief.c --- */
int report_brief(const struct report_opts *o, struct out *out, struct err *e);

/* --- browse.c --- */
/*
 * Show the report on a screen if the options and the terminal allow it. false: print text. *status:
 * as returned by a command's `run`.
 */
bool report_browse(const struct report_opts *o, int *status, struct err *e);

/* --- options.c --- */
/* Defaults that other commands have, too. */
#define REPORT_DEFAULTS \
	.children = true, .objects = OBJECT_DEFAULTS, .source = true, .skip_empty = true, .branch = -1, .group = -1, \
	.socket = -1, .max_stack = 127, .time_quantum = 100000000, .context_ns = 10000000, \
	.graph = CALL_GRAPH_DEFAULTS
extern const struct report_opts report_defaults;
extern const struct opt report_options[];
int report_configure(void *opts, const struct config *c, struct err *e);

/* --- profile.c --- */
/* Evaluate the options about samples, columns and patterns. With times or switches the session must be walked. */
int report_prepare(struct run *r, struct err *e);
/*
 * Decode, name and fold the samples, and decide how to show them. false, with steps: start again
 * with a walk.
 */
bool report_make_profile(struct run *r);
/*
 * In steps, for `top`: make an empty profile with the run's keys; make rows of r->profile, which
 * was named.
 */
struct profile *report_new_profile(struct run *r);
void report_fold_profile(struct run *r);
/*
 * Return true if profile and fold of this run can follow growing sums (profile_follow,
 * fold_follow).
 */
bool report_can_follow(const struct run *r, const struct profile *sums);
void report_make_view(struct run *r);
void report_profile_release(struct run *r);
/* Return the SAMPLE_* bits of all events together. */
uint64_t report_sample_types(const struct perfdata *pd);
/* Return the only name that the filter for this key lets pass: its column need not be shown. */
const char *report_filtered_name(const struct run *r, const struct key *k);

/* --- hints.c --- */
/* Print hints about filtered names that nothing has, and about filters that left no rows. */
bool report_hint(const struct run *r); /* tells whether any row is left */
/* If --time selects a time without samples, print which time has samples. Return whether that was so. */
bool report_hint_time(const struct run *r);

/* --- print.c --- */
void report_print_head(const struct run *r, struct out *out);
void report_print_tables(struct run *r, struct out *out);
void report_print_tip(const struct run *r, struct out *out);
/*
 * List the events of the table that begins with event i: itself, or its group. Return their number;
 * 0: there is no such table, or it has no samples.
 */
size_t report_table_events(const struct run *r, uint32_t i, uint32_t *events);
/* Return whether any events were recorded as a group. */

/* ---- brief_waits.c ---- */

/* Sum up what the recording says about waits, if anything. `s`: its walked session. */
int brief_waits_read(const struct report_opts *o, const char *path, const struct session *s, struct brief_waits *sums,
		     struct err *e);

#endif
