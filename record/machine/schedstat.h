#ifndef RECORD_MACHINE_SCHEDSTAT_H
#define RECORD_MACHINE_SCHEDSTAT_H

#include "base/units.h"
#include "format/features.h"

/*
 * The scheduler's counters, /proc/schedstat, as records: a snapshot before and one after tell what happened between.
 *
 *	struct schedstat_reader r = { 0 };
 *	struct err e = { 0 };
 *
 *	if (schedstat_read(&r, &e) == 0)
 *		write r.records, which has r.records.len bytes of whole records
 *	schedstat_release(&r);
 *
 * Source of the text: Documentation/scheduler/sched-stats.rst in the kernel; of the records: strobe.data(5).
 */
struct schedstat_reader {
	const char *root;          /* prefix for /proc, for tests; NULL = none */
	const struct cpuset *cpus; /* only these; NULL: all */
	struct out records;        /* of the last snapshot: SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN */
	struct arena arena;
	/* which CPUs each domain has: the feature CPU_DOMAIN_INFO */
	uint32_t version, max_domains;
	VEC(struct feature_cpu_domains) domains;
};
/* Take a snapshot. -1 with e where the kernel has no such counters, or a version of them that is not known. */
int schedstat_read(struct schedstat_reader *r, struct err *e);
/* The same from a text, which this changes. */
int schedstat_parse(struct schedstat_reader *r, char *text, struct err *e);
/* Let `f` tell which CPUs each domain has; it lives as long as `r`. */
void schedstat_describe(const struct schedstat_reader *r, struct features *f);
void schedstat_release(struct schedstat_reader *r);

/*
 * Let the kernel count. Where it did so already, *was_off is false. -1 with e when that is not allowed; then the
 * counters of balancing and waking may stand still.
 */
int schedstat_start(const char *root, bool *was_off, struct err *e);
void schedstat_stop(const char *root);

#endif
