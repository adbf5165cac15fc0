#ifndef STAT_METRICS_PRIV_H
#define STAT_METRICS_PRIV_H

#include "events/events.h"
#include "stat/derived_priv.h"
#include "stat/expression_priv.h"
#include "stat/metrics.h"

/*
 * Compute metrics.
 *
 *	metrics_choose (-M, --topdown) -> groups of events in the list
 *	metrics_bind -> counters of the table
 *	metrics_beside -> values, when lines are printed
 */

/* Parse the row's expression, with the names that it may use. */
int metric_parse(const struct metric_row *row, struct expression *x, struct err *e);
/*
 * Return what "100%" or "1e-6MB/s" multiplies the value by, and set *unit to the text behind it. A
 * unit without a number, and NULL, give 1.
 */
double metric_scale(const struct metric_row *row, const char **unit);
/* Return true if the machine has this event. The answer is kept. */
bool metric_has_event(const char *name);

struct metric_use {
	const struct metric_row *row;
	struct expression expression;
	const char *unit;   /* as printed */
	double scale;       /* to this unit */
	uint32_t *events;   /* per name of the expression: index into the list, or one of METRIC_* */
	uint32_t counter;   /* the counter beside which it is printed; UINT32_MAX = none yet */
	uint32_t *counters; /* per name: index into the table's counters */
	bool repeated;      /* the expression belongs to another use */
};
enum {
	METRIC_CPUS = UINT32_MAX,
	METRIC_CORES = UINT32_MAX - 1,
	METRIC_PACKAGES = UINT32_MAX - 2,
	METRIC_SMT = UINT32_MAX - 3,
	METRIC_SLOTS = UINT32_MAX - 4,
	METRIC_DIES = UINT32_MAX - 5,
	METRIC_TSC = UINT32_MAX - 6,
	METRIC_CORE_WIDE = UINT32_MAX - 7,
	METRIC_SPECIAL = UINT32_MAX - 16
};

struct metric_list {
	VEC(struct metric_use) uses;
	struct arena arena;
	double n_cpus, n_cores, n_packages, n_dies, smt, slots, tsc_hz; /* of this machine */
};

struct metric_opts {
	bool no_group, no_merge;
};
/*
 * Add the events of these metrics or metric groups ("IPC,TopdownL1") to the list, each metric's
 * events as a weak group. Return -1 with e for an unknown name (with a similar one), or when this
 * machine lacks the events.
 */
int metrics_choose(struct metric_list *m, struct event_list *l, const char *names, const struct metric_opts *o,
		   struct err *e);
/* The list repeats its first n events up to `total` events: repeat the metrics too. */
void metrics_repeat(struct metric_list *m, uint32_t n, uint32_t total);
/* Call this after table_layout. `counter_of`: the counter of each event in the list. */
void metrics_bind(struct metric_list *m, const uint32_t *counter_of, const struct table *t);
/* Fill in the metrics to print beside this counter. Return how many. */
size_t metrics_beside(const struct metric_list *m, const struct table *t, size_t counter, size_t place,
		      struct derived *d, size_t max);
void metrics_release(struct metric_list *m);

#endif
