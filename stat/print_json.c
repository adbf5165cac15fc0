/* Print counts as JSON objects, one per line. Source: perf-stat(1), "JSON FORMAT"; RFC 8259. */
#include "stat/print_priv.h"

static void text(const struct stat_printer *p, const char *key, const char *value)
{
	out_fmt(p->out, "\"%s\" : \"", key);
	out_json(p->out, value);
	out_char(p->out, '"');
}

bool json_start(const struct stat_printer *p, const char *label, uint32_t n_cpus)
{
	const struct aggregation_text *a = &aggregation_texts[p->t->o.per];
	uint64_t ns = p->f->time_ns;

	out_char(p->out, '{');
	if (p->f->interval)
		out_fmt(p->out, "\"interval\" : %llu.%09llu", (unsigned long long)(ns / 1000000000),
			(unsigned long long)(ns % 1000000000));
	if (!a->key)
		return p->f->interval;
	if (p->f->interval)
		out_str(p->out, ", ");
	/* A CPU is printed as its number, a core in its place as its label. */
	if (!strncmp(label, "CPU", 3))
		text(p, "cpu", label + 3);
	else
		text(p, p->t->o.per == PER_CPU ? "core" : a->key, label);
	if (a->place_major)
		out_fmt(p->out, ", \"counters\" : %u", n_cpus);
	return true;
}

static void metric(const struct stat_printer *p, const struct derived *d)
{
	const char *unit = d->unit;

	while (*unit == ' ')
		unit++;
	out_fmt(p->out, "\"metric-value\" : %f, ", d->value);
	text(p, "metric-unit", unit);
}

void json_line(const struct stat_printer *p, const struct line *l)
{
	const struct counter *c = l->counter;
	bool counted = cell_counted(c, l->cell);
	double enabled = l->cell->enabled.mean, running = counted ? l->cell->running.mean : 0;

	if (json_start(p, l->label, l->cell->n_cpus))
		out_str(p->out, ", ");
	/* perf writes the number as a string; a count that does not exist is a string too. */
	if (counted)
		out_fmt(p->out, "\"counter-value\" : %f, ", l->cell->value.mean * c->scale);
	else
		out_fmt(p->out, "\"counter-value\" : \"<not %s>\", ", c->supported ? "counted" : "supported");
	text(p, "unit", c->unit);
	out_str(p->out, ", ");
	text(p, "event", c->name);
	if (c->cgroup) {
		out_str(p->out, ", ");
		text(p, "cgroup", c->cgroup);
	}
	if (p->o->runs > 1)
		out_fmt(p->out, ", \"variance\" : %.2f", counted ? spread_percent(&l->cell->value) : 0);
	out_fmt(p->out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ", running,
		enabled > 0 ? 100 * running / enabled : 100);
	metric(p, l->n_derived ? &l->derived[0] : &(struct derived){ 0, "", "", SHADE_NONE });
	out_str(p->out, "}\n");
	for (size_t i = 1; i < l->n_derived; i++) {
		if (json_start(p, l->label, l->cell->n_cpus))
			out_str(p->out, ", ");
		metric(p, &l->derived[i]);
		out_str(p->out, "}\n");
	}
}
