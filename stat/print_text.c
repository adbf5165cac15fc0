/*
 * Print counts for people, in perf 6.1's columns: 18 for the count, a blank, the unit, a blank, 32
 * for the name, 35 for derived values.
 */
#include <math.h>
#include <stdarg.h>

#include "stat/print_priv.h"

/* The name of an event that was not counted has less room, as in perf. */
enum { COUNT_WIDTH = 18, NAME_WIDTH = 32, UNCOUNTED_NAME_WIDTH = 25, DERIVED_WIDTH = 35, HEAD_EVERY = 25 };

/* Format numbers in the user's locale. */
static __attribute__((format(printf, 2, 3))) void number(const struct stat_printer *p, const char *format, ...)
{
	char text[512];
	locale_t before = p->locale ? uselocale(p->locale) : (locale_t)0;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (before)
		uselocale(before);
	out_str(p->out, text);
}

void text_time(const struct stat_printer *p)
{
	uint64_t ns = p->f->time_ns;

	if (p->f->interval)
		out_fmt(p->out, "%6llu.%09llu ", (unsigned long long)(ns / 1000000000),
			(unsigned long long)(ns % 1000000000));
}

static bool has_numbers(enum aggregation per) { return aggregation_texts[per].place_major; }

/* Print "comm-tid" with the end of the comm in column 16. Comms are foreign text. */
static void thread_place(const struct stat_printer *p, const char *label)
{
	const char *dash = strrchr(label, '-');
	struct out comm;

	if (!dash) /* a recording without names of threads */
		dash = label + strlen(label);
	out_init_mem(&comm);
	out_mem(&comm, label, (size_t)(dash - label));
	out_name_pad(p->out, out_text(&comm), 16);
	out_fmt(p->out, "-%-8s ", *dash ? dash + 1 : "");
	out_release(&comm);
}

void text_place(const struct stat_printer *p, const char *label, uint32_t n_cpus)
{
	enum aggregation per = p->t->o.per;

	if (per == PER_ALL)
		return;
	if (per == PER_THREAD) {
		thread_place(p, label);
		return;
	}
	out_fmt(p->out, "%-*s ", aggregation_texts[per].width, label);
	if (has_numbers(per))
		out_fmt(p->out, "%4u ", n_cpus);
}

int text_place_width(const struct stat_printer *p)
{
	enum aggregation per = p->t->o.per;

	return per == PER_ALL ? 0 : aggregation_texts[per].width + 1 + (has_numbers(per) ? 5 : 0);
}

/* ---- around the counts ---- */

static void interval_head(const struct stat_printer *p)
{
	const struct aggregation_text *a = &aggregation_texts[p->t->o.per];

	if (p->o->interval_clear)
		out_str(p->out, "\033[H\033[2J\033[3J");
	else if (p->f->lines_since_head++ % HEAD_EVERY)
		return;
	out_str(p->out, "#           time ");
	if (p->o->metric_only)
		return;
	if (p->t->o.per == PER_THREAD)
		out_str(p->out, "            comm-pid                  counts unit events\n");
	else if (p->t->o.per == PER_CPU)
		out_str(p->out, "CPU                    counts unit events\n");
	else if (a->head)
		out_fmt(p->out, "%-*s cpus             counts unit events\n", a->width, a->head);
	else
		out_str(p->out, "            counts unit events\n");
}

void text_head(const struct stat_printer *p)
{
	if (p->f->interval) {
		interval_head(p);
		return;
	}
	out_str(p->out, "\n Performance counter stats for ");
	out_name(p->out, p->f->title);
	if (p->o->runs > 1)
		out_fmt(p->out, " (%u runs)", p->o->runs);
	out_str(p->out, ":\n\n");
}

/* Return how many digits are meaningful for a number with this deviation. */
static int digits(double s) { return s > 1 || s <= 0 ? 0 : (int)lround(ceil(-log10(s))); }

static void noise(const struct stat_printer *p, double percent)
{
	if (percent)
		number(p, "  ( +-%*.2f%% )", 6, percent);
}

/* Print each run's time, its distance from the mean, and a mark for every 5 percent of distance. */
static void table_of_runs(const struct stat_printer *p, double mean_s, int precision)
{
	out_fmt(p->out, "%10s# Table of individual measurements:\n", "");
	for (size_t i = 0; i < p->f->n_runs; i++) {
		double s = p->f->runs_ns[i] / 1e9;
		int marks = s > 0 ? 1 + (int)fabs(100 * (s - mean_s) / s) / 5 : 1;

		number(p, " %17.*f (%+.*f) ", precision, s, precision, s - mean_s);
		out_pad(p->out, '#', MIN(marks, 200));
		out_char(p->out, '\n');
	}
	out_fmt(p->out, "\n%10s# Final result:\n", "");
}

static void elapsed(const struct stat_printer *p)
{
	const struct spread *e = &p->t->elapsed_ns;
	double mean_s = e->mean / 1e9, spread_s = spread_of_mean(e) / 1e9;
	int precision = MIN(digits(spread_s) + 2, 15);

	if (p->o->runs < 2) {
		number(p, " %*.9f seconds time elapsed\n", 17, mean_s);
		return;
	}
	if (p->f->runs_ns)
		table_of_runs(p, mean_s, precision);
	number(p, " %17.*f +- %.*f seconds time elapsed", precision, mean_s, precision, spread_s);
	noise(p, spread_percent(e));
	out_char(p->out, '\n');
}

void text_foot(const struct stat_printer *p)
{
	if (!p->o->null_run)
		out_char(p->out, '\n');
	elapsed(p);
	if (p->f->has_usage) {
		number(p, "\n %*.9f seconds user\n", 17, (double)p->f->user_ns / 1e9);
		number(p, " %*.9f seconds sys\n\n", 17, (double)p->f->system_ns / 1e9);
	}
	out_char(p->out, '\n');
}

/* ---- lines ---- */

static void derived(const struct stat_printer *p, const struct derived *d)
{
	static const char *const colours[] = { "", "\033[33m", "\033[35m", "\033[31m" }; /* yellow, magenta, red */
	const char *colour = p->o->colour ? colours[d->shade] : "";
	char text[512];
	locale_t before = p->locale ? uselocale(p->locale) : (locale_t)0;
	int n = snprintf(text, sizeof(text), d->format, d->value);

	if (before)
		uselocale(before);
	out_fmt(p->out, " # %s%s%s ", colour, text, *colour ? "\033[m" : "");
	out_name_pad(p->out, d->unit, -MAX(1, DERIVED_WIDTH - 4 - n));
}

static void count_text(const struct stat_printer *p, const struct line *l)
{
	const struct counter *c = l->counter;
	bool big = !p->o->no_big_num, fraction = c->scale != 1;

	if (!cell_counted(c, l->cell))
		out_fmt(p->out, "%*s ", COUNT_WIDTH, c->supported ? "<not counted>" : "<not supported>");
	else
		number(p,
		       fraction ? big ? "%'*.2f " : "%*.2f "
		       : big    ? "%'*.0f "
				: "%*.0f ",
		       COUNT_WIDTH, l->cell->value.mean * c->scale);
	out_name_pad(p->out, c->unit, -p->unit_width);
	out_char(p->out, ' ');
	out_name_pad(p->out, c->name, cell_counted(c, l->cell) ? -NAME_WIDTH : -UNCOUNTED_NAME_WIDTH);
	if (c->cgroup) {
		out_char(p->out, ' ');
		out_name(p->out, c->cgroup);
	}
}

static void follow_up(const struct stat_printer *p, const struct derived *d)
{
	out_char(p->out, '\n');
	text_time(p);
	out_pad(p->out, ' ', text_place_width(p) + COUNT_WIDTH + 1 + p->unit_width + 1 + NAME_WIDTH);
	derived(p, d);
}

void text_line(const struct stat_printer *p, const struct line *l)
{
	bool counted = cell_counted(l->counter, l->cell);

	text_time(p);
	text_place(p, l->label, l->cell->n_cpus);
	count_text(p, l);
	if (l->n_derived)
		derived(p, &l->derived[0]);
	else
		out_pad(p->out, ' ', DERIVED_WIDTH);
	for (size_t i = 1; i < l->n_derived; i++)
		follow_up(p, &l->derived[i]);
	if (counted) {
		noise(p, spread_percent(&l->cell->value));
		if (l->cell->running.mean < l->cell->enabled.mean)
			number(p, "  (%*.2f%%)", 0, 100 * l->cell->running.mean / l->cell->enabled.mean);
	}
	out_char(p->out, '\n');
}
