#include "report/stacks/walk_priv.h"

/* Of the finished stacks only the last one is still needed. */
static void begin_anew(struct stack_walk *w)
{
	struct stack_way *last = &w->ways[w->n];

	if (last->n) {
		memmove(w->keys.items, w->keys.items + last->at, last->n * sizeof(*w->keys.items));
		memmove(w->nodes.items, w->nodes.items + last->at, last->n * sizeof(*w->nodes.items));
	}
	w->keys.len = last->n;
	w->ways[0] = (struct stack_way){ .root = last->root, .n = last->n, .done = last->n };
	w->n = 0;
	w->ran = false;
}

uint32_t *stack_walk_next(struct stack_walk *w, uint32_t root, uint32_t same, uint32_t n)
{
	struct stack_way *way, *before;

	if (w->ran)
		begin_anew(w);
	before = &w->ways[w->n];
	way = &w->ways[++w->n];
	*way = (struct stack_way){ .at = w->keys.len, .root = root, .n = n, .node = root, .shared = same };
	vec_reserve(&w->keys, w->keys.len + n);
	if (same)
		memcpy(w->keys.items + way->at, w->keys.items + before->at, same * sizeof(*w->keys.items));
	w->keys.len += n;
	return w->keys.items + way->at + same;
}

/* Different addresses may have the same keys. */
static void find_base(struct stack_walk *w, uint32_t i)
{
	const struct stack_way *before = &w->ways[i - 1];
	struct stack_way *way = &w->ways[i];
	uint32_t most = before->root == way->root ? MIN(way->n, before->n) : 0;

	while (way->shared < most && w->keys.items[way->at + way->shared] == w->keys.items[before->at + way->shared])
		way->shared++;
	if (!way->shared)
		return;
	way->base = i - 1;
	while (w->ways[way->base].shared >= way->shared)
		way->base = w->ways[way->base].base;
}

/* true: the stack reached its end. */
static bool take_turn(struct stack_walk *w, struct stack_tree *t, struct stack_way *way)
{
	const struct stack_way *base = &w->ways[way->base];

	if (way->begun) {
		way->node = stack_tree_child(t, way->node, w->keys.items[way->at + way->done]);
		w->nodes.items[way->at + way->done++] = way->node;
	} else if (base->done < way->shared) {
		return false;
	} else {
		way->begun = true;
		way->done = way->shared;
		if (way->shared)
			way->node = w->nodes.items[base->at + way->shared - 1];
	}
	if (way->done == way->n)
		return true;
	stack_tree_fetch(t, way->node, w->keys.items[way->at + way->done]);
	return false;
}

/* Copy the nodes of steps that another stack took for this one. */
static void complete(struct stack_walk *w, const struct stack_way *way)
{
	const struct stack_way *base = &w->ways[way->base];

	for (uint32_t to = way->shared; to; to = base->shared, base = &w->ways[base->base])
		memcpy(w->nodes.items + way->at + base->shared, w->nodes.items + base->at + base->shared,
		       (to - base->shared) * sizeof(*w->nodes.items));
}

void stack_walk_run(struct stack_walk *w, struct stack_tree *t)
{
	uint8_t turns[STACK_WALKS];
	size_t left = 0;

	if (w->ran || !w->n)
		return;
	vec_reserve(&w->nodes, w->keys.len);
	for (uint32_t i = 1; i <= w->n; i++) {
		find_base(w, i);
		turns[left++] = (uint8_t)i;
	}
	while (left) {
		size_t n = left;

		left = 0;
		for (size_t k = 0; k < n; k++)
			if (!take_turn(w, t, &w->ways[turns[k]]))
				turns[left++] = turns[k];
	}
	complete(w, &w->ways[w->n]);
	w->ran = true;
}

void stack_walk_release(struct stack_walk *w)
{
	vec_free(&w->keys);
	vec_free(&w->nodes);
}
