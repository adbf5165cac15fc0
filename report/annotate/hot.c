/* From the places of a profile to functions with counts per address. */
#include "report/annotate/annotate.h"

struct placed_hit {
	struct hit hit;
	uint32_t dso, symbol;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed_hit *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	if (x->hit.address != y->hit.address)
		return x->hit.address < y->hit.address ? -1 : 1;
	return (x->hit.event > y->hit.event) - (x->hit.event < y->hit.event);
}

static int compare_unnamed(const void *a, const void *b)
{
	const struct unnamed *x = a, *y = b;

	return x->samples != y->samples ? (x->samples < y->samples) - (x->samples > y->samples)
					: (x->dso > y->dso) - (x->dso < y->dso);
}

struct gather {
	struct hot *h;
	VEC(struct placed_hit) placed;
	uint64_t *unnamed; /* by object */
};

static void take_place(struct gather *g, const struct profile *p, const struct sampled_place *place)
{
	const struct frame *f = &p->frames.items[place->frame];
	uint32_t symbol = p->sites.items[p->leaf_sites.items[place->frame]].symbol;

	g->h->totals[place->event].samples += place->samples;
	g->h->totals[place->event].period += place->period;
	if (!symbol) {
		g->unnamed[f->dso] += place->samples;
		return;
	}
	vec_push(&g->placed,
		 (struct placed_hit){ .hit = { .address = dso_address(p->session->symbols, f->dso, f->dso_off),
					       .event = place->event,
					       .samples = place->samples,
					       .period = place->period },
				      .dso = f->dso,
				      .symbol = symbol });
}

static void add_hit(struct hot *h, const struct placed_hit *p)
{
	struct hot_function *f = h->functions.len ? &h->functions.items[h->functions.len - 1] : NULL;
	struct hit *last = h->hits.len ? &h->hits.items[h->hits.len - 1] : NULL;

	if (!f || f->dso != p->dso || f->symbol != p->symbol) {
		const struct symbol *s = dso_symbol(h->session->symbols, p->dso, p->symbol);

		vec_push(&h->functions, (struct hot_function){ .dso = p->dso,
							       .symbol = p->symbol,
							       .start = s->start,
							       .end = s->end,
							       .first = h->hits.len });
		f = &h->functions.items[h->functions.len - 1];
		last = NULL;
	}
	if (last && last->address == p->hit.address && last->event == p->hit.event) {
		last->samples += p->hit.samples;
		last->period += p->hit.period;
		return;
	}
	vec_push(&h->hits, p->hit);
	f->n++;
}

static void sum_functions(struct hot *h)
{
	h->sums = xcalloc(MAX(h->functions.len, (size_t)1) * h->n_events, sizeof(*h->sums));
	for (size_t i = 0; i < h->functions.len; i++) {
		const struct hot_function *f = &h->functions.items[i];

		for (size_t k = f->first; k < f->first + f->n; k++) {
			struct event_total *t = &h->sums[i * h->n_events + h->hits.items[k].event];

			t->samples += h->hits.items[k].samples;
			t->period += h->hits.items[k].period;
		}
	}
}

static void list_unnamed(struct hot *h, const uint64_t *samples, size_t n_dsos)
{
	h->unnamed = xcalloc(n_dsos, sizeof(*h->unnamed));
	for (uint32_t i = 0; i < n_dsos; i++)
		if (samples[i])
			h->unnamed[h->n_unnamed++] = (struct unnamed){ i, samples[i] };
	qsort(h->unnamed, h->n_unnamed, sizeof(*h->unnamed), compare_unnamed);
}

struct hot *hot_new(struct profile *p)
{
	struct hot *h = xcalloc(1, sizeof(*h));
	size_t n_dsos = symbols_n_dsos(p->session->symbols);
	struct gather g = { .h = h, .unnamed = xcalloc(n_dsos, sizeof(uint64_t)) };

	h->session = p->session;
	h->n_events = p->session->pd->n_events;
	h->totals = xcalloc(h->n_events, sizeof(*h->totals));
	for (unsigned i = 0; i < p->n_parts; i++) {
		for (size_t k = 0; k < p->parts[i].places.len; k++)
			take_place(&g, p, &p->parts[i].places.items[k]);
		for (size_t k = 0; k < h->n_events; k++) {
			h->totals[k].samples += p->parts[i].totals[k].samples;
			h->totals[k].period += p->parts[i].totals[k].period;
		}
	}
	if (g.placed.len)
		qsort(g.placed.items, g.placed.len, sizeof(*g.placed.items), compare_placed);
	for (size_t i = 0; i < g.placed.len; i++)
		add_hit(h, &g.placed.items[i]);
	sum_functions(h);
	list_unnamed(h, g.unnamed, n_dsos);
	vec_free(&g.placed);
	free(g.unnamed);
	return h;
}

void hot_free(struct hot *h)
{
	if (!h)
		return;
	vec_free(&h->hits);
	vec_free(&h->functions);
	free(h->sums);
	free(h->totals);
	free(h->unnamed);
	free(h);
}

const char *hot_name(const struct hot *h, size_t function)
{
	const struct hot_function *f = &h->functions.items[function];

	return symbol_name(h->session->symbols, f->dso, f->symbol);
}

size_t hot_function_of(struct hot *h, uint32_t dso, uint32_t symbol)
{
	const struct symbol *s = dso_symbol(h->session->symbols, dso, symbol);

	for (size_t i = 0; i < h->functions.len; i++)
		if (h->functions.items[i].dso == dso && h->functions.items[i].symbol == symbol)
			return i;
	vec_push(&h->functions,
		 (struct hot_function){
			 .dso = dso, .symbol = symbol, .start = s->start, .end = s->end, .first = h->hits.len });
	h->sums = xrealloc(h->sums, h->functions.len * h->n_events * sizeof(*h->sums));
	memset(h->sums + (h->functions.len - 1) * h->n_events, 0, h->n_events * sizeof(*h->sums));
	return h->functions.len - 1;
}

struct hot_ordering {
	const struct hot *h;
	uint32_t event;
};

static int compare_heat(const void *a, const void *b, void *ctx)
{
	const struct hot_ordering *o = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct event_total *s = hot_sum(o->h, x, o->event), *t = hot_sum(o->h, y, o->event);
	int names;

	if (s->period != t->period)
		return s->period > t->period ? -1 : 1;
	if (s->samples != t->samples)
		return s->samples > t->samples ? -1 : 1;
	names = strcmp(hot_name(o->h, x), hot_name(o->h, y));
	return names ? names : (x > y) - (x < y);
}

uint32_t *hot_order(const struct hot *h, uint32_t event, size_t *n)
{
	uint32_t *order = xcalloc(MAX(h->functions.len, (size_t)1), sizeof(*order));

	*n = 0;
	for (uint32_t i = 0; i < h->functions.len; i++)
		if (hot_sum(h, i, event)->samples)
			order[(*n)++] = i;
	qsort_r(order, *n, sizeof(*order), compare_heat, &(struct hot_ordering){ h, event });
	return order;
}

bool hot_is_named(const struct hot *h, size_t function, const char *asked)
{
	const char *name = hot_name(h, function);
	size_t len = strlen(asked);

	return !strncmp(name, asked, len) && (!name[len] || (name[len] == '(' && !strchr(asked, '(')));
}

long hot_named(const struct hot *h, const char *asked, uint32_t event)
{
	size_t n;
	autofree uint32_t *order = hot_order(h, event, &n);

	for (size_t i = 0; i < n; i++)
		if (hot_is_named(h, order[i], asked))
			return order[i];
	return HOT_NONE;
}
