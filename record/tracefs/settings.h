#ifndef RECORD_TRACEFS_SETTINGS_H
#define RECORD_TRACEFS_SETTINGS_H

#include "base/opt.h"
#include "base/units.h"
#include "record/tracefs/instance.h"

/* What a run of ftrace traces, as its options say it. Strings are the caller's. */
struct ftrace_settings {
	const char *tracer;                                   /* "function", "function_graph" */
	struct opt_list functions, not_functions;             /* globs: what is traced at all */
	struct opt_list graph_functions, not_graph_functions; /* globs: where graphs begin */
	struct opt_list events;                               /* "sched:sched_switch", "sched" */
	bool call_graph, irq_info;                            /* --func-opts */
	/* --graph-opts */
	bool no_sleep_time, no_irqs, verbose, tail, args, retval, retval_hex, retaddr;
	uint64_t depth, threshold_us; /* 0: all */
	bool inherit;
	uint64_t buffer_bytes; /* per CPU; 0: what the kernel has */
	const char *clock;     /* NULL: what the kernel has */
	bool all_tasks;
	const struct cpuset *cpus; /* NULL: all */
};

/*
 * Write all of it but the tasks, and start the tracer with tracing still off. A function name that
 * the kernel does not have is looked for by what it knows it as: "sys_write" is __x64_sys_write.
 */
int ftrace_settings_apply(struct instance *in, const struct ftrace_settings *s, struct err *e);
/* Trace this thread, and by `inherit` its children. */
int ftrace_settings_task(struct instance *in, const struct ftrace_settings *s, int32_t tid, struct err *e);

/*
 * The kernel's name of a system call's function in the text of available_filter_functions:
 * "sys_write" gives "__x64_sys_write" or "ksys_write". NULL if there is none; else malloc'd.
 */
char *ftrace_function_alias(const char *functions, const char *name);
/* The functions that can be traced and match the glob (NULL: all), as the kernel lists them. */
struct out;
int ftrace_functions_print(const char *glob, struct out *o, struct err *e);

#endif
