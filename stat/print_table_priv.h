#ifndef STAT_PRINT_TABLE_PRIV_H
#define STAT_PRINT_TABLE_PRIV_H

#include "base/out.h"
#include "stat/stat.h"
#include "stat/derived_priv.h"
#include "stat/metrics_priv.h"

/*
 * Print a table as text for people (in perf 6.1's columns), as separated fields, or as JSON
 * objects. Fields and JSON use a decimal point in every locale; text follows LC_NUMERIC as in perf.
 * Source: perf-stat(1), "CSV FORMAT", "JSON FORMAT", "EXAMPLES".
 */

/* What surrounds the counts: title, time, usage. Strings and arrays belong to the caller. */
struct print_frame {
	const char *title;      /* behind "Performance counter stats for": "'sleep 1'", "process id '12'" */
	bool interval, summary; /* begin lines with the time, or with the word */
	uint64_t time_ns;       /* at the interval's end */
	bool has_usage;         /* the command's times in user space and kernel are valid */
	uint64_t user_ns, system_ns;
	const double *runs_ns; /* for --table: elapsed time of each run; NULL = none */
	size_t n_runs;
	unsigned lines_since_head; /* intervals since the last head; print_table updates it */
};

/* Print the line before the first counts of a file: "# started on ...". */
void print_started(struct out *o, int64_t unix_time);
/* Print the title (not for intervals), the counts and the times. Metrics may be NULL. */
void print_table(const struct table *t, const struct metric_list *metrics, const struct stat_print_opts *o,
		 struct print_frame *f, struct out *out);

#endif
