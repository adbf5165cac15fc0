#ifndef REPORT_FTRACE_TEXT_PRIV_H
#define REPORT_FTRACE_TEXT_PRIV_H

#include "report/ftrace/text.h"

enum { DEPTH_MAX = 64 }; /* the kernel's is 50; deeper calls have no comment at their end */

/* What the graph's text remembers of a CPU. */
struct graph_cpu {
	int32_t last_pid; /* -1: none */
	int depth;        /* of the function that events happen in */
	int irq_depth;    /* of an interrupt that is left out, -1 = none */
	uint64_t entered[DEPTH_MAX];
	/* lines: the functions that this CPU is in, outermost first; ids of names */
	uint32_t callers[DEPTH_MAX];
	unsigned n_callers;
};

struct ftrace_text {
	struct ftrace_meta *m;
	struct ftrace_text_opts opts;
	int cpu_width;
	uint64_t irq_start, irq_end; /* where the code of interrupts lies */
	VEC(struct graph_cpu) cpus;
};

struct graph_cpu *ftrace_text_cpu(struct ftrace_text *t, int cpu);
/* "  123.456789"; the kernel rounds microseconds in lines, and cuts them in the graph. */
void ftrace_text_time(const struct ftrace_text *t, uint64_t time_ns, bool rounded, struct out *o);
/* "d..h1": interrupts off, need-resched, in interrupt, preemption depth, migration. */
void ftrace_text_flags(const struct ftrace_event *ev, struct out *o);
void ftrace_text_comm(const struct ftrace_text *t, int32_t pid, int width, struct out *o);
/* What an event says, without a newline. */
void ftrace_text_payload(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o);
/* Lines " => function" of a stack. */
/* lines: as trace-cmd prints it, with addresses; else as the kernel does. */
void ftrace_text_stack(struct ftrace_text *t, const struct ftrace_event *ev, bool lines, struct out *o);
/* "+ 12.345 us   |  ": `fill` columns in all before the bar. */
void ftrace_text_duration(const struct ftrace_text *t, uint64_t duration_ns, int fill, struct out *o);
/* Whether the entry behind this one on its CPU is the return of the same call. */
const struct ftrace_event *ftrace_text_leaf(struct ftrace_text *t, struct ftrace_stream *s,
					    const struct ftrace_event *ev);
uint64_t ftrace_text_elapsed(const struct ftrace_text *t, const struct ftrace_event *exit);

void ftrace_text_graph(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);
void ftrace_text_line(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);

#endif
