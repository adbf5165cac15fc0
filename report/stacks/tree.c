#include "report/stacks/tree.h"

enum { BITS_MIN = 10 };

static struct stack_slot *find(const struct stack_tree *t, uint64_t step)
{
	size_t at = stack_tree_begin(t, step), last = ((size_t)1 << t->bits) - 1;

	while (t->slots[at].node && t->slots[at].step != step)
		at = (at + 1) & last;
	return &t->slots[at];
}

static void resize(struct stack_tree *t, unsigned bits)
{
	if (!t->nodes.len)
		vec_add(&t->nodes, 1);
	while (t->nodes.len > (size_t)1 << bits >> 1)
		bits++;
	t->bits = bits;
	free(t->slots);
	t->slots = xtable((size_t)1 << t->bits, sizeof(*t->slots));
	for (uint32_t i = 1; i < t->nodes.len; i++) {
		uint64_t step = (uint64_t)t->nodes.items[i].parent << 32 | t->nodes.items[i].key;

		*find(t, step) = (struct stack_slot){ .step = step, .node = i };
	}
}

void stack_tree_reserve(struct stack_tree *t, size_t n)
{
	unsigned bits = t->slots ? t->bits : BITS_MIN;

	while (n > (size_t)1 << bits >> 1)
		bits++;
	if (!t->slots || bits > t->bits)
		resize(t, bits);
}

uint32_t stack_tree_child_any(struct stack_tree *t, uint32_t parent, uint32_t key)
{
	uint64_t step = (uint64_t)parent << 32 | key;
	struct stack_slot *slot;

	if (!t->slots || t->nodes.len > (size_t)1 << t->bits >> 1)
		resize(t, t->slots ? t->bits + 1 : BITS_MIN);
	slot = find(t, step);
	if (!slot->node) {
		*slot = (struct stack_slot){ .step = step, .node = (uint32_t)t->nodes.len };
		vec_push(&t->nodes, (struct stack_node){ .parent = parent, .key = key });
	}
	return slot->node;
}

uint32_t stack_tree_find(const struct stack_tree *t, uint32_t parent, uint32_t key)
{
	return find(t, (uint64_t)parent << 32 | key)->node;
}

void stack_tree_forget(struct stack_tree *t)
{
	free(t->slots);
	t->slots = NULL;
}

void stack_tree_release(struct stack_tree *t)
{
	vec_free(&t->nodes);
	free(t->slots);
	*t = (struct stack_tree){ 0 };
}
