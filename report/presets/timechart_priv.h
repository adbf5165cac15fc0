#ifndef REPORT_PRESETS_TIMECHART_PRIV_H
#define REPORT_PRESETS_TIMECHART_PRIV_H

#include "base/hash.h"
#include "report/presets/presets.h"
#include "report/waits/open_pairs.h"
#include "report/waits/sched.h"

/* What a piece of a lane shows; the class of its box is in span_classes. */
enum chart_kind {
	CHART_RUNNING,
	CHART_WAITING, /* for a CPU */
	CHART_BLOCKED, /* cannot be interrupted */
	CHART_IDLE,    /* a CPU; `value`: state of cpu_idle, from 1 on */
	CHART_FREQ,    /* a CPU; `value`: kHz */
	CHART_DISK,    /* `value`: bytes, also for CHART_NET */
	CHART_NET,
	CHART_SYNC,
	CHART_POLL,
	CHART_ERROR,
	CHART_KINDS
};
/* Times in ns. */
struct chart_span {
	uint64_t from, to, value;
	uint32_t lane; /* of a CPU: its number; of a task: tasks + 1 */
	uint32_t cpu;  /* where a task ran */
	uint32_t kind;
};
struct chart_wake {
	uint64_t time;
	uint32_t from, to; /* tasks + 1; from 0: an interrupt */
};
struct chart_task {
	int32_t tid;
	char comm[SCHED_COMM];
	uint64_t ran, bytes, first, last;
	uint64_t since; /* when the state `doing` began; doing = CHART_KINDS: it sleeps, or we do not know */
	uint32_t doing, cpu;
	uint32_t row; /* on the picture; 0 = not shown */
};
struct chart_cpu {
	uint64_t idle_since, freq_since;
	uint32_t state, khz; /* 0 = not idle, unknown */
	bool seen;
	bool switched;    /* a switch of this CPU was seen */
	uint32_t running; /* tasks + 1: the task that got the CPU last; 0 = none */
	uint32_t row;     /* on the picture; 0 = not shown */
};
struct chart {
	const struct timechart_opts *opts;
	struct session *session;
	struct live_events events;
	struct u64map index; /* thread -> tasks + 1 */
	VEC(struct chart_task) tasks;
	VEC(struct chart_cpu) cpus;
	VEC(struct chart_span) spans;
	VEC(struct chart_wake) wakes;
	struct open_pairs calls; /* by thread; value: which call */
	uint64_t first, last, left_out;
};

/* Write the picture. */
void timechart_draw(struct chart *c, struct out *o);

#endif
