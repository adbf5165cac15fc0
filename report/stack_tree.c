#include "report/stack_tree.h"

enum { BITS_MIN = 10 };

static uint32_t *find(const struct stack_tree *t, uint32_t parent, uint32_t key)
{
	uint64_t step = (uint64_t)parent << 32 | key;
	size_t at = (step ^ step >> 32) * 0x9e3779b97f4a7c15ull >> (64 - t->bits), last = ((size_t)1 << t->bits) - 1;

	for (; t->slots[at]; at = (at + 1) & last) {
		const struct stack_node *n = &t->nodes.items[t->slots[at]];

		if (n->parent == parent && n->key == key)
			break;
	}
	return &t->slots[at];
}

static void grow(struct stack_tree *t)
{
	if (!t->nodes.len)
		vec_add(&t->nodes, 1);
	t->bits = t->slots ? t->bits + 1 : BITS_MIN;
	free(t->slots);
	t->slots = xtable((size_t)1 << t->bits, sizeof(*t->slots));
	for (uint32_t i = 1; i < t->nodes.len; i++)
		*find(t, t->nodes.items[i].parent, t->nodes.items[i].key) = i;
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key)
{
	uint32_t *slot;

	if (!t->slots || t->nodes.len > (size_t)1 << t->bits >> 1)
		grow(t);
	slot = find(t, parent, key);
	if (!*slot) {
		*slot = (uint32_t)t->nodes.len;
		vec_push(&t->nodes, (struct stack_node){ .parent = parent, .key = key });
	}
	return *slot;
}

void stack_tree_release(struct stack_tree *t)
{
	vec_free(&t->nodes);
	free(t->slots);
	*t = (struct stack_tree){ 0 };
}
