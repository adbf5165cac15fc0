#ifndef REPORT_WAITS_SCHEDSTAT_H
#define REPORT_WAITS_SCHEDSTAT_H

#include "base/units.h"
#include "report/live/live.h"

/*
 * Print how much counters of the scheduler (/proc/schedstat) grew between the two snapshots in a recording of `perf
 * sched stats record`. The text equals that of perf-sched(1), version 7.2.
 *
 * Source of the counters: Documentation/scheduler/sched-stats.rst in the kernel; of the records: strobe.data(5).
 */
struct schedstat_opts {
	const struct cpuset *cpus; /* only these; NULL: all */
	bool explain;              /* print what each counter means instead of its name */
};
/* -1 with e: an input fails or has no snapshots. */
int schedstat_report(struct live *l, const struct schedstat_opts *opts, struct out *o, struct err *e);
/* Print the averages over all CPUs of two recordings, side by side. */
int schedstat_diff(struct live *first, struct live *second, const struct schedstat_opts *opts, struct out *o,
		   struct err *e);

#endif
