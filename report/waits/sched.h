#ifndef REPORT_WAITS_SCHED_H
#define REPORT_WAITS_SCHED_H

#include "base/units.h"
#include "report/session/filter.h"
#include "report/session/time_ranges.h"
#include "report/live/events.h"

/*
 * Read the scheduler's tracepoints: which task left a CPU, which got it, and which woke which. The text equals
 * that of perf-sched(1).
 *
 *	live_open_file -> sched_latency(live, &opts, out, e) -> live_close
 *
 * Source of the fields: include/trace/events/sched.h in the kernel, and `format` below tracefs.
 */
enum sched_kind {
	SCHED_SWITCH,
	SCHED_WAKING, /* in the waker; WAKEUP follows on the CPU that the task will get */
	SCHED_WAKEUP,
	SCHED_WAKEUP_NEW,
	SCHED_RUNTIME,
	SCHED_MIGRATE,
	SCHED_KINDS
};
extern const struct trace_want sched_wants[SCHED_KINDS];

enum { SCHED_COMM = 17 };

/* One side of a switch. */
struct sched_side {
	int32_t tid;
	int32_t prio;
	char comm[SCHED_COMM]; /* foreign text */
};

struct sched_switch {
	struct sched_side prev, next;
	uint64_t state; /* of prev: bits of enum sched_state */
};
void sched_switch_read(const struct trace_event *t, struct sched_switch *s);

/* Read the task of WAKING, WAKEUP, WAKEUP_NEW, RUNTIME or MIGRATE. */
void sched_side_read(const struct trace_event *t, struct sched_side *s);
static inline uint64_t sched_runtime_ns(const struct trace_event *t) { return trace_number(t, 2); }
static inline int32_t sched_from_cpu(const struct trace_event *t) { return (int32_t)trace_number(t, 3); }
static inline int32_t sched_to_cpu(const struct trace_event *t) { return (int32_t)trace_number(t, 4); }
/* Kernels before 4.3 also report wake-ups that changed nothing. */
bool sched_woke(const struct trace_event *t);

/*
 * Why a task left its CPU. The bits are those in sched_switch; the other bits say "preempted", and
 * depend on the kernel. Source: TASK_REPORT in include/linux/sched.h.
 */
enum sched_state { SCHED_DEAD = 0x10, SCHED_ZOMBIE = 0x20 };
static inline bool sched_is_runnable(uint64_t state) { return !(state & 0xff); }
static inline bool sched_is_uninterruptible(uint64_t state) { return state & 2; }
char sched_state_letter(uint64_t state);

/*
 * Names of tasks. The recording's names have priority: the last name of each thread, as in perf.
 * Tracepoints name the other threads.
 */
struct sched_names {
	struct session *session;
	struct lookup lookup;
	struct u64map index; /* tid -> items + 1 */
	VEC(struct sched_name {
		int32_t tid;
		char comm[SCHED_COMM];
	});
};
void sched_names_init(struct sched_names *n, struct session *s);
void sched_names_release(struct sched_names *n);
/* Forget the names that tracepoints gave. */
void sched_names_clear(struct sched_names *n);
/* Remember the name that a tracepoint gives a thread. */
void sched_names_tell(struct sched_names *n, int32_t tid, const char *comm);
/*
 * Return the last name of a thread. A name is foreign text; it lives until the next call of any function for names.
 */
const char *sched_names_last(const struct sched_names *n, int32_t tid, char buf[SCHED_COMM]);
/* Return the name that a thread had at the time of `t`. */
const char *sched_names_now(struct sched_names *n, const struct trace_event *t, int32_t tid, char buf[SCHED_COMM]);

/*
 * All these functions print to `o`; its owner checks for write errors. -1 with e: the input fails or has
 * no switches.
 */

/* All CPU numbers are lower: the limit of the kernel's configuration. */
enum { SCHED_CPUS_MOST = 8192 };

/* Open `events`, and check that it has switches. -1 with e: it has none. */
int sched_events_check(const struct live_events *events, struct err *e);
/* Also check that we skipped no event with an impossible CPU number. */
int sched_cpus_check(const struct live_events *events, uint64_t left_out, struct err *e);

/* --- sched latency --- */

struct sched_latency_opts {
	bool by_tid;      /* a row per thread, not per name */
	int32_t cpu;      /* only events on this CPU; -1: on all */
	const char *sort; /* list of avg, max, switch, runtime, pid; NULL: that order */
};
int sched_latency_check(const struct sched_latency_opts *opts, struct err *e);
int sched_latency(struct live *l, const struct sched_latency_opts *opts, struct out *o, struct err *e);

/* --- sched map --- */

struct sched_map_opts {
	bool compact;              /* only CPUs that switched, in the order in which they did so first */
	const struct cpuset *cpus; /* show the switches of these; NULL: all */
	const char *tasks;         /* names in a list: mark only these tasks; NULL: all */
	bool fuzzy;                /* a name may match a part */
};
int sched_map(struct live *l, const struct sched_map_opts *opts, struct out *o, struct err *e);

/* --- sched timehist --- */

struct sched_timehist_opts {
	bool summary, summary_only;
	bool idle;                                               /* only lines and sums of idle time */
	bool wakeups, migrations;                                /* show them on separate lines */
	bool next, state, show_prio, pre_migrations, cpu_visual; /* columns */
	bool chains;                                             /* show chains if there are any */
	size_t max_stack;                                        /* maximum number of frames */
	struct sample_filter *filter;                            /* threads and CPUs to show; NULL: all */
	const struct cpuset *prios;                              /* priorities of tasks; NULL: all */
	const struct time_span *window;                          /* NULL: all */
};
int sched_timehist(struct live *l, const struct sched_timehist_opts *opts, struct out *o, struct err *e);

/* --- sched replay --- */

/*
 * Start a thread for each task. It runs, sleeps and wakes others in the recorded order and for the recorded CPU time,
 * `times` times (less than 0: without end).
 */
int sched_replay(struct live *l, int64_t times, struct out *o, struct err *e);

#endif
