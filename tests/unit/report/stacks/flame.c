/* Boxes of a flame graph from sorted stacks. */
#include "report/stacks/data.h"
#include "report/stacks/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report/stacks/made.h"

static void box_is(const struct flame *f, size_t i, char name, uint32_t depth, uint64_t start, uint64_t weight)
{
	assert_int_equal(f->boxes.items[i].name, name ? name - 'a' + 1 : 0);
	assert_int_equal(f->boxes.items[i].depth, depth);
	assert_int_equal(f->boxes.items[i].start, start);
	assert_int_equal(f->boxes.items[i].weight[0], weight);
}

/* a          (10)
 * a b c      (5)
 * a b d      (7)
 * e          (1) */
static struct stacks four(void)
{
	struct stacks st = { 0 };

	made_stack(&st, "a", 10, 3);
	made_stack(&st, "abc", 5, 0);
	made_stack(&st, "abd", 7, 1);
	made_stack(&st, "e", 1, 0);
	return st;
}

static void neighbours_share_their_callers(void **state)
{
	struct stacks st = four();
	struct flame *f = flame_new(&st, 0);

	assert_int_equal(f->boxes.len, 6);
	box_is(f, 0, 0, 0, 0, 23);
	box_is(f, 1, 'a', 1, 0, 22);
	box_is(f, 2, 'b', 2, 10, 12);
	box_is(f, 3, 'c', 3, 10, 5);
	box_is(f, 4, 'd', 3, 15, 7);
	box_is(f, 5, 'e', 1, 22, 1);
	assert_int_equal(f->boxes.items[0].weight[1], 4);
	assert_int_equal(f->boxes.items[1].samples, 3);
	assert_int_equal(f->boxes.items[4].parent, 2);
	assert_int_equal(f->depth, 3);
	flame_free(f);
	made_release(&st);
}

static void stacks_know_the_box_they_end_in(void **state)
{
	static const uint32_t wanted[] = { 1, 3, 4, 5 };
	struct stacks st = four();
	struct flame *f = flame_new(&st, 0);

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(f->leaf_of[i], wanted[i]);
	flame_free(f);
	made_release(&st);
}

static void narrow_boxes_go_with_what_is_above_them(void **state)
{
	struct stacks st = four();
	struct flame *f = flame_new(&st, 6);

	assert_int_equal(f->boxes.len, 4);
	box_is(f, 3, 'd', 3, 15, 7); /* in its place */
	assert_int_equal(f->boxes.items[3].parent, 2);
	assert_int_equal(f->leaf_of[1], 0);
	assert_int_equal(f->leaf_of[2], 3);
	assert_int_equal(f->leaf_of[3], 0);
	flame_free(f);
	f = flame_new(&st, 13);
	assert_int_equal(f->boxes.len, 2);
	assert_int_equal(f->depth, 1);
	flame_free(f);
	made_release(&st);
}

static void no_stacks_are_a_root_alone(void **state)
{
	struct stacks st = { 0 };
	struct flame *f = flame_new(&st, 0);

	assert_int_equal(f->boxes.len, 1);
	assert_int_equal(f->depth, 0);
	flame_free(f);
	flame_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_share_their_callers),
		cmocka_unit_test(stacks_know_the_box_they_end_in),
		cmocka_unit_test(narrow_boxes_go_with_what_is_above_them),
		cmocka_unit_test(no_stacks_are_a_root_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
