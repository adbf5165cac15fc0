/*
 * Print data types with the shares of their members, in the form of perf's annotate --data-type.
 * Source: perf-annotate(1), and the output of perf 7.2.
 */
#include "report/text/text_types.h"

#include "report/text/text_annotate.h"

struct type_hit {
	uint64_t offset;
	uint32_t event;
	struct event_total sum;
};
struct type_sum {
	uint32_t dso;
	struct access_type type;
	struct event_total *sums; /* per event */
	VEC(struct type_hit) hits;
};

struct type_sums {
	const struct hot *hot;
	struct access *access;
	VEC(struct type_sum) types;
	uint64_t n_insns, gaps[ACCESS_GAPS];
};

/* Return the sums of a type; add it if it is new. Names are interned: equal names have equal pointers. */
static struct type_sum *sum_of(struct type_sums *t, uint32_t dso, const struct access_type *type)
{
	for (size_t i = t->types.len; i--;)
		if (t->types.items[i].type.name == type->name && t->types.items[i].dso == dso)
			return &t->types.items[i];
	vec_push(&t->types, (struct type_sum){ .dso = dso,
					       .type = *type,
					       .sums = xcalloc(t->hot->n_events + 1, sizeof(struct event_total)) });
	return &t->types.items[t->types.len - 1];
}

static void add_hit(struct type_sums *t, uint32_t dso, const struct access_type *type, const struct hit *h)
{
	struct type_sum *s = sum_of(t, dso, type);

	s->sums[h->event].samples += h->samples;
	s->sums[h->event].period += h->period;
	vec_push(&s->hits, (struct type_hit){ type->offset, h->event, { .samples = h->samples, .period = h->period } });
}

static void add_function(struct type_sums *t, const struct hot_function *f)
{
	struct symbols *symbols = t->hot->session->symbols;
	struct access_type type = { 0 };

	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct hit *h = &t->hot->hits.items[i];

		if (i == f->first || h->address != h[-1].address) {
			type = access_at(t->access, f->dso, dso_offset(symbols, f->dso, h->address));
			t->n_insns++;
			t->gaps[type.gap]++;
		}
		if (type.kind == ACCESS_TYPE)
			add_hit(t, f->dso, &type, h);
	}
}

struct type_sums *type_sums_new(const struct hot *h, const uint32_t *functions, size_t n)
{
	struct type_sums *t = xcalloc(1, sizeof(*t));

	t->hot = h;
	t->access = access_new(h->session->symbols);
	for (size_t i = 0; i < n; i++)
		add_function(t, &h->functions.items[functions[i]]);
	return t;
}

void type_sums_free(struct type_sums *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->types.len; i++) {
		free(t->types.items[i].sums);
		vec_free(&t->types.items[i].hits);
	}
	vec_free(&t->types);
	access_free(t->access);
	free(t);
}

void text_type_stat(const struct type_sums *t, struct out *o)
{
	static const char *const names[ACCESS_GAPS] = { [ACCESS_NO_SYMBOL] = "no_sym",
							[ACCESS_NO_CODE] = "no_insn",
							[ACCESS_NO_DEBUG_INFO] = "no_dbginfo",
							[ACCESS_NO_MEMORY] = "no_mem_ops",
							[ACCESS_NO_TYPE] = "no_typeinfo" };
	uint64_t ok = t->gaps[ACCESS_KNOWN], bad = t->n_insns - ok;
	double all = t->n_insns ? (double)t->n_insns : 1;

	out_fmt(o, "Annotate data type stats:\ntotal %llu, ok %llu (%.1f%%), bad %llu (%.1f%%)\n",
		(unsigned long long)t->n_insns, (unsigned long long)ok, 100 * (double)ok / all, (unsigned long long)bad,
		100 * (double)bad / all);
	out_str(o, "-----------------------------------------------------------\n");
	for (int i = ACCESS_KNOWN + 1; i < ACCESS_GAPS; i++)
		if (t->gaps[i])
			out_fmt(o, "%10llu : %s\n", (unsigned long long)t->gaps[i], names[i]);
	out_char(o, '\n');
}

/* ---- one type ---- */

static const char *const titles[] = { "Percent", "Samples", "Period" };

static void put_value(const struct annotate_text *how, const struct event_total *part, const struct event_total *all,
		      struct out *o)
{
	if (how->column == COLUMN_SAMPLES)
		out_fmt(o, " %7llu", (unsigned long long)part->samples);
	else if (how->column == COLUMN_PERIOD)
		out_fmt(o, " %11llu", (unsigned long long)part->period);
	else
		out_fmt(o, " %7.2f", all->period ? 100.0 * (double)part->period / (double)all->period : 0);
}

static struct event_total inside(const struct type_sum *s, uint32_t event, uint64_t offset, uint64_t size)
{
	struct event_total sum = { 0 };

	for (size_t i = 0; i < s->hits.len; i++) {
		const struct type_hit *h = &s->hits.items[i];

		if (h->event != event || h->offset < offset || h->offset - offset >= size)
			continue;
		sum.samples += h->sum.samples;
		sum.period += h->sum.period;
	}
	return sum;
}

static int margin(const struct annotate_text *how)
{
	return (int)how->n_events * (how->column == COLUMN_PERIOD ? 12 : 8);
}

/* Close the braces of all levels from `depth` on. */
static void close_until(const struct annotate_text *how, unsigned *open, unsigned depth, struct out *o)
{
	enum { PLACES = 24, STEP = 4 }; /* columns of offset and size; indentation of members */

	while (*open > depth) {
		--*open;
		out_pad(o, ' ', margin(how) + PLACES + STEP * (long)*open);
		out_str(o, "};\n");
	}
}

static void put_member(const struct type_sum *s, const struct annotate_text *how, const struct access_member *m,
		       struct out *o)
{
	char offset[24] = "0";

	for (size_t i = 0; i < how->n_events; i++) {
		struct event_total part =
			m->depth ? inside(s, how->events[i], m->offset, m->size) : s->sums[how->events[i]];

		put_value(how, &part, &s->sums[how->events[i]], o);
	}
	if (m->offset)
		snprintf(offset, sizeof(offset), "%#llx", (unsigned long long)m->offset);
	out_fmt(o, " %10s %#10llx  ", offset, (unsigned long long)m->size);
	out_pad(o, ' ', 4 * (long)m->depth);
	out_name(o, m->type);
	out_char(o, '\t');
	out_name(o, m->name);
	out_str(o, m->opens ? " {\n" : ";\n");
}

static void put_type(const struct type_sums *t, const struct type_sum *s, const struct annotate_text *how,
		     struct out *o)
{
	const struct session *session = t->hot->session;
	struct access_members members = { 0 };
	unsigned open = 0;

	out_str(o, "Annotate type: '");
	out_name(o, s->type.name);
	out_str(o, "' in ");
	out_name(o, dso_name(session->symbols, s->dso));
	out_fmt(o, " (%llu samples):\n", (unsigned long long)s->sums[how->events[0]].samples);
	for (size_t i = 0; i < how->n_events && how->n_events > 1; i++) {
		out_fmt(o, " event[%zu] = ", i);
		out_name(o, session->pd->events[how->events[i]].name);
		out_char(o, '\n');
	}
	out_str(o, "============================================================================\n");
	out_fmt(o, "%*s %10s %10s  field\n", margin(how), titles[how->column], "offset", "size");
	access_members(t->access, &s->type, &members);
	for (size_t i = 0; i < members.len; i++) {
		close_until(how, &open, members.items[i].depth, o);
		put_member(s, how, &members.items[i], o);
		open += members.items[i].opens;
	}
	close_until(how, &open, 0, o);
	out_char(o, '\n');
	vec_free(&members);
}

static bool is_called(const char *type, const char *name)
{
	const char *blank = strchr(type, ' ');

	return !name || !strcmp(type, name) ||
	       (blank && (!strncmp(type, "struct ", 7) || !strncmp(type, "union ", 6)) && !strcmp(blank + 1, name));
}

struct rank {
	const struct type_sum *sum;
	uint64_t period;
};

static int by_period(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;

	return a->period != b->period ? (a->period < b->period) - (a->period > b->period)
				      : strcmp(a->sum->type.name, b->sum->type.name);
}

size_t text_types(const struct type_sums *t, const struct annotate_text *how, const char *name, struct out *o)
{
	VEC(struct rank) ranks = { 0 };
	size_t n;

	for (size_t i = 0; i < t->types.len; i++) {
		const struct type_sum *s = &t->types.items[i];
		uint64_t samples = 0, period = 0;

		for (size_t k = 0; k < how->n_events; k++) {
			samples += s->sums[how->events[k]].samples;
			period += k ? 0 : s->sums[how->events[k]].period;
		}
		if (samples && is_called(s->type.name, name))
			vec_push(&ranks, (struct rank){ s, period });
	}
	if (ranks.len)
		qsort(ranks.items, ranks.len, sizeof(*ranks.items), by_period);
	for (size_t i = 0; i < ranks.len; i++)
		put_type(t, ranks.items[i].sum, how, o);
	n = ranks.len;
	vec_free(&ranks);
	return n;
}
