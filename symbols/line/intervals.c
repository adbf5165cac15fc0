/* Find the innermost of nested ranges of code. */
#include "symbols/line/intervals_priv.h"

#include <stdlib.h>

#include "base/search.h"

enum { MAX_CHAIN = 1000 };

void intervals_add(struct intervals *t, uint64_t start, uint64_t end, uint32_t id, uint32_t depth)
{
	if (start && start < end)
		vec_push(&t->v, (struct interval){ .start = start, .end = end, .id = id, .depth = depth });
}

static int interval_order(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void intervals_nest(struct intervals *t)
{
	if (t->v.len)
		qsort(t->v.items, t->v.len, sizeof(t->v.items[0]), interval_order);
	for (size_t i = 0; i < t->v.len; i++) {
		uint32_t up = (uint32_t)i; /* one more than the index of the previous range */

		while (up && t->v.items[up - 1].end <= t->v.items[i].start)
			up = t->v.items[up - 1].up;
		t->v.items[i].up = up;
	}
}

const struct interval *intervals_find(const struct intervals *t, uint64_t addr)
{
	size_t at = vec_count_up_to(&t->v, start, addr);

	for (unsigned n = 0; at && t->v.items[at - 1].end <= addr; n++)
		at = n < MAX_CHAIN ? t->v.items[at - 1].up : 0;
	return at ? &t->v.items[at - 1] : NULL;
}
