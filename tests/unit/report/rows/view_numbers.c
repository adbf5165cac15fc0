/* Numbers of rows decide what the functions of the keys would. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/view_priv.h"

/* Two threads with functions of equal and of different names; 'A' lies outside of all functions. */
static const struct made_sample samples[] = {
	{ 7, "cba", 10 }, { 8, "cba", 10 }, { 7, "dA", 5 }, { 8, "Ab", 5 }, { 7, "e", 5 }, { 8, "x", 7 }, { 7, "x", 7 },
};

/* The order of two rows by all keys that are no sums. */
static int by_keys(const struct view *v, const struct row *a, const struct row *b)
{
	int order = 0;

	for (size_t i = 0; i < v->opts->n_sort && !order; i++)
		if (!v->opts->sort[i]->sum)
			order = view_key_compare(v, v->opts->sort[i], a, b);
	return order;
}

static void decide_like_the_keys(const char *sort)
{
	struct order_number *numbers;
	const struct view_row *rows;
	struct made m;

	MADE(&m, samples, sort, true);
	numbers = view_numbers(m.view);
	assert_non_null(numbers);
	rows = m.view->rows.items;
	for (size_t i = 0; i < m.view->rows.len; i++) {
		assert_int_equal(numbers[i].weight, rows[i].sums->children);
		assert_int_equal(numbers[i].second, rows[i].sums->period);
		for (size_t k = 0; k < m.view->rows.len; k++) {
			int order = by_keys(m.view, rows[i].row, rows[k].row);

			assert_int_equal(order < 0, numbers[i].visible < numbers[k].visible);
			assert_int_equal(order > 0, numbers[i].visible > numbers[k].visible);
		}
	}
	free(numbers);
	made_release(&m);
}

static void they_follow_threads_objects_and_symbols(void **state)
{
	decide_like_the_keys("comm,dso,sym");
	decide_like_the_keys("dso,pid,sym");
	decide_like_the_keys("dso,sym");
}

static void other_keys_have_none(void **state)
{
	static const char *const sorts[] = { "sym", "comm,sym", "sym,dso", "dso,comm", "dso,sym,comm" };

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct made m;

		MADE(&m, samples, sorts[i], true);
		assert_null(view_numbers(m.view));
		made_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_follow_threads_objects_and_symbols),
		cmocka_unit_test(other_keys_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
