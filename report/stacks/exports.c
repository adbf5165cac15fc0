#include "report/stacks/export_priv.h"

static void write_collapsed(const struct stacks *st, const struct session *s, struct out *o)
{
	export_collapsed(st, false, o);
}

/* In the order of help. */
const struct exporter exporters[] = {
	{ "firefox", "Firefox Profiler", ".json", .frames = true, .each = true, .write = export_firefox },
	{ "pprof", "pprof: gzip'd profile.proto", ".pb.gz", .frames = true, .write = export_pprof },
	{ "speedscope", "speedscope", ".speedscope.json", .frames = true, .each = true, .write = export_speedscope },
	{ "chrome", "Trace Event Format with stacks", ".json", .frames = true, .each = true, .write = export_chrome },
	{ "perfetto", "Trace Event Format with processor profiles", ".json", .frames = true, .each = true,
	  .write = export_perfetto },
	{ "otlp", "OpenTelemetry profiles, v1development", ".otlp.pb", .frames = true, .each = true,
	  .write = export_otlp },
	{ "parquet", "Apache Parquet tables for ClickHouse, DuckDB, Spark: a directory", ".parquet", .frames = true,
	  .each = true, .directory = true, .write_directory = export_parquet },
	{ "collapsed", "a line per stack", ".folded", .write = write_collapsed },
	{ "ctf", "Common Trace Format 1.8, a directory", ".ctf", .directory = true },
	{ "json", "a JSON document of all samples", ".json" },
	{ 0 },
};

const struct exporter *exporter_find(const char *name)
{
	for (const struct exporter *x = exporters; x->name; x++)
		if (!strcmp(x->name, name))
			return x;
	return NULL;
}

bool event_is_sleep(const struct stack_event *ev) { return !strncmp(ev->name, OFF_CPU_EVENT, strlen(OFF_CPU_EVENT)); }

bool event_is_time(const struct session *s, const struct stack_event *ev)
{
	enum { CPU_CLOCK, TASK_CLOCK };
	const struct attr *attr = &s->pd->events[ev->number].attr;

	return event_is_sleep(ev) || (attr->type == ATTR_TYPE_SOFTWARE && attr->config <= TASK_CLOCK);
}

uint64_t export_wall_ns(const struct session *s, uint64_t time_ns)
{
	const struct features *f = &s->pd->features;

	return time_ns && feature_has(f, FEATURE_CLOCK_DATA) ? f->clock_tod_ns + (time_ns - f->clock_ns) : 0;
}

void export_command_line(const struct session *s, struct out *to)
{
	const struct str_list *words = &s->pd->features.cmdline;

	for (uint32_t i = 0; i < words->n; i++) {
		if (i)
			out_char(to, ' ');
		out_name(to, words->items[i]);
	}
}

void export_thread_name(const struct stacks *st, const struct stack_thread *t, const struct stack_event *ev,
			struct out *to)
{
	out_fmt(to, "%s %d/%d", t->comm, t->pid, t->tid);
	if (st->frames.events.len > 1)
		out_fmt(to, " %s", ev->name);
}

size_t export_stretch(const struct stack_frames *f, size_t at)
{
	const struct stack_group *first = &f->groups.items[f->samples.items[at].group];

	for (; at < f->samples.len; at++) {
		const struct stack_group *g = &f->groups.items[f->samples.items[at].group];

		if (g->thread != first->thread || g->event != first->event)
			break;
	}
	return at;
}
