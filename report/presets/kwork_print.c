/* Print the tables and lines of kwork. */
#include "base/sort/sort.h"
#include "report/presets/kwork_priv.h"

enum { NAME_WIDTH = 30, TABLE_WIDTH = 128 };

static uint64_t average(const struct kwork_item *i) { return i->count ? i->total / i->count : 0; }

/* Write the name of an item: "(s)RCU:9". */
static void kwork_item_name(const struct kwork *w, const struct kwork_item *i, char *buf, size_t size)
{
	static const char *const marks[] = {
		[KWORK_IRQ] = "", [KWORK_SOFTIRQ] = "(s)", [KWORK_WORKQUEUE] = "(w)", [KWORK_SCHED] = ""
	};
	const char *name = strtab_get(&w->texts, i->name);

	if (i->class == KWORK_WORKQUEUE && !i->name)
		snprintf(buf, size, "%s0x%llx", marks[i->class], (unsigned long long)i->id);
	else if (i->class == KWORK_WORKQUEUE)
		snprintf(buf, size, "%s%s", marks[i->class], name);
	else
		snprintf(buf, size, "%s%s:%llu", marks[i->class], name, (unsigned long long)i->id);
}

static void print_seconds(struct out *o, uint64_t ns, int width)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns / 1000 % 1000000));
	out_fmt(o, "%*s", width, text);
}

static void print_rule(struct out *o)
{
	out_char(o, ' ');
	out_pad(o, '-', TABLE_WIDTH);
	out_char(o, '\n');
}

void kwork_print_head(enum kwork_view view, struct out *o)
{
	static const char *const heads[] = {
		[KWORK_REPORT] =
			"\n  Kwork Name                     | Cpu  | Total Runtime | Count     | Max runtime   "
			"| Max runtime start   | Max runtime end     |\n",
		[KWORK_LATENCY] =
			"\n  Kwork Name                     | Cpu  | Avg delay     | Count     | Max delay     "
			"| Max delay start     | Max delay end       |\n",
		[KWORK_TIMEHIST] =
			" Runtime start      Runtime end        Cpu     Kwork name                      Runtime     "
			"Delaytime \n"
			"                                               (TYPE)NAME:NUM                  (msec)      "
			"(msec)    \n"
			" -----------------  -----------------  ------  ------------------------------  ----------  "
			"----------\n",
	};

	out_str(o, heads[view]);
	if (view != KWORK_TIMEHIST)
		print_rule(o);
}

static void print_chain(struct kwork *w, const struct trace_event *t)
{
	calls_of(&w->calls, w->session, t, w->opts->max_stack, false);
	out_str(w->out, w->calls.len ? "  " : "");
	for (size_t i = 0; i < w->calls.len; i++) {
		out_str(w->out, i ? " <- " : "");
		out_name(w->out, w->calls.items[i].name ? w->calls.items[i].name : "[unknown]");
	}
}

void kwork_print_line(struct kwork *w, const struct kwork_item *i, const struct open_pair *start,
		      const struct trace_event *t)
{
	struct out *o = w->out;
	char name[128];

	out_char(o, ' ');
	print_seconds(o, start->time, 17);
	out_str(o, "  ");
	print_seconds(o, t->time, 17);
	kwork_item_name(w, i, name, sizeof(name));
	out_fmt(o, "  [%04u]  ", i->cpu);
	out_name_pad(o, name, -NAME_WIDTH);
	out_fmt(o, "  %10.3f  ", (double)(t->time - MIN(start->time, t->time)) / 1e6);
	if (start->value)
		out_fmt(o, "%10.3f ", (double)(start->time - MIN(start->value, start->time)) / 1e6);
	else
		out_pad(o, ' ', 11);
	if (w->opts->chains)
		print_chain(w, t);
	out_char(o, '\n');
}

/* ---- rows ---- */

struct kwork_order {
	uint64_t (*values[8])(const struct kwork_item *);
	size_t n;
};
static uint64_t value_total(const struct kwork_item *i) { return i->total; }
static uint64_t value_max(const struct kwork_item *i) { return i->max; }
static uint64_t value_count(const struct kwork_item *i) { return i->count; }

/* Sort the greatest first. Sort equal rows like perf: by class, then the highest CPU and number first. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct kwork_item *x = a, *y = b;
	const struct kwork_order *order = ctx;

	for (size_t i = 0; i < order->n; i++) {
		uint64_t vx = order->values[i](x), vy = order->values[i](y);

		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? -1 : 1;
	return (x->id < y->id) - (x->id > y->id);
}

static void choose_order(struct kwork_order *order, const char *sort)
{
	static const struct {
		const char *name;
		uint64_t (*value)(const struct kwork_item *);
	} columns[] = {
		{ "runtime", value_total }, { "avg", average }, { "max", value_max }, { "count", value_count }
	};
	autofree char *copy = xstrdup(sort);
	char *rest = NULL;

	for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		for (size_t i = 0; i < ARRAY_SIZE(columns) && order->n < ARRAY_SIZE(order->values); i++)
			if (!strcmp(columns[i].name, word))
				order->values[order->n++] = columns[i].value;
}

static void print_row(const struct kwork *w, const struct kwork_item *i, struct out *o)
{
	char name[128];

	kwork_item_name(w, i, name, sizeof(name));
	out_str(o, "  ");
	out_name_pad(o, name, -NAME_WIDTH);
	out_fmt(o, " | %04u |", i->cpu);
	/* Not average(): the fraction of a nanosecond decides how halves are rounded. */
	out_fmt(o, " %10.3f ms |",
		(double)i->total / (w->view == KWORK_LATENCY ? (double)MAX(i->count, (uint64_t)1) : 1) / 1e6);
	out_fmt(o, " %9llu |", (unsigned long long)i->count);
	out_fmt(o, " %10.3f ms |", (double)i->max / 1e6);
	out_char(o, ' ');
	print_seconds(o, i->max_start, 17);
	out_str(o, " s | ");
	print_seconds(o, i->max_end, 17);
	out_str(o, " s |\n");
}

static void print_sums(const struct kwork *w, struct out *o)
{
	uint64_t count = 0, total = 0, span = w->last - w->first;

	for (size_t i = 0; i < w->items.len; i++) {
		count += w->items.items[i].count;
		total += w->items.items[i].total;
	}
	out_fmt(o, "  Total count            : %9llu\n", (unsigned long long)count);
	out_fmt(o, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n", (double)total / 1e6,
		span ? 100.0 * (double)total / (double)span : 0.0);
	out_fmt(o, "  Total time span (msec) : %9.3f\n", (double)span / 1e6);
	print_rule(o);
}

/* Print how many events have no partner. */
static void print_skipped(const struct kwork *w, struct out *o)
{
	uint64_t raise = w->raised.n + w->raised.dropped;
	uint64_t entry = w->raised.unmatched + w->entered.n + w->entered.dropped;
	uint64_t exit = w->entered.unmatched, sum = raise + entry + exit;

	if (sum)
		out_fmt(o, "  INFO: %.3f%% skipped events (%llu including %llu raise, %llu entry, %llu exit)\n",
			100.0 * (double)sum / (double)w->n, (unsigned long long)sum, (unsigned long long)raise,
			(unsigned long long)entry, (unsigned long long)exit);
}

void kwork_print_rows(struct kwork *w, struct out *o)
{
	struct kwork_order order = { 0 };
	const char *usual = w->view == KWORK_LATENCY ? "avg,max,count" : "runtime,max,count";

	choose_order(&order, w->opts->sort ? w->opts->sort : usual);
	vec_sort_r(&w->items, compare, &order);
	for (size_t i = 0; i < w->items.len; i++)
		if (w->items.items[i].count)
			print_row(w, &w->items.items[i], o);
	print_rule(o);
	if (w->view == KWORK_REPORT && w->opts->summary)
		print_sums(w, o);
	print_skipped(w, o);
	out_char(o, '\n');
}
