#ifndef STAT_METRICS_H
#define STAT_METRICS_H

#include "base/out.h"
#include "events/events.h"
#include "stat/derived.h"
#include "stat/expression.h"

/*
 * Metrics: named expressions over events. What there is stands in one table of data, metric_rows.c.
 *
 *	metrics_choose (-M, --topdown) -> groups of events in the list -> metrics_bind (to the table) -> metrics_beside,
 * when lines are printed
 */
struct metric_row {
	const char *name;
	const char *groups; /* words with ';' between them */
	const char *expression;
	const char *unit;  /* behind the value; NULL = a plain ratio. "100%": the value is shown times 100, with '%' */
	const char *first; /* the event that the PMU wants to lead the group; NULL = any */
	const char *about;
};
extern const struct metric_row metric_rows[]; /* name NULL at the end; where a machine has the events of several rows of
						 a name, the first is taken */

struct metric_use {
	const struct metric_row *row;
	struct expression expression;
	const char *unit;   /* as lines show it */
	uint32_t *events;   /* per name of the expression: index into the list, or one of METRIC_* */
	uint32_t counter;   /* beside which it is shown; UINT32_MAX = none yet */
	uint32_t *counters; /* per name: of the table */
	bool repeated;      /* the expression is another use's */
};
enum {
	METRIC_CPUS = UINT32_MAX,
	METRIC_CORES = UINT32_MAX - 1,
	METRIC_PACKAGES = UINT32_MAX - 2,
	METRIC_SMT = UINT32_MAX - 3,
	METRIC_SLOTS = UINT32_MAX - 4,
	METRIC_SPECIAL = UINT32_MAX - 16
};

struct metric_list {
	VEC(struct metric_use) uses;
	struct arena arena;
	double n_cpus, n_cores, n_packages, smt, slots; /* of this machine */
};

struct metric_opts {
	bool no_group, no_merge;
};
/*
 * Add the events of these metrics or groups of metrics ("IPC,TopdownL1") to the list, each
 * metric's as a weak group. -1 and e for a name that is none (with a near one), or whose events
 * this machine lacks.
 */
int metrics_choose(struct metric_list *m, struct event_list *l, const char *names, const struct metric_opts *o,
		   struct err *e);
/* The first n events of the list stand in it again and again, up to `total`: so do the metrics. */
void metrics_repeat(struct metric_list *m, uint32_t n, uint32_t total);
/* The rows that this machine can compute, for lists. */
bool metric_available(const struct metric_row *row);
/* After table_layout: `counter_of` says which counter each event of the list became. */
void metrics_bind(struct metric_list *m, const uint32_t *counter_of, const struct table *t);
/* The metrics that are shown beside this counter. Returns how many were filled. */
size_t metrics_beside(const struct metric_list *m, const struct table *t, size_t counter, size_t place,
		      struct derived *d, size_t max);
void metrics_release(struct metric_list *m);

#endif
