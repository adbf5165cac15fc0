#ifndef REPORT_WAITS_SCHED_TIMEHIST_PRIV_H
#define REPORT_WAITS_SCHED_TIMEHIST_PRIV_H

#include "base/spread.h"
#include "report/waits/calls.h"
#include "report/waits/sched.h"

/* Times in ns. */
struct time_sum {
	struct spread spread;
	uint64_t n, total, min, max;
};

struct hist_task {
	int32_t tid, prio;        /* prio: at its last switch; -1 = not seen yet */
	uint64_t left;            /* time of its last switch away; 0 = none yet */
	uint64_t state;           /* its state when it left */
	uint64_t ready, migrated; /* first time since it left; 0 = not yet */
	uint64_t sleep, io, preempted, delay, migrations;
	struct time_sum run;
	struct time_sum idle; /* idle time of its CPUs after it left them */
};

struct hist_cpu {
	uint64_t switched; /* time of its last switch; 0 = none yet */
	uint64_t idle;     /* ns */
	int32_t before;    /* task that left for idle; 0 = not seen */
	uint32_t why;      /* index of its stack in timehist.whys */
};

struct idle_why {
	uint32_t cpu, why;
	uint64_t ns, n;
};

struct timehist {
	struct session *session;
	const struct sched_timehist_opts *opts;
	struct out *out;
	struct live_events events;
	struct sched_names names;
	struct calls calls;
	struct u64map index; /* tid, or CPU of an idle task -> tasks + 1 */
	VEC(struct hist_task) tasks;
	VEC(struct hist_cpu) cpus; /* by number */
	VEC(struct idle_why) idles;
	struct u64map idle_index; /* CPU and why -> idles + 1 */
	struct strtab whys;       /* texts of stacks */
	uint32_t n_cpus;          /* of the recording */
	uint64_t first, last;     /* times of the counted switches */
	uint64_t left_out;        /* events of CPUs that cannot exist */
};

void sched_timehist_summary(struct timehist *h);

#endif
