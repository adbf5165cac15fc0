/* Trees of several workers become one tree, whatever their number. */
#include "report/stacks/stacks_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PLACES = 40, TASKS = 3, NAMES = 20, PARTS = 5 };

/* Places of no name, one name, or two; different places with equal names. */
static void make_places(struct places *p, uint32_t *names)
{
	vec_push(&p->items, (struct named_place){ 0 });
	for (uint32_t i = 1; i < PLACES; i++) {
		struct named_place place = { .first = i * 2, .n = i % 7 ? 1 + (i % 5 == 0) : 0 };

		vec_push(&p->items, place);
		names[i * 2] = 10 + i % NAMES;
		names[i * 2 + 1] = 10 + i * 3 % NAMES;
	}
}

/* Grow the part's tree by a stack made by chance. Put its names into `path` and return how many there are. */
static size_t grow(struct stack_part *part, const struct places *p, const uint32_t *names, uint32_t *path)
{
	uint32_t task = (uint32_t)rand() % TASKS, node = stack_tree_child(&part->tree, 0, task);
	size_t depth = (size_t)rand() % 30, n = 0;

	path[n++] = 1 + task;
	for (size_t k = 0; k < depth; k++) {
		uint32_t place = rand() % 3 ? 1 + (uint32_t)k : 1 + (uint32_t)rand() % (PLACES - 1);

		node = stack_tree_child(&part->tree, node, place);
		for (uint32_t i = 0; i < p->items.items[place].n; i++)
			path[n++] = names[p->items.items[place].first + i];
	}
	vec_push(&part->sums, (struct stack_sum){ .node = node });
	return n;
}

static void ends_where(const struct stack_tree *t, uint32_t node, const uint32_t *path, size_t n)
{
	while (n--) {
		assert_int_equal(t->nodes.items[node].key, path[n]);
		assert_true(t->nodes.items[node].parent < node);
		node = t->nodes.items[node].parent;
	}
	assert_int_equal(node, 0);
}

/* Each path has one node. */
static void has_no_twins(const struct stack_tree *t)
{
	struct idtable seen = { 0 };

	for (uint32_t i = 1; i < t->nodes.len; i++) {
		const struct stack_node *n = &t->nodes.items[i];
		uint64_t hash = hash_mix(n->parent, n->key);
		struct idtable_probe probe = idtable_probe(&seen, hash);
		uint32_t id;

		while ((id = idtable_next(&seen, &probe)))
			assert_false(t->nodes.items[id].parent == n->parent && t->nodes.items[id].key == n->key);
		idtable_add(&seen, hash, i);
	}
	idtable_free(&seen);
}

static void merges(size_t n_parts, size_t n_stacks)
{
	static const uint32_t task_names[TASKS] = { 1, 2, 3 };
	const uint32_t *tasks[PARTS] = { task_names, task_names, task_names, task_names, task_names };
	uint32_t names[PLACES * 2] = { 0 }, (*paths)[64] = xcalloc(n_parts * n_stacks, sizeof(*paths)), **became;
	size_t *lengths = xcalloc(n_parts * n_stacks, sizeof(*lengths));
	struct stack_part parts[PARTS] = { 0 };
	struct places places = { 0 };
	struct stack_tree tree = { 0 };

	srand(3);
	make_places(&places, names);
	for (size_t p = 0; p < n_parts; p++)
		for (size_t i = 0; i < n_stacks; i++)
			lengths[p * n_stacks + i] = grow(&parts[p], &places, names, paths[p * n_stacks + i]);
	/* a second time into the tree that is there finds all of it */
	for (int turn = 0; turn < 2; turn++) {
		size_t before = stack_tree_size(&tree);

		became = stack_trees_join(&(struct stack_trees){ &tree, &places, parts, n_parts, names, tasks });
		for (size_t i = 0; i < n_parts * n_stacks; i++)
			ends_where(&tree, became[i / n_stacks][parts[i / n_stacks].sums.items[i % n_stacks].node],
				   paths[i], lengths[i]);
		has_no_twins(&tree);
		if (turn)
			assert_int_equal(stack_tree_size(&tree), before);
		for (size_t p = 0; p < n_parts; p++)
			free(became[p]);
		free(became);
	}
	for (size_t p = 0; p < n_parts; p++) {
		stack_tree_release(&parts[p].tree);
		vec_free(&parts[p].sums);
	}
	stack_tree_release(&tree);
	vec_free(&places.items);
	free(paths);
	free(lengths);
}

static void small_trees_are_merged_by_one_thread(void **state) { merges(2, 20); }
static void large_trees_are_merged_in_groups(void **state) { merges(PARTS, 4000); }
static void one_tree_is_named(void **state) { merges(1, 4000); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_trees_are_merged_by_one_thread),
		cmocka_unit_test(large_trees_are_merged_in_groups),
		cmocka_unit_test(one_tree_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
