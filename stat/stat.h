#ifndef STAT_STAT_H
#define STAT_STAT_H

/*
 * Counting: events opened on a target, read at the end or at intervals, summed up and printed.
 *
 *	stat_opts --setup.c--> events, target --counting.c (runs, intervals)--> readings --table.c--> cells --print.c-->
 * text, CSV, JSON
 */
#include "base/err.h"
#include "base/opt.h"
#include "events/caller.h"
#include "format/features.h"
#include "stat/print.h"
#include "stat/table.h"

/* The words of -e and of what applies to the events before it, in their order. */
enum stat_word_kind { WORD_EVENT, WORD_FILTER, WORD_PFM, WORD_CGROUP };
struct stat_word {
	enum stat_word_kind kind;
	const char *text;
};

/* What counting was asked for. Zeroes plus STAT_DEFAULTS are one run with the default events; strings are the caller's.
 */
struct stat_opts {
	/* what */
	VEC(struct stat_word) words;
	struct opt_list metrics;
	const char *each_cgroup; /* every event for each of these control groups */
	const char *cpu_type;    /* of several kinds of cores only this */
	const char *pmu_filter;  /* of several devices of a kind only this */
	int detailed;            /* -d: caches, twice: TLBs, three times: prefetches */
	bool topdown, transaction, null_run;
	uint32_t topdown_level; /* 0 and 1: the first, 2: the second too */
	bool no_inherit, all_user, all_kernel;
	bool metric_no_group, metric_no_merge;
	/* on whom */
	const char *pids, *tids, *cpus;
	bool system_wide;
	struct caller caller;
	/* when */
	int runs;                /* 0 = for ever */
	int delay_ms;            /* -1: until --control enables */
	uint32_t interval_ms;    /* 0 = none */
	uint32_t interval_count; /* 0 = until the end */
	uint32_t timeout_ms;
	const char *control, *pre, *post;
	bool sync;
	/* how it is summed up and shown */
	struct table_opts table;
	bool aggregated; /* --per-* or -A was given */
	struct print_opts print;
	bool big_num_asked, csv_asked, json_asked, run_table, summary, no_thresholds;
	const char *output;
	bool append;
	int log_fd; /* -1 = none */
	/* where the readings go: stat record */
	const char *record_to;           /* NULL = nowhere */
	const struct features *features; /* that describe the machine in the recording */
};
#define STAT_DEFAULTS \
	{ \
		.runs = 1, .log_fd = -1, .print = {.separator = "" } \
	}

struct stat_result {
	bool has_workload, workload_killed; /* we ended it: its status means nothing */
	int wait_status;                    /* of the last run, as from waitpid */
	int stopped_by;                     /* signal that asked us to end, 0 = none */
};

/*
 * Count until the command (argv, may be empty) or the target ends or a signal comes. Printed goes where the options
 * say: stderr, if nowhere else. Warnings go through say(). -1 and e on failure; bad combinations
 * of options have perf's text and exit_code.
 */
int stat_run(struct stat_opts *o, char *const argv[], struct stat_result *result, struct err *e);

struct perfdata;
struct format_notes;
struct stat_report_opts {
	const char *input;
	struct table_opts table;
	bool aggregated; /* else as it was recorded */
	struct print_opts print;
	const char *output;
	bool append;
	bool force; /* files of others */
	/* Tell what is wrong with the recording, and return the exit status that this means. May be NULL. */
	int (*tell)(const struct perfdata *pd, const struct format_notes *n);
};
/* Print what `stat record` stored, or perf's. -1 and e, else what `tell` returned. */
int stat_report(const struct stat_report_opts *o, struct err *e);
/* The same of what is open already, into `out`. */
int stat_report_data(const struct stat_report_opts *o, struct perfdata *pd, struct out *out, struct err *e);

#endif
