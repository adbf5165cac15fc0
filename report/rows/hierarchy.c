#include "report/rows/hierarchy.h"

struct builder {
	struct hierarchy *h;
	const struct view *v;
	size_t depth, used; /* used: number of columns of sums already taken */
};

static int key_order(const struct view *v, const struct key *k, const struct row *a, const struct row *b)
{
	return k->identity ? k->identity(v, a, b) : view_key_compare(v, k, a, b);
}

/* Compare by the keys of this level only: equal rows are one node. */
static int level_compare(const void *a, const void *b, void *ctx)
{
	const struct builder *d = ctx;
	const struct hierarchy_level *l = &d->h->levels.items[d->depth];
	const struct view_row *x = a, *y = b;

	for (size_t i = l->from; i < l->to; i++) {
		int order = key_order(d->v, d->v->columns.items[i].key, x->row, y->row);

		if (order)
			return order;
	}
	return 0;
}

/* Compare by the keys of the levels below. */
static int below_compare(const struct builder *d, const struct row *x, const struct row *y)
{
	const struct view *v = d->v;
	int order = 0;

	for (size_t i = d->h->levels.items[d->depth].to; !order && i < v->columns.len; i++)
		if (!v->columns.items[i].key->sum)
			order = view_key_compare(v, v->columns.items[i].key, x, y);
	return order;
}

static int all_compare(const void *a, const void *b, void *ctx)
{
	int order = level_compare(a, b, ctx);

	return order ? order : below_compare(ctx, ((const struct view_row *)a)->row, ((const struct view_row *)b)->row);
}

/* Compare nodes for the display: the largest first, equal ones by name. */
static int node_compare(const struct builder *d, const struct hierarchy_node *x, const struct hierarchy_node *y)
{
	const struct hierarchy_level *l = &d->h->levels.items[d->depth];

	for (size_t i = 0; i < d->h->n_sums; i++) {
		int order = view_compare_sums(d->v, d->v->columns.items[i].key, &x->row, &y->row);

		if (order)
			return order;
	}
	for (size_t i = l->from; i < l->to; i++) {
		const struct key *k = d->v->columns.items[i].key;
		int order = k->sum ? view_compare_sums(d->v, k, &x->row, &y->row)
				   : view_key_compare(d->v, k, x->row.row, y->row.row);

		if (order)
			return order;
	}
	int order = below_compare(d, x->row.row, y->row.row);
	return order ? order : level_compare(&x->row, &y->row, (void *)d);
}

struct group {
	struct hierarchy_node node;
	size_t from, to;
};

static int group_compare(const void *a, const void *b, void *ctx)
{
	return node_compare(ctx, &((const struct group *)a)->node, &((const struct group *)b)->node);
}

static void sum_group(struct builder *d, struct group *g, const struct view_row *rows)
{
	size_t n = d->v->n_events;
	struct row_sums *sums = d->h->sums + d->used;

	g->node = (struct hierarchy_node){ .row = { .row = rows[g->from].row, .sums = sums },
					   .depth = (uint32_t)d->depth };
	d->used += n;
	for (size_t i = g->from; i < g->to; i++)
		for (size_t e = 0; e < n; e++)
			row_sums_add(&sums[e], &rows[i].sums[e]);
}

/*
 * Make the nodes of one level, and all nodes below, from rows that are equal on the levels above.
 * On the last level each row is a node.
 */
static void build(struct builder *d, struct view_row *rows, size_t n)
{
	VEC(struct group) groups = { 0 };
	bool last = d->depth + 1 == d->h->levels.len;

	qsort_r(rows, n, sizeof(*rows), all_compare, d);
	for (size_t i = 0; i < n; i++) {
		if (!i || last || level_compare(&rows[i - 1], &rows[i], d))
			vec_push(&groups, (struct group){ .from = i });
		groups.items[groups.len - 1].to = i + 1;
	}
	for (size_t i = 0; i < groups.len; i++)
		sum_group(d, &groups.items[i], rows);
	qsort_r(groups.items, groups.len, sizeof(*groups.items), group_compare, d);
	for (size_t i = 0; i < groups.len; i++) {
		const struct group *g = &groups.items[i];
		size_t at = d->h->nodes.len;

		vec_push(&d->h->nodes, g->node);
		if (!last) {
			d->depth++;
			build(d, rows + g->from, g->to - g->from);
			d->depth--;
		}
		d->h->nodes.items[at].end = (uint32_t)d->h->nodes.len;
	}
	vec_free(&groups);
}

static void find_levels(struct hierarchy *h)
{
	const struct view *v = h->v;

	for (size_t i = 0; i < v->columns.len; i++) {
		if (!v->columns.items[i].key->sum)
			vec_push(&h->levels, (struct hierarchy_level){ .from = i });
		else if (!h->levels.len)
			h->n_sums++;
		if (h->levels.len)
			h->levels.items[h->levels.len - 1].to = i + 1;
	}
}

struct hierarchy *hierarchy_new(const struct view *v)
{
	struct hierarchy *h = xcalloc(1, sizeof(*h));
	struct builder d = { .h = h, .v = v };
	struct view_row *rows = xcalloc(v->rows.len, sizeof(*rows));

	h->v = v;
	find_levels(h);
	if (v->rows.len)
		memcpy(rows, v->rows.items, v->rows.len * sizeof(*rows));
	h->sums = xcalloc(v->rows.len * MAX(h->levels.len, (size_t)1) * v->n_events, sizeof(*h->sums));
	if (h->levels.len && v->rows.len)
		build(&d, rows, v->rows.len);
	free(rows);
	return h;
}

void hierarchy_free(struct hierarchy *h)
{
	if (!h)
		return;
	vec_free(&h->levels);
	vec_free(&h->nodes);
	free(h->sums);
	free(h);
}
