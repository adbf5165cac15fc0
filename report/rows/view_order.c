/* Sort a view's rows: by their sums, then as perf sorts equal ones. */
#include "base/parallel.h"
#include "base/sort/sort.h"
#include "report/rows/tree_sort_priv.h"
#include "report/rows/view_priv.h"

static uint32_t depth_of(const struct view *v, const struct row *r) { return r->event == v->event ? r->max_depth : 0; }

/*
 * Compare two rows with equal sums by their depth: the caller comes first, because its stretch of chain is longer. Like
 * perf, we compare this only for rows of one thread, so the comparison can contradict itself: see view_sort_rows.
 */
static int compare_depth(const struct view *v, const struct row *a, const struct row *b)
{
	uint32_t x = depth_of(v, a), y = depth_of(v, b);

	if (!v->opts->chains || x == y || (a->first_thread != b->first_thread && !v->opts->own_order))
		return 0;
	return (x > y) == v->opts->caller_first ? -1 : 1;
}

int view_compare_sums(const struct view *v, const struct key *k, const struct view_row *a, const struct view_row *b)
{
	bool children = k->of_children;

	/* as in perf: after the sums of the event chosen by the user, ignore those of the leader */
	for (size_t n = 0; n < (children ? 1 : v->n_events); n++) {
		size_t first = !children && v->opts->sort_event < v->n_events ? v->opts->sort_event : 0,
		       i = n ? n : first;
		uint64_t x = k->sum(&a->sums[i]), y = k->sum(&b->sums[i]);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return children ? compare_depth(v, a->row, b->row) : 0;
}

static uint64_t place_in_object(const struct view *v, const struct site *s)
{
	const struct symbol *sym = dso_symbol(v->fold->profile->session->symbols, s->dso, s->symbol);

	return sym ? sym->start : s->address;
}

/* Return the place of a row; NULL if find_places() did not run. */
static const struct view_place *place_of(const struct view *v, const struct row *r)
{
	return v->places ? &v->places[r - v->fold->rows.items] : NULL;
}

/* Compare rows that look the same: by address, then by values that are the same in every run. */
static int compare_hidden(const struct view *v, const struct row *a, const struct row *b)
{
	const struct view_place *p = place_of(v, a), *q = place_of(v, b);
	uint64_t x = p ? p->at : place_in_object(v, fold_site(v->fold, a));
	uint64_t y = q ? q->at : place_in_object(v, fold_site(v->fold, b));

	if (x != y)
		return (int64_t)x < (int64_t)y ? -1 : 1; /* signed, as in perf */
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	if (a->other != b->other)
		return a->other < b->other ? -1 : 1;
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	for (size_t i = 0; i < v->fold->profile->opts.n_keys; i++) {
		x = profile_outer(v->fold->profile, a->outer)[i];
		y = profile_outer(v->fold->profile, b->outer)[i];
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_visible(const struct view *v, const struct view_row *x, const struct view_row *y)
{
	for (size_t i = 0; i < v->opts->n_sort; i++) {
		const struct key *k = v->opts->sort[i];
		int order;

		if (v->opts->own_order && i && !k->sum && v->opts->sort[i - 1]->sum)
			return 0; /* comparing texts would take most of the time */
		order = k->sum ? view_compare_sums(v, k, x, y) : view_key_compare(v, k, x->row, y->row);
		if (order)
			return order;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct view_row *x = a, *y = b;
	int order;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	order = compare_visible(ctx, x, y);
	return order ? order : compare_hidden(ctx, x->row, y->row);
}

/*
 * Compare by the numbers in the sorted rows themselves, which decide nearly always: to read the sums of thousands of
 * rows would take most of the time of a refresh.
 */
static int compare_in_own_order(const void *a, const void *b, void *ctx)
{
	const struct view_row *x = a, *y = b;
	const struct view *v = ctx;
	int order;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth > y->depth ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	order = v->weighed ? 0 : compare_visible(v, x, y);
	return order ? order : (x->row > y->row) - (x->row < y->row); /* the row that came first */
}

/* Compare the rows by their keys, not by their sums. */
static int compare_identity(const void *a, const void *b, void *ctx)
{
	const struct view *v = ctx;
	const struct view_row *x = a, *y = b;

	for (size_t i = 0; i < v->opts->n_sort; i++) {
		const struct key *k = v->opts->sort[i];
		int order = k->identity_at && v->places ? k->identity_at(place_of(v, x->row), place_of(v, y->row))
			    : k->identity               ? k->identity(v, x->row, y->row)
							: view_key_compare(v, k, x->row, y->row);

		if (order)
			return order;
	}
	return compare_hidden(v, x->row, y->row);
}

/* Rows that are sorted by trees; `numbers` may be NULL. */
struct tree_sorting {
	struct view *v;
	struct order_number *numbers;
};

static bool is_before(void *ctx, uint32_t a, uint32_t b)
{
	const struct tree_sorting *t = ctx;
	const struct order_number *x = t->numbers + a, *y = t->numbers + b;

	if (t->numbers && x->class != y->class)
		return x->class < y->class;
	if (t->numbers && x->at != y->at)
		return (int64_t)(x->at - y->at) < 0; /* signed, as in perf */
	return compare_identity(&t->v->rows.items[a], &t->v->rows.items[b], t->v) < 0;
}

static bool goes_before(void *ctx, uint32_t a, uint32_t b)
{
	const struct tree_sorting *t = ctx;
	const struct view_row *p = &t->v->rows.items[a], *q = &t->v->rows.items[b];
	const struct order_number *x = t->numbers + a, *y = t->numbers + b;

	if (!t->numbers)
		return p->weight != q->weight ? p->weight > q->weight : compare_visible(t->v, p, q) < 0;
	if (x->weight != y->weight)
		return x->weight > y->weight;
	if (x->depth != y->depth && x->thread == y->thread)
		return (x->depth > y->depth) == t->v->opts->caller_first;
	return x->second != y->second ? x->second > y->second : x->visible < y->visible;
}

/* Compare by what the reader sees, and rows that look equal by their keys. */
static int compare_visible_then_identity(const void *a, const void *b, void *ctx)
{
	const struct view_row *x = a, *y = b;
	int order;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	order = compare_visible(ctx, x, y);
	return order ? order : compare_identity(a, b, ctx);
}

/* Copy the sum by which view_compare_sums decides most comparisons. */
static void weigh_rows(struct view *v)
{
	const struct key *k = v->opts->n_sort ? v->opts->sort[0] : NULL;
	size_t event = k && !k->of_children && v->opts->sort_event < v->n_events ? v->opts->sort_event : 0;

	for (size_t i = 0; i < v->rows.len; i++)
		v->rows.items[i].weight = k && k->sum ? k->sum(&v->rows.items[i].sums[event]) : 0;
}

/* Also copy what compare_in_own_order compares next. */
static void weigh_for_own_order(struct view *v)
{
	const struct view_opts *o = v->opts;
	const struct key *first = o->n_sort ? o->sort[0] : NULL, *second = o->n_sort > 1 ? o->sort[1] : NULL;
	bool depths = o->chains && first && first->of_children, one = v->n_events == 1 && first && first->sum;

	if (second && !(second->sum && !second->of_children && one))
		second = NULL;
	for (size_t i = 0; i < v->rows.len; i++) {
		struct view_row *r = &v->rows.items[i];
		uint32_t depth = depths ? depth_of(v, r->row) : 0;

		r->depth = o->caller_first ? depth : UINT32_MAX - depth;
		r->second = second ? second->sum(r->sums) : 0;
	}
	v->weighed = one && (second ? o->n_sort < 3 || !o->sort[2]->sum : o->n_sort < 2 || !o->sort[1]->sum);
}

struct object_name {
	const char *name;
	uint32_t dso;
};

static int compare_object_names(const void *a, const void *b)
{
	return strcmp(((const struct object_name *)a)->name, ((const struct object_name *)b)->name);
}

/* Fill `rank`: dso -> the rank of the name that its rows show. */
static void rank_objects(const struct view *v, struct u64map *rank)
{
	struct symbols *symbols = v->fold->profile->session->symbols;
	VEC(struct object_name) names = { 0 };
	uint32_t last = 0, n = 0;

	for (size_t i = 0; i < v->rows.len; i++) {
		uint32_t dso = fold_site(v->fold, v->rows.items[i].row)->dso;
		bool is_new = false;

		if (dso && dso != last)
			u64map_put(rank, dso, &is_new);
		if (is_new)
			vec_push(&names, (struct object_name){
						 .name = v->opts->verbose ? dso_name(symbols, dso)
									  : dso_short_name(symbols, dso),
						 .dso = dso,
					 });
		last = dso;
	}
	vec_sort(&names, compare_object_names);
	for (size_t i = 0; i < names.len; i++) {
		n += i && strcmp(names.items[i].name, names.items[i - 1].name);
		*u64map_find(rank, names.items[i].dso) = n;
	}
	vec_free(&names);
}

/* Look up once what comparisons by identity need of each row. */
static void find_places(struct view *v)
{
	struct u64map rank = { 0 };

	rank_objects(v, &rank);
	v->places = xmalloc(v->fold->rows.len * sizeof(*v->places));
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct row *r = v->rows.items[i].row;
		const struct site *s = fold_site(v->fold, r);

		v->places[r - v->fold->rows.items] = (struct view_place){
			.at = place_in_object(v, s),
			.inlined = s->inlined,
			.object = s->dso ? *u64map_find(&rank, s->dso) : UINT32_MAX,
			.named = dso_symbol(v->fold->profile->session->symbols, s->dso, s->symbol),
		};
	}
	u64map_free(&rank);
}

/*
 * Compare by the order in which perf meets the rows: the leader's rows by time; for one sample, the sampled function
 * before its callers. The further comparisons make the order total.
 */
static int compare_seen(const void *a, const void *b, void *ctx)
{
	const struct view *v = ctx;
	const struct row *x = ((const struct view_row *)a)->row, *y = ((const struct view_row *)b)->row;
	int order = (x->event != v->event) - (y->event != v->event);

	if (!order && x->first_time != y->first_time)
		order = x->first_time < y->first_time ? -1 : 1;
	if (!order && x->max_depth != y->max_depth)
		order = x->max_depth > y->max_depth ? -1 : 1;
	for (size_t i = 0; !order && i < v->opts->n_sort; i++)
		if (!v->opts->sort[i]->sum)
			order = view_key_compare(v, v->opts->sort[i], x, y);
	return order ? order : compare_hidden(v, x, y);
}

/*
 * Does perf's comparison contradict itself (a before b, b before c, c before a)? perf compares addresses without a
 * function by their signed difference. This contradicts itself if values are far apart, and call chains may contain
 * such values. It also does if functions, compared by object, are mixed with addresses (`mixed`).
 */
static bool identity_contradicts(const struct view *v, bool mixed)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < v->opts->n_sort; i++)
		mixed = mixed && strcmp(v->opts->sort[i]->name, "dso");
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct site *s = fold_site(v->fold, v->rows.items[i].row);

		if (!s->symbol) {
			low = MIN(low, (int64_t)s->address);
			high = MAX(high, (int64_t)s->address);
		}
	}
	return low <= high && (mixed || (uint64_t)high - (uint64_t)low > INT64_MAX);
}

static void tree_sort_rows(struct tree_sorting *t, bool (*before)(void *, uint32_t, uint32_t))
{
	size_t n = t->v->rows.len;
	autofree uint32_t *order = xcalloc(n, sizeof(*order));
	struct view_row *rows = xcalloc(n, sizeof(*rows));
	struct order_number *numbers = t->numbers ? xcalloc(n, sizeof(*numbers)) : NULL;

	tree_sort(order, n, before, t);
	for (size_t i = 0; i < n; i++) {
		rows[i] = t->v->rows.items[order[i]];
		if (numbers)
			numbers[i] = t->numbers[order[i]];
	}
	free(t->v->rows.items);
	t->v->rows.items = rows;
	t->v->rows.cap = n;
	free(t->numbers);
	t->numbers = numbers;
}

/* Does perf insert the rows into a second tree? It does with some keys. */
static bool is_regrouped(const struct view *v)
{
	for (size_t i = 0; i < v->opts->n_sort; i++)
		if (v->opts->sort[i]->regrouped)
			return true;
	return false;
}

/*
 * May the comparison of depths contradict itself? It can do so only among rows of one weight that have several threads
 * and several depths. The rows are sorted by weight.
 */
static bool depths_contradict(const struct view *v)
{
	const struct view_row *rows = v->rows.items;
	bool threads = false, depths = false;

	for (size_t i = 1; i < v->rows.len && !(threads && depths); i++) {
		if (rows[i].weight != rows[i - 1].weight)
			threads = depths = false;
		else {
			threads |= rows[i].row->first_thread != rows[i - 1].row->first_thread;
			depths |= rows[i].row->max_depth != rows[i - 1].row->max_depth ||
				  rows[i].row->event != rows[i - 1].row->event;
		}
	}
	return threads && depths;
}

/* Sort the rows as perf does: `by_identity` times with a tree by identity, then with a tree by what the reader sees. */
static void sort_by_trees(struct view *v, unsigned by_identity)
{
	struct tree_sorting t = { .v = v, .numbers = view_numbers(v) };

	while (by_identity--)
		tree_sort_rows(&t, is_before);
	tree_sort_rows(&t, goes_before);
	free(t.numbers);
}

/*
 * If the comparison contradicts itself, the order depends on the algorithm. So do what perf does: it takes rows sorted
 * by keys out of one red-black tree and inserts them into another.
 */
void view_sort_rows(struct view *v)
{
	bool depths = v->opts->chains && v->opts->children;
	size_t n = v->rows.len;

	if (!n)
		return;
	weigh_rows(v);
	if (!v->opts->own_order)
		find_places(v);
	if (!v->opts->own_order && identity_contradicts(v, depths)) {
		parallel_sort(v->rows.items, n, sizeof(*v->rows.items), parallel_threads(), compare_seen, v);
		sort_by_trees(v, 1 + is_regrouped(v));
	} else if (depths && !v->opts->own_order) {
		parallel_sort(v->rows.items, n, sizeof(*v->rows.items), parallel_threads(),
			      compare_visible_then_identity, v);
		if (!depths_contradict(v))
			return;
		parallel_sort(v->rows.items, n, sizeof(*v->rows.items), parallel_threads(), compare_identity, v);
		sort_by_trees(v, 0);
	} else if (v->opts->own_order) {
		weigh_for_own_order(v);
		parallel_sort(v->rows.items, n, sizeof(*v->rows.items), parallel_threads(), compare_in_own_order, v);
	} else {
		parallel_sort(v->rows.items, n, sizeof(*v->rows.items), parallel_threads(), compare_rows, v);
	}
}
