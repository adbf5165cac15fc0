// SPDX-License-Identifier: Dual MIT/GPL
/*
 * A tracer without hardware, for tests: a PMU named intel_pt with the attributes that the tools look for, whose AUX
 * area a timer fills with the numbers of its words, counting up from 0. What is lost, doubled or out of order is seen
 * in the numbers.
 *
 * rate: bytes per tick; tick_us: how often. In a snapshot area the head is a place in the area, as with the real one.
 */
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static unsigned int rate = 4096, tick_us = 1000;
module_param(rate, uint, 0644);
module_param(tick_us, uint, 0644);

struct area {
	void **pages;
	int n_pages;
	bool snapshot;
	u64 written;	/* bytes since it was made */
};

struct tracer {
	struct perf_output_handle handle;
	struct perf_event *event;
	struct area *area;	/* NULL: not between begin and end */
	struct hrtimer timer;
};
static DEFINE_PER_CPU(struct tracer, tracers);
static struct pmu tracer_pmu;
static long (*copy_aux)(struct perf_output_handle *aux, struct perf_output_handle *to, unsigned long from,
			unsigned long end);

static void *setup_aux(struct perf_event *event, void **pages, int n_pages, bool snapshot)
{
	struct area *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NULL;
	a->pages = pages;
	a->n_pages = n_pages;
	a->snapshot = snapshot;
	return a;
}

static void free_aux(void *aux) { kfree(aux); }

static void fill(struct area *a, u64 bytes)
{
	u64 size = (u64)a->n_pages << PAGE_SHIFT, end = a->written + bytes;

	for (; a->written < end; a->written += 8) {
		u64 at = a->written & (size - 1);

		*(u64 *)(a->pages[at >> PAGE_SHIFT] + (at & ~PAGE_MASK)) = a->written / 8;
	}
}

/* With interrupts off. */
static void begin(struct tracer *t)
{
	t->area = perf_aux_output_begin(&t->handle, t->event);
}

/* Write what one tick gives, as far as there is room, and publish it. */
static void finish(struct tracer *t, u64 bytes)
{
	struct area *a = t->area;
	u64 size;

	if (!a)
		return;
	size = (u64)a->n_pages << PAGE_SHIFT;
	t->area = NULL;
	if (a->snapshot) {
		fill(a, bytes);
		t->handle.head = a->written & (size - 1);
		perf_aux_output_end(&t->handle, bytes);
		return;
	}
	if (bytes > t->handle.size) {
		bytes = t->handle.size & ~7ul;
		perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_TRUNCATED);
	}
	fill(a, bytes);
	perf_aux_output_end(&t->handle, bytes);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct tracer *t = container_of(timer, struct tracer, timer);

	if (!t->event || t->event->hw.state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;
	finish(t, rate & ~7u);
	if (t->event->hw.state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;
	begin(t);
	if (!t->area)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(tick_us * 1000ull));
	return HRTIMER_RESTART;
}

static void start(struct perf_event *event, int mode)
{
	struct tracer *t = this_cpu_ptr(&tracers);

	t->event = event;
	begin(t);
	if (!t->area) {
		event->hw.state = PERF_HES_STOPPED;
		return;
	}
	event->hw.state = 0;
	hrtimer_start(&t->timer, ns_to_ktime(tick_us * 1000ull), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int mode)
{
	struct tracer *t = this_cpu_ptr(&tracers);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	event->hw.state = PERF_HES_STOPPED;
	hrtimer_try_to_cancel(&t->timer);
	finish(t, 8);
}

static int add(struct perf_event *event, int mode)
{
	struct tracer *t = this_cpu_ptr(&tracers);

	if (t->event)
		return -EBUSY;
	t->event = event;
	event->hw.state = PERF_HES_STOPPED;
	if (mode & PERF_EF_START)
		start(event, mode);
	return 0;
}

static void del(struct perf_event *event, int mode)
{
	stop(event, PERF_EF_UPDATE);
	this_cpu_ptr(&tracers)->event = NULL;
}

static void read_nothing(struct perf_event *event) { }

static long snapshot_aux(struct perf_event *event, struct perf_output_handle *to, unsigned long size)
{
	struct tracer *t = this_cpu_ptr(&tracers);
	struct area *a = t->area;
	unsigned long len, end;

	if (!a || !copy_aux)
		return 0;
	len = (unsigned long)a->n_pages << PAGE_SHIFT;
	size = min_t(u64, size & ~7ul, a->written);
	end = a->written & (len - 1);
	return copy_aux(&t->handle, to, (end - size) & (len - 1), end);
}

static int event_init(struct perf_event *event)
{
	return event->attr.type == tracer_pmu.type ? 0 : -ENOENT;
}

#define TEXT(folder, name, text) \
	static ssize_t folder##_##name##_show(struct device *d, struct device_attribute *a, char *page) \
	{ \
		return sprintf(page, "%s\n", text); \
	} \
	static struct device_attribute folder##_##name = __ATTR(name, 0444, folder##_##name##_show, NULL)
TEXT(format, pt, "config:0");
TEXT(format, cyc, "config:1");
TEXT(format, tsc, "config:10");
TEXT(format, noretcomp, "config:11");
TEXT(format, mtc, "config:9");
TEXT(format, branch, "config:13");
TEXT(format, mtc_period, "config:14-17");
TEXT(format, cyc_thresh, "config:19-22");
TEXT(format, psb_period, "config:24-27");
TEXT(caps, mtc, "1");
TEXT(caps, mtc_periods, "249");
TEXT(caps, psb_cyc, "1");
TEXT(caps, psb_periods, "3f");
TEXT(caps, cycle_thresholds, "3fff");
TEXT(caps, topa_multiple_entries, "1");
TEXT(top, max_nonturbo_ratio, "24");
TEXT(top, tsc_art_ratio, "168:2");

static struct attribute *formats[] = {
	&format_pt.attr, &format_cyc.attr, &format_tsc.attr, &format_noretcomp.attr, &format_mtc.attr,
	&format_branch.attr, &format_mtc_period.attr, &format_cyc_thresh.attr, &format_psb_period.attr, NULL,
};
static struct attribute *caps[] = {
	&caps_mtc.attr, &caps_mtc_periods.attr, &caps_psb_cyc.attr, &caps_psb_periods.attr, &caps_cycle_thresholds.attr,
	&caps_topa_multiple_entries.attr, NULL,
};
static struct attribute *tops[] = { &top_max_nonturbo_ratio.attr, &top_tsc_art_ratio.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = formats };
static const struct attribute_group caps_group = { .name = "caps", .attrs = caps };
static const struct attribute_group top_group = { .attrs = tops };
static const struct attribute_group *groups[] = { &format_group, &caps_group, &top_group, NULL };

static struct pmu tracer_pmu = {
	.module = THIS_MODULE, .capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE, .attr_groups = groups,
	.task_ctx_nr = perf_sw_context,
	.event_init = event_init, .add = add, .del = del, .start = start, .stop = stop, .read = read_nothing,
	.setup_aux = setup_aux, .free_aux = free_aux, .snapshot_aux = snapshot_aux,
};

static int __init tracer_init(void)
{
	struct kprobe where = { .symbol_name = "perf_output_copy_aux" };
	int cpu;

	if (!register_kprobe(&where)) {	/* it is not exported */
		copy_aux = (void *)where.addr;
		unregister_kprobe(&where);
	}
	for_each_possible_cpu(cpu) {
		struct tracer *t = per_cpu_ptr(&tracers, cpu);

		hrtimer_init(&t->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		t->timer.function = tick;
	}
	return perf_pmu_register(&tracer_pmu, "intel_pt", -1);
}

static void __exit tracer_exit(void)
{
	perf_pmu_unregister(&tracer_pmu);
}

module_init(tracer_init);
module_exit(tracer_exit);
MODULE_DESCRIPTION("A tracer without hardware");
MODULE_LICENSE("Dual MIT/GPL");
