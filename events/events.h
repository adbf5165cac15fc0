#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

/*
 * What to measure and on whom: event strings, PMUs, tracepoints, targets, opening, and advice when
 * the kernel refuses.
 *
 *	event_list_parse* -> (the command sets what its options ask for in each attr) -> target_resolve ->
 * event_list_open
 *	-> fds, ids -> event_list_enable
 */
#include <linux/perf_event.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

/* Events that the tool answers itself, without the kernel. Source: perf-list(1), "Tool event". */
enum tool_event { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME };

/* TERM_DEFAULT: the string says nothing about it. Numbers are else as typed. */
enum { TERM_DEFAULT = -1 };

enum { CONFIG_WORDS = 5 }; /* config, config1 ... config4 */

/*
 * One event. Strings live in the list's arena or are constants.
 *
 * What event_list_parse leaves in attr: type, config, config1, config2, the exclude_ and precise_ip bits, pinned,
 * exclusive; of sampling only what the string itself decides: sample_period or sample_freq + freq with `user_period`
 * (terms), period 1 and sample_type RAW|TIME|CPU|PERIOD for tracepoints, period 1 and no more for
 * breakpoints. All else is 0 and is the command's to set.
 */
struct event {
	struct perf_event_attr attr; /* as it will be opened; after opening: as it was opened */
	uint64_t config3, config4;   /* members of newer attrs than the build's header may know; used when not 0 */
	const char *name; /* as typed, or name=; fall-backs rewrite it as perf does ("cycles:u", "task-clock:ppp") */
	const char *modifiers;   /* letters behind the event as typed ("upp"), "" if none */
	const char *shared_name; /* where one word named several devices of a kind: that word; NULL otherwise */
	const char *pmu;         /* PMU's sysfs name; NULL for tracepoints, and for generic events unless typed */
	const char *unit;        /* from sysfs: scale and unit of counts; NULL and 1 if none */
	double scale;
	const char *system, *tp_name; /* tracepoints; NULL otherwise */
	const char *filter;           /* kernel filter text, NULL if none */
	const char *cgroup; /* counts only tasks of this control group, NULL = all; the target must then be the whole
			       system */
	uint32_t leader;    /* index of the group's leader; itself when alone */
	uint32_t n_members; /* on the leader, itself included; 1 when alone; 0 on other members */
	const char *group_name; /* on the leader; NULL if none was typed */
	enum tool_event tool;
	bool weak_group, precise_max, sample_read, bpf_counter, retire_latency, no_regroup; /* modifiers W P S b R X */
	bool is_default;                                                                    /* chosen by us */
	bool is_dummy;                                                                      /* event_list_add_dummy */
	bool user_period;    /* period= or freq= given with the event */
	bool user_modifiers; /* u, k or h given */
	bool user_name;      /* name= given; the first one counts */
	bool percore, per_package, snapshot;
	bool exclude_self; /* set by the command: what it does itself is no event */
	bool system_wide;  /* set by the command: opened on every CPU for all tasks even when the target is a task, or
			      some CPUs */
	const char *term_callgraph, *term_branch_type, *term_driver_config, *term_metric_id,
		*term_aux_action;                                                         /* NULL = not given */
	int64_t term_time, term_max_stack, term_stack_size, term_inherit, term_overwrite; /* TERM_DEFAULT = not given */
	int64_t term_nr, term_aux_output, term_aux_sample_size;
	uint64_t given[CONFIG_WORDS]; /* bits of each config word that a term set */
	struct cpuset cpus;           /* PMU's cpumask or cpu= term; empty = any */
	/* after opening */
	int *fds;             /* n_cpus x n_threads, cpu major (event_fd); -1 = not open */
	uint64_t *ids;        /* same shape; 0 where not open */
	const int *open_cpus; /* the CPU number of each row, -1 = any; lives as long as the list */
	size_t n_cpus, n_threads;
	bool open_failed; /* left out, a note says why; it has no fds then */
};
static inline int event_fd(const struct event *event, size_t cpu, size_t thread)
{
	return event->fds ? event->fds[cpu * event->n_threads + thread] : -1;
}

/* All memory of a list is in its arena, except the vecs and fds, which event_list_release frees. Zeroed = empty. */
struct event_list {
	VEC(struct event) events;
	struct arena arena;
	uint32_t n_cgroups;   /* events that event_list_cgroups has gone through */
	const char *only_pmu; /* a word that stands for events of several PMUs, this one among them, means this one
				 only; NULL = all */
	bool handed_over;     /* event_list_hand_over() has done it */
	uint32_t last_parsed; /* index of the first event of the last successful parse: what --filter applies to */
};
void event_list_release(struct event_list *l); /* closes fds too */

/*
 * Parse one -e argument: "cycles:u,{a,b}:S,sched:*". Appends. On failure nothing is appended, e->what holds perf's
 * first line
 * ("event syntax error: '...'"), e->why its second with the caret under the right column (it begins with blanks;
 * err_print knows), e->fix a near name if there is one; e->exit_code is 129.
 */
int event_list_parse(struct event_list *l, const char *text, struct err *e);
/* libpfm4 names (--pfm-events): "INST_RETIRED:ANY_P,{perf::CYCLES:u,perf::INSTRUCTIONS}". Appends, exit_code 129 on
 * failure. */
int event_list_parse_pfm(struct event_list *l, const char *text, struct err *e);
/*
 * --filter: applies to all events that the last parse added; a second filter is joined with &&. Error, as perf's, when
 * one of them is no tracepoint. The kernel checks the text only when the event is opened.
 */
int event_list_filter(struct event_list *l, const char *filter, struct err *e);
/* Join a filter to one tracepoint event (--exclude-perf). */
void event_add_filter(struct event_list *l, struct event *event, const char *filter);
/*
 * --cgroup: "a,,b", a name for each event in turn and none for an empty one; a single name is for all events so far.
 * Further calls go on behind. Members of a group follow their leader. exit_code 129 on failure.
 */
int event_list_cgroups(struct event_list *l, const char *names, struct err *e);
/* --for-each-cgroup: all events so far for each of these groups, one after the other. exit_code 129 on failure. */
int event_list_each_cgroup(struct event_list *l, const char *names, struct err *e);
/* The default event: hardware cycles at the highest precision, one per core PMU, marked is_default. */
void event_list_add_default(struct event_list *l);
/* Is it a tracer, whose data goes to the AUX area? */
bool event_is_aux(const struct event *event);
/*
 * Formats of the event's PMU: where in the config words each lies. false or 0: the PMU has none of that name.
 * event_format_default sets one unless a term did; event_format_check holds its value against what
 * the PMU's files say it takes: bits in hexadecimal, and whether it has what they are about. Error
 * as perf's.
 */
bool event_format(const struct event *event, const char *name, unsigned *word, uint64_t *bits);
uint64_t event_format_value(const struct event *event, const char *name);
void event_format_default(struct event *event, const char *name, uint64_t value);
int event_format_check(const struct event *event, const char *name, const char *values_file, const char *supported_file,
		       struct err *e);
/* Put the group of this event before all others. The others' indices change. */
void event_list_to_front(struct event_list *l, uint32_t index);
/* A dummy software event for sideband, "dummy:u" as perf 7.2 adds it, period 1. Returns its index. */
uint32_t event_list_add_dummy(struct event_list *l);

/* ---- on whom ---- */

struct target {
	const char *pids, *tids, *uid; /* lists as typed (uid: a number or a name); NULL = not given */
	const char *cpus;              /* -C list */
	bool system_wide;              /* -a */
	bool per_thread;               /* one event per thread on whatever CPU: --per-thread, stat on tasks */
	bool every_thread;             /* all threads there are, as tasks */
	int32_t workload;              /* pid of our own stopped child, 0 = none */
	/* resolved */
	VEC(int32_t) threads;   /* tids, ascending; {-1} for system wide */
	struct cpuset cpu_list; /* CPUs to open on; {-1} with any_cpu */
	bool any_cpu;
	bool is_task; /* threads are given: not system wide */
};
/*
 * Threads from procfs, CPUs from sysfs. With nothing given the target is the whole system. Errors
 * name the pid, CPU or user; that a pid does not exist has perf's text and exit_code 244. -p and
 * -t with -C keep the tasks and open on these CPUs only.
 */
int target_resolve(struct target *t, struct err *e);
void target_release(struct target *t);

/* ---- opening ---- */

struct open_opts {
	bool keep_going;  /* an event that this machine lacks is left out (open_failed, and a note) as long as one opens
			   */
	bool no_fallback; /* no software clock for cycles, no :u */
	void (*tell)(const char *what, uint64_t done,
		     uint64_t all); /* is called now and then while many are opened; NULL: nobody waits */
	bool counting; /* stat: tool events are welcome (they get no fds), no clock stands in for cycles, nothing need
			  open */
};
/* What was changed or left out to please the kernel, one line each in the list's arena; names in it are foreign text.
 */
struct open_notes {
	VEC(const char *) texts;
};

/*
 * Open every event for the target: strips features an older kernel refuses (newest first), falls
 * back from cycles to a software clock, from kernel to user only where the level demands it,
 * lowers `precise_max`, dissolves weak groups, raises the descriptor limit, skips threads that
 * ended meanwhile, sets filters and fetches ids. attr and name are afterwards what was opened. All
 * descriptors are close-on-exec. On failure all is closed again and e has what, why (from
 * advice.c) and try.
 */
int event_list_open(struct event_list *l, const struct target *t, const struct open_opts *o, struct open_notes *notes,
		    struct err *e);
void event_list_close(struct event_list *l);
/*
 * To be called before event_list_close() at the end of a measurement: a process in the background keeps many
 * tracepoints open until we have ended, so that closing them, which takes the kernel tens of milliseconds each, holds
 * nobody up. The events are disabled. Returns that process and how many tracepoints it has in *n; 0: they are few, or
 * are kept already, and closing is quick, or no process could be made.
 */
pid_t event_list_hand_over(struct event_list *l, size_t *n);
/* Take the events out that are marked open_failed: record forgets them, stat prints them. The others' indices change.
 */
void event_list_drop_failed(struct event_list *l);
/* Of all leaders; members follow. */
int event_list_enable(struct event_list *l, struct err *e);
int event_list_disable(struct event_list *l, struct err *e);
int event_enable(struct event *event, bool on, struct err *e);
/* Would the kernel open this event for this task on this CPU? It is closed again at once. */
bool event_opens(const struct event *event, int32_t pid, int cpu);

/* ---- facts ---- */

/*
 * tracefs mount point ("/sys/kernel/tracing"), valid for the program's life; mounted when we may and nobody has. NULL
 * with e saying how to mount it or which right is missing.
 */
const char *tracefs_path(struct err *e);
/* Text of a tracepoint's format file, malloc'd; NULL with e (perf's texts for "not found" and "no permission" in why
 * and fix). */
char *tracepoint_format(const char *system, const char *name, size_t *len, struct err *e);
int tracepoint_id(const char *system, const char *name, uint64_t *id, struct err *e);

/* What this machine can measure, for lists of events. */
enum event_kind {
	KIND_HARDWARE,
	KIND_SOFTWARE,
	KIND_TOOL,
	KIND_CACHE,
	KIND_PMU,
	KIND_VENDOR,
	KIND_RAW,
	KIND_BREAKPOINT,
	KIND_TRACEPOINT,
	KIND_SDT,
	KIND_COUNT
}; /* KIND_SDT: kept in the build-id cache, which the catalogue does not read */
struct listed_event {
	enum event_kind kind;
	const char *name;  /* as -e takes it; of KIND_RAW and KIND_BREAKPOINT a pattern that says how */
	const char *alias; /* NULL if none */
	const char *pmu;   /* sysfs name of its PMU; "cpu" for generic hardware events */
	const char
		*encoding; /* "software/config=3/"; NULL for tracepoints, whose id is asked one by one, and patterns */
	const char *system, *tp_name; /* tracepoints; NULL otherwise */
	const char *description;      /* a line, NULL if none; of tracepoints tracepoint_format() tells */
	const char *unit;             /* of counts, from sysfs; NULL if none */
	double scale;                 /* counts times this are in the unit; 1 if sysfs has none */
	bool on_core;                 /* of a PMU that counts what CPU cores do */
};
struct event_catalogue {
	VEC(struct listed_event) events; /* by kind, then by name */
	struct arena arena;
};
/*
 * The kinds of the mask (1 << KIND_...). Hardware and cache events only where a counter answers to them, events of
 * vendors (libpfm4) where the kernel shows a PMU of CPU cores. -1 with e when tracepoints are wanted and cannot be
 * read; all others are there nevertheless.
 */
int event_catalogue_read(struct event_catalogue *c, unsigned kinds, struct err *e);
void event_catalogue_release(struct event_catalogue *c);
const char *event_kind_name(enum event_kind kind); /* "Hardware event" */

struct pmu {
	const char *name;
	uint32_t type;
	bool is_core;   /* counts what CPU cores do: cpu, cpu_core, armv8_..., has formats for raw events */
	bool is_uncore; /* has a cpumask: counts per package or the like, cannot follow a task */
};
struct pmu_list {
	VEC(struct pmu) pmus; /* of /sys/bus/event_source/devices, core PMUs first, then by name */
	struct arena arena;
};
void pmu_list_read(struct pmu_list *l); /* empty when there is no such directory */
void pmu_list_release(struct pmu_list *l);
char *pmu_text(const char *pmu,
	       const char *file); /* of its folder in sysfs ("caps/mtc"), malloc'd; NULL if there is no such file */
uint64_t pmu_slots(const struct pmu *pmu); /* operations that a core can do in a cycle; 0 = the PMU does not say
					      (Source: caps/slots of arm_pmuv3) */

/* Capabilities that perf events ask for: bits of facts.caps. Source: linux/capability.h, capabilities(7). */
enum {
	FACT_CAP_IPC_LOCK = 14,
	FACT_CAP_SYS_PTRACE = 19,
	FACT_CAP_SYS_ADMIN = 21,
	FACT_CAP_SYSLOG = 34,
	FACT_CAP_PERFMON = 38,
	FACT_CAP_BPF = 39
};

/* What decides what this process may measure, as far as it can be read or tried without harm. */
struct facts {
	bool has_events; /* the kernel was built with perf events */
	int level;       /* kernel.perf_event_paranoid */
	uint64_t caps; /* effective capabilities; 0 in a user namespace, whose capabilities perf events do not honour */
	uint64_t caps_allowed; /* the most that a program with file capabilities gets here */
	bool has_cap_perfmon;  /* the kernel knows CAP_PERFMON (5.8); before it was CAP_SYS_ADMIN */
	uint32_t uid, gid;     /* effective */
	bool user_namespace, container;
	bool no_new_privs; /* file capabilities have no effect */
	int filter; /* errno by which something between us and the kernel answers perf_event_open (seccomp), 0 = nothing
		     */
	bool own_events; /* the least of all events, on ourselves in user space, opens */
	bool selinux;    /* enforcing */
	bool lockdown;   /* at level confidentiality */
	bool core_pmu;   /* there are hardware counters */
	bool virtual;    /* this is a virtual machine */
	int kptr_restrict, bpf_disabled;
	uint64_t mlock_kb;                    /* kernel.perf_event_mlock_kb */
	uint64_t cpus;                        /* that are online */
	uint64_t nofile, nofile_max, memlock; /* limits: descriptors, and bytes of locked memory */
};
void facts_read(struct facts *f);

/*
 * Why a call failed with errno `sys` and what can be done: fill e, with one word for the cause. All return -1. The
 * rings of one list are `bytes` each, control page included, `wanted` of them; so many had been mapped.
 */
int advice_ring(uint64_t bytes, size_t mapped, size_t wanted, int sys, struct err *e);
int advice_kallsyms(int sys, struct err *e);
int advice_probes(const char *path, int sys, struct err *e); /* of kprobe_events or uprobe_events in tracefs */
int advice_bpf(int sys, struct err *e);
int advice_maps(int32_t pid, int sys, struct err *e); /* /proc/PID/maps */

/* May this process measure everything, whatever the level says? */
bool facts_privileged(const struct facts *f);

/* What somebody wants to measure that he may not. */
struct permission {
	bool system, kernel, trace, others;
	bool needs_capability; /* no level allows it */
};
struct grant {
	char *text;      /* malloc'd; NULL = no such grant */
	bool is_command; /* the text is a command for root; else words that say what to do */
};
/*
 * The i-th way to allow it, smallest first: this program alone, then all programs of all users. Ways that have no
 * effect on this process (file capabilities where they are switched off) are not offered.
 */
struct grant permission_grant(const struct facts *f, const struct permission *want, unsigned i);

int paranoid_level(void);       /* kernel.perf_event_paranoid, 2 if unknown */
uint64_t max_sample_rate(void); /* kernel.perf_event_max_sample_rate, 100000 if unknown */
uint64_t mlock_limit_kb(void);  /* kernel.perf_event_mlock_kb, 516 if unknown */

#endif
