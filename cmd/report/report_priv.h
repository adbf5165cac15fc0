#ifndef CMD_REPORT_REPORT_PRIV_H
#define CMD_REPORT_REPORT_PRIV_H

#include <regex.h>

#include "base/config.h"
#include "cmd/shared/options.h"
#include "cmd/shared/screen_settings.h"
#include "report/profile/blocks.h"
#include "report/rows/fields.h"
#include "report/rows/hierarchy.h"
#include "report/text/text.h"

/* What the files of the command share: options -> what the layers below want -> text. */

struct report_opts {
	const char *input, *callees, *sort, *fields, *parent, *comms, *symbol_part, *cpus, *times, *widths, *separator,
		*parallelism, *switch_on, *switch_off;
	struct screen_settings settings;
	struct object_opts objects;
	struct sample_opts samples_of;
	struct code_opts code; /* of annotated functions */
	bool source, raw;
	const char *color, *percentage;
	bool tui, quiet, dump, stats, tasks, mmaps, header, header_only, full_header, force, stdio;
	bool samples, period, children, invert, exclude_other, hide_unresolved, full_names, inlines, nanoseconds,
		full_paths;
	bool none;          /* of options that are refused */
	const char *unused; /* the same, of those with a value */
	bool threads, pretty_raw;
	bool skip_empty, hierarchy, memory, utilization, quality, latency, history, blocks, raw_trace, show_switches,
		reference_graphs, stitch;
	uint64_t group_sort;
	int64_t socket;
	int verbose, branch, group; /* branch: -1 = if the input has branch stacks; group: -1 = as recorded */
	uint64_t max_stack;
	double percent_limit;
	uint64_t time_quantum;
	uint64_t verify;                   /* stacks to walk again, 0 = none */
	uint64_t keep_samples, context_ns; /* single samples of each row, for the browser; shown around one of them */
	enum trace_text_by trace_text;
	struct call_graph {
		bool given, off, order_given, caller;
		bool branches; /* chains begin with the branches that were recorded */
		enum graph_form form;
		enum graph_by by;
		enum text_value value;
		double min_percent;
		uint32_t print_limit;
	} graph;
};
#define AT(member) offsetof(struct report_opts, member)

/* What a run has, so that one place frees it. */
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
	VEC(const struct sample_key *) sample_keys; /* those of the fields that rows are grouped by */
	VEC(const struct key *) site_keys;
	regex_t parent, callees;
	bool has_parent, has_callees, branches, history, children, chains;
	bool branch_chains;        /* chains begin with branches: history, or -g branch */
	bool first_look;           /* of profile_opts: part of the samples */
	struct progress *progress; /* the same; may be NULL */
	bool keep_places;          /* of profile_opts, if rows are of samples: what code is shown with */
	bool keep_samples;         /* somebody can look at single ones */
	bool again;                /* another profile of this session was there before */
};

/* --- report.c --- */
/* Path of the input: what the options say, a pipe at stdin, or perf.data. */
const char *report_input(const struct report_opts *o);
struct session *report_open(const struct report_opts *o, const char *path, struct progress *progress, struct err *e);

/* --- browse.c --- */
/* On a screen, if the options and the terminal let us: false if it is to be text. *status: as a command's `run` has it.
 */
bool report_browse(const struct report_opts *o, int *status, struct err *e);

/* --- report_options.c --- */
extern const struct report_opts report_defaults;
extern const struct opt report_options[];
int report_configure(void *opts, const struct config *c, struct err *e);

/* --- report_profile.c --- */
/* What the options say of samples, columns and patterns; of a walked session. */
int report_prepare(struct run *r, struct err *e);
/* The samples, named and folded, and how they are to be shown. */
void report_make_profile(struct run *r);
void report_make_view(struct run *r);
void report_profile_release(struct run *r);
/* SAMPLE_* of all events together. */
uint64_t report_sample_types(const struct perfdata *pd);
/* The name that a filter lets pass alone, by the key whose column need not show it then. */
const char *report_filtered_name(const struct run *r, const struct key *k);

/* --- report_hints.c --- */
/* Tells of names that filters want and nothing has, and of filters that left no rows. */
bool report_hint(const struct run *r); /* returns whether any row is left */
/* Tells what time the samples are of, if one was asked for in which there are none. Returns whether one was. */
bool report_hint_time(const struct run *r);

/* --- report_print.c --- */
void report_print_head(const struct run *r, struct out *out);
void report_print_tables(struct run *r, struct out *out);
void report_print_tip(const struct run *r, struct out *out);
/* The events of the table that the event i begins: itself, or its group; 0: none, or without samples. Returns their
 * number. */
size_t report_table_events(const struct run *r, uint32_t i, uint32_t *events);
/* Were any events recorded as a group? */
bool report_any_group(const struct perfdata *pd);
void report_print_event_name(const struct run *r, const uint32_t *events, size_t n, struct out *out);

#endif
