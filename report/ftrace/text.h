#ifndef REPORT_FTRACE_TEXT_H
#define REPORT_FTRACE_TEXT_H

#include "report/ftrace/stream.h"

/*
 * The entries of a trace as the kernel's own file `trace` has them: a line with task, CPU and time
 * for functions and events, an indented line with durations for the graph of functions.
 * Source: Documentation/trace/ftrace.rst.
 */
struct ftrace_text_opts {
	bool graph;    /* events stand as comments in a graph */
	bool irq_info; /* functions: flags of interrupts and preemption */
	bool verbose;  /* graph: time, task and those flags */
	bool tail;     /* graph: name the function at its closing brace */
	bool retval, retval_hex, retaddr;
	bool hide_irqs; /* graph: leave out what interrupts did */
	bool ticks;     /* the clock counts no nanoseconds: times as they are */
	bool indent;    /* functions: callees further right than their callers, as trace-cmd has them */
	/* lines as trace-cmd report has them: "comm-pid [cpu] time: event: text" */
	bool lines;
};
struct ftrace_text;
/* cpus: the highest CPU number + 1, which decides the width of a column. */
struct ftrace_text *ftrace_text_new(struct ftrace_meta *m, const struct ftrace_text_opts *opts, int cpus);
void ftrace_text_free(struct ftrace_text *t);
/* Print the event. A call and its return may be one line: the stream's next entry is left out then. */
void ftrace_text_print(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);

#endif
