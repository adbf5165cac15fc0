#ifndef REPORT_TRACE_TRACE_H
#define REPORT_TRACE_TRACE_H

/*
 * System calls as they happen: the entry of a call joined with its exit, a line for each; other events between them;
 * sums for each thread. The same on live rings, a recording and a pipe.
 *
 *	struct trace_opts opts = TRACE_DEFAULTS;
 *	status = trace_calls(live, &opts, &out, &e);
 */
#include "report/live/live.h"
#include "report/session/filter.h"
#include "report/trace/numbers.h"

enum trace_sums { TRACE_SUMS_THREAD, TRACE_SUMS_TOTAL };

/* The event has so many lines at most. */
struct trace_limit {
	const char *event;
	uint64_t lines;
};

struct trace_opts {
	/* what */
	const bool *calls;                     /* by number, SYSCALLS_MOST of them: show these; NULL: all */
	const struct sample_filter *tasks;     /* samples of these threads and CPUs; NULL: all */
	const struct sample_filter *not_tasks; /* but not these; NULL: none */
	bool no_calls;                         /* page faults and other events alone */
	uint64_t max_events;
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

/* Print until the input ends, stop_requested is set, or max_events lines were printed. -1 with e on failure. */
int trace_calls(struct live *live, const struct trace_opts *opts, struct out *out, struct err *e);

/* The X of syscalls:sys_enter_X, the kernel's event of a call: "newstat" for stat. */
const char *trace_call_event(const char *call);
/* The call that a user may mean by this name: newstat for stat on machines that have it so; `name` if there is none. */
const char *trace_call_alias(const struct syscall_names *names, const char *name);

#endif
