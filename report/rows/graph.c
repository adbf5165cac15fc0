#include "report/rows/graph.h"

#include <math.h>

#include "base/parallel.h"
#include "base/phases.h"

/* The rest of a stretch of a chain; `number`: the branch that it takes next, 0 = it ends. */
struct rest {
	const uint32_t *at;
	uint32_t left, number;
	uint64_t period, samples;
};

/* Sums of one branch of a fork, by graph number; each worker has its own. */
struct fork_branch {
	uint64_t period, samples;
	size_t n, next, end;
	uint32_t site;
	bool kept;
};

struct grapher {
	const struct fold *f;
	const struct graph_opts *o;
	const uint32_t *rows;
	const struct stretch_list *lists;
	size_t n;
	bool branches;      /* sum over the branches of each frame */
	uint32_t *graph_of; /* site -> graph number; small enough for the cache */
	struct graph *graphs;
	struct grapher_worker {
		struct fork_branch *branches;
		VEC(uint32_t) touched;
	} * workers;
};

struct growing {
	const struct grapher *gr;
	struct grapher_worker *w;
	struct graph *g;
	uint64_t min;   /* drop branches with a smaller sum */
	unsigned depth; /* number of forks above */
};

/* Nobody can read deeper forks; this limits our own stack. */
enum { FORKS_MAX = 4096 };

/* Chains lie scattered in memory: prefetch those that come soon. */
enum { FETCH_AHEAD = 12 };

static inline void fetch_ahead(const struct rest *items, size_t i, size_t n, uint32_t step)
{
	if (i + FETCH_AHEAD < n)
		__builtin_prefetch(items[i + FETCH_AHEAD].at + step);
}

/*
 * Skip `step` frames of each stretch, and sum up by the next frame. Store the numbers of the branches in w->touched.
 * Return the sums of stretches that end here.
 */
static struct rest look_ahead(struct growing *gw, struct rest *items, size_t n, uint32_t step)
{
	const uint32_t *graph_of = gw->gr->graph_of;
	struct fork_branch *branches = gw->w->branches;
	struct rest ended = { 0 };

	vec_clear(&gw->w->touched);
	for (size_t i = 0; i < n; i++) {
		struct fork_branch *b;
		uint32_t number;

		fetch_ahead(items, i, n, step);
		items[i].at += step;
		items[i].left -= step;
		items[i].number = 0;
		if (!items[i].left) {
			ended.period += items[i].period;
			ended.samples += items[i].samples;
			ended.left++;
			continue;
		}
		number = items[i].number = graph_of[*items[i].at];
		b = &branches[number];
		if (!b->n++) {
			vec_push(&gw->w->touched, number);
			b->site = *items[i].at;
		} else if (*items[i].at < b->site) {
			b->site = *items[i].at;
		}
		b->period += items[i].period;
		b->samples += items[i].samples;
	}
	return ended;
}

static void forget(struct growing *gw)
{
	for (size_t i = 0; i < gw->w->touched.len; i++)
		gw->w->branches[gw->w->touched.items[i]] = (struct fork_branch){ 0 };
}

struct fork {
	uint32_t number, site;
	uint64_t period, samples;
	size_t from, n;
};

static const struct symbol *site_symbol(const struct profile *p, const struct site *s)
{
	return dso_symbol(p->session->symbols, s->dso, s->symbol);
}

/*
 * Compare equal branches as perf does: higher addresses in the object first; inlined calls by name.
 * The last comparison only makes the order the same in every run.
 */
int graph_site_compare(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct site *s = &p->sites.items[a], *t = &p->sites.items[b];
	uint64_t at_s = s->ip, at_t = t->ip;

	if (s->inlined && t->inlined && s->inlined != t->inlined)
		return strcmp(t->inlined, s->inlined);
	if (s->dso != t->dso)
		return s->dso > t->dso ? -1 : 1;
	if (s->symbol && t->symbol && p->opts.graph_by != GRAPH_BY_ADDRESS) {
		at_s = site_symbol(p, s)->start;
		at_t = site_symbol(p, t)->start;
	}
	if (at_s != at_t)
		return at_s > at_t ? -1 : 1;
	return (a < b) - (a > b);
}

static int fork_compare(const void *a, const void *b, void *ctx)
{
	const struct fork *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return graph_site_compare(ctx, x->site, y->site);
}

/* Choose the branches to keep, largest first, and compute where their items will lie. */
static size_t choose(struct growing *gw, struct fork **forks)
{
	struct fork_branch *branches = gw->w->branches;
	size_t n = 0, at = 0;

	*forks = xcalloc(gw->w->touched.len, sizeof(**forks));
	for (size_t i = 0; i < gw->w->touched.len; i++) {
		uint32_t number = gw->w->touched.items[i];
		const struct fork_branch *b = &branches[number];

		if (b->period >= gw->min)
			(*forks)[n++] = (struct fork){
				.number = number, .site = b->site, .period = b->period, .samples = b->samples, .n = b->n
			};
	}
	qsort_r(*forks, n, sizeof(**forks), fork_compare, gw->gr->f->profile);
	for (size_t i = 0; i < n; i++) {
		struct fork_branch *b = &branches[(*forks)[i].number];

		(*forks)[i].from = at;
		b->kept = true;
		b->next = at;
		at += b->n;
		b->end = at;
	}
	return n;
}

/* Partition the items in place: those of each kept branch side by side, the others at the end. */
static void gather(struct growing *gw, struct rest *items, const struct fork *forks, size_t n_forks)
{
	struct fork_branch *branches = gw->w->branches;
	size_t kept = n_forks ? forks[n_forks - 1].from + forks[n_forks - 1].n : 0, back = kept;

	for (size_t k = 0; k < n_forks; k++) {
		struct fork_branch *b = &branches[forks[k].number];

		while (b->next < b->end) {
			struct rest *item = &items[b->next], other;
			struct fork_branch *own = &branches[item->number];
			size_t to;

			if (own == b) {
				b->next++;
				continue;
			}
			to = own->kept ? own->next++ : back++; /* index 0 is never kept */
			other = items[to];
			items[to] = *item;
			*item = other;
		}
	}
	for (size_t k = 0; k < n_forks; k++)
		branches[forks[k].number] = (struct fork_branch){ 0 };
}

static void grow(struct growing *gw, uint32_t node, uint32_t site, struct rest *items, size_t n);

/* Make the node's children from what comes next. */
static void grow_children(struct growing *gw, uint32_t node, struct rest *items, size_t n)
{
	struct graph *g = gw->g;
	struct fork *forks = NULL;
	size_t n_forks;
	uint32_t first;

	if (gw->gr->o->form == GRAPH_FRACTAL)
		gw->min = (uint64_t)ceil((double)(g->nodes.items[node].hits - g->nodes.items[node].own) *
					 gw->gr->o->min_percent / 100);
	n_forks = gw->depth < FORKS_MAX ? choose(gw, &forks) : 0;
	for (size_t i = 0; i < gw->w->touched.len; i++)
		if (!gw->w->branches[gw->w->touched.items[i]].kept)
			gw->w->branches[gw->w->touched.items[i]] = (struct fork_branch){ 0 };
	gather(gw, items, forks, n_forks);
	first = (uint32_t)g->nodes.len;
	g->nodes.items[node].first_child = first;
	g->nodes.items[node].n_children = (uint32_t)n_forks;
	for (size_t i = 0; i < n_forks; i++)
		vec_push(&g->nodes, (struct graph_node){ .hits = forks[i].period, .samples = forks[i].samples });
	gw->depth++;
	for (size_t i = 0; i < n_forks; i++)
		grow(gw, first + (uint32_t)i, forks[i].site, items + forks[i].from, forks[i].n);
	gw->depth--;
	free(forks);
}

/* Return the sums over branches of a frame; they lie beside the frames of its part. */
static const struct branch_sums *branches_of(const struct profile *p, const uint32_t *at)
{
	const struct part *part = p->parts;

	while (at < part->words.items || at >= part->words.items + part->words.len)
		part++;
	return &part->branches.items[at - part->words.items];
}

static void sum_branches(const struct growing *gw, const struct rest *items, size_t n)
{
	struct branch_sums sums = { 0 };

	for (size_t i = 0; i < n; i++)
		branch_sums_add(&sums, branches_of(gw->gr->f->profile, items[i].at));
	vec_push(&gw->g->branches, sums);
}

/* Grow a node whose items all begin with the frame `site`: add frames until the items differ or one ends. */
static void grow(struct growing *gw, uint32_t node, uint32_t site, struct rest *items, size_t n)
{
	struct graph *g = gw->g;
	uint32_t first = (uint32_t)g->frames.len;
	struct rest ended;

	for (;;) {
		vec_push(&g->frames, site);
		if (gw->gr->branches)
			sum_branches(gw, items, n);
		ended = look_ahead(gw, items, n, 1);
		if (ended.left || gw->w->touched.len != 1)
			break;
		site = gw->w->branches[gw->w->touched.items[0]].site;
		forget(gw);
	}
	g->nodes.items[node].first_frame = first;
	g->nodes.items[node].n_frames = (uint32_t)g->frames.len - first;
	g->nodes.items[node].own = ended.period;
	g->nodes.items[node].own_samples = ended.samples;
	grow_children(gw, node, items, n);
}

/* Make the graph of these items; their order is lost. */
static void graph_items(struct grapher *gr, struct graph *g, unsigned worker, struct rest *items, size_t n)
{
	struct growing gw = { .gr = gr, .w = &gr->workers[worker], .g = g };
	struct graph_node root = { 0 };

	for (size_t i = 0; i < n; i++) {
		root.hits += items[i].period;
		root.samples += items[i].samples;
	}
	if (!gw.w->branches)
		gw.w->branches = xcalloc(gr->f->profile->n_graph + 1, sizeof(*gw.w->branches));
	vec_push(&g->nodes, root);
	gw.min = (uint64_t)((double)gr->o->total * (gr->o->min_percent / 100));
	look_ahead(&gw, items, n, 0);
	grow_children(&gw, 0, items, n);
}

static void graph_row(void *ctx, size_t item, unsigned worker)
{
	struct grapher *gr = ctx;
	const struct profile *p = gr->f->profile;
	VEC(struct rest) items = { 0 };

	for (unsigned part = 0; part < p->n_parts; part++) {
		const struct stretch_list *l = &gr->lists[part * gr->n + item];

		vec_reserve(&items, items.len + l->len);
		for (size_t i = 0; i < l->len; i++) {
			const struct entry *e = &p->parts[part].entries.items[l->items[i].entry];
			const struct chain *c = &p->parts[part].chains.items[e->chain];

			vec_push(&items, (struct rest){ .at = p->parts[part].words.items + c->at + l->items[i].pos,
							.left = c->n - l->items[i].pos,
							.period = e->period,
							.samples = e->samples });
		}
	}
	graph_items(gr, &gr->graphs[item], worker, items.items, items.len);
	vec_free(&items);
}

static uint32_t *graph_numbers(const struct profile *p)
{
	uint32_t *of = xcalloc(p->sites.len, sizeof(*of));

	for (size_t i = 0; i < p->sites.len; i++)
		of[i] = p->sites.items[i].graph;
	return of;
}

struct graph graph_new(const struct fold *f, const struct graph_stretch *stretches, size_t n,
		       const struct graph_opts *o)
{
	struct grapher_worker worker = { 0 };
	struct grapher gr = { .f = f, .o = o, .graph_of = graph_numbers(f->profile), .workers = &worker };
	struct rest *items = xcalloc(n, sizeof(*items));
	struct graph g = { 0 };

	for (size_t i = 0; i < n; i++)
		items[i] = (struct rest){ .at = stretches[i].at,
					  .left = stretches[i].n,
					  .period = stretches[i].period,
					  .samples = stretches[i].samples };
	graph_items(&gr, &g, 0, items, n);
	free(items);
	free(gr.graph_of);
	free(worker.branches);
	vec_free(&worker.touched);
	return g;
}

struct graph *graphs_new(const struct fold *f, const uint32_t *rows, size_t n, const struct graph_opts *o)
{
	unsigned threads = f->profile->opts.threads;
	struct grapher gr = { .f = f,
			      .o = o,
			      .rows = rows,
			      .n = n,
			      .branches = f->profile->opts.branch_history,
			      .graphs = xcalloc(n, sizeof(*gr.graphs)),
			      .workers = xcalloc(MAX(threads, 1u), sizeof(*gr.workers)) };
	struct stretch_list *lists = xcalloc(f->profile->n_parts * n, sizeof(*lists));
	uint32_t *wanted = xcalloc(f->rows.len, sizeof(*wanted));
	const char *before = phase("graphs");

	for (size_t i = 0; i < n; i++)
		wanted[rows[i]] = (uint32_t)i + 1;
	gr.graph_of = graph_numbers(f->profile);
	fold_stretches(f, wanted, n, lists);
	gr.lists = lists;
	parallel_for(n, threads, graph_row, &gr);
	for (size_t i = 0; i < f->profile->n_parts * n; i++)
		vec_free(&lists[i]);
	for (unsigned i = 0; i < MAX(threads, 1u); i++) {
		free(gr.workers[i].branches);
		vec_free(&gr.workers[i].touched);
	}
	free(gr.workers);
	free(gr.graph_of);
	free(lists);
	free(wanted);
	phase(before);
	return gr.graphs;
}

void graph_release(struct graph *g)
{
	vec_free(&g->frames);
	vec_free(&g->branches);
	vec_free(&g->nodes);
}
