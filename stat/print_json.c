/* Print counts as JSON objects, one per line. Source: perf-stat(1), "JSON FORMAT"; RFC 8259. */
#include "stat/print_priv.h"

struct json json_start(const struct stat_printer *p, const char *label, uint32_t n_cpus)
{
	struct json j = { .o = p->out, .comma = ", ", .colon = " : " };
	const struct aggregation_text *a = &aggregation_texts[p->t->o.per];
	uint64_t ns = p->f->time_ns;

	out_char(p->out, '{');
	if (p->f->interval) {
		json_key(&j, "interval");
		out_fmt(p->out, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
			(unsigned long long)(ns % 1000000000));
	}
	if (!a->key)
		return j;
	/* A CPU is printed as its number, a core in its place as its label. */
	if (!strncmp(label, "CPU", 3))
		json_text(&j, "cpu", label + 3);
	else
		json_text(&j, p->t->o.per == PER_CPU ? "core" : a->key, label);
	if (a->place_major)
		json_unsigned(&j, "counters", n_cpus);
	return j;
}

static void metric(struct json *j, const struct derived *d)
{
	json_key(j, "metric-value");
	out_fmt(j->o, "%f", d->value);
	json_text(j, "metric-unit", d->unit + strspn(d->unit, " "));
	out_str(j->o, "}\n");
}

void json_line(const struct stat_printer *p, const struct line *l)
{
	const struct counter *c = l->counter;
	bool counted = cell_counted(c, l->cell);
	double enabled = l->cell->enabled.mean, running = counted ? l->cell->running.mean : 0;
	struct json j = json_start(p, l->label, l->cell->n_cpus);

	/* perf writes the number as a string; a count that does not exist is a string too. */
	json_key(&j, "counter-value");
	if (counted)
		out_fmt(p->out, "%f", l->cell->value.mean * c->scale);
	else
		out_fmt(p->out, "\"<not %s>\"", c->supported ? "counted" : "supported");
	json_text(&j, "unit", c->unit);
	json_text(&j, "event", c->name);
	if (c->cgroup)
		json_text(&j, "cgroup", c->cgroup);
	if (p->o->runs > 1) {
		json_key(&j, "variance");
		out_fmt(p->out, "%.2f", counted ? spread_percent(&l->cell->value) : 0);
	}
	json_key(&j, "event-runtime");
	out_fmt(p->out, "%.0f", running);
	json_key(&j, "pcnt-running");
	out_fmt(p->out, "%.2f", enabled > 0 ? 100 * running / enabled : 100);
	metric(&j, l->n_derived ? &l->derived[0] : &(struct derived){ 0, "", "", SHADE_NONE });
	for (size_t i = 1; i < l->n_derived; i++) {
		struct json more = json_start(p, l->label, l->cell->n_cpus);

		metric(&more, &l->derived[i]);
	}
}
