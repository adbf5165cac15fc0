#ifndef STAT_STAT_H
#define STAT_STAT_H

/*
 * Counting: open events on a target, read them at the end or at intervals, sum them up and print.
 *
 *	stat_opts --setup.c--> events, target --counting.c (runs, intervals)--> readings
 *	readings --table.c--> cells --print.c--> text, CSV, JSON
 *
 * Example: count page faults of a command and print them on stderr.
 *
 *	struct stat_opts opts = STAT_DEFAULTS;
 *	struct stat_word word = { WORD_EVENT, "page-faults" };
 *	char *command[] = { "sleep", "1", NULL };
 *	struct stat_result result = { 0 };
 *	struct err e = { 0 };
 *
 *	vec_push(&opts.words, word);
 *	if (stat_run(&opts, command, &result, &e) < 0)
 *		return fprintf(stderr, "%s: %s\n", e.what, e.why), 1;
 *	vec_free(&opts.words);
 */
#include "base/err.h"
#include "base/opt.h"
#include "base/tell.h"
#include "events/caller.h"
#include "format/features.h"

/* How counts are aggregated. Source: perf-stat(1), --per-*. */
enum aggregation {
	PER_ALL,
	PER_SOCKET,
	PER_DIE,
	PER_CLUSTER,
	PER_CACHE,
	PER_CORE,
	PER_NODE,
	PER_CPU,
	PER_THREAD,
	AGGREGATIONS
};

/* How to sum up. */
struct table_opts {
	enum aggregation per;
	bool per_given;       /* else stat_report() sums as the recording says */
	unsigned cache_level; /* for PER_CACHE; 0 = the last level */
	bool no_scale, no_merge, hybrid_merge;
	bool show_threads;        /* print percore events at each CPU */
	const char *const *comms; /* for PER_THREAD: names and tids of the threads */
	const int32_t *tids;
	size_t n_threads;
};

/* How to print: as text, as separated fields, as JSON objects (print_table_priv.h). */
enum stat_form { STAT_TEXT, STAT_CSV, STAT_JSON };

struct stat_print_opts {
	enum stat_form form;
	const char *separator;      /* for STAT_CSV */
	bool csv_asked, json_asked; /* by an option: both are an error */
	bool no_big_num;            /* do not group thousands */
	bool metric_only, no_csv_summary, null_run, interval_clear, colour;
	unsigned runs; /* number of runs of the command; 0 or 1: once */
};

/*
 * The kinds of words for -e and for options that apply to earlier events, in their order on the
 * command line.
 */
enum stat_word_kind { WORD_EVENT, WORD_FILTER, WORD_PFM, WORD_CGROUP };
struct stat_word {
	enum stat_word_kind kind;
	const char *text;
};

/*
 * What to count. Zeroes plus STAT_DEFAULTS mean one run with the default events. Strings belong to
 * the caller.
 */
struct stat_opts {
	/* What to count: */
	VEC(struct stat_word) words;
	const char *event_files; /* --event-files: the command reads them */
	struct opt_list metrics;
	const char *each_cgroup; /* count every event for each of these control groups */
	const char *cpu_type;    /* with several kinds of cores: only this one */
	const char *pmu_filter;  /* with several devices of a kind: only this one */
	int detailed;            /* -d: caches, twice: also TLBs, three times: also prefetches */
	bool topdown, transaction, null_run;
	uint32_t topdown_level; /* 0 and 1: only the first level, 2: also the second */
	bool no_inherit, all_user, all_kernel;
	bool metric_no_group, metric_no_merge;
	/* On whom: */
	const char *pids, *tids, *cpus;
	bool system_wide;
	struct caller caller;
	/* When: */
	int runs;                /* 0 = forever */
	int delay_ms;            /* -1: until --control enables */
	uint32_t interval_ms;    /* 0 = none */
	uint32_t interval_count; /* 0 = until the end */
	uint32_t timeout_ms;
	const char *control, *pre, *post;
	bool sync;
	struct teller tell; /* gets messages while counting; a level below 0 also stops the tables */
	/* How to sum up and print: */
	struct table_opts table;
	struct stat_print_opts print;
	bool big_num_asked, run_table, summary, no_thresholds;
	const char *output;
	bool append;
	int log_fd; /* -1 = none */
	/* Where to store the readings (stat record): */
	const char *record_to;           /* NULL = nowhere */
	const struct features *features; /* describe the machine, for the recording */
};
#define STAT_DEFAULTS \
	{ \
		.runs = 1, .log_fd = -1, .print = {.separator = "" } \
	}

struct stat_result {
	bool has_workload, workload_killed; /* killed: we ended it, so its status means nothing */
	int wait_status;                    /* of the last run, as from waitpid */
	int stopped_by;                     /* signal that asked us to end, 0 = none */
};

/*
 * Count until the command (argv, may be empty) or the target ends, or until a signal. The output
 * goes where the options say, else to stderr. o->tell gets the warnings. Return -1 with e on
 * failure; bad combinations of options get perf's text and exit_code.
 */
int stat_run(struct stat_opts *o, char *const argv[], struct stat_result *result, struct err *e);

struct perfdata;
struct format_notes;
struct stat_report_opts {
	const char *input;
	struct table_opts table;
	struct stat_print_opts print;
	const char *output;
	bool append;
	bool force; /* read files of other users */
	/* Report what is wrong with the recording, and return the exit status for it. May be NULL. */
	int (*tell)(const struct perfdata *pd, const struct format_notes *n);
};
/*
 * Print what our `stat record` or perf's stored. Return -1 with e on failure, else the result of
 * `tell`, or 0.
 */
int stat_report(const struct stat_report_opts *o, struct err *e);
/* The same for a file that is already open; print into `out`. */
int stat_report_data(const struct stat_report_opts *o, struct perfdata *pd, struct out *out, struct err *e);

#endif
