#include "report/session/order_priv.h"

#include "base/search.h"

static inline bool before(const struct session_place *a, const struct session_place *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

/* Count the sorted places that come before `p`. Look near the start first, and double the step: runs overlap little. */
static size_t count_before(const struct session_place *places, size_t n, const struct session_place *p)
{
	size_t low = 0, high = 1;

	while (high <= n && before(&places[high - 1], p)) {
		low = high;
		high *= 2;
	}
	high = MIN(high - 1, n);
	return low + search_count(i, high - low, before(&places[low + i], p));
}

/* The same, but look near the end first. */
static size_t count_before_from_end(const struct session_place *places, size_t n, const struct session_place *p)
{
	size_t step = 1, high = n, low;

	while (step <= n && !before(&places[n - step], p)) {
		high = n - step;
		step *= 2;
	}
	low = step <= n ? n - step : 0;
	return low + count_before(places + low, high - low, p);
}

struct spare {
	struct session_place *items;
	size_t cap;
};

static void spare_copy(struct spare *s, const struct session_place *from, size_t n)
{
	if (s->cap < n) {
		free(s->items);
		s->items = xmalloc(n * sizeof(*from));
		s->cap = n;
	}
	memcpy(s->items, from, n * sizeof(*from));
}

/* Move the left part to spare memory, then merge both upward into its place. */
static void merge_up(struct session_place *a, size_t n_a, size_t n_b, struct spare *s)
{
	const struct session_place *left, *left_end, *right = a + n_a, *right_end = right + n_b;

	spare_copy(s, a, n_a);
	left = s->items;
	left_end = left + n_a;
	while (left < left_end && right < right_end)
		*a++ = before(right, left) ? *right++ : *left++;
	memcpy(a, left, (size_t)(left_end - left) * sizeof(*a));
}

/* Move the right part to spare memory, then merge downward. */
static void merge_down(struct session_place *a, size_t n_a, size_t n_b, struct spare *s)
{
	struct session_place *to = a + n_a + n_b;
	const struct session_place *left = a + n_a, *right;

	spare_copy(s, left, n_b);
	right = s->items + n_b;
	while (left > a && right > s->items)
		*--to = before(right - 1, left - 1) ? *--left : *--right;
	memcpy(a, s->items, (size_t)(right - s->items) * sizeof(*a));
}

/* Merge two sorted neighbours. Parts that do not overlap stay where they are. */
static void merge(struct session_place *a, size_t n_a, size_t n_b, struct spare *s)
{
	struct session_place *b = a + n_a;
	size_t skip;

	if (!before(b, b - 1))
		return;
	skip = count_before_from_end(a, n_a, b);
	a += skip;
	n_a -= skip;
	n_b = count_before(b, n_b, b - 1);
	if (n_a <= n_b)
		merge_up(a, n_a, n_b, s);
	else
		merge_down(a, n_a, n_b, s);
}

void order_sort(struct session_place *places, size_t n)
{
	VEC(size_t) ends = { 0 }; /* of the runs, later of the merged runs */
	struct spare spare = { 0 };

	if (!n)
		return;
	for (size_t i = 1; i < n; i++)
		if (before(&places[i], &places[i - 1]))
			vec_push(&ends, i);
	vec_push(&ends, n);
	while (ends.len > 1) {
		size_t start = 0, kept = 0, i;

		for (i = 0; i + 1 < ends.len; i += 2) {
			merge(places + start, ends.items[i] - start, ends.items[i + 1] - ends.items[i], &spare);
			start = ends.items[i + 1];
			ends.items[kept++] = start;
		}
		if (i < ends.len)
			ends.items[kept++] = ends.items[i];
		ends.len = kept;
	}
	free(spare.items);
	vec_free(&ends);
}
