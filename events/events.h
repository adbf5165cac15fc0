#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

/*
 * What to measure and on whom: event strings, PMUs, tracepoints, targets, opening, and advice when the kernel refuses.
 *
 *	event_list_parse* -> event_list_config (record's defaults) -> target_resolve -> event_list_open -> fds
 */
#include <linux/perf_event.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/units.h"

struct event {
	struct perf_event_attr attr;	/* as it will be opened; after opening: as it was opened */
	uint64_t config3, config4;	/* newer than the build's header; used when not 0 */
	const char *name;		/* as typed, or name=; fall-backs rewrite it as perf does ("cycles:u") */
	const char *pmu;		/* PMU's sysfs name, NULL for software and generic events without one */
	const char *unit; double scale;	/* from sysfs; NULL, 1 */
	const char *system, *tp_name;	/* tracepoints; NULL otherwise */
	const char *filter;		/* kernel filter text, NULL if none */
	uint32_t leader;		/* index of the group's leader; itself when alone */
	uint32_t n_members;		/* on the leader; 1 when alone */
	const char *group_name;
	bool weak_group, precise_max, sample_read, percore, bpf_counter;	/* modifiers W P S ... */
	bool is_default;		/* chosen by us, may be replaced by a software clock */
	bool user_period;		/* period or freq given with the event */
	bool user_modifiers;		/* u k h given: no silent fall-back to :u */
	bool system_wide, is_dummy;
	const char *term_callgraph;	/* call-graph= term, NULL if none */
	int term_max_stack, term_stack_size, term_inherit, term_time;	/* -1 = not given */
	struct cpuset cpus;		/* PMU's cpumask or cpu= term; empty = any */
	/* after opening */
	int *fds;			/* n_cpus x n_threads, cpu major; -1 = not open */
	uint64_t *ids;			/* same shape; 0 where not open */
	size_t n_cpus, n_threads;
	bool open_failed;		/* left out (stat: not supported); the others go on */
};

/* All memory of a list is in its arena. */
struct event_list {
	VEC(struct event) events;
	struct arena arena;
};
void event_list_release(struct event_list *l);	/* closes fds too */

/*
 * Parse one -e argument: "cycles:u,{a,b}:S,sched:*". Appends. On failure nothing is appended, e->what holds perf's first line ("event syntax error: '...'"),
 * e->why its second with the caret under the right column, e->exit_code is 129.
 */
int event_list_parse(struct event_list *l, const char *text, struct err *e);
/* libpfm4 names (--pfm-events). */
int event_list_parse_pfm(struct event_list *l, const char *text, struct err *e);
/* --filter: applies to the last event(s) added by the last parse; error as perf when it is no tracepoint. */
int event_list_filter(struct event_list *l, const char *filter, struct err *e);
/* The default event: hardware cycles at the highest precision, marked is_default. */
void event_list_add_default(struct event_list *l);
/* A dummy software event for sideband. Returns its index. */
uint32_t event_list_add_dummy(struct event_list *l);

/* ---- on whom ---- */

struct target {
	const char *pids, *tids, *uid;	/* as typed; NULL = not given */
	const char *cpus;		/* -C list */
	bool system_wide;		/* -a */
	bool per_thread;
	int32_t workload;		/* pid of our own stopped child, 0 = none */
	/* resolved */
	VEC(int32_t) threads;		/* tids; {-1} for system wide */
	struct cpuset cpu_list;		/* CPUs to open on; {-1} when one event per thread on any CPU */
	bool any_cpu;
};
/* Threads from procfs, CPUs from sysfs. Errors name the pid, CPU or user. */
int target_resolve(struct target *t, struct err *e);
void target_release(struct target *t);

/* ---- opening ---- */

struct open_opts {
	bool keep_going;	/* an unsupported event is marked open_failed instead of failing all (stat) */
	bool no_fallback;
};
/* What was changed to please the kernel: told once, stored in the file by the changed attr and name. */
struct open_notes { VEC(const char *) texts; };	/* in the list's arena */

/*
 * Open every event for the target: strips features an older kernel refuses (newest first), falls back from default cycles to a software clock, from kernel to user only where the
 * level demands it, raises the descriptor limit. On failure all is closed again and e has what, why (from advice.c) and try.
 */
int event_list_open(struct event_list *l, const struct target *t, const struct open_opts *o, struct open_notes *notes, struct err *e);
int event_list_enable(struct event_list *l, struct err *e);
int event_list_disable(struct event_list *l, struct err *e);

/* ---- facts ---- */

/* tracefs mount point ("/sys/kernel/tracing"), or NULL with e saying how to mount it or which right is missing. */
const char *tracefs_path(struct err *e);
/* Text of a tracepoint's format file, malloc'd; NULL with e (perf's texts for "not found" and "no permission" in why/fix). */
char *tracepoint_format(const char *system, const char *name, size_t *len, struct err *e);
int tracepoint_id(const char *system, const char *name, uint64_t *id, struct err *e);

struct pmu { const char *name; uint32_t type; bool is_core, is_uncore; };
/* PMUs of /sys/bus/event_source/devices, malloc'd array in directory order; returns the number. */
size_t pmu_list(struct pmu **pmus);
int paranoid_level(void);		/* kernel.perf_event_paranoid, 2 if unknown */
uint64_t max_sample_rate(void);		/* kernel.perf_event_max_sample_rate */
uint64_t mlock_limit_kb(void);		/* kernel.perf_event_mlock_kb */

#endif
