#ifndef REPORT_TRACE_TRACE_H
#define REPORT_TRACE_TRACE_H

/*
 * Print system calls: join the entry of a call with its exit, and print a line for each, with other events between
 * them; or sums for each thread. The same code works on live rings, a recording and a pipe.
 *
 * Example: print the system calls of a recording.
 *
 *	struct err e = { 0 };
 *	struct live *live = live_open_file("perf.data", &(struct live_opts){ 0 }, &e);
 *	struct trace_opts opts = TRACE_DEFAULTS;
 *	struct out o;
 *
 *	out_init_fd(&o, STDOUT_FILENO);
 *	if (live && trace_calls(live, &opts, &o, &e) < 0)
 *		fprintf(stderr, "%s\n", e.what);
 *	out_flush(&o);
 *	out_release(&o);
 *	live_close(live);
 */
#include "report/live/live.h"
#include "report/session/filter.h"
#include "report/trace/numbers.h"

enum trace_sums { TRACE_SUMS_THREAD, TRACE_SUMS_TOTAL, TRACE_SUMS_CGROUP };

/* The maximum number of lines of an event. */
struct trace_limit {
	const char *event;
	uint64_t lines;
};

/* Sums from the kernel: calls of one number in one thread or control group. */
struct trace_count {
	int32_t id;            /* of the thread; the low half of that of the group */
	int32_t number;        /* -1: a call that was entered and did not return; n counts it */
	uint64_t n, unentered; /* exits; those without an entry, which count 0 ns */
	uint64_t errors, total_ns, min_ns, max_ns;
	uint64_t squares_high, squares_low; /* of ns, 128 bits */
	const uint32_t *buckets;            /* TRACE_BUCKETS of them, by power of two of microseconds; NULL: none */
};
enum { TRACE_BUCKETS = 32 };
struct trace_error_count {
	int32_t id, number, code;
	uint64_t n;
};
/*
 * Descriptions of arguments: names, kinds, the data that they point to. From the kernel's formats, read at the first
 * use of a call. NULL names: all calls are numbers.
 */
struct call_shapes;
struct call_shapes *call_shapes_new(const struct syscall_names *names);
void call_shapes_free(struct call_shapes *shapes);

/*
 * Return true if the kernel's own event of the call (syscalls:sys_enter_X) has the data that arguments point to.
 * Linux 6.19.
 */
bool call_has_text(struct call_shapes *shapes, int64_t number);

/* The data that an argument points to, for record/bpf, which copies it. Each of many items has `unit` bytes. */
enum trace_pointed {
	TRACE_POINTS_NOWHERE,
	TRACE_POINTS_TEXT,    /* it ends with 0 */
	TRACE_POINTS_SIZED,   /* one */
	TRACE_POINTS_COUNTED, /* as many as the next argument says */
	TRACE_POINTS_LENGTH,  /* ... as the int says that the next argument points at */
	TRACE_POINTS_RESULT,  /* ... as the call returns */
	TRACE_POINTS_TEXTS,   /* pointers to texts, up to NULL; nothing else behind it is copied */
	TRACE_POINTS_NUMBER,  /* right behind TEXTS: pointers up to NULL, of which only the number matters */
};
enum { TRACE_POINTED_SIZE = 256, TRACE_POINTED_MOST = 3, TRACE_TEXT_SIZE = 32 };
struct trace_pointer {
	uint8_t argument;
	enum trace_pointed kind;
	uint16_t unit, most; /* bytes */
};
/* Return the pointers of one call that are read at its entry, or at its exit: their number, at most `most`. */
unsigned trace_pointers(struct call_shapes *shapes, int64_t number, bool at_exit, struct trace_pointer *to,
			unsigned most);
struct trace_fetched {
	/* In the order of trace_pointers(). Text has its 0. TEXTS: TRACE_TEXT_SIZE bytes each. */
	const char *bytes[TRACE_POINTED_MOST];
	/* below 0: not fetched; TEXTS: one more if these are all; NUMBER: how many, and no bytes */
	int32_t len[TRACE_POINTED_MOST];
};

struct trace;
/* Add to the tables. */
void trace_add_count(struct trace *t, const struct trace_count *count);
void trace_add_error_count(struct trace *t, const struct trace_error_count *count);

struct trace_opts {
	/* what */
	const bool *calls;                     /* by number, SYSCALLS_MOST of them: show these; NULL: all */
	const struct sample_filter *tasks;     /* samples of these threads and CPUs; NULL: all */
	const struct sample_filter *not_tasks; /* but not these; NULL: none */
	bool no_calls;                         /* page faults and other events alone */
	uint64_t max_events;
	uint64_t *shown; /* NULL, or becomes the number of lines */
	const struct trace_limit *limits;
	size_t n_limits;
	const char *on, *off; /* events that begin and end what is shown */
	bool show_on_off;
	bool failed;     /* calls that failed, alone */
	double least_ms; /* calls that took as long, alone; below 0: all */
	/* how */
	bool lines, sums, errno_sums, histogram, json;
	bool sched; /* sum up the run time that sched_stat_runtime tells */
	enum trace_sums by;
	uint64_t max_sums;
	bool task, comm, cpu, clock; /* task: say which thread it is */
	bool timestamp, duration, arg_names, zeros, prefix, color, kernel_print, objects;
	uint64_t align;
	/*
	 * NULL: sums are made of events. Otherwise it is called after each round, and with `end` at the end, and
	 * adds what it has.
	 */
	void (*counts)(void *counter, struct trace *t, bool end);
	void *counter;
	/*
	 * NULL: what arguments point at is read later. Otherwise: what was fetched at this entry or exit; false:
	 * nothing.
	 * `since`: the thread's event before it. Times are those of CLOCK_MONOTONIC.
	 */
	bool (*fetched)(void *fetcher, int32_t tid, uint64_t since, uint64_t time, struct trace_fetched *to);
	void *fetcher;
	struct call_shapes *shapes; /* NULL: made for this run */
	/* chains */
	bool chains;
	uint64_t max_stack, min_stack;
	/* live */
	bool memory;                /* read strings of programs that run here */
	bool inodes;                /* the session knows those of mapped files: their text is certain */
	const char *first_files[3]; /* of the command's descriptors 0, 1, 2; NULL: unknown */
};
#define TRACE_DEFAULTS \
	{ \
		.lines = true, .least_ms = -1, .comm = true, .task = true, .timestamp = true, .duration = true, \
		.arg_names = true, .align = 70, .max_stack = 127 \
	}

/* Print until the input ends, stop_requested is set, or there are max_events lines. -1 with e on failure. */
int trace_calls(struct live *live, const struct trace_opts *opts, struct out *out, struct err *e);

/*
 * Return a filter with numbers instead of names: "flags == CLOEXEC" of syscalls:sys_enter_openat. The caller frees it.
 * NULL with e: a field has no such name.
 */
char *trace_filter_numbers(const struct syscall_names *names, const char *event, const char *filter, struct err *e);

/* Return the X of syscalls:sys_enter_X, the kernel's event of a call: "newstat" for stat. */
const char *trace_call_event(const char *call);
/* The call that a user may mean by this name: newstat for stat on machines that have it so; `name` if there is none. */
const char *trace_call_alias(const struct syscall_names *names, const char *name);

#endif
