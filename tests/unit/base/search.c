#include "base/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"

static void finds_the_first_item_that_is_not_before(void **state)
{
	const int items[] = { 1, 3, 3, 3, 7 };

	for (size_t n = 0; n <= ARRAY_SIZE(items); n++)
		for (int key = 0; key < 9; key++) {
			size_t before = 0, up_to = 0;

			for (size_t i = 0; i < n; i++) {
				before += items[i] < key;
				up_to += items[i] <= key;
			}
			assert_int_equal(search_count(i, n, items[i] < key), before);
			assert_int_equal(search_count(i, n, items[i] <= key), up_to);
		}
}

static void counts_the_items_up_to_a_key(void **state)
{
	VEC(struct item {
		uint32_t other;
		uint64_t at;
	})
	v = { 0 };

	assert_int_equal(vec_count_up_to(&v, at, 5), 0);
	for (uint64_t i = 0; i < 5; i++)
		vec_push(&v, (struct item){ 9, 10 * i });
	assert_int_equal(vec_count_up_to(&v, at, 0), 1);
	assert_int_equal(vec_count_up_to(&v, at, 19), 2);
	assert_int_equal(vec_count_up_to(&v, at, 20), 3);
	assert_int_equal(vec_count_up_to(&v, at, UINT64_MAX), 5);
	vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_item_that_is_not_before),
		cmocka_unit_test(counts_the_items_up_to_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
