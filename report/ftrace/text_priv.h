#ifndef REPORT_FTRACE_TEXT_PRIV_H
#define REPORT_FTRACE_TEXT_PRIV_H

#include "report/ftrace/text.h"

enum { DEPTH_MAX = 64 }; /* the kernel's limit is 50; deeper calls have no comment at their end */

/* The state of a CPU for the graph's text. */
struct graph_cpu {
	int32_t last_pid; /* -1: none */
	int depth;        /* of the present function; events are printed inside it */
	int irq_depth;    /* of a skipped interrupt, -1 = none */
	uint64_t entered[DEPTH_MAX];
	/* for lines: the ids of the names of the present functions, outermost first */
	uint32_t callers[DEPTH_MAX];
	unsigned n_callers;
};

struct ftrace_text {
	struct ftrace_meta *m;
	struct ftrace_text_opts opts;
	int cpu_width;
	uint64_t irq_start, irq_end; /* address range of the interrupt code */
	VEC(struct graph_cpu) cpus;
};

struct graph_cpu *ftrace_text_cpu(struct ftrace_text *t, int cpu);
/* Print "  123.456789". The kernel rounds microseconds in lines, and cuts them in the graph. */
void ftrace_text_time(const struct ftrace_text *t, uint64_t time_ns, bool rounded, struct out *o);
/* Print "d..h1": interrupts off, need-resched, in interrupt, preemption depth, migration. */
void ftrace_text_flags(const struct ftrace_event *ev, struct out *o);
void ftrace_text_comm(const struct ftrace_text *t, int32_t pid, int width, struct out *o);
/* Print the text of an event, without a newline. */
void ftrace_text_payload(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o);
/* Print the lines " => function" of a stack: with `lines` like trace-cmd, with addresses, otherwise like the kernel. */
void ftrace_text_stack(struct ftrace_text *t, const struct ftrace_event *ev, bool lines, struct out *o);
/* Print "+ 12.345 us   |  ", with `fill` columns in all before the bar. */
void ftrace_text_duration(const struct ftrace_text *t, uint64_t duration_ns, int fill, struct out *o);
/* Return the next entry on this CPU if it is the return of the same call, otherwise NULL. */
const struct ftrace_event *ftrace_text_leaf(struct ftrace_text *t, struct ftrace_stream *s,
					    const struct ftrace_event *ev);
uint64_t ftrace_text_elapsed(const struct ftrace_text *t, const struct ftrace_event *exit);

void ftrace_text_graph(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);
void ftrace_text_line(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o);

#endif
