#include "report/rows/graph.h"

#include <math.h>

#include "base/parallel.h"
#include "base/phases.h"
#include "report/rows/chain_trees_priv.h"

/*
 * The rest of a stretch of a chain, or of all stretches that go through a node of a tree. `number`: the branch that it
 * takes next, 0 = it ends.
 */
struct rest {
	const uint32_t *at;
	uint32_t left, number;
	uint64_t period, samples;
	const struct chain_tree *tree; /* NULL: one chain */
	uint32_t node;
};
struct rest_list {
	VEC(struct rest);
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
	struct chain_trees trees; /* for the stretches of callers, if there are many rows */
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
	uint32_t class; /* of the row */
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

/* Add a stretch to the branch that its next frame takes. */
static inline void take_branch(struct growing *gw, struct rest *item)
{
	uint32_t site = *item->at, number = item->number = gw->gr->graph_of[site];
	struct fork_branch *b = &gw->w->branches[number];

	if (!b->n++) {
		vec_push(&gw->w->touched, number);
		b->site = site;
	} else if (site < b->site) {
		b->site = site;
	}
	b->period += item->period;
	b->samples += item->samples;
}

/* Add the stretches that go through a node of a tree from its site `at` on, except the row's own entries. */
static void add_node(struct rest_list *to, const struct chain_tree *t, uint32_t node, uint32_t at, uint32_t class)
{
	const struct tree_node *n = &t->nodes.items[node];
	const struct tree_self *self = chain_tree_self(t, node, class);
	struct rest r = { .at = n->sites + at,
			  .left = n->n - at,
			  .period = n->period - (self ? self->period : 0),
			  .samples = n->samples - (self ? self->samples : 0),
			  .tree = t,
			  .node = node };

	if (r.period || r.samples)
		vec_push(to, r);
}

/* Sum up the stretches of this rest that end here. Return whether others of its node go on. */
static bool end_rest(struct rest *ended, const struct rest *r, uint32_t class)
{
	uint64_t period = r->period, samples = r->samples;

	if (r->tree) {
		const struct tree_node *n = &r->tree->nodes.items[r->node];
		const struct tree_self *self = chain_tree_self(r->tree, r->node, class);

		period = n->own - (self ? self->own : 0);
		samples = n->own_samples - (self ? self->own_samples : 0);
	}
	ended->period += period;
	ended->samples += samples;
	ended->left += !r->tree || period || samples;
	return r->tree && r->tree->nodes.items[r->node].child;
}

/* Replace each rest that is at the end of its node by those of the nodes below. */
static void step_down(struct growing *gw, struct rest_list *items)
{
	struct rest_list old = *items;

	*items = (struct rest_list){ 0 };
	for (size_t i = 0; i < old.len; i++) {
		const struct chain_tree *t = old.items[i].tree;

		if (old.items[i].left) {
			vec_push(items, old.items[i]);
			continue;
		}
		for (uint32_t node = t ? t->nodes.items[old.items[i].node].child : 0; node;
		     node = t->nodes.items[node].sibling) {
			size_t from = items->len;

			add_node(items, t, node, 0, gw->class);
			if (items->len > from)
				take_branch(gw, &items->items[from]);
		}
	}
}

/*
 * Skip `step` frames of each stretch, and sum up by the next frame. Store the numbers of the branches in w->touched.
 * Return the sums of stretches that end here. If a node of a tree ends here, `items` becomes another list, which the
 * caller frees.
 */
static struct rest look_ahead(struct growing *gw, struct rest_list *items, uint32_t step)
{
	struct rest *all = items->items, ended = { 0 };
	bool down = false;

	vec_clear(&gw->w->touched);
	for (size_t i = 0; i < items->len; i++) {
		fetch_ahead(all, i, items->len, step);
		all[i].at += step;
		all[i].left -= step;
		all[i].number = 0;
		if (all[i].left)
			take_branch(gw, &all[i]);
		else
			down |= end_rest(&ended, &all[i], gw->class);
	}
	if (down)
		step_down(gw, items);
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
	struct rest_list list = { .items = items, .len = n };
	struct rest *own = NULL, ended;

	for (;;) {
		vec_push(&g->frames, site);
		if (gw->gr->branches)
			sum_branches(gw, items, n);
		ended = look_ahead(gw, &list, 1);
		if (list.items != items && list.items != own) {
			free(own);
			own = list.items;
		}
		if (ended.left || gw->w->touched.len != 1)
			break;
		site = gw->w->branches[gw->w->touched.items[0]].site;
		forget(gw);
	}
	g->nodes.items[node].first_frame = first;
	g->nodes.items[node].n_frames = (uint32_t)g->frames.len - first;
	g->nodes.items[node].own = ended.period;
	g->nodes.items[node].own_samples = ended.samples;
	grow_children(gw, node, list.items, list.len);
	free(own);
}

/* Make the graph of a row of this class from these items; their order is lost. */
static void graph_items(struct grapher *gr, struct graph *g, uint32_t class, unsigned worker, struct rest_list *items)
{
	struct growing gw = { .gr = gr, .w = &gr->workers[worker], .g = g, .class = class };
	struct graph_node root = { 0 };

	for (size_t i = 0; i < items->len; i++) {
		root.hits += items->items[i].period;
		root.samples += items->items[i].samples;
	}
	if (!gw.w->branches)
		gw.w->branches = xcalloc(gr->f->profile->n_graph + 1, sizeof(*gw.w->branches));
	vec_push(&g->nodes, root);
	gw.min = (uint64_t)((double)gr->o->total * (gr->o->min_percent / 100));
	look_ahead(&gw, items, 0);
	grow_children(&gw, 0, items->items, items->len);
}

static void add_stretches(struct rest_list *to, const struct part *part, const struct stretch_list *l)
{
	vec_reserve(to, to->len + l->len);
	for (size_t i = 0; i < l->len; i++) {
		const struct entry *e = &part->entries.items[l->items[i].entry];
		const struct chain *c = &part->chains.items[e->chain];

		vec_push(to, (struct rest){ .at = part->words.items + c->at + l->items[i].pos,
					    .left = c->n - l->items[i].pos,
					    .period = e->period,
					    .samples = e->samples });
	}
}

static void graph_row(void *ctx, size_t item, unsigned worker)
{
	struct grapher *gr = ctx;
	const struct profile *p = gr->f->profile;
	uint32_t class = gr->f->rows.items[gr->rows[item]].site;
	struct rest_list items = { 0 };

	for (unsigned part = 0; part < p->n_parts; part++) {
		size_t at = part * gr->n + item;
		const struct start_list *starts = gr->trees.lists ? &gr->trees.lists[at] : NULL;

		add_stretches(&items, &p->parts[part], &gr->lists[at]);
		for (size_t i = 0; starts && i < starts->len; i++) {
			const struct tree_start *s = &starts->items[i];

			add_node(&items, &gr->trees.trees[s->tree], s->node, s->at, class);
		}
	}
	graph_items(gr, &gr->graphs[item], class, worker, &items);
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
	struct rest_list items = { 0 };
	struct graph g = { 0 };

	for (size_t i = 0; i < n; i++)
		vec_push(&items, (struct rest){ .at = stretches[i].at,
						.left = stretches[i].n,
						.period = stretches[i].period,
						.samples = stretches[i].samples });
	graph_items(&gr, &g, 0, 0, &items);
	vec_free(&items);
	free(gr.graph_of);
	free(worker.branches);
	vec_free(&worker.touched);
	return g;
}

/* With fewer rows, making the trees costs more than it saves. */
enum { ROWS_FOR_TREES = 16 };

/* Find the stretches of the rows: those of many callers in trees. */
static void find_stretches(struct grapher *gr, const uint32_t *wanted, struct stretch_list *lists)
{
	bool trees = gr->f->opts.children && !gr->branches && gr->n >= ROWS_FOR_TREES && chain_trees_pay(gr->f);

	if (!trees) {
		fold_stretches(gr->f, wanted, gr->n, lists);
		return;
	}
	fold_own_stretches(gr->f, wanted, gr->n, lists);
	chain_trees_make(&gr->trees, gr->f, wanted, gr->n);
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
	find_stretches(&gr, wanted, lists);
	gr.lists = lists;
	parallel_for(n, threads, graph_row, &gr);
	for (size_t i = 0; i < f->profile->n_parts * n; i++)
		vec_free(&lists[i]);
	chain_trees_release(&gr.trees);
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
