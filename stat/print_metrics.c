/* --metric-only: print derived values without the counts, one line per place. */
#include "stat/print_priv.h"

enum { METRIC_WIDTH = 20 };

/*
 * Return true for a metric. Rates depend only on the clock, which is not printed here, so they
 * count only if the user asked for them by name.
 */
static bool is_metric(const struct derived *d)
{
	bool by_name = strstr(d->unit, "  ");

	return by_name || (!strstr(d->unit, "/sec") && !strstr(d->unit, "CPUs utilized"));
}

/* Add the event to a name like "of all branches", which is meaningless without it. */
static const char *metric_name(const struct counter *c, const struct derived *d, char *buf, size_t size)
{
	const char *unit = d->unit + strspn(d->unit, " %");

	snprintf(buf, size, "%s%s%s", strncmp(unit, "of all", 6) ? "" : c->name, strncmp(unit, "of all", 6) ? "" : " ",
		 unit);
	return buf;
}

/*
 * A column is a metric that any place has. A first pass finds all columns, so that a place without
 * one has an empty column.
 */
struct metric_column {
	size_t counter, index;
	char name[160];
};
struct columns {
	VEC(struct metric_column);
};

static void find_columns(const struct stat_printer *p, struct columns *columns)
{
	struct derived d[LINE_DERIVED_MAX];

	for (size_t c = 0; c < p->t->counters.len; c++) {
		size_t from = columns->len;

		for (size_t place = 0; place < p->t->places.len; place++) {
			size_t n = line_derived(p, c, place, d), seen = 0;

			for (size_t i = 0; i < n; i++) {
				struct metric_column column = { .counter = c };

				if (!is_metric(&d[i]))
					continue;
				metric_name(&p->t->counters.items[c], &d[i], column.name, sizeof(column.name));
				for (seen = from; seen < columns->len && strcmp(columns->items[seen].name, column.name);
				     seen++)
					;
				if (seen == columns->len)
					vec_push(columns, column);
			}
		}
	}
}

static const struct derived *find(const struct stat_printer *p, const struct metric_column *column, size_t place,
				  struct derived *d)
{
	size_t n = line_derived(p, column->counter, place, d);
	char name[160];

	for (size_t i = 0; i < n; i++)
		if (!strcmp(metric_name(&p->t->counters.items[column->counter], &d[i], name, sizeof(name)),
			    column->name))
			return &d[i];
	return NULL;
}

static uint32_t cpus_at(const struct table *t, size_t place)
{
	uint32_t n = 1;

	for (size_t c = 0; c < t->counters.len; c++)
		n = MAX(n, table_cell(t, c, place)->n_cpus);
	return n;
}

static void head(const struct stat_printer *p, const struct columns *columns)
{
	if (p->o->form == STAT_JSON || (p->f->interval && (p->f->lines_since_head > 1) && p->o->form == STAT_TEXT))
		return;
	if (p->o->form == STAT_TEXT) {
		out_pad(p->out, ' ', text_place_width(p));
		for (size_t i = 0; i < columns->len; i++) {
			out_name_pad(p->out, columns->items[i].name, METRIC_WIDTH);
			out_char(p->out, ' ');
		}
	} else {
		if (p->f->interval && p->f->lines_since_head++)
			return;
		if (p->f->interval)
			out_fmt(p->out, "time%s", p->o->separator);
		if (p->t->o.per != PER_ALL)
			out_fmt(p->out, "%s%s", aggregation_texts[p->t->o.per].key, p->o->separator);
		if (aggregation_texts[p->t->o.per].place_major)
			out_fmt(p->out, "cpus%s", p->o->separator);
		for (size_t i = 0; i < columns->len; i++) {
			csv_field(p, columns->items[i].name);
			out_str(p->out, p->o->separator);
		}
	}
	out_char(p->out, '\n');
}

static void value(const struct stat_printer *p, const struct metric_column *column, const struct derived *d,
		  struct json *json)
{
	char number[64] = "", text[128];

	if (d)
		bare_number(d, number, sizeof(number));
	switch (p->o->form) {
	case STAT_TEXT:
		if (d)
			snprintf(text, sizeof(text), d->format, d->value);
		out_fmt(p->out, "%*s ", METRIC_WIDTH, d ? text : "");
		break;
	case STAT_CSV: out_fmt(p->out, "%s%s", number, p->o->separator); break;
	case STAT_JSON:
		if (!d)
			break;
		json_key(json, column->name);
		out_fmt(p->out, "%f", d->value);
		break;
	}
}

void print_metric_lines(const struct stat_printer *p)
{
	struct columns columns = { 0 };
	struct derived d[LINE_DERIVED_MAX];

	find_columns(p, &columns);
	head(p, &columns);
	for (size_t place = 0; place < p->t->places.len; place++) {
		const char *label = p->t->places.items[place].label;
		struct json json = { 0 };

		if (p->o->form == STAT_TEXT) {
			text_time(p);
			text_place(p, label, cpus_at(p->t, place));
		} else if (p->o->form == STAT_CSV) {
			csv_start(p, label, cpus_at(p->t, place));
		} else {
			json = json_start(p, label, cpus_at(p->t, place));
		}
		for (size_t i = 0; i < columns.len; i++) {
			const struct derived *found = find(p, &columns.items[i], place, d);

			value(p, &columns.items[i], found, &json);
		}
		out_str(p->out, p->o->form == STAT_JSON ? "}\n" : "\n");
	}
	vec_free(&columns);
}
