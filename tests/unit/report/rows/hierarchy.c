/* Rows as a tree of their keys, with sums for each node. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/hierarchy.h"

static const struct made_sample samples[] = {
	{ 7, "cba", 10 }, { 7, "ba", 100 }, { 8, "cba", 1000 }, { 8, "ca", 2 }, { 8, "x", 100000 },
};

/* Each node as its depth, its period and where its subtree ends. */
static void tree_is(const struct hierarchy *h, const char *wanted)
{
	struct out o;

	out_init_mem(&o);
	for (size_t i = 0; i < h->nodes.len; i++)
		out_fmt(&o, "%s%u:%llu<%u", i ? " " : "", h->nodes.items[i].depth,
			(unsigned long long)h->nodes.items[i].row.sums->period, h->nodes.items[i].end);
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
}

static void each_key_is_a_level_with_its_sums(void **state)
{
	struct hierarchy *h;
	struct made m;

	MADE(&m, samples, "comm,sym", false);
	h = hierarchy_new(m.view);
	assert_int_equal(h->levels.len, 2);
	/* eight: x, c; seven: b, c */
	tree_is(h, "0:101002<3 1:100000<2 1:1002<3 0:110<6 1:100<5 1:10<6");
	hierarchy_free(h);
	made_release(&m);
}

static void the_order_of_keys_is_that_of_levels(void **state)
{
	struct hierarchy *h;
	struct made m;

	MADE(&m, samples, "sym,comm", false);
	h = hierarchy_new(m.view);
	/* x of eight; c of eight and seven; b of seven */
	tree_is(h, "0:100000<2 1:100000<2 0:1012<5 1:1002<4 1:10<5 0:100<7 1:100<7");
	hierarchy_free(h);
	made_release(&m);
}

static void one_key_makes_a_flat_tree(void **state)
{
	struct hierarchy *h;
	struct made m;

	MADE(&m, samples, "comm", false);
	h = hierarchy_new(m.view);
	assert_int_equal(h->levels.len, 1);
	tree_is(h, "0:101002<1 0:110<2");
	hierarchy_free(h);
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_is_a_level_with_its_sums),
		cmocka_unit_test(the_order_of_keys_is_that_of_levels),
		cmocka_unit_test(one_key_makes_a_flat_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
