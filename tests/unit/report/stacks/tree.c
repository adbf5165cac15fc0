/* A tree of stacks with shared prefixes. */
#include "report/stacks/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void the_same_steps_lead_to_the_same_node(void **state)
{
	struct stack_tree t = { 0 };
	uint32_t a, ab, b;

	assert_int_equal(stack_tree_size(&t), 1);
	a = stack_tree_child(&t, 0, 10);
	ab = stack_tree_child(&t, a, 20);
	b = stack_tree_child(&t, 0, 20);
	assert_int_not_equal(ab, b); /* the same key below another parent */
	assert_int_equal(stack_tree_child(&t, 0, 10), a);
	assert_int_equal(stack_tree_child(&t, a, 20), ab);
	assert_int_equal(stack_tree_size(&t), 4);
	assert_int_equal(t.nodes.items[ab].parent, a);
	assert_int_equal(t.nodes.items[ab].key, 20);
	stack_tree_release(&t);
	assert_int_equal(stack_tree_size(&t), 1);
}

/* Growing moves the slots; numbers stay, and parents come before children. */
static void numbers_stay_while_it_grows(void **state)
{
	enum { N = 5000 };
	struct stack_tree t = { 0 };
	static uint32_t nodes[N];

	for (uint32_t i = 0; i < N; i++)
		nodes[i] = stack_tree_child(&t, i % 3 ? nodes[i - 1] : 0, i / 2);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(stack_tree_child(&t, i % 3 ? nodes[i - 1] : 0, i / 2), nodes[i]);
		assert_true(t.nodes.items[nodes[i]].parent < nodes[i]);
	}
	stack_tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_steps_lead_to_the_same_node),
		cmocka_unit_test(numbers_stay_while_it_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
