#ifndef REPORT_MONITORS_MONITOR_H
#define REPORT_MONITORS_MONITOR_H

/*
 * A monitor watches a running system: it asks for events, gets each event when it arrives, and a call at
 * the end of each interval. The same monitor runs on live rings, on a recording and on a pipe.
 *
 * To add one: write report/monitors/NAME.c and a row in MONITORS below; its man page is
 * strobe-monitor(1).
 *
 *	static void sample(struct monitor_run *run, const struct trace_event *t)
 *	{
 *		monitor_line(run, t);
 *	}
 *	static int events(struct monitor_run *run, struct err *e)
 *	{
 *		return monitor_want(run, &(struct trace_want){ "signal:signal_generate" }, run->opts->filter, e);
 *	}
 *	const struct monitor monitor_signal = { .events = events, .sample = sample };
 */
#include "base/encode/json.h"
#include "base/opt.h"
#include "events/events.h"
#include "report/live/events.h"
#include "report/waits/calls.h"
#include "report/waits/durations.h"

struct monitor_run;
struct open_pairs;
struct open_pair;
struct monitor {
	/* Ask for the events with monitor_want(). -1 with e: the options make no sense. */
	int (*events)(struct monitor_run *run, struct err *e);
	/* Take a wanted event; events come in time order. */
	void (*sample)(struct monitor_run *run, const struct trace_event *t);
	/* Handle the loss of events before the next one. May be NULL. */
	void (*lost)(struct monitor_run *run);
	/* End an interval. May be NULL. */
	void (*tick)(struct monitor_run *run);
	/* Handle this many intervals without an event. May be NULL. */
	void (*skip)(struct monitor_run *run, uint64_t n);
	/* The last call. May be NULL. */
	void (*finish)(struct monitor_run *run);
	/* Release the data that `state` owns. NULL: nothing. */
	void (*release)(struct monitor_run *run);
	bool by_field;        /* the first field of each row is a key: refuse events that lack it */
	bool by_clock;        /* ticks come on time, not with the events after them */
	uint64_t interval_ms; /* default of -i */
	uint64_t ring_pages;  /* default of -m; 0 = that of record */
	size_t state_size;    /* size of its own state, zeroed, at run->state */
};

/* All options of all monitors; a monitor takes those named in its row of MONITORS. */
struct monitor_opts {
	const struct monitor *monitor;
	const char *input, *record; /* input instead of rings; copy of the events */
	const char *cpus, *pids, *tids, *filter, *alloc, *free;
	struct opt_list events;
	const char *pages;
	const char *than;       /* a time, or a percentage */
	const char *chain_mode; /* of -g; NULL: the usual one */
	const char *key;        /* a field, or a list with one field for each event */
	const char *html;       /* the page's file */
	uint64_t interval_ms;   /* MONITOR_UNSET: the monitor's default */
	uint64_t freq, latency_us, trigger;
	bool chains, guest, no_guest, no_kernel, no_user;
	bool asleep, blocked, percpu, precise, preempt, syscalls, test, heatmap, histogram, json, force;
	int v;
};
#define MONITOR_UNSET UINT64_MAX
#define MONITOR_DEFAULTS_OF(monitor_) \
	{ \
		.monitor = monitor_, .interval_ms = MONITOR_UNSET, .freq = 100, .latency_us = 20000, .trigger = 1000 \
	}

/*
 * To add a row: the monitor (monitor_ID in its file), its name, one line for help, and the options
 * it takes besides those of all monitors: names in cmd/monitor/options.c, separated by blanks.
 */
#define MONITORS(M) \
	M(cpu_util, "cpu-util", "how busy each CPU is, and with what", \
	  "interval guest exclude-guest exclude-kernel exclude-user than") \
	M(irq_off, "irq-off", "where interrupts were off for too long", \
	  "input record mmap-pages call-graph latency precise preempt than") \
	M(kmemleak, "kmemleak", "allocations without a free, by call chain", MONITOR_EVENTS "alloc free than") \
	M(kvm_exit, "kvm-exit", "how long the host takes for each exit of a guest", \
	  MONITOR_EVENTS "interval filter than percpu heatmap html") \
	M(mpdelay, "mpdelay", "how long it takes from each event to the next one", \
	  MONITOR_EVENTS "interval event filter than percpu heatmap histogram html") \
	M(pairs, "pairs", "how long it takes from one event to the next with the same key", \
	  MONITOR_EVENTS "interval event key filter than percpu heatmap histogram html") \
	M(percpu_stat, "percpu-stat", "how often things happen on each CPU", "input record pid tid interval syscalls") \
	M(profile, "profile", "which threads run, and how much of it in the kernel", \
	  MONITOR_EVENTS "interval freq than guest exclude-guest exclude-kernel exclude-user") \
	M(signal, "signal", "signals, with sender and receiver", MONITOR_EVENTS "filter") \
	M(split_lock, "split-lock", "accesses that lock the bus of all CPUs", \
	  MONITOR_EVENTS "interval trigger guest test") \
	M(task_state, "task-state", "how long tasks slept or were blocked, and where", \
	  MONITOR_EVENTS "interruptible uninterruptible filter than") \
	M(trace, "trace", "print tracepoints as they happen", MONITOR_EVENTS "event filter") \
	M(watchdog, "watchdog", "CPUs that are about to lock up", "input record mmap-pages call-graph freq than")
#define MONITOR_EVENTS       "input record pid tid mmap-pages call-graph "
#define MONITORS_TAKE_ALWAYS "json cpu verbose"

#define MONITOR_DECLARE(id, name, summary, takes) extern const struct monitor monitor_##id;
MONITORS(MONITOR_DECLARE)
#undef MONITOR_DECLARE

/*
 * Counts of events by CPU. On the running system they come from counters, which cost nothing between two
 * reads. For a recording, we count the samples of these events.
 */
enum { MONITOR_COUNTS_MOST = 32 };
struct monitor_counts {
	const char *names[MONITOR_COUNTS_MOST];
	bool missing[MONITOR_COUNTS_MOST]; /* this system has no such event */
	size_t n, n_cpus;
	size_t n_wanted;                       /* columns that we count by their samples */
	uint32_t by_want[MONITOR_COUNTS_MOST]; /* their places */
	VEC(uint64_t) values, before;          /* by CPU, then by event: now; at the start of this interval */
	struct event_list events;              /* open counters */
	uint32_t column[MONITOR_COUNTS_MOST];  /* by event of the list */
	struct target target;
};

struct monitor_event {
	char *text;   /* as in -e */
	char *filter; /* for the kernel; NULL = none */
};

/* Texts of call chains. */
struct monitor_stacks {
	struct strtab texts;
	struct u64map index; /* hash of a chain and its space -> id of its text */
	size_t bytes;
	bool full;
	uint64_t dropped;
};

/* The event of an open start. */
struct kept_event {
	uint64_t time;
	uint32_t want, event, cpu, size, room;
	int32_t tid;
	char comm[16];
	uint8_t *raw;
};

struct monitor_run {
	const struct monitor *monitor;
	const struct monitor_opts *opts;
	struct out *out;              /* for text; with -j it goes nowhere */
	struct out text, *objects;    /* with -j: that text, and the output for JSON objects */
	void *state;                  /* the monitor's */
	VEC(struct trace_want) wants; /* samples arrive with the index of their row */
	VEC(struct monitor_event) asked;
	uint64_t tick_ms; /* set in `events`: instead of -i; 0 = as -i says */
	const char *cpus; /* set in `events`: the CPUs to watch without -C; NULL = all */
	struct arena arena;
	struct live_events events; /* the input */
	struct session *session;
	struct calls calls;
	struct open_pairs *open;     /* set in `events` by monitors that use monitor_start */
	bool keeps_lines;            /* also set in `events`: for monitor_start_line */
	VEC(struct kept_event) kept; /* by slot of `open` */
	struct monitor_stacks stacks;
	struct monitor_counts counts;
	struct out *page; /* --html */
	uint64_t newest;  /* time of the newest event */
	uint64_t now;     /* the same; in tick, the end of the interval; with by_clock, the time */
	struct {
		uint64_t end;   /* of this interval; 0 = no event came yet */
		bool used;      /* it has an event */
		unsigned reads; /* since its end */
	} interval;
	struct {
		uint64_t n, told; /* not yet reported; time of the last report */
	} lost;
};

/*
 * Ask for a tracepoint of this row, with a filter for the kernel (NULL = none). Call it in `events`. Its
 * samples arrive with the row's index. The strings are copied.
 */
int monitor_want(struct monitor_run *run, const struct trace_want *row, const char *filter, struct err *e);
/* Ask for the events of -e, separated by commas: a row for each. */
int monitor_want_listed(struct monitor_run *run, const char *list, const char *filter, struct err *e);

/*
 * Ask for samples of an event that is not a tracepoint. `terms` go between slashes, "period=1000000"; the
 * modifiers come from --exclude-* and -G.
 */
int monitor_want_sampled(struct monitor_run *run, const char *event, const char *terms, struct err *e);
/* Check the options. -1 with e (129): --exclude-* and -G leave nothing. */
int monitor_check_excludes(const struct monitor_opts *o, struct err *e);
/* Does this system have this event? */
bool monitor_event_exists(const char *event);
/* Does this system have counters in its CPUs? */
bool monitor_has_pmu(void);
/* tsc.c: measure the ticks a second of the time stamp counter; 0: this CPU has none. Takes some ms. */
uint64_t monitor_tsc_hz(void);
/* Return true if -G and --exclude-* allow this sample. The kernel's clocks do not apply all of them. */
bool monitor_allows(const struct monitor_opts *o, const struct sample *sample);

/*
 * Count this event ("context-switches", "irq:softirq_entry"). Call it in `events`, before monitor_want. Its
 * column is the number of earlier calls. `tick` and `finish` find the counts since the previous tick.
 */
void monitor_count(struct monitor_run *run, const char *event);
/* Add a column without a counter; `sample` adds to it by monitor_counts_add. */
void monitor_count_samples(struct monitor_run *run, const char *name);
uint64_t monitor_counted(const struct monitor_run *run, size_t cpu, size_t column);

/* For the loop: open the counters; read them; add a sample to them; start a new interval. */
int monitor_counts_open(struct monitor_run *run, struct err *e);
void monitor_counts_read(struct monitor_run *run);
void monitor_counts_add(struct monitor_run *run, const struct trace_event *t);
void monitor_counts_clear(struct monitor_run *run);
void monitor_counts_release(struct monitor_counts *c);

/*
 * Prepare a run. `run` must be zeroed; `opts` and `out` must outlive it. It calls events(), so that you can
 * then open the run.
 */
int monitor_init(struct monitor_run *run, const struct monitor_opts *opts, struct out *out, struct err *e);
/* Return the length of an interval; 0 = there are none. */
uint64_t monitor_interval_ms(const struct monitor_run *run);
/* Run the monitor until `live` ends. -1 with e on failure. */
int monitor_loop(struct monitor_run *run, struct live *live, struct err *e);
void monitor_release(struct monitor_run *run);

/* ---- lines.c: text ---- */

/* Print "2026-03-02 10:11:12.000123 ", or nothing if the recording does not have the time of day. */
void monitor_time(const struct monitor_run *run, uint64_t time);
/* Print a line: time, task, CPU, seconds, event and its text; then the call chain with -g. */
void monitor_line(struct monitor_run *run, const struct trace_event *t);
void monitor_chain(struct monitor_run *run, const struct trace_event *t);
/* With -g: return an id for the chain's lines, to print them later. 0: there is no chain. */
uint32_t monitor_stack(struct monitor_run *run, const struct trace_event *t);
void monitor_print_stack(const struct monitor_run *run, uint32_t stack);

/*
 * Keep a start that waits for its end in run->open (report/waits/open_pairs.h), with its chain and its
 * line. monitor_start_line prints both, for a start that has just ended or is still open.
 */
void monitor_start(struct monitor_run *run, const struct trace_event *t, uint64_t key, uint64_t value);
void monitor_start_line(struct monitor_run *run, const struct open_pair *start);

/*
 * With -j: begin an object {"kind":...,"time":..., and return true; add its members to `j`, then end it.
 * Without -j, return false. monitor_json_task adds the task and the CPU; monitor_json_event also adds the
 * chain.
 */
bool monitor_json(struct monitor_run *run, struct json *j, const char *kind, uint64_t time);
void monitor_json_task(struct monitor_run *run, struct json *j, const struct trace_event *t);
void monitor_json_event(struct monitor_run *run, struct json *j, const struct trace_event *t);
void monitor_json_stack(struct monitor_run *run, struct json *j, uint32_t stack);
void monitor_json_durations(struct json *j, const struct durations *d);
void monitor_json_end(struct json *j);

/* With -j: print objects of a histogram and of a heat map (report/monitors/heat_priv.h). */
struct heat_slots;
struct heat;
void monitor_json_slots(struct monitor_run *run, const char *event, const struct heat_slots *s);
void monitor_json_heat(struct monitor_run *run, const char *event, const struct heat *h);
/*
 * With --html: print the page (report/monitors/page_priv.h). Call it in `finish`; for pairs and mpdelay, delays.c does.
 */
struct page_series;
void monitor_page(struct monitor_run *run, const char *title, const struct page_series *series, size_t n);

/* Print "calls  total(us) min(us) avg(us) max(us) p50 p99" after 53 columns of names; print a row of it. */
void monitor_durations_head(const struct monitor_run *run, const char *names);
void monitor_durations_row(const struct monitor_run *run, const struct durations *d);

/* Does the kernel's pattern (as in comm~"...") match? */
bool monitor_glob(const char *pattern, const char *text);

/* Parse "20ms", "5us", "1s", "300ns"; a plain number is in `unit_ns`. */
int monitor_parse_time(uint64_t *ns, const char *text, uint64_t unit_ns, struct err *e);
/* Parse "30" or "30%", from 0 to 100. */
int monitor_parse_percent(double *percent, const char *text, struct err *e);

#endif
