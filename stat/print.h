#ifndef STAT_PRINT_H
#define STAT_PRINT_H

#include "base/out.h"
#include "stat/derived.h"
#include "stat/metrics.h"

/*
 * A table as text for people (perf 6.1's columns), as lines of separated fields, or as JSON objects. Numbers of the
 * latter two are written with a point in every locale; text follows LC_NUMERIC as perf's does. Source: perf-stat(1),
 * "CSV FORMAT", "JSON FORMAT", "EXAMPLES".
 */
enum print_form { PRINT_TEXT, PRINT_CSV, PRINT_JSON };

struct print_opts {
	enum print_form form;
	const char *separator; /* of PRINT_CSV */
	bool no_big_num;       /* no separators of thousands */
	bool metric_only, no_csv_summary, null_run, interval_clear, colour;
	unsigned runs; /* of a repeated command; 0 or 1: once */
};

/* What surrounds the counts. */
struct print_frame {
	const char *title;      /* behind "Performance counter stats for": "'sleep 1'", "process id '12'" */
	bool interval, summary; /* lines begin with the time, or the word */
	uint64_t time_ns;       /* of the interval's end */
	bool has_usage;         /* times of the command in user space and kernel */
	uint64_t user_ns, system_ns;
	const double *runs_ns; /* --table: elapsed time of each run; NULL = none */
	size_t n_runs;
	unsigned lines_since_head; /* intervals printed since their head was: updated by print_table */
};

/* The line before the first counts of a file: "# started on ...". */
void print_started(struct out *o, int64_t unix_time);
/* Title (not for intervals), counts and times. Metrics may be NULL. */
void print_table(const struct table *t, const struct metric_list *metrics, const struct print_opts *o,
		 struct print_frame *f, struct out *out);

#endif
