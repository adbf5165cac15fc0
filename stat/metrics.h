#ifndef STAT_METRICS_H
#define STAT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

/* Metrics: named expressions over events. metric_rows.c has them all in one table. */
struct metric_row {
	const char *name;
	const char *groups; /* words separated by ';' */
	const char *expression;
	/*
	 * printed behind the value; NULL = a plain ratio; "100%": print the value times 100 with
	 * '%'
	 */
	const char *unit;
	const char *first; /* the event that must lead the group for the PMU; NULL = any */
	const char *about;
	const char *pmu; /* the kind of cores that the row is for; NULL = any */
	bool from_file;  /* it comes from the vendor's files; its expression may name other rows of them */
	/* Our own rows with numbers of events: pattern of the CPUs' ids, as in mapfile.csv; NULL = any */
	const char *cpus;
};
/*
 * Our own rows. name NULL at the end; of several rows with one name, use the first whose events the
 * machine has.
 */
extern const struct metric_row metric_rows[];
/*
 * The i-th row of all, NULL behind the last: first those of the vendor's files (events/event_files.h), then
 * our own. Valid until other files are read.
 */
const struct metric_row *metric_row_at(size_t i);
/* Return true if this machine can compute the row, for lists. */
bool metric_available(const struct metric_row *row);

#endif
