/*
 * Compute numbers that replace comparisons. With the usual keys (sums, keys of samples, object, symbol), a few numbers
 * of a row give the same order as the functions of the keys. We compute them once per row, group of rows or name.
 */
#include "base/sort/texts.h"
#include "report/rows/view_priv.h"

/* Rows with equal values of all keys before the symbol. */
struct row_group {
	const struct row *row;
	uint32_t outer, object;
	uint32_t number, rank;
};

struct numbering {
	const struct view *v;
	size_t first_key, symbol_key; /* keys of samples and objects are between them */
	VEC(struct row_group) groups;
	struct idtable index; /* of the groups */
	struct order_number *numbers;
};

static bool is_object(const struct key *k) { return !strcmp(k->name, "dso"); }

/* Are the keys at most two sums, then keys of samples and the object in any order, then the symbol? */
static bool find_keys(struct numbering *n)
{
	const struct view_opts *o = n->v->opts;
	bool object = false;
	size_t i = 0;

	while (i < o->n_sort && o->sort[i]->sum && !o->sort[i]->compare && !o->sort[i]->identity)
		i++;
	if (i > 2 || (i > 1 && o->sort[1]->of_children) || (i && n->v->n_events > 1))
		return false;
	n->first_key = i;
	for (; i < o->n_sort && (is_object(o->sort[i]) || (o->sort[i]->from == KEY_SAMPLE && !o->sort[i]->identity));
	     i++)
		object |= is_object(o->sort[i]);
	n->symbol_key = i;
	return object && i + 1 == o->n_sort && !strcmp(o->sort[i]->name, "symbol");
}

static const struct view_place *place_of(const struct view *v, const struct row *r)
{
	return &v->places[r - v->fold->rows.items];
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct row_group *x = a, *y = b;
	const struct numbering *n = ctx;

	for (size_t i = n->first_key; i < n->symbol_key; i++) {
		const struct key *k = n->v->opts->sort[i];
		int order = is_object(k) ? (x->object > y->object) - (x->object < y->object)
					 : view_key_compare(n->v, k, x->row, y->row);

		if (order)
			return order;
	}
	return 0;
}

static uint32_t group_of(struct numbering *n, const struct row *r)
{
	struct row_group g = { .row = r, .outer = r->outer, .object = place_of(n->v, r)->object };
	uint64_t hash = hash_mix(g.outer, g.object);
	struct idtable_probe probe = idtable_probe(&n->index, hash);
	uint32_t id;

	while ((id = idtable_next(&n->index, &probe)))
		if (n->groups.items[id - 1].outer == g.outer && n->groups.items[id - 1].object == g.object)
			return id - 1;
	g.number = (uint32_t)n->groups.len;
	vec_push(&n->groups, g);
	idtable_add(&n->index, hash, g.number + 1);
	return g.number;
}

/* Give each row the rank of its group, in `visible`. */
static void rank_groups(struct numbering *n)
{
	size_t n_rows = n->v->rows.len;
	autofree uint32_t *ranks = NULL;

	for (size_t i = 0; i < n_rows; i++)
		n->numbers[i].visible = group_of(n, n->v->rows.items[i].row);
	ranks = xcalloc(n->groups.len, sizeof(*ranks));
	qsort_r(n->groups.items, n->groups.len, sizeof(*n->groups.items), compare_groups, n);
	for (size_t i = 1; i < n->groups.len; i++)
		ranks[n->groups.items[i].number] =
			ranks[n->groups.items[i - 1].number] +
			(compare_groups(&n->groups.items[i - 1], &n->groups.items[i], n) != 0);
	for (size_t i = 0; i < n_rows; i++)
		n->numbers[i].visible = ranks[n->numbers[i].visible];
}

/* Add the ranks of the symbols' names; rows without a symbol come last. */
static void rank_symbols(struct numbering *n)
{
	const struct view *v = n->v;
	autofree const char **names = xcalloc(v->rows.len, sizeof(*names));
	struct u64map ranks = { 0 };
	size_t n_names = 0;
	uint32_t rank = 0;

	for (size_t i = 0; i < v->rows.len; i++) {
		const struct site *s = fold_site(v->fold, v->rows.items[i].row);
		bool is_new = false;

		if (!s->symbol)
			continue;
		u64map_put(&ranks, (uintptr_t)view_site_name(v, s), &is_new);
		if (is_new)
			names[n_names++] = view_site_name(v, s);
	}
	sort_texts(names, n_names);
	for (size_t i = 0; i < n_names; i++) {
		rank += i && strcmp(names[i], names[i - 1]);
		*u64map_find(&ranks, (uintptr_t)names[i]) = rank;
	}
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct site *s = fold_site(v->fold, v->rows.items[i].row);

		n->numbers[i].visible =
			n->numbers[i].visible << 32 |
			(s->symbol ? *u64map_find(&ranks, (uintptr_t)view_site_name(v, s)) : UINT32_MAX);
	}
	u64map_free(&ranks);
}

struct order_number *view_numbers(const struct view *v)
{
	struct numbering n = { .v = v };
	const struct view_opts *o = v->opts;

	if (!find_keys(&n))
		return NULL;
	n.numbers = xcalloc(v->rows.len, sizeof(*n.numbers));
	rank_groups(&n);
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct view_row *r = &v->rows.items[i];
		const struct view_place *place = place_of(v, r->row);
		struct order_number *to = &n.numbers[i];

		to->class = to->visible << 1 | !place->named;
		to->at = place->at;
		to->weight = r->weight;
		to->second = n.first_key > 1 ? o->sort[1]->sum(r->sums) : 0;
		to->depth = o->chains && n.first_key && o->sort[0]->of_children ? r->row->max_depth : 0;
		to->thread = r->row->first_thread;
	}
	rank_symbols(&n);
	vec_free(&n.groups);
	idtable_free(&n.index);
	return n.numbers;
}
