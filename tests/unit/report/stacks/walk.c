#include "report/stacks/walk_priv.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { DEPTH_MAX = 40 };
struct path {
	uint32_t root, n, same, node, keys[DEPTH_MAX];
};

/* The next path, as in real programs: it usually begins like the previous one. */
static struct path vary(const struct path *last, uint64_t *seed, uint32_t root)
{
	struct path p = *last;
	uint64_t r = *seed = hash_u64(*seed + 1);

	if (r % 7 == 0 || last->root != root)
		p = (struct path){ .root = root };
	else
		p.same = (uint32_t)(r >> 8) % (last->n + 1);
	p.n = p.same + (uint32_t)(r >> 24) % (DEPTH_MAX - p.same + 1);
	for (uint32_t i = p.same; i < p.n; i++) {
		*seed = hash_u64(*seed + 1);
		p.keys[i] = 1 + (uint32_t)(*seed % 3);
	}
	return p;
}

static uint32_t one_by_one(struct stack_tree *t, const struct path *p)
{
	uint32_t node = p->root;

	for (uint32_t i = 0; i < p->n; i++)
		node = stack_tree_child(t, node, p->keys[i]);
	return node;
}

/* A node must mean the same in both trees, whatever its number. */
static void assert_same_stack(const struct stack_tree *a, uint32_t x, const struct stack_tree *b, uint32_t y)
{
	for (; x && y; x = a->nodes.items[x].parent, y = b->nodes.items[y].parent)
		assert_int_equal(a->nodes.items[x].key, b->nodes.items[y].key);
	assert_int_equal(x, y);
}

static void stacks_that_take_turns_end_where_they_end_alone(void **state)
{
	struct stack_tree together = { 0 }, alone = { 0 };
	struct stack_walk w = { 0 };
	struct path last = { 0 };
	uint64_t seed = 5;
	uint32_t roots[2];

	for (uint32_t i = 0; i < 2; i++) {
		roots[i] = stack_tree_child(&together, 0, 90 + i);
		assert_int_equal(stack_tree_child(&alone, 0, 90 + i), roots[i]);
	}
	for (size_t batch = 0; batch < 3000; batch++) {
		size_t n = 1 + hash_u64(batch) % STACK_WALKS;
		struct path paths[STACK_WALKS];

		for (size_t i = 0; i < n; i++) {
			paths[i] = vary(&last, &seed, roots[hash_u64(seed) % 5 == 0]);
			paths[i].node = one_by_one(&alone, &paths[i]);
			memcpy(stack_walk_next(&w, paths[i].root, paths[i].same, paths[i].n),
			       paths[i].keys + paths[i].same, (paths[i].n - paths[i].same) * sizeof(uint32_t));
			last = paths[i];
		}
		stack_walk_run(&w, &together);
		for (size_t i = 0; i < n; i++)
			assert_same_stack(&together, stack_walk_node(&w, i), &alone, paths[i].node);
	}
	assert_int_equal(stack_tree_size(&together), stack_tree_size(&alone));
	stack_tree_reserve(&alone, 5);
	stack_tree_reserve(&alone, 1000000);
	for (uint32_t i = 1; i < alone.nodes.len; i++)
		assert_int_equal(stack_tree_child(&alone, alone.nodes.items[i].parent, alone.nodes.items[i].key), i);
	for (uint32_t i = 1; i < together.nodes.len; i++)
		assert_true(together.nodes.items[i].parent < i);
	stack_walk_release(&w);
	stack_tree_release(&together);
	stack_tree_release(&alone);
}

static void stacks_of_nothing_end_at_their_root(void **state)
{
	struct stack_tree t = { 0 };
	struct stack_walk w = { 0 };
	uint32_t root = stack_tree_child(&t, 0, 4);

	stack_walk_run(&w, &t);
	stack_walk_next(&w, root, 0, 0);
	stack_walk_next(&w, root, 0, 0);
	stack_walk_run(&w, &t);
	assert_int_equal(stack_walk_node(&w, 0), root);
	assert_int_equal(stack_walk_node(&w, 1), root);
	assert_int_equal(stack_tree_size(&t), 2);
	*stack_walk_next(&w, root, 0, 1) = 7;
	stack_walk_run(&w, &t);
	assert_int_equal(stack_walk_node(&w, 0), stack_tree_child(&t, root, 7));
	stack_walk_release(&w);
	stack_tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_that_take_turns_end_where_they_end_alone),
		cmocka_unit_test(stacks_of_nothing_end_at_their_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
