#ifndef REPORT_FTRACE_TEXT_H
#define REPORT_FTRACE_TEXT_H

#include "report/ftrace/stream.h"

/*
 * Print the entries of a trace like the kernel's own file `trace`: a line with task, CPU and time for
 * functions and events, an indented line with durations for the function graph.
 * Source: Documentation/trace/ftrace.rst.
 */
struct ftrace_text_opts {
	bool graph;    /* a function graph, with events as comments */
	bool irq_info; /* functions: flags of interrupts and preemption */
	bool verbose;  /* graph: time, task and those flags */
	bool tail;     /* graph: name the function at its closing brace */
	bool retval, retval_hex, retaddr;
	bool hide_irqs; /* graph: leave out functions of interrupts */
	bool ticks;     /* the clock does not count nanoseconds: print raw times */
	bool indent;    /* functions: indent callees, as trace-cmd does */
	/* lines of trace-cmd report: "comm-pid [cpu] time: event: text" */
	bool lines;
};
struct ftrace_text;
/* cpus: the highest CPU number + 1, which decides the width of a column. */
struct ftrace_text *ftrace_text_new(struct ftrace_meta *m, const struct ftrace_text_opts *opts, int cpus);
void ftrace_text_free(struct ftrace_text *t);
/* Print the event. If a call and its return are one line, skip the stream's next entry. */
void ftrace_text_print(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);

#endif
