#include "stat/print_priv.h"

#include <math.h>
#include <time.h>

#include "base/width.h"

void print_started(struct out *o, int64_t unix_time)
{
	char text[64];
	time_t t = (time_t)unix_time;

	out_fmt(o, "# started on %s\n", ctime_r(&t, text) ? text : "?\n");
}

/* Return the label of a place for this counter. */
static const char *place_label(const struct stat_printer *p, const struct counter *c, const struct stat_place *place)
{
	return p->t->o.per == PER_CPU && c->percore && !p->t->o.show_threads ? place->core : place->label;
}

size_t line_derived(const struct stat_printer *p, size_t counter, size_t place, struct derived *d)
{
	size_t n = 0, found = 0;

	if (cell_counted(&p->t->counters.items[counter], table_cell(p->t, counter, place)))
		n = found = derived_find(p->t, counter, place, d);
	if (p->metrics)
		n += metrics_beside(p->metrics, p->t, counter, place, d + n, LINE_DERIVED_MAX - n);
	/*
	 * Leave out values that cannot be computed: nobody can use "nan". In the form of fields, a
	 * requested metric keeps its name with an empty value, as in perf 7: scripts look for it.
	 */
	for (size_t i = 0; i < n;) {
		if (isfinite(d[i].value) || (p->o->form == STAT_CSV && i >= found && !p->o->metric_only))
			i++;
		else
			memmove(&d[i], &d[i + 1], (--n - i) * sizeof(*d));
	}
	return n;
}

static void print_cell(const struct stat_printer *p, size_t counter, size_t place)
{
	struct derived derived[LINE_DERIVED_MAX];
	struct line l = { .counter = &p->t->counters.items[counter],
			  .place = &p->t->places.items[place],
			  .cell = table_cell(p->t, counter, place),
			  .derived = derived };

	if (!l.cell->here)
		return;
	l.label = place_label(p, l.counter, l.place);
	l.n_derived = line_derived(p, counter, place, derived);
	switch (p->o->form) {
	case STAT_TEXT: text_line(p, &l); break;
	case STAT_CSV: csv_line(p, &l); break;
	case STAT_JSON: json_line(p, &l); break;
	}
}

/* A place and its count. Threads are printed with the highest count first. */
struct ranked {
	double value;
	size_t place;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void print_counter(const struct stat_printer *p, size_t counter)
{
	size_t n = p->t->places.len;
	autofree struct ranked *order = xcalloc(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] =
			(struct ranked){ p->t->o.per == PER_THREAD ? table_cell(p->t, counter, i)->value.mean : 0, i };
	qsort(order, n, sizeof(*order), by_value);
	for (size_t i = 0; i < n; i++)
		print_cell(p, counter, order[i].place);
}

static void print_cells(const struct stat_printer *p)
{
	if (!aggregation_texts[p->t->o.per].place_major) {
		for (size_t c = 0; c < p->t->counters.len; c++)
			print_counter(p, c);
		return;
	}
	for (size_t i = 0; i < p->t->places.len; i++)
		for (size_t c = 0; c < p->t->counters.len; c++)
			print_cell(p, c, i);
}

void print_table(const struct table *t, const struct metric_list *metrics, const struct stat_print_opts *o,
		 struct print_frame *f, struct out *out)
{
	struct stat_printer p = { .t = t, .metrics = metrics, .o = o, .f = f, .out = out, .unit_width = 4 };

	/* Text follows the user's locale. If the locale is unknown, use C. */
	p.locale = o->form == STAT_TEXT ? newlocale(LC_NUMERIC_MASK, "", (locale_t)0) : (locale_t)0;
	for (size_t i = 0; i < t->counters.len; i++) {
		p.has_cgroups |= t->counters.items[i].cgroup != NULL;
		p.unit_width = MAX(p.unit_width, out_name_width(t->counters.items[i].unit));
	}
	if (o->form == STAT_TEXT)
		text_head(&p);
	if (!o->null_run && o->metric_only)
		print_metric_lines(&p);
	else if (!o->null_run)
		print_cells(&p);
	if (o->form == STAT_TEXT && !f->interval)
		text_foot(&p);
	if (p.locale)
		freelocale(p.locale);
}
