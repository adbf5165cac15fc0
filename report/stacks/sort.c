/* Sort stacks into the order of collapsed lines. */
#include "base/phases.h"
#include "report/stacks/stacks_priv.h"

/* Compare names as parts of whole lines: ';' follows a name that is not the last. */
static int compare_names(const struct stack_name *a, bool a_last, const struct stack_name *b, bool b_last)
{
	size_t n = MIN(a->len, b->len);
	int rc = memcmp(a->text, b->text, n);
	unsigned char x, y;

	if (rc || a->len == b->len)
		return rc ? rc : b_last - a_last;
	x = a->len > n ? (unsigned char)a->text[n] : a_last ? 0 : ';';
	y = b->len > n ? (unsigned char)b->text[n] : b_last ? 0 : ';';
	return x < y ? -1 : x > y;
}

/* Compare names by number. A number is twice that of the name, plus one if the name is the last of a stack. */
static int compare_places(const void *a, const void *b, void *ctx)
{
	const struct stack_name *names = ((const struct stacks *)ctx)->names.items;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_names(&names[x / 2], x & 1, &names[y / 2], y & 1);
}

/*
 * Return the rank of each name, from 1 on: ranks[2 * n] for name n, ranks[2 * n + 1] for name n as the last of a stack.
 * The caller frees it.
 */
static uint32_t *rank_names(struct stacks *st)
{
	uint32_t n = (uint32_t)st->names.len * 2, *ranks = xmalloc(n * sizeof(*ranks));
	autofree uint32_t *order = xmalloc(n * sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_places, st);
	for (uint32_t i = 0; i < n; i++)
		ranks[order[i]] = i + 1;
	return ranks;
}

/* Take the stacks in their order, and join those with equal names. */
static void take_sorted(struct stacks *st, const struct ordered_stack *sorted, size_t n)
{
	enum { AHEAD = 16 };
	autofree uint32_t *became = xcalloc(st->stacks.len + 1, sizeof(*became));
	VEC(struct stack) stacks = { 0 };

	vec_reserve(&stacks, n);
	for (size_t i = 0; i < n; i++) {
		const struct stack *from = &st->stacks.items[sorted[i].stack];
		struct stack *to;

		if (i + AHEAD < n)
			__builtin_prefetch(&st->stacks.items[sorted[i + AHEAD].stack]);
		if (sorted[i].names)
			vec_push(&stacks, (struct stack){ .names = from->names, .n = MIN(from->n, sorted[i].names) });
		to = &stacks.items[stacks.len - 1];
		for (int k = 0; k < 2; k++) {
			to->weight[k] += from->weight[k];
			to->samples[k] += from->samples[k];
		}
		became[sorted[i].stack] = (uint32_t)stacks.len - 1;
	}
	for (size_t i = 0; i < st->slices.len; i++)
		st->slices.items[i].stack = became[st->slices.items[i].stack];
	vec_move(&st->stacks, &stacks);
	idtable_free(&st->put);
}

void stacks_sort(struct stacks *st, uint64_t least)
{
	const char *before = phase("sort");
	autofree uint32_t *ranks = rank_names(st);
	autofree struct ordered_stack *sorted = NULL;
	size_t n;

	sorted = stack_order_sort(&(struct stack_order){ st, ranks, 2 * (uint32_t)st->names.len, least }, false, &n);
	take_sorted(st, sorted, n);
	sort_slices(st);
	phase(before);
}
