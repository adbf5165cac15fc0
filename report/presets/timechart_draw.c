/* Draw the picture of timechart: a lane for each CPU and task, time from left to right. */
#include "base/sort/sort.h"
#include "report/presets/timechart_priv.h"

enum { LANE = 22, BOX = 16, HEAD = 60, TICKS = 10 };
/* In pixels. Draw a narrower box only where there is no box yet: nobody could see several in one place. */
#define THIN 0.05

static const char *const span_classes[CHART_KINDS] = {
	[CHART_RUNNING] = "run", [CHART_WAITING] = "wait", [CHART_BLOCKED] = "block", [CHART_IDLE] = "idle",
	[CHART_FREQ] = "freq",   [CHART_DISK] = "disk",    [CHART_NET] = "net",       [CHART_SYNC] = "sync",
	[CHART_POLL] = "poll",   [CHART_ERROR] = "error",
};
/* Colours, and what the legend and the tips say. */
static const struct {
	const char *class, *colour, *text;
	bool io; /* in pictures of --io-only recordings; the others are in all other pictures */
} looks[] = {
	{ "run", "#3b6fb6", "running", false },
	{ "high", "#e0791b", "running, highlighted", false },
	{ "wait", "#e6c229", "waiting for a CPU", false },
	{ "block", "#c23b3b", "blocked", false },
	{ "idle", "#d9c2d6", "idle, darker when deeper", false },
	{ "freq", "#8a8a8a", "frequency", false },
	{ "disk", "#3b6fb6", "files", true },
	{ "net", "#3f9b54", "network", true },
	{ "sync", "#8d7a23", "sync", true },
	{ "poll", "#8fc7c9", "poll", true },
	{ "error", "#c23b3b", "failed", true },
};

struct chart_drawing {
	struct chart *chart;
	struct out *o;
	double scale; /* pixels in a ns */
	uint32_t n_rows;
	bool io;
	uint64_t most_bytes, most_khz;
	VEC(double) reached; /* by row: how far it is drawn */
};

static double x_of(const struct chart_drawing *d, uint64_t time)
{
	return time > d->chart->first ? (double)(time - d->chart->first) * d->scale : 0;
}

static double y_of(uint32_t row) { return HEAD + (double)(row - 1) * LANE; }

/* ---- what is shown ---- */

static bool is_named(const struct chart_task *t, const struct opt_list *list)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", t->tid);
	for (size_t i = 0; i < list->len; i++)
		if (!strcmp(list->items[i], t->comm) || !strcmp(list->items[i], number))
			return true;
	return false;
}

static size_t choose_above(struct chart *c, bool io, uint64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < c->tasks.len; i++) {
		struct chart_task *t = &c->tasks.items[i];
		bool wanted = c->opts->tasks->len ? is_named(t, c->opts->tasks) : (io ? t->bytes : t->ran) >= least;

		t->row = wanted && t->tid > 0;
		n += t->row;
	}
	return n;
}

/* Choose tasks that ran for 10 ms or moved 10 kB; lower these limits until there are enough tasks. */
static void choose_tasks(struct chart *c, bool io)
{
	uint64_t least = io ? 10000 : 10000000;

	while (choose_above(c, io, least) < c->opts->tasks_least && least)
		least /= 10;
}

static const struct feature_cpu *place_of(const struct chart *c, uint32_t cpu)
{
	const struct features *f = &c->session->pd->features;

	return cpu < f->n_cpus ? &f->cpus[cpu] : NULL;
}

static int by_place(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct feature_cpu *px = place_of(ctx, x), *py = place_of(ctx, y);

	if (px && py && px->socket_id != py->socket_id)
		return px->socket_id < py->socket_id ? -1 : 1;
	if (px && py && px->core_id != py->core_id)
		return px->core_id < py->core_id ? -1 : 1;
	return (x > y) - (x < y);
}

static void number_rows(struct chart_drawing *d)
{
	struct chart *c = d->chart;
	VEC(uint32_t) order = { 0 };

	for (uint32_t i = 0; i < c->cpus.len && !d->io; i++)
		if (c->cpus.items[i].seen && !c->opts->tasks_only)
			vec_push(&order, i);
	if (c->opts->topology)
		vec_sort_r(&order, by_place, c);
	for (size_t i = 0; i < order.len; i++)
		c->cpus.items[order.items[i]].row = ++d->n_rows;
	vec_free(&order);
	for (size_t i = 0; i < c->tasks.len; i++) {
		bool shown = c->tasks.items[i].row && !c->opts->power_only;

		c->tasks.items[i].row = shown ? ++d->n_rows : 0;
	}
}

/* ---- the frame ---- */

static void print_style(struct out *o)
{
	out_str(o, "<style>\n"
		   "text { font: 11px sans-serif; fill: #222 }\n"
		   ".name { fill: #555 }\n.grid { stroke: #ddd }\n.lane { fill: #f4f4f4 }\n"
		   ".wake { stroke: #3f9b54; stroke-width: 0.6 }\n.irq { fill: #3f9b54 }\n");
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		out_fmt(o, ".%s { fill: %s }\n", looks[i].class, looks[i].colour);
	out_str(o, "</style>\n");
}

static void print_legend(const struct chart_drawing *d)
{
	unsigned x = 0;

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		if (looks[i].io != d->io)
			continue;
		out_fmt(d->o, "<rect class=\"%s\" x=\"%u\" y=\"6\" width=\"12\" height=\"12\"/>", looks[i].class, x);
		out_fmt(d->o, "<text x=\"%u\" y=\"16\">%s</text>\n", x + 16, looks[i].text);
		x += 150;
	}
}

static void print_grid(const struct chart_drawing *d)
{
	uint64_t all = d->chart->last - d->chart->first;
	unsigned bottom = HEAD + d->n_rows * LANE;

	for (int i = 0; i <= TICKS; i++) {
		double x = d->chart->opts->width * (double)i / TICKS;

		out_fmt(d->o, "<line class=\"grid\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%u\"/>", x, HEAD - 12, x,
			bottom);
		out_fmt(d->o, "<text x=\"%.2f\" y=\"%d\">%.3f ms</text>\n", x, HEAD - 16,
			(double)all * i / TICKS / 1e6);
	}
}

static void print_name(const struct chart_drawing *d, uint32_t row, const char *text, const char *more)
{
	double y = y_of(row);

	out_fmt(d->o, "<rect class=\"lane\" x=\"0\" y=\"%.0f\" width=\"%llu\" height=\"%d\"/>", y,
		(unsigned long long)d->chart->opts->width, BOX);
	out_fmt(d->o, "<text class=\"name\" x=\"%llu\" y=\"%.0f\">", (unsigned long long)d->chart->opts->width + 6,
		y + 12);
	out_xml(d->o, text);
	out_fmt(d->o, "%s</text>\n", more);
}

static void print_names(const struct chart_drawing *d)
{
	const struct chart *c = d->chart;
	char name[32], more[64];

	for (uint32_t i = 0; i < c->cpus.len; i++) {
		snprintf(name, sizeof(name), "CPU %u", i);
		if (c->cpus.items[i].row)
			print_name(d, c->cpus.items[i].row, name, "");
	}
	for (size_t i = 0; i < c->tasks.len; i++) {
		const struct chart_task *t = &c->tasks.items[i];

		if (!t->row)
			continue;
		if (d->io)
			snprintf(more, sizeof(more), ":%d, %llu bytes", t->tid, (unsigned long long)t->bytes);
		else
			snprintf(more, sizeof(more), ":%d, %.3f ms", t->tid, (double)t->ran / 1e6);
		print_name(d, t->row, t->comm, more);
	}
}

/* ---- boxes ---- */

static bool is_high(const struct chart_drawing *d, const struct chart_span *s, const struct chart_task *task)
{
	const struct timechart_opts *o = d->chart->opts;

	return s->kind == CHART_RUNNING &&
	       ((o->high_ns && s->to - s->from >= o->high_ns) || (o->high_name && !strcmp(o->high_name, task->comm)));
}

static void print_tip(const struct chart_drawing *d, const struct chart_span *s, const char *class)
{
	struct out *o = d->o;

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		if (!strcmp(looks[i].class, class))
			out_fmt(o, "<title>%s", s->kind == CHART_IDLE ? "idle" : looks[i].text);
	if (s->kind == CHART_IDLE)
		out_fmt(o, ", state C%llu", (unsigned long long)s->value);
	else if (s->kind == CHART_FREQ)
		out_fmt(o, " %llu MHz", (unsigned long long)s->value / 1000);
	else if (s->value)
		out_fmt(o, ", %llu bytes", (unsigned long long)s->value);
	if (s->kind == CHART_RUNNING)
		out_fmt(o, " on CPU %u", s->cpu);
	out_fmt(o, ", %.3f ms at %.6f s</title>", (double)(s->to - s->from) / 1e6, (double)s->from / 1e9);
}

/* Return a box's part of the lane's height: boxes with more bytes or higher frequencies are higher. */
static double share_of(const struct chart_drawing *d, const struct chart_span *s)
{
	switch (s->kind) {
	case CHART_IDLE: return 1.0;
	case CHART_FREQ: return 0.3 * (double)s->value / (double)MAX(d->most_khz, 1u);
	case CHART_DISK:
	case CHART_NET: return 0.25 + 0.75 * (double)s->value / (double)MAX(d->most_bytes, 1u);
	default: return 1.0;
	}
}

static void draw_box(struct chart_drawing *d, const struct chart_span *s, uint32_t row, const char *class)
{
	double x = x_of(d, s->from), to = x_of(d, s->to), height = BOX * share_of(d, s);
	double *reached = &d->reached.items[row];

	if (d->io)
		to = MAX(to, x + (double)d->chart->opts->io_least_ns * d->scale);
	if (to - x < THIN && to - *reached < THIN)
		return;
	if (s->kind != CHART_FREQ)
		*reached = MAX(*reached, MAX(to, x + THIN));
	out_fmt(d->o, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", class, x,
		y_of(row) + BOX - height, MAX(to - x, THIN), height);
	if (s->kind == CHART_IDLE)
		out_fmt(d->o, " opacity=\"%.2f\"", MIN(1.0, 0.3 + 0.15 * (double)s->value));
	out_char(d->o, '>');
	print_tip(d, s, class);
	out_str(d->o, "</rect>\n");
}

static bool is_io(uint32_t kind) { return kind >= CHART_DISK; }

/* Draw a span. Draw a running task twice: on its own lane and on the lane of its CPU. */
static void draw_span(struct chart_drawing *d, const struct chart_span *s)
{
	struct chart *c = d->chart;
	const struct chart_task *task;
	const char *class;

	if (is_io(s->kind) != d->io)
		return;
	if (s->kind == CHART_IDLE || s->kind == CHART_FREQ) {
		if (c->cpus.items[s->lane].row)
			draw_box(d, s, c->cpus.items[s->lane].row, span_classes[s->kind]);
		return;
	}
	task = &c->tasks.items[s->lane - 1];
	class = is_high(d, s, task) ? "high" : span_classes[s->kind];
	if (s->kind == CHART_RUNNING && s->cpu < c->cpus.len && c->cpus.items[s->cpu].row && !c->opts->power_only)
		draw_box(d, s, c->cpus.items[s->cpu].row, class);
	if (task->row)
		draw_box(d, s, task->row, class);
}

static void draw_wake(struct chart_drawing *d, const struct chart_wake *w)
{
	const struct chart *c = d->chart;
	uint32_t to = c->tasks.items[w->to - 1].row, from = w->from ? c->tasks.items[w->from - 1].row : 0;
	double x = x_of(d, w->time);

	if (!to || (w->from && !from))
		return;
	if (from)
		out_fmt(d->o, "<line class=\"wake\" x1=\"%.2f\" y1=\"%.0f\" x2=\"%.2f\" y2=\"%.0f\"/>\n", x,
			y_of(from) + (from < to ? BOX : 0), x, y_of(to) + (from < to ? 0 : BOX));
	else
		out_fmt(d->o, "<circle class=\"irq\" cx=\"%.2f\" cy=\"%.0f\" r=\"1.5\"/>\n", x, y_of(to) + BOX);
}

static int by_start(const void *a, const void *b)
{
	const struct chart_span *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->lane > y->lane) - (x->lane < y->lane);
}

static int by_lane(const void *a, const void *b)
{
	const struct chart_span *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Join calls of the same task and kind if the pause between them is short. */
static void join_calls(struct chart *c)
{
	size_t n = 0;

	if (!c->opts->io_join_ns)
		return;
	vec_sort(&c->spans, by_lane);
	for (size_t i = 0; i < c->spans.len; i++) {
		struct chart_span *s = &c->spans.items[i], *before = n ? &c->spans.items[n - 1] : NULL;

		if (before && is_io(s->kind) && s->kind == before->kind && s->lane == before->lane &&
		    s->from <= before->to + c->opts->io_join_ns) {
			before->to = MAX(before->to, s->to);
			before->value += s->value;
		} else {
			c->spans.items[n++] = *s;
		}
	}
	c->spans.len = n;
}

static void measure(struct chart_drawing *d)
{
	const struct chart *c = d->chart;

	for (size_t i = 0; i < c->spans.len; i++) {
		const struct chart_span *s = &c->spans.items[i];

		d->io |= is_io(s->kind);
		if (is_io(s->kind))
			d->most_bytes = MAX(d->most_bytes, s->value);
		else if (s->kind == CHART_FREQ)
			d->most_khz = MAX(d->most_khz, s->value);
	}
}

void timechart_draw(struct chart *c, struct out *o)
{
	struct chart_drawing d = { .chart = c, .o = o };

	d.scale = c->last > c->first ? (double)c->opts->width / (double)(c->last - c->first) : 0;
	join_calls(c);
	measure(&d);
	choose_tasks(c, d.io);
	number_rows(&d);
	for (uint32_t i = 0; i <= d.n_rows; i++)
		vec_push(&d.reached, -1.0);
	vec_sort(&c->spans, by_start);
	out_fmt(o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%llu\" height=\"%u\">\n",
		(unsigned long long)c->opts->width + 240, HEAD + d.n_rows * LANE + 10);
	print_style(o);
	print_legend(&d);
	print_names(&d);
	print_grid(&d);
	for (size_t i = 0; i < c->spans.len; i++)
		draw_span(&d, &c->spans.items[i]);
	for (size_t i = 0; i < c->wakes.len; i++)
		draw_wake(&d, &c->wakes.items[i]);
	out_str(o, "</svg>\n");
	vec_free(&d.reached);
}
