#ifndef REPORT_PRESETS_PRESETS_H
#define REPORT_PRESETS_PRESETS_H

#include "base/opt.h"
#include "base/units.h"
#include "report/live/events.h"
#include "report/session/filter.h"
#include "report/session/time_ranges.h"

/*
 * perf's kmem, kwork, kvm and timechart: they join tracepoints that belong together, and print the text of perf 6.1.
 *
 * All print to `o`, whose owner checks for write errors, and return -1 with e when the input fails or has none of
 * their events.
 *
 * Example: print the latency of the work that the kernel did between tasks.
 *
 *	struct err e = { 0 };
 *	struct live *live = live_open_file("perf.data", &(struct live_opts){ 0 }, &e);
 *	struct kwork_opts opts = { 0 };
 *	struct out o;
 *
 *	out_init_fd(&o, STDOUT_FILENO);
 *	if (live && kwork_report(live, &opts, KWORK_LATENCY, &o, &e) < 0)
 *		fprintf(stderr, "%s\n", e.what);
 *	out_flush(&o);
 *	out_release(&o);
 *	live_close(live);
 *
 * Source of the fields: include/trace/events/ in the kernel, and `format` below tracefs.
 */

/* Check, for all of them, that the input has samples of one of the rows. -1 with e if not. */
int presets_need(const struct live_events *events, const char *what, const char *record, struct err *e);

/* --- kwork: work that the kernel does between tasks --- */

enum kwork_view { KWORK_REPORT, KWORK_LATENCY, KWORK_TIMEHIST };
struct kwork_opts {
	const char *classes;            /* list of irq, softirq, workqueue, sched; NULL = the first three */
	const char *sort;               /* list of columns; NULL = the view's own */
	const char *name;               /* only work of this name; NULL = all */
	const struct cpuset *cpus;      /* NULL = all */
	const struct time_span *window; /* NULL = all */
	bool summary;                   /* sums below the table of KWORK_REPORT */
	bool chains;                    /* call chains below the lines of KWORK_TIMEHIST */
	uint64_t max_stack;
};
#define KWORK_CLASSES "irq softirq workqueue sched"
/* Check that these lists have only known words. -1 with e (exit status 129) if not. */
int kwork_opts_check(const struct kwork_opts *k, enum kwork_view view, struct err *e);
int kwork_report(struct live *l, const struct kwork_opts *k, enum kwork_view view, struct out *o, struct err *e);

/* Threads by their time on a CPU, without that of interrupts. Needs sched_switch. */
struct kwork_top_opts {
	const char *classes; /* interrupts of these kinds are taken off; NULL = irq and softirq */
	const char *sort;    /* list of rate, runtime, tid; NULL = rate */
	const char *name;    /* only threads of this name; NULL = all */
	const struct cpuset *cpus;
	const struct time_span *window;
};
int kwork_top_check(const struct kwork_top_opts *k, struct err *e);
int kwork_top(struct live *l, const struct kwork_top_opts *k, struct out *o, struct err *e);

/* --- kmem: the kernel's allocators --- */

/* How to print one of the tables. */
struct kmem_table {
	bool shown;
	uint64_t lines;   /* rows at most; 0 = all */
	const char *sort; /* list of columns, greatest first; NULL = frag,hit,bytes, or bytes,hit of pages */
};
struct kmem_opts {
	bool slab, page; /* look at these allocators */
	struct kmem_table allocs, callers;
	bool live;                      /* only pages that were not freed */
	bool raw_ip;                    /* addresses of callers */
	const struct time_span *window; /* NULL = all */
};
/* Check that the columns are known. -1 with e (exit status 129) if not. */
int kmem_opts_check(const struct kmem_opts *k, struct err *e);
int kmem_stat(struct live *l, const struct kmem_opts *k, struct out *o, struct err *e);

/* --- kvm stat: what guests wait for --- */

enum kvm_event { KVM_VMEXIT, KVM_MMIO, KVM_IOPORT, KVM_MSR };
struct kvm_opts {
	enum kvm_event event;
	bool by_time;                     /* sort by the mean time, not by the number */
	int vcpu;                         /* only the virtual CPU of this number; -1 = all */
	const struct sample_filter *pids; /* NULL = all */
	const char *vm;                   /* the list of `pids`, for the heading; NULL = all */
	uint64_t slow_ns;                 /* a line for what takes so long; 0 = none */
	bool live;                        /* a table at each tick, and it may have no events */
};
int kvm_stat(struct live *l, const struct kvm_opts *k, struct out *o, struct err *e);

/* --- timechart: a picture of what CPUs and tasks did over time --- */

/* System calls that --io-only shows, and their kind: enum chart_kind. */
struct timechart_call {
	const char *name;
	uint32_t kind;
};
extern const struct timechart_call timechart_calls[];
extern const size_t n_timechart_calls;

struct timechart_opts {
	uint64_t width;               /* of the time line, in pixels */
	uint64_t tasks_least;         /* show at least this many tasks */
	const struct opt_list *tasks; /* names or numbers; empty = the busiest ones */
	bool power_only, tasks_only;
	bool topology;         /* CPUs by socket and core */
	uint64_t high_ns;      /* mark runs that are so long; 0 = none */
	const char *high_name; /* mark tasks of this name; NULL = none */
	bool skip_eagain;
	uint64_t io_least_ns; /* draw calls at least so long */
	uint64_t io_join_ns;  /* draw calls with shorter pauses as one; 0 = do not */
};
/* Write an SVG to `o`. *ns: how much time it shows. */
int timechart(struct live *l, const struct timechart_opts *opts, struct out *o, uint64_t *ns, struct err *e);

#endif
