#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

/*
 * What to measure and on whom: event strings, PMUs, tracepoints, targets, opening, and advice when
 * the kernel refuses. Between parsing and opening a command sets in each attr what its options ask.
 *
 * Example: count the cycles of a process.
 *
 *	struct event_list list = { 0 };
 *	struct target target = { .pids = "1234" };
 *	struct open_opts opts = { 0 };
 *	struct open_notes notes = { 0 };
 *	struct err e = { 0 };
 *	uint64_t count = 0;
 *
 *	if (event_list_parse(&list, "cycles:u", &e) < 0 || target_resolve(&target, &e) < 0 ||
 *	    event_list_open(&list, &target, &opts, &notes, &e) < 0)
 *		return fprintf(stderr, "%s: %s\n", e.what, e.why), 1;
 *	if (read(event_fd(&list.events.items[0], 0, 0), &count, sizeof(count)) > 0)
 *		printf("%llu\n", (unsigned long long)count);
 *	event_list_release(&list);
 *	target_release(&target);
 */
#include <linux/perf_event.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

/* Events that we measure ourselves, without the kernel. Source: perf-list(1), "Tool event". */
enum tool_event { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME };

/* TERM_DEFAULT: the event string does not set the term. Other numbers are as typed. */
enum { TERM_DEFAULT = -1 };

enum { CONFIG_WORDS = 5 }; /* config, config1 ... config4 */

/*
 * One event. Strings live in the list's arena or are constants.
 *
 * event_list_parse sets in attr: type, config, config1, config2, the exclude_ bits, precise_ip,
 * pinned and exclusive. It sets sampling only where the string itself decides: sample_period or
 * sample_freq + freq with `user_period` (terms); period 1 and sample_type RAW|TIME|CPU|PERIOD for
 * tracepoints; only period 1 for breakpoints. All other members are 0 and the command sets them.
 */
struct event {
	struct perf_event_attr attr; /* before opening: as requested; afterwards: as opened */
	uint64_t config3, config4;   /* Members that the build's header may lack; used when not 0. */
	/*
	 * As typed, or from name=. Fall-backs rewrite it as perf does ("cycles:u",
	 * "task-clock:ppp").
	 */
	const char *name;
	const char *modifiers; /* letters behind the event as typed ("upp"), "" if none */
	/* If one word named several devices of a kind: that word; NULL otherwise. */
	const char *shared_name;
	/* The PMU's sysfs name; NULL for tracepoints, and for generic events unless typed. */
	const char *pmu;
	const char *unit; /* unit and scale of counts from sysfs; NULL and 1 if none */
	double scale;
	const char *system, *tp_name; /* tracepoints; NULL otherwise */
	const char *filter;           /* kernel filter text, NULL if none */
	/*
	 * Count only tasks of this control group, NULL = all. Requires the whole system as target.
	 */
	const char *cgroup;
	uint32_t leader; /* index of the group's leader; its own index without a group */
	/* on the leader: members with itself; 1 without a group; 0 on other members */
	uint32_t n_members;
	const char *group_name; /* on the leader; NULL if none was typed */
	enum tool_event tool;
	bool weak_group, precise_max, sample_read, bpf_counter, retire_latency, no_regroup; /* modifiers W P S b R X */
	bool is_default;                                                                    /* we chose the event */
	bool is_dummy;       /* from event_list_add_dummy */
	bool user_period;    /* period= or freq= was given with the event */
	bool user_modifiers; /* u, k or h was given */
	bool user_name;      /* name= was given; the first one counts */
	bool percore, per_package, snapshot;
	bool exclude_self; /* set by the command: do not count our own work */
	/*
	 * Set by the command: another form of the event before it. It stays disabled until it takes
	 * the place of that one. Readers see its samples as those of that event.
	 */
	bool is_twin;
	/* Set by the command: a separate event that stays disabled until the recording needs it. */
	bool is_reserve;
	/*
	 * Set by the command: open on every CPU for all tasks even if the target is a task or some
	 * CPUs.
	 */
	bool system_wide;
	const char *term_callgraph, *term_branch_type, *term_driver_config, *term_metric_id,
		*term_aux_action; /* NULL = not given */
	/* TERM_DEFAULT = not given */
	int64_t term_time, term_max_stack, term_stack_size, term_inherit, term_overwrite;
	int64_t term_nr, term_aux_output, term_aux_sample_size;
	uint64_t given[CONFIG_WORDS]; /* bits of each config word that a term set */
	struct cpuset cpus;           /* PMU's cpumask or cpu= term; empty = any */
	/* Set by opening: */
	int *fds;             /* n_cpus x n_threads, one row per CPU (event_fd); -1 = not open */
	uint64_t *ids;        /* same shape; 0 where not open */
	const int *open_cpus; /* CPU number of each row, -1 = any; valid as long as the list */
	size_t n_cpus, n_threads;
	bool open_failed; /* left out: it has no fds, and a note says why */
};
static inline int event_fd(const struct event *event, size_t cpu, size_t thread)
{
	return event->fds ? event->fds[cpu * event->n_threads + thread] : -1;
}

/*
 * The vecs and fds are freed by event_list_release; all other memory of a list is in its arena. A
 * zeroed struct is a valid empty list.
 */
struct event_list {
	VEC(struct event) events;
	struct arena arena;
	uint32_t n_cgroups; /* number of events that event_list_cgroups has handled */
	/*
	 * If set, a word that names events of several PMUs, including this one, means only this
	 * one.
	 */
	const char *only_pmu;
	bool handed_over;     /* event_list_hand_over() has done it */
	uint32_t last_parsed; /* index of the first event of the last successful parse, for --filter */
};
void event_list_release(struct event_list *l); /* closes the fds too */

/*
 * Parse one -e argument, like "cycles:u,{a,b}:S,sched:*", and append its events. On failure append
 * nothing: e->what is perf's first line ("event syntax error: '...'"); e->why is its second line,
 * with the caret under the bad column (it begins with blanks, for err_print); e->fix is a similar
 * name if there is one; e->exit_code is 129.
 */
int event_list_parse(struct event_list *l, const char *text, struct err *e);
/*
 * Parse libpfm4 names (--pfm-events), like
 * "INST_RETIRED:ANY_P,{perf::CYCLES:u,perf::INSTRUCTIONS}", and append their events. On failure
 * exit_code is 129.
 */
int event_list_parse_pfm(struct event_list *l, const char *text, struct err *e);
/*
 * Set a filter (--filter) on all events of the last parse; join a second filter with &&. As in
 * perf, it is an error if one of them is no tracepoint. The kernel checks the text only when the
 * event is opened.
 */
int event_list_filter(struct event_list *l, const char *filter, struct err *e);
/* Add a filter to one tracepoint event (--exclude-perf). */
void event_add_filter(struct event_list *l, struct event *event, const char *filter);
/*
 * Handle --cgroup: in "a,,b" each name belongs to one event in turn, and an empty name to none. A
 * single name is for all events so far. Another call continues behind the last event. Members of a
 * group follow their leader. On failure exit_code is 129.
 */
int event_list_cgroups(struct event_list *l, const char *names, struct err *e);
/*
 * Handle --for-each-cgroup: repeat all events so far for each of these control groups. On failure
 * exit_code is 129.
 */
int event_list_each_cgroup(struct event_list *l, const char *names, struct err *e);
/* A descriptor of the directory of a control group, below the hierarchy that perf events use; -1 with e. */
int cgroup_open(const char *name, struct err *e);
/*
 * Add the default event: hardware cycles at the highest precision, one per core PMU, marked
 * is_default.
 */
void event_list_add_default(struct event_list *l);
/* Return true for an event of a hardware tracer, which writes to the AUX area. */
bool event_is_aux(const struct event *event);
/*
 * Formats of the event's PMU, which say where a value lies in the config words. false or 0: the PMU
 * has no format of that name. event_format_default sets a value unless a term did.
 * event_format_check compares the value with the PMU's files: the allowed values as bits in
 * hexadecimal, and whether the PMU supports the feature. Its error has perf's text.
 */
bool event_format(const struct event *event, const char *name, unsigned *word, uint64_t *bits);
uint64_t event_format_value(const struct event *event, const char *name);
void event_format_default(struct event *event, const char *name, uint64_t value);
int event_format_check(const struct event *event, const char *name, const char *values_file, const char *supported_file,
		       struct err *e);
/* Move this event's group before all others. The indices of other events change. */
void event_list_to_front(struct event_list *l, uint32_t index);
/*
 * Add a dummy software event for sideband, "dummy:u" with period 1 as in perf 7.2. Return its
 * index.
 */
uint32_t event_list_add_dummy(struct event_list *l);

/* ---- target ---- */

struct target {
	const char *pids, *tids, *uid; /* lists as typed (uid: number or name); NULL = not given */
	const char *cpus;              /* the list of -C */
	bool system_wide;              /* -a */
	bool per_thread;               /* one event per thread on any CPU: --per-thread, stat on tasks */
	bool every_thread;             /* all threads of the system, as tasks */
	int32_t workload;              /* pid of our own stopped child, 0 = none */
	/* Set by target_resolve: */
	VEC(int32_t) threads;   /* tids, ascending; {-1} for the whole system */
	struct cpuset cpu_list; /* CPUs to open on; {-1} with any_cpu */
	bool any_cpu;
	bool is_task;      /* threads are given: not the whole system */
	uint32_t n_hidden; /* processes of `uid` that may not be measured, and are left out */
};

struct out;
/* Print a line for each open descriptor of an event, as `-vv` of perf does. */
void event_tell_descriptors(const struct event_list *l, const struct event *event, const struct target *t,
			    struct out *o);
/*
 * Find the threads in procfs and the CPUs in sysfs. Without any selection the target is the whole
 * system. Errors name the pid, CPU or user; the error for a missing pid has perf's text and
 * exit_code 244. With -C, -p and -t keep their tasks and open only on these CPUs.
 */
int target_resolve(struct target *t, struct err *e);
void target_release(struct target *t);

/* ---- opening ---- */

struct open_opts {
	/*
	 * Leave out events that this machine lacks (open_failed, and a note), as long as one opens.
	 */
	bool keep_going;
	bool no_fallback; /* do not try a software clock for cycles, or :u */
	void (*tell)(const char *what, uint64_t done,
		     uint64_t all); /* called now and then while many are opened; may be NULL */
	/*
	 * For stat: accept tool events (they get no fds), use no clock for cycles, and allow that
	 * no event opens.
	 */
	bool counting;
};
/*
 * What was changed or left out so that the kernel accepts the events. One line each in the list's
 * arena; names in it are foreign text.
 */
struct open_notes {
	VEC(const char *) texts;
};

/*
 * Open every event for the target. When the kernel refuses an event: strip features that an older
 * kernel lacks (newest first), fall back from cycles to a software clock, and from kernel to user
 * only where the paranoid level requires it, lower the precision of `precise_max`, dissolve weak
 * groups, and raise the descriptor limit. Skip threads that ended meanwhile. Then set the filters
 * and get the ids. Afterwards attr and name say what was opened. All descriptors are close-on-exec.
 * On failure close everything; e has what, why (from advice.c) and try.
 */
int event_list_open(struct event_list *l, const struct target *t, const struct open_opts *o, struct open_notes *notes,
		    struct err *e);
void event_list_close(struct event_list *l);
/*
 * Call this before event_list_close() at the end of a measurement. The kernel takes tens of
 * milliseconds to close each tracepoint. If there are many, a background process keeps them open
 * until we have ended, so that nobody waits. The events are disabled. Return that process and set
 * *n to the number of its tracepoints. Return 0 when there are few tracepoints, when such a process
 * already keeps them, or when no process could be made.
 */
pid_t event_list_hand_over(struct event_list *l, size_t *n);
/*
 * Remove the events marked open_failed: record drops them, stat prints them. The indices of other
 * events change.
 */
void event_list_drop_failed(struct event_list *l);
/* Enable or disable all leaders; their members follow. */
int event_list_enable(struct event_list *l, struct err *e);
int event_list_disable(struct event_list *l, struct err *e);
int event_enable(struct event *event, bool on, struct err *e);
/* Return true if the kernel opens this event for this task on this CPU. It is closed at once. */
bool event_opens(const struct event *event, int32_t pid, int cpu);

/* ---- facts ---- */

/*
 * Return the mount point of tracefs ("/sys/kernel/tracing"), valid for the program's life. Mount it
 * if it is not mounted and we may. On failure return NULL with e, which says how to mount it or
 * which right is missing.
 */
const char *tracefs_path(struct err *e);
/* The same, or the tracing directory of debugfs, but mount nothing. */
const char *tracefs_find(struct err *e);
/*
 * Return the text of a tracepoint's format file; the caller frees it. On failure return NULL with e
 * (perf's texts for "not found" and "no permission" in why and fix).
 */
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
}; /* KIND_SDT: in the build-id cache; the catalogue does not read it */
struct listed_event {
	enum event_kind kind;
	/* As -e takes it. For KIND_RAW and KIND_BREAKPOINT a pattern that shows the syntax. */
	const char *name;
	const char *alias; /* NULL if none */
	const char *pmu;   /* sysfs name of its PMU; "cpu" for generic hardware events */
	/* "software/config=3/"; NULL for patterns and tracepoints (see tracepoint_id) */
	const char *encoding;
	const char *system, *tp_name; /* tracepoints; NULL otherwise */
	const char *description;      /* one line, NULL if none; for tracepoints see tracepoint_format() */
	const char *unit;             /* unit of counts, from sysfs; NULL if none */
	double scale;                 /* count times scale is in the unit; 1 if sysfs has none */
	bool on_core;                 /* its PMU counts what CPU cores do */
};
struct event_catalogue {
	VEC(struct listed_event) events; /* by kind, then by name */
	struct arena arena;
};
/*
 * Read the events of the kinds in the mask (1 << KIND_...). Hardware and cache events are included
 * only if a counter exists, vendors' events (libpfm4) only if the kernel has a core PMU. Return -1
 * with e when tracepoints are wanted and unreadable; all other events are still in the catalogue.
 */
int event_catalogue_read(struct event_catalogue *c, unsigned kinds, struct err *e);
void event_catalogue_release(struct event_catalogue *c);
const char *event_kind_name(enum event_kind kind); /* "Hardware event" */

struct pmu {
	const char *name;
	uint32_t type;
	/* counts what CPU cores do: cpu, cpu_core, armv8_...; has formats for raw events */
	bool is_core;
	bool is_uncore; /* has a cpumask: counts for example per package, cannot follow a task */
};
struct pmu_list {
	VEC(struct pmu) pmus; /* from /sys/bus/event_source/devices, core PMUs first, then by name */
	struct arena arena;
};
void pmu_list_read(struct pmu_list *l); /* empty without that directory */
void pmu_list_release(struct pmu_list *l);
/* Return whether a PMU of cores has this name or is of this kind ("core": cpu_core). */
bool pmu_is_of_cores(const char *name, const char *kind);
/* Return the PMU of cores of this name or kind; NULL if there is none. */
const struct pmu *pmu_list_cores(const struct pmu_list *l, const char *kind);
char *pmu_text(const char *pmu,
	       /*
	        * Text of a file in the PMU's sysfs directory ("caps/mtc"); the caller frees it.
	        * NULL if there is no such file.
	        */
	       const char *file);
/* Names of the files in one of a PMU's directories ("format", "events", "caps"), sorted. */
struct pmu_files {
	VEC(const char *) names;
	struct arena arena;
};
void pmu_files_read(struct pmu_files *f, const char *pmu, const char *dir); /* empty without that directory */
void pmu_files_release(struct pmu_files *f);
/*
 * Parse a number at the start of a text: "6.1e-5" or "100%"; 1 if there is none or it is too large. *end: what
 * follows it.
 */
double number_scale(const char *s, const char **end);
/* Operations per cycle of a core; 0 = the PMU does not say. Source: caps/slots of arm_pmuv3. */
uint64_t pmu_slots(const struct pmu *pmu);

/* Return true if no limit holds for the memory of rings. */
bool event_may_lock(void);

/*
 * Capabilities that perf events check: bits of facts.caps. Source: linux/capability.h,
 * capabilities(7).
 */
enum {
	FACT_CAP_IPC_LOCK = 14,
	FACT_CAP_SYS_PTRACE = 19,
	FACT_CAP_SYS_ADMIN = 21,
	FACT_CAP_SYSLOG = 34,
	FACT_CAP_PERFMON = 38,
	FACT_CAP_BPF = 39
};

/*
 * The facts that decide what this process may measure, as far as we can read or test them without
 * harm.
 */
struct facts {
	bool has_events; /* the kernel was built with perf events */
	int level;       /* kernel.perf_event_paranoid */
	/* Effective capabilities; 0 in a user namespace, where perf events ignore them. */
	uint64_t caps;
	uint64_t caps_allowed; /* the most that a program with file capabilities gets here */
	bool has_cap_perfmon;  /* the kernel has CAP_PERFMON (5.8); before it used CAP_SYS_ADMIN */
	uint32_t uid, gid;     /* effective */
	bool user_namespace, container;
	bool no_new_privs; /* file capabilities have no effect */
	/*
	 * Errno with which a filter (seccomp) answers perf_event_open before the kernel does, 0 =
	 * none.
	 */
	int filter;
	bool own_events; /* the most harmless event opens: on ourselves, in user space */
	bool selinux;    /* SELinux is enforcing */
	bool lockdown;   /* locked down at level confidentiality */
	bool core_pmu;   /* there are hardware counters */
	bool virtual;    /* this is a virtual machine */
	int kptr_restrict, bpf_disabled;
	uint64_t mlock_kb;                    /* kernel.perf_event_mlock_kb */
	uint64_t cpus;                        /* online CPUs */
	uint64_t nofile, nofile_max, memlock; /* limits: descriptors, and bytes of locked memory */
};
void facts_read(struct facts *f);

/*
 * Fill e with the reason why a call failed with errno `sys`, the remedy, and one word for the
 * cause. All return -1. advice_ring: each ring of a list has `bytes` bytes with its control page,
 * `wanted` rings were needed, and `mapped` of them were mapped.
 */
int advice_ring(uint64_t bytes, size_t mapped, size_t wanted, int sys, struct err *e);
int advice_kallsyms(int sys, struct err *e);
/* for kprobe_events or uprobe_events in tracefs */
int advice_probes(const char *path, int sys, struct err *e);
int advice_bpf(int sys, struct err *e);
int advice_maps(int32_t pid, int sys, struct err *e); /* /proc/PID/maps */

/* Return true if this process may measure everything at any paranoid level. */
bool facts_privileged(const struct facts *f);

/* A kind of measuring that is not allowed. */
struct permission {
	bool system, kernel, trace, others;
	bool needs_capability; /* no paranoid level allows it */
};
struct grant {
	char *text;      /* the caller frees it; NULL = no such grant */
	bool is_command; /* the text is a command for root; else an instruction */
};
/*
 * Return the i-th way to allow it, smallest grant first: for this program alone, then for all
 * programs of all users. Skip grants that have no effect on this process (file capabilities where
 * they are disabled).
 */
struct grant permission_grant(const struct facts *f, const struct permission *want, unsigned i);

int paranoid_level(void);       /* kernel.perf_event_paranoid, 2 if unknown */
uint64_t max_sample_rate(void); /* kernel.perf_event_max_sample_rate, 100000 if unknown */
uint64_t mlock_limit_kb(void);  /* kernel.perf_event_mlock_kb, 516 if unknown */

#endif
