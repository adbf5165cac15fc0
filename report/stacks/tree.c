#include "report/stacks/tree.h"

#include "base/hash.h"

enum { BITS_MIN = 10 };

static struct stack_slot *find(const struct stack_tree *t, uint64_t step)
{
	size_t at = (step ^ step >> 32) * HASH_K0 >> (64 - t->bits), last = ((size_t)1 << t->bits) - 1;

	while (t->slots[at].node && t->slots[at].step != step)
		at = (at + 1) & last;
	return &t->slots[at];
}

static void grow(struct stack_tree *t)
{
	if (!t->nodes.len)
		vec_add(&t->nodes, 1);
	t->bits = t->slots ? t->bits + 1 : BITS_MIN;
	free(t->slots);
	t->slots = xtable((size_t)1 << t->bits, sizeof(*t->slots));
	for (uint32_t i = 1; i < t->nodes.len; i++) {
		uint64_t step = (uint64_t)t->nodes.items[i].parent << 32 | t->nodes.items[i].key;

		*find(t, step) = (struct stack_slot){ .step = step, .node = i };
	}
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t key)
{
	uint64_t step = (uint64_t)parent << 32 | key;
	struct stack_slot *slot;

	if (!t->slots || t->nodes.len > (size_t)1 << t->bits >> 1)
		grow(t);
	slot = find(t, step);
	if (!slot->node) {
		*slot = (struct stack_slot){ .step = step, .node = (uint32_t)t->nodes.len };
		vec_push(&t->nodes, (struct stack_node){ .parent = parent, .key = key });
	}
	return slot->node;
}

void stack_tree_release(struct stack_tree *t)
{
	vec_free(&t->nodes);
	free(t->slots);
	*t = (struct stack_tree){ 0 };
}
