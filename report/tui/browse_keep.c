/*
 * Keep what the user sees when new data replaces the old: open call graphs, zooms, and the row under the cursor.
 * Numbers of sites and rows belong to one profile, so we identify rows by their texts.
 */
#include "report/tui/browse_priv.h"

/* Comparing the texts of this many rows takes no noticeable time. Users open nothing further down. */
enum { TEXTS_MAX = 20000, DEPTH_MAX = 256 };

/* A row, and the line in its call graph. */
struct kept_place {
	uint64_t row, line; /* line 0: the row itself */
	uint32_t dso, symbol;
	uint64_t ip;
};

struct browse_kept {
	struct u64map open_rows;  /* by text */
	struct u64map tree_lines; /* by row and path: whether the line is open, + 1 */
	VEC(struct rows_zoom) zooms;
	bool has_place;
	struct kept_place place;
	size_t at, top;
};

/* ---- names of rows and lines ---- */

static const struct site *item_site(const struct browse *b, uint32_t item)
{
	return &b->view->fold->profile->sites.items[rows_row(&b->rows, item)->row->first_site];
}

/* Hash all texts of a row, and its depth. */
static uint64_t row_hash(const struct browse *b, uint32_t item, struct out *o)
{
	uint32_t depth = b->hierarchy ? b->hierarchy->nodes.items[item].depth : 0;
	size_t to = b->hierarchy ? b->hierarchy->levels.items[depth].to : b->view->columns.len;

	o->len = 0;
	out_fmt(o, "%u", depth);
	for (size_t i = 0; i < to; i++)
		if (!b->view->columns.items[i].key->sum) {
			out_char(o, '\t');
			view_key_text(b->view, b->view->columns.items[i].key, rows_row(&b->rows, item)->row, o);
		}
	return hash_bytes(o->buf, o->len, 0);
}

/* The path to a line of a call graph: hashes of the names from the row down to each depth. */
struct kept_path {
	uint64_t hashes[DEPTH_MAX]; /* by depth */
};

static uint64_t line_hash(const struct browse *b, const struct tree *t, size_t line, uint64_t row, struct kept_path *p,
			  struct out *o)
{
	const struct tree_line *l = &t->lines.items[line];
	uint32_t depth = MIN(l->depth, (uint32_t)DEPTH_MAX - 1);

	o->len = 0;
	tree_name(b->view, tree_site(t, l), false, false, o);
	p->hashes[depth] = hash_bytes(o->buf, o->len, depth ? p->hashes[depth - 1] : row);
	return p->hashes[depth];
}

/* ---- noting ---- */

static void keep_tree(const struct browse *b, const struct tree *t, uint64_t row, struct browse_kept *k, struct out *o)
{
	struct kept_path path;

	for (size_t i = 0; i < t->lines.len; i++) {
		uint64_t line = line_hash(b, t, i, row, &path, o);

		if (tree_foldable(t, i))
			*u64map_put(&k->tree_lines, line, NULL) = tree_is_open(t, i);
	}
}

static void keep_folds(const struct browse *b, struct browse_kept *k, struct out *o)
{
	const struct rows *r = &b->rows;

	for (size_t pos = 0; b->hierarchy && pos < MIN(r->items.len, (size_t)TEXTS_MAX); pos++)
		if (rows_is_open(r, pos))
			u64map_put(&k->open_rows, row_hash(b, r->items.items[pos], o), NULL);
	for (size_t i = 0; i < r->opened.len; i++) {
		uint64_t row = row_hash(b, r->items.items[r->opened.items[i].pos], o);

		u64map_put(&k->open_rows, row, NULL);
		keep_tree(b, r->opened.items[i].tree, row, k, o);
	}
}

static void keep_cursor(const struct browse *b, struct browse_kept *k, struct out *o)
{
	const struct site *site;
	struct rows_line at;
	struct kept_path path;

	k->at = b->list.at;
	k->top = b->list.top;
	k->has_place = (b->follows || (b->data->part && b->list.at)) && browse_cursor(b, &at);
	if (!k->has_place)
		return;
	site = item_site(b, at.item);
	k->place = (struct kept_place){
		.row = row_hash(b, at.item, o), .dso = site->dso, .symbol = site->symbol, .ip = site->ip
	};
	for (size_t i = 0; at.tree && i <= at.line; i++)
		k->place.line = line_hash(b, at.tree, i, k->place.row, &path, o);
}

struct browse_kept *browse_keep(struct browse *b)
{
	struct browse_kept *k = xcalloc(1, sizeof(*k));
	struct out o;

	browse_finish(b);
	out_init_mem(&o);
	keep_cursor(b, k, &o);
	keep_folds(b, k, &o);
	out_release(&o);
	vec_move(&k->zooms, &b->filter.zooms);
	return k;
}

void browse_kept_free(struct browse_kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->zooms.len; i++)
		rows_zoom_release(&k->zooms.items[i]);
	vec_free(&k->zooms);
	u64map_free(&k->open_rows);
	u64map_free(&k->tree_lines);
	free(k);
}

/* ---- zooms ---- */

/* Find a row of the new view that has the zoom's value. If there is none, the zoom waits for such a row. */
static void find_value(const struct browse *b, struct rows_zoom *z)
{
	z->row = NULL;
	for (size_t i = 0; i < b->view->rows.len && !z->row; i++) {
		const struct row *row = b->view->rows.items[i].row;
		autofree char *text = browse_key_text(b, z->key, row);

		if (!strcmp(text, z->text))
			z->row = row;
	}
}

/* Find the zoom's object by its name: an object to which nothing refers any more has lost its number. */
static void find_object(const struct browse *b, struct rows_zoom *z)
{
	const struct symbols *s = b->view->fold->profile->session->symbols;

	for (size_t i = 0; i < b->view->rows.len; i++) {
		const struct site *site = fold_site(b->view->fold, b->view->rows.items[i].row);

		if (strcmp(dso_short_name(s, site->dso), z->text))
			continue;
		z->dso = site->dso;
		return;
	}
	z->dso = UINT32_MAX;
}

void browse_keep_zooms(struct browse *b, struct browse_kept *k)
{
	for (size_t i = 0; i < k->zooms.len; i++) {
		struct rows_zoom *z = &k->zooms.items[i];

		if (z->key)
			find_value(b, z);
		else if (!z->kernel)
			find_object(b, z);
		vec_push(&b->filter.zooms, *z);
	}
	vec_clear(&k->zooms);
}

/* ---- folds ---- */

static void fold_tree(struct browse *b, size_t pos, const struct browse_kept *k, struct out *o)
{
	struct rows_line first = rows_at(&b->rows, rows_line_of(&b->rows, pos) + 1);
	uint64_t row = row_hash(b, first.item, o);
	struct kept_path path;

	for (size_t i = 0; first.tree && i < first.tree->lines.len; i++) {
		const uint32_t *open = u64map_find(&k->tree_lines, line_hash(b, first.tree, i, row, &path, o));

		if (open && tree_foldable(first.tree, i) && *open != tree_is_open(first.tree, i))
			rows_toggle(&b->rows, rows_line_of(&b->rows, pos) + 1 + i);
	}
}

static void open_rows(struct browse *b, const struct browse_kept *k, struct out *o)
{
	struct rows *r = &b->rows;
	VEC(size_t) graphs = { 0 };

	for (size_t pos = 0; pos < MIN(r->items.len, (size_t)TEXTS_MAX); pos++) {
		uint32_t item = r->items.items[pos];

		if (!rows_foldable(r, item) || rows_is_open(r, pos) ||
		    !u64map_find(&k->open_rows, row_hash(b, item, o)))
			continue;
		if (b->hierarchy && b->hierarchy->nodes.items[item].end > item + 1)
			rows_toggle(r, rows_line_of(r, pos)); /* its children come next */
		else
			vec_push(&graphs, pos);
	}
	if (graphs.len)
		rows_open_graphs(r, graphs.items, graphs.len);
	for (size_t i = 0; i < graphs.len; i++)
		fold_tree(b, graphs.items[i], k, o);
	vec_free(&graphs);
}

/* ---- the cursor ---- */

/* Find the row by its text. If there are too many rows, compare only those at the same place in the code. */
static bool find_row(const struct browse *b, const struct kept_place *p, struct out *o, uint32_t *item)
{
	size_t n = b->hierarchy ? b->hierarchy->nodes.len : b->view->rows.len;

	for (uint32_t i = 0; i < n; i++) {
		const struct site *site = item_site(b, i);

		if (n > TEXTS_MAX &&
		    (site->dso != p->dso || site->symbol != p->symbol || (!p->symbol && site->ip != p->ip)))
			continue;
		*item = i;
		if (row_hash(b, i, o) == p->row)
			return true;
	}
	return false;
}

/* Move the cursor back to its line, if it was in a call graph. */
static void find_line(struct browse *b, const struct browse_kept *k, struct out *o)
{
	struct rows_line at;
	struct kept_path path;

	if (!k->place.line || !browse_cursor(b, &at) || at.tree || b->list.at + 1 >= rows_lines(&b->rows))
		return;
	at = rows_at(&b->rows, b->list.at + 1);
	for (size_t i = 0; at.tree && i < at.tree->lines.len; i++)
		if (line_hash(b, at.tree, i, k->place.row, &path, o) == k->place.line) {
			b->list.at += 1 + i;
			return;
		}
}

void browse_keep_rest(struct browse *b, struct browse_kept *k)
{
	size_t above = k->at - MIN(k->top, k->at);
	struct out o;

	out_init_mem(&o);
	if (b->source->live)
		browse_finish(b);
	if (k->open_rows.len && !b->screen->busy)
		open_rows(b, k, &o);
	b->list.n = rows_lines(&b->rows);
	if (k->has_place && find_row(b, &k->place, &o, &b->goal)) {
		b->has_goal = true;
		b->list.at = 0;
		browse_follow_goal(b);
		find_line(b, k, &o);
	} else {
		b->list.at = k->at;
	}
	b->list.top = b->list.at > above ? b->list.at - above : 0;
	tui_list_fit(&b->list);
	out_release(&o);
}
