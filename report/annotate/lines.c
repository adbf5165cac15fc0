/*
 * Cost per source line. An instruction counts for its own line and for each line where it was
 * inlined.
 */
#include "report/annotate/annotate_priv.h"

enum { MAX_INLINED = 64 };

struct line_table {
	struct line_costs *costs;
	struct idtable index;
};

static bool same_line(const struct line_cost *c, const char *file, uint32_t line, uint32_t event)
{
	return c->line == line && c->event == event && (c->file == file || !strcmp(c->file, file));
}

static struct line_cost *get_line(struct line_table *t, const char *file, uint32_t line, uint32_t event)
{
	uint64_t hash = hash_bytes(file, strlen(file), (uint64_t)line << 32 | event);
	struct idtable_probe p = idtable_probe(&t->index, hash);
	uint32_t id;

	while ((id = idtable_next(&t->index, &p)))
		if (same_line(&t->costs->items[id - 1], file, line, event))
			return &t->costs->items[id - 1];
	vec_push(t->costs, (struct line_cost){ .file = file, .line = line, .event = event });
	idtable_add(&t->index, hash, (uint32_t)t->costs->len);
	return &t->costs->items[t->costs->len - 1];
}

static void add(struct event_total *t, const struct hit *hit)
{
	t->samples += hit->samples;
	t->period += hit->period;
}

static void add_hit(struct line_table *t, struct symbols *s, uint32_t dso, const struct hit *hit)
{
	struct inline_frame frames[MAX_INLINED];
	struct source_line outer = { 0 };
	uint64_t dso_off = dso_offset(s, dso, hit->address);
	size_t n = dso_inlines(s, dso, dso_off, frames, MAX_INLINED, &outer);

	if (!n && !outer.file)
		dso_source_line(s, dso, dso_off, &outer);
	for (size_t i = 0; i <= n; i++) {
		const struct source_line *at = i < n ? &frames[i].at : &outer;
		struct line_cost *c;
		bool again = false;

		if (!at->file || !at->line)
			continue;
		for (size_t k = 0; k < i; k++) /* recursion through inlining: count the line once */
			again |= frames[k].at.file && frames[k].at.line == at->line &&
				 !strcmp(frames[k].at.file, at->file);
		c = get_line(t, at->file, at->line, hit->event);
		if (!i)
			add(&c->own, hit);
		if (!again)
			add(&c->with_inlined, hit);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct line_cost *x = a, *y = b;
	int files = strcmp(x->file, y->file);

	if (files)
		return files;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : (x->event > y->event) - (x->event < y->event);
}

void line_costs_of(const struct hot *h, const uint32_t *functions, size_t n, struct line_costs *costs)
{
	struct line_table t = { .costs = costs };

	for (size_t i = 0; i < n; i++) {
		const struct hot_function *f = &h->functions.items[functions[i]];

		for (size_t k = f->first; k < f->first + f->n; k++)
			add_hit(&t, h->session->symbols, f->dso, &h->hits.items[k]);
	}
	idtable_free(&t.index);
	if (costs->len)
		qsort(costs->items, costs->len, sizeof(*costs->items), compare_lines);
}
