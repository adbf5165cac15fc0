#ifndef STAT_TABLE_PRIV_H
#define STAT_TABLE_PRIV_H

#include "base/mem.h"
#include "stat/stat.h"
#include "stat/count_priv.h"
#include "stat/topology_priv.h"

/*
 * Sum up counts for printing: a cell for each counter (a line's event) at each place (a CPU, a
 * socket, a thread, or everything).
 *
 *	struct measured (events as opened or recorded) --table_layout--> counters, places
 *	--table_add (once per run or interval)--> cells
 */

/* Kinds of events that have derived values. */
enum counter_kind {
	KIND_PLAIN,
	KIND_CLOCK,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_STALLED_FRONT,
	KIND_STALLED_BACK,
	KIND_CACHE_REFS,
	KIND_CACHE_MISSES,
	KIND_L1D,
	KIND_L1D_MISSES,
	KIND_L1I,
	KIND_L1I_MISSES,
	KIND_LL,
	KIND_LL_MISSES,
	KIND_DTLB,
	KIND_DTLB_MISSES,
	KIND_ITLB,
	KIND_ITLB_MISSES,
	KIND_TOOL_TIME
};
/* Return the kind for attr.type and attr.config. Source: linux/perf_event.h. */
enum counter_kind counter_kind_of(uint32_t type, uint64_t config);
/* Return true for the name of a time that we measure ourselves: KIND_TOOL_TIME. */
bool is_tool_time(const char *event);

enum { LEFT_OUT_USER = 1, LEFT_OUT_KERNEL = 2, LEFT_OUT_HOST = 8, LEFT_OUT_GUEST = 16, LEFT_OUT_IDLE = 32 };

/* One opened event and its readings. The caller owns all members. */
struct measured {
	const char *name, *cgroup, *pmu; /* cgroup and pmu: NULL if none */
	const char *unit;                /* "" if none */
	double scale;                    /* count times scale is in the unit */
	enum counter_kind kind;
	uint64_t core_type; /* number of its kind of cores; 0 with one kind */
	unsigned left_out;  /* LEFT_OUT_*: what its modifiers exclude */
	bool supported, per_package, snapshot, percore, uncore;
	size_t n_cpus, n_threads;   /* shape of the readings, one row per CPU */
	const int *cpus;            /* CPU number of each row, -1 = any */
	const bool *open;           /* NULL: all are open */
	struct count *now, *before; /* the last reading, and the one to subtract */
};

struct counter {
	const char *name, *cgroup, *unit;
	double scale;
	enum counter_kind kind;
	uint64_t core_type;
	unsigned left_out;
	bool supported, percore;
};

struct stat_place {
	struct cpu_place at; /* what the place's CPUs have in common; the rest is UNPLACED */
	const char *label;   /* "S0-D0-C0", "CPU3", "bash-1234" */
	const char *core;    /* for PER_CPU: the label of its core */
	int first_cpu;       /* of the place's CPUs, the lowest; for places of CPUs only */
};

struct stat_cell {
	/* Of each run or interval. `value` is scaled to the enabled time, in the event's own unit; times in ns. */
	struct spread value, enabled, running;
	uint32_t n_cpus; /* CPUs with a counter here; 1 where the event is not supported */
	bool here;       /* the event counts at this place */
};

struct table {
	struct table_opts o;
	VEC(struct counter) counters;
	VEC(struct stat_place) places;
	struct stat_cell *cells; /* one row per counter: see table_cell */
	const struct topology *topology;
	const struct measured *measured;
	size_t n_measured;
	uint32_t *counter_of;     /* per measured */
	uint32_t *place_of;       /* per CPU or thread of each measured: index into places */
	size_t *place_from;       /* per measured: start of its part of place_of */
	struct spread elapsed_ns; /* of each run or interval */
	struct arena arena;
};

/* `measured` and `topology` must outlive the table. The topology may be empty. */
void table_layout(struct table *t, const struct measured *m, size_t n, const struct topology *topology,
		  const struct table_opts *o);
/* Add the readings, one value per cell. `total`: count since the start, else since `before`. */
void table_add(struct table *t, double elapsed_ns, bool total);
/* Forget the values before another interval. */
void table_clear(struct table *t);
void table_release(struct table *t);

static inline struct stat_cell *table_cell(const struct table *t, size_t counter, size_t place)
{
	return &t->cells[counter * t->places.len + place];
}
/* Return true if the cell has a number to print. */
static inline bool cell_counted(const struct counter *c, const struct stat_cell *cell)
{
	return c->supported && cell->running.mean > 0;
}

/*
 * Texts of an aggregation: its name in JSON, in the head of intervals, and the columns of its
 * labels; and whether places come before counters.
 */
struct aggregation_text {
	const char *key, *head;
	int width;
	bool place_major;
};
extern const struct aggregation_text aggregation_texts[AGGREGATIONS];

#endif
