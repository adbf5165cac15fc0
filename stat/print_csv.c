/*
 * Print counts as lines of separated fields. A field with the separator, a quote or a line end is
 * quoted as in RFC 4180.
 */
#include "stat/print_priv.h"

void csv_field(const struct stat_printer *p, const char *text)
{
	struct out clean;
	const char *s;

	out_init_mem(&clean);
	out_name(&clean, text);
	s = out_text(&clean);
	if (!strstr(s, p->o->separator) && !strchr(s, '"')) {
		out_str(p->out, s);
	} else {
		out_char(p->out, '"');
		for (; *s; s++) {
			if (*s == '"')
				out_char(p->out, '"');
			out_char(p->out, *s);
		}
		out_char(p->out, '"');
	}
	out_release(&clean);
}

void csv_start(const struct stat_printer *p, const char *label, uint32_t n_cpus)
{
	const char *separator = p->o->separator;
	uint64_t ns = p->f->time_ns;

	if (p->f->interval)
		out_fmt(p->out, "%6llu.%09llu%s", (unsigned long long)(ns / 1000000000),
			(unsigned long long)(ns % 1000000000), separator);
	else if (p->f->summary && !p->o->no_csv_summary)
		out_fmt(p->out, "%16s%s", "summary", separator);
	if (p->t->o.per == PER_ALL)
		return;
	csv_field(p, label);
	out_str(p->out, separator);
	if (aggregation_texts[p->t->o.per].place_major)
		out_fmt(p->out, "%u%s", n_cpus, separator);
}

static void derived_fields(const struct stat_printer *p, const struct derived *d)
{
	char number[64];
	const char *unit = d->unit;

	while (*unit == ' ')
		unit++;
	out_fmt(p->out, "%s%s%s", p->o->separator, bare_number(d, number, sizeof(number)), p->o->separator);
	csv_field(p, unit);
}

const char *bare_number(const struct derived *d, char *buf, size_t size)
{
	size_t from, len;

	snprintf(buf, size, d->format, d->value);
	from = strspn(buf, " ");
	len = strspn(buf + from, "-0123456789.");
	memmove(buf, buf + from, len);
	buf[len] = '\0';
	return buf;
}

static void value_field(const struct stat_printer *p, const struct line *l)
{
	const struct counter *c = l->counter;

	if (!cell_counted(c, l->cell))
		out_str(p->out, c->supported ? "<not counted>" : "<not supported>");
	else
		out_fmt(p->out, c->scale != 1 ? "%.2f" : "%.0f", l->cell->value.mean * c->scale);
}

void csv_line(const struct stat_printer *p, const struct line *l)
{
	const char *separator = p->o->separator;
	const struct counter *c = l->counter;
	bool counted = cell_counted(c, l->cell);
	double enabled = l->cell->enabled.mean, running = counted ? l->cell->running.mean : 0;
	int empty = 6 + p->has_cgroups + (p->o->runs > 1);

	csv_start(p, l->label, l->cell->n_cpus);
	value_field(p, l);
	out_str(p->out, separator);
	csv_field(p, c->unit);
	out_str(p->out, separator);
	csv_field(p, c->name);
	if (p->has_cgroups) {
		out_str(p->out, separator);
		csv_field(p, c->cgroup ? c->cgroup : "");
	}
	if (p->o->runs > 1)
		out_fmt(p->out, "%s%.2f%%", separator, counted ? spread_percent(&l->cell->value) : 0);
	out_fmt(p->out, "%s%.0f%s%.2f", separator, running, separator, enabled > 0 ? 100 * running / enabled : 100);
	if (l->n_derived)
		derived_fields(p, &l->derived[0]);
	else
		out_fmt(p->out, "%s%s", separator, separator);
	out_char(p->out, '\n');
	for (size_t i = 1; i < l->n_derived; i++) { /* all fields before it are empty */
		csv_start(p, l->label, l->cell->n_cpus);
		for (int k = 1; k < empty - 1; k++)
			out_str(p->out, separator);
		derived_fields(p, &l->derived[i]);
		out_char(p->out, '\n');
	}
}
