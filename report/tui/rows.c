#include "report/tui/rows_priv.h"

#include <ctype.h>

#include "base/parallel.h"
#include "base/search.h"
#include "base/vec_edit.h"

void rows_init(struct rows *r, const struct view *v, const struct hierarchy *h, const struct graph_opts *graph)
{
	*r = (struct rows){ .v = v, .h = h, .graph = graph };
	if (h)
		r->open = xcalloc(h->nodes.len, sizeof(*r->open));
}

static void close_trees(struct rows *r)
{
	for (size_t i = 0; i < r->opened.len; i++)
		tree_free(r->opened.items[i].tree);
	for (size_t i = 0; i < r->kept.len; i++)
		tree_free(r->kept.items[i].tree);
	vec_clear(&r->opened);
	vec_clear(&r->kept);
}

void rows_release(struct rows *r)
{
	close_trees(r);
	vec_free(&r->opened);
	vec_free(&r->kept);
	vec_free(&r->items);
	free(r->open);
	free(r->shown);
	free(r->sieved);
	free(r->passed);
}

void rows_zoom_release(struct rows_zoom *z)
{
	free(z->name);
	free(z->text);
}

const struct view_row *rows_row(const struct rows *r, uint32_t item)
{
	return r->h ? &r->h->nodes.items[item].row : &r->v->rows.items[item];
}

/* ---- which rows are shown ---- */

/* Does the text contain the wanted one? With a capital letter in the wanted text, the case must match. */
static bool contains(const char *text, const char *wanted)
{
	for (const char *c = wanted; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, wanted);
	return strcasestr(text, wanted);
}

static bool column_contains(const struct rows *r, const struct column *c, const struct view_row *row, const char *text,
			    struct out *scratch)
{
	if (c->key->sum)
		return false;
	scratch->len = 0;
	view_key_text(r->v, c->key, row->row, scratch);
	return contains(out_text(scratch), text);
}

bool rows_contain(const struct rows *r, uint32_t item, const char *text, struct out *scratch)
{
	const struct view_row *row = rows_row(r, item);
	size_t from = 0, to = r->v->columns.len;

	if (r->h) {
		from = r->h->levels.items[r->h->nodes.items[item].depth].from;
		to = r->h->levels.items[r->h->nodes.items[item].depth].to;
	}
	for (size_t i = from; i < to; i++)
		if (column_contains(r, &r->v->columns.items[i], row, text, scratch))
			return true;
	return false;
}

static bool passes_zoom(const struct rows *r, const struct rows_zoom *z, const struct view_row *row)
{
	const struct site *s = fold_site(r->v->fold, row->row);
	const struct symbols *symbols = r->v->fold->profile->session->symbols;

	if (z->kernel)
		return dso_kind(symbols, s->dso) == DSO_KIND_KERNEL || dso_kind(symbols, s->dso) == DSO_KIND_MODULE ||
		       dso_kind(symbols, s->dso) == DSO_KIND_KSYMBOL;
	if (!z->key)
		return s->dso == z->dso;
	if (!z->row)
		return false;
	if (z->key->compare)
		return !view_key_compare(r->v, z->key, row->row, z->row);
	return !z->key->identity || !z->key->identity(r->v, row->row, z->row);
}

static bool passes(const struct rows *r, const struct rows_filter *f, uint32_t item, struct out *scratch)
{
	const struct view_row *row = rows_row(r, item);

	if (view_percent(r->v, 0, view_weight(r->v, row)) < f->min_percent)
		return false;
	for (size_t i = 0; i < f->zooms.len; i++)
		if (!passes_zoom(r, &f->zooms.items[i], row))
			return false;
	if (!r->h && !view_name_passes(r->v, row))
		return false;
	return !f->text || !*f->text || rows_contain(r, item, f->text, scratch);
}

/* Test many rows at once, on several threads, because each may need its text formatted. */
struct sieve {
	const struct rows *r;
	const struct rows_filter *f;
	const uint32_t *items;
	size_t n;
	bool *passed;
	struct out *scratch;
};
enum { SIEVE_BATCH = 4096, SIEVE_THREADS = 64 };

static void sieve_batch(void *ctx, size_t batch, unsigned worker)
{
	struct sieve *s = ctx;
	size_t end = MIN((batch + 1) * SIEVE_BATCH, s->n);

	for (size_t i = batch * SIEVE_BATCH; i < end; i++)
		s->passed[i] = passes(s->r, s->f, s->items[i], &s->scratch[worker]);
}

static void sieve(const struct rows *r, const struct rows_filter *f, const uint32_t *items, size_t n, bool *passed)
{
	struct out scratch[SIEVE_THREADS];
	struct sieve s = { .r = r, .f = f, .items = items, .n = n, .passed = passed, .scratch = scratch };
	unsigned threads = MIN(parallel_threads(), (unsigned)SIEVE_THREADS);

	for (unsigned i = 0; i < threads; i++)
		out_init_mem(&scratch[i]);
	parallel_for((n + SIEVE_BATCH - 1) / SIEVE_BATCH, threads, sieve_batch, &s);
	for (unsigned i = 0; i < threads; i++)
		out_release(&scratch[i]);
}

/* Show a node together with its parents and, if it matches itself, with all nodes below it. */
static void spread(struct rows *r, const struct rows_filter *f)
{
	const struct hierarchy_node *nodes = r->h->nodes.items;
	size_t n = r->h->nodes.len;
	bool plain = !f->text || !*f->text;
	VEC(uint32_t) above = { 0 };

	if (!r->shown)
		r->shown = xcalloc(n, 1);
	if (plain && !f->zooms.len) {
		memcpy(r->shown, r->passed, n);
		return;
	}
	memset(r->shown, false, n);
	for (size_t i = 0; i < n; i++) {
		while (above.len > nodes[i].depth)
			above.len--;
		vec_push(&above, (uint32_t)i);
		if (!r->passed[i])
			continue;
		for (size_t k = 0; k < above.len; k++)
			r->shown[above.items[k]] = true;
		if (!f->zooms.len)
			memset(r->shown + i, true, nodes[i].end - i);
	}
	vec_free(&above);
}

/* List the shown nodes, except those below folded ones. */
static void list_nodes(struct rows *r)
{
	const struct hierarchy_node *nodes = r->h->nodes.items;

	vec_clear(&r->items);
	for (size_t i = 0; r->shown && i < r->h->nodes.len; i = r->shown[i] && r->open[i] ? i + 1 : nodes[i].end)
		if (r->shown[i])
			vec_push(&r->items, (uint32_t)i);
}

/* ---- lines ---- */

static void sum_before(struct rows *r)
{
	size_t before = 0;

	for (size_t i = 0; i < r->opened.len; i++) {
		r->opened.items[i].before = before;
		before += r->opened.items[i].tree->lines.len;
	}
}

bool rows_find(const struct rows *r, uint32_t item, size_t *pos)
{
	size_t low = search_count(i, r->items.len, r->items.items[i] < item);

	*pos = low;
	return low < r->items.len && r->items.items[low] == item;
}

/* ---- filtering, in steps ---- */

/* Keep open trees until we know which rows are shown. */
static void keep_trees(struct rows *r)
{
	VEC(struct rows_kept) all = { 0 };

	for (size_t i = 0; i < r->opened.len; i++)
		vec_push(&all, (struct rows_kept){ r->items.items[r->opened.items[i].pos], r->opened.items[i].tree });
	for (size_t i = 0; i < r->kept.len; i++) /* of a filter that was not finished */
		vec_push(&all, r->kept.items[i]);
	vec_clear(&r->opened);
	vec_move(&r->kept, &all);
}

static void settle_trees(struct rows *r)
{
	size_t n = 0;

	for (; n < r->kept.len && rows_is_settled(r, r->kept.items[n].item); n++) {
		struct rows_open o = { .tree = r->kept.items[n].tree };

		if (rows_find(r, r->kept.items[n].item, &o.pos))
			vec_push(&r->opened, o);
		else
			tree_free(o.tree);
	}
	vec_remove(&r->kept, 0, n);
	sum_before(r);
}

bool rows_is_settled(const struct rows *r, uint32_t item)
{
	return r->at == r->n_sieved || (!r->h && item < r->sieved[r->at]);
}

/* List the items that may pass: all, or those shown and those that the last filter did not reach. */
static void list_sieved(struct rows *r, bool narrower)
{
	size_t all = r->h ? r->h->nodes.len : r->v->rows.len, rest = r->n_sieved - r->at;
	uint32_t *sieved = xcalloc(MAX(narrower ? r->items.len + rest : all, (size_t)1), sizeof(*sieved));

	if (narrower) {
		if (r->items.len)
			memcpy(sieved, r->items.items, r->items.len * sizeof(*sieved));
		if (rest)
			memcpy(sieved + r->items.len, r->sieved + r->at, rest * sizeof(*sieved));
		r->n_sieved = r->items.len + rest;
	} else {
		for (size_t i = 0; i < all; i++)
			sieved[i] = (uint32_t)i;
		r->n_sieved = all;
	}
	free(r->sieved);
	r->sieved = sieved;
	r->at = 0;
}

void rows_filter_begin(struct rows *r, bool narrower)
{
	keep_trees(r);
	list_sieved(r, narrower && !r->h);
	if (!r->h)
		vec_clear(&r->items);
	else if (!r->passed)
		r->passed = xcalloc(r->h->nodes.len, 1);
}

bool rows_filter_step(struct rows *r, const struct rows_filter *f)
{
	enum { STEP = 4 * SIEVE_BATCH };
	size_t n = MIN(r->n_sieved - r->at, (size_t)STEP);
	const uint32_t *items = r->sieved + r->at;
	bool passed[STEP];

	if (n)
		sieve(r, f, items, n, r->h ? r->passed + r->at : passed);
	for (size_t i = 0; i < n && !r->h; i++)
		if (passed[i])
			vec_push(&r->items, items[i]);
	r->at += n;
	if (r->h && r->at == r->n_sieved) {
		spread(r, f);
		list_nodes(r);
	}
	settle_trees(r);
	return r->at < r->n_sieved;
}

/* List the nodes again after some were folded or unfolded; the filter is unchanged. */
static void refold(struct rows *r)
{
	keep_trees(r);
	list_nodes(r);
	settle_trees(r);
}

size_t rows_lines(const struct rows *r)
{
	const struct rows_open *last = r->opened.len ? &r->opened.items[r->opened.len - 1] : NULL;

	return r->items.len + (last ? last->before + last->tree->lines.len : 0);
}

/* Count the opened rows before a position. */
static size_t opened_before(const struct rows *r, size_t pos)
{
	return search_count(i, r->opened.len, r->opened.items[i].pos < pos);
}

size_t rows_line_of(const struct rows *r, size_t pos)
{
	size_t n = opened_before(r, pos);

	return pos + (n ? r->opened.items[n - 1].before + r->opened.items[n - 1].tree->lines.len : 0);
}

struct rows_line rows_at(const struct rows *r, size_t line)
{
	/* how many opened rows begin above this line */
	size_t low = search_count(i, r->opened.len, r->opened.items[i].pos + r->opened.items[i].before < line);
	const struct rows_open *o;
	struct rows_line at = { .pos = line };

	if (low) {
		o = &r->opened.items[low - 1];
		at.line = line - (o->pos + o->before) - 1;
		if (at.line < o->tree->lines.len) {
			at.pos = o->pos;
			at.tree = o->tree;
		} else {
			at.pos = o->pos + 1 + at.line - o->tree->lines.len;
			at.line = 0;
		}
	}
	at.item = r->items.items[at.pos];
	return at;
}

/* ---- folds ---- */

static bool is_leaf(const struct rows *r, uint32_t item) { return !r->h || r->h->nodes.items[item].end == item + 1; }

static bool has_graph(const struct rows *r, uint32_t item)
{
	const struct view_row *row = rows_row(r, item);
	uint64_t weight = view_weight(r->v, row);

	if (!is_leaf(r, item) || r->graph->form == GRAPH_NONE || row->row->event != r->v->event ||
	    !row->row->stretches || !weight)
		return false;
	return r->graph->form == GRAPH_FRACTAL ||
	       weight >= (uint64_t)((double)r->graph->total * (r->graph->min_percent / 100));
}

bool rows_foldable(const struct rows *r, uint32_t item) { return !is_leaf(r, item) || has_graph(r, item); }

bool rows_is_open(const struct rows *r, size_t pos)
{
	size_t n = opened_before(r, pos);

	if (!is_leaf(r, r->items.items[pos]))
		return r->open[r->items.items[pos]];
	return n < r->opened.len && r->opened.items[n].pos == pos;
}

static uint32_t fold_index(const struct rows *r, size_t pos)
{
	return (uint32_t)(rows_row(r, r->items.items[pos])->row - r->v->fold->rows.items);
}

/* Make the graphs of several rows in one walk over the entries. */
void rows_open_graphs(struct rows *r, const size_t *pos, size_t n)
{
	uint32_t *wanted = xcalloc(n, sizeof(*wanted));
	VEC(struct rows_open) all = { 0 };
	struct graph *graphs;
	size_t old = 0, i = 0;

	for (size_t k = 0; k < n; k++)
		wanted[k] = fold_index(r, pos[k]);
	graphs = graphs_new(r->v->fold, wanted, n, r->graph);
	while (old < r->opened.len || i < n) {
		if (i == n || (old < r->opened.len && r->opened.items[old].pos < pos[i])) {
			vec_push(&all, r->opened.items[old++]);
		} else {
			vec_push(&all, (struct rows_open){ .pos = pos[i], .tree = tree_new(&graphs[i]) });
			i++;
		}
	}
	vec_move(&r->opened, &all);
	free(graphs);
	free(wanted);
	sum_before(r);
}

static void close_graph(struct rows *r, size_t pos)
{
	size_t n = opened_before(r, pos);

	tree_free(r->opened.items[n].tree);
	vec_remove(&r->opened, n, 1);
	sum_before(r);
}

bool rows_toggle(struct rows *r, size_t line)
{
	struct rows_line at = rows_at(r, line);

	if (at.tree) {
		if (!tree_foldable(at.tree, at.line))
			return false;
		tree_toggle(at.tree, at.line);
		sum_before(r);
		return true;
	}
	if (!rows_foldable(r, at.item))
		return false;
	if (!is_leaf(r, at.item)) {
		r->open[at.item] ^= true;
		refold(r);
	} else if (rows_is_open(r, at.pos)) {
		close_graph(r, at.pos);
	} else {
		rows_open_graphs(r, &at.pos, 1);
	}
	return true;
}

void rows_open_row(struct rows *r, size_t pos, bool open)
{
	uint32_t item = r->items.items[pos];
	size_t n;

	if (!rows_foldable(r, item))
		return;
	if (!is_leaf(r, item)) {
		memset(r->open + item, open, r->h->nodes.items[item].end - item);
		refold(r);
		return;
	}
	if (rows_is_open(r, pos) != open) {
		if (open)
			rows_open_graphs(r, &pos, 1);
		else
			close_graph(r, pos);
	}
	n = opened_before(r, pos);
	if (open)
		tree_open_all(r->opened.items[n].tree, true);
	sum_before(r);
}

void rows_open_all(struct rows *r, bool open, size_t max)
{
	VEC(size_t) wanted = { 0 };

	if (!open)
		close_trees(r);
	if (r->h) {
		memset(r->open, open, r->h->nodes.len);
		refold(r);
	}
	for (size_t pos = 0; open && pos < r->items.len && wanted.len < max; pos++)
		if (has_graph(r, r->items.items[pos]) && !rows_is_open(r, pos))
			vec_push(&wanted, pos);
	if (wanted.len)
		rows_open_graphs(r, wanted.items, wanted.len);
	for (size_t i = 0; i < r->opened.len; i++)
		tree_open_all(r->opened.items[i].tree, true);
	sum_before(r);
	vec_free(&wanted);
}
