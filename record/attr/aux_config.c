/*
 * Configure the attrs of a tracer's event and of the events beside it. Source:
 * perf-intel-pt(1), "sched_switch tracepoint", "Snapshot mode and event disabling".
 */
#include "base/out.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/attr/aux_kind.h"

static bool is_timed(const struct event *event)
{
	return aux_kind_of(event)->type != AUX_TYPE_INTEL_PT || event_format_value(event, "tsc");
}

unsigned aux_switches(const struct event_list *l, const struct record_opts *o, const struct target *t)
{
	const struct event *event = &l->events.items[0];

	if (!aux_kind_of(event)->follows_switches || o->no_switches || !is_timed(event) || !aux_per_cpu(t))
		return 0;
	return t->is_task ? 2 : 3;
}

/*
 * Add events for text pokes, where the kernel patches its own code: a decoder needs them to
 * follow a trace of the kernel. Kernels before 5.9 lack them, and users who may not see all
 * CPUs do not get them.
 */
void aux_add_dummies(struct event_list *l, const struct target *t)
{
	const struct event *tracer = &l->events.items[0];
	struct event *event;

	if (aux_kind_of(tracer)->type != AUX_TYPE_INTEL_PT || tracer->attr.exclude_kernel || !is_timed(tracer))
		return;
	event = &l->events.items[event_list_add_dummy(l)];
	event->attr.text_poke = event->attr.ksymbol = 1;
	event->system_wide = t->is_task || t->cpus;
	if (!event_opens(event, -1, 0))
		l->events.len--; /* it owns no memory */
}

static void config_tracer(const struct aux_plan *a, struct event *event, const struct record_opts *o, bool per_cpu)
{
	const struct aux_kind *kind = aux_kind_of(event);
	struct perf_event_attr *attr = &event->attr;

	if (!kind->keeps_rate) {
		attr->freq = 0;
		if (!event->user_period && !o->period)
			attr->sample_period = 1;
		if (kind->type == AUX_TYPE_INTEL_PT || kind->type == AUX_TYPE_INTEL_BTS)
			attr->sample_period = 1;
		if (!o->sample_period)
			attr->sample_type &= ~(uint64_t)SAMPLE_PERIOD;
	}
	if (per_cpu || kind->always_cpu)
		attr->sample_type |= SAMPLE_CPU;
	if (kind->config)
		kind->config(event, o, per_cpu);
	if (kind->type == AUX_TYPE_INTEL_PT && a->mode == AUX_FULL)
		attr->aux_watermark =
			(uint32_t)MIN(a->pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4, (uint64_t)UINT32_MAX);
}

void aux_config(const struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		uint32_t tracking)
{
	struct event *event = &l->events.items[tracking];
	unsigned switches = aux_switches(l, o, t);
	bool per_cpu = aux_per_cpu(t);

	for (size_t i = 0; i < l->events.len; i++) {
		if (event_is_aux(&l->events.items[i]))
			config_tracer(a, &l->events.items[i], o, per_cpu);
		else if (l->events.items[i].attr.text_poke)
			event->attr.ksymbol = l->events.items[i].attr.disabled =
				l->events.items[i].attr.enable_on_exec = 0;
	}
	if (per_cpu)
		event->attr.sample_type |= SAMPLE_TIME | (a->kind->type == AUX_TYPE_CS_ETM ? 0 : SAMPLE_CPU);
	if (switches)
		event->attr.context_switch = 1;
	/* It must miss nothing; and for a task that already runs, nothing else would enable it. */
	if (switches || !event->attr.enable_on_exec)
		event->attr.disabled = event->attr.enable_on_exec = 0;
	if (a->kind->type == AUX_TYPE_INTEL_PT && !switches && per_cpu && !target_is_workload(t) &&
	    !l->events.items[0].attr.exclude_user)
		tell(&o->tell,
		     "WARNING: Intel Processor Trace decoding will not be possible except for kernel tracing!");
}
