#include "report/rows/tree_sort_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"

static bool smaller(void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *values = ctx;

	return values[a] < values[b];
}

static void sorts(void **state)
{
	enum { N = 5000 };
	uint32_t *values = xcalloc(N, sizeof(*values)), *order = xcalloc(N, sizeof(*order)), seed = 1;

	for (size_t i = 0; i < N; i++)
		values[i] = (seed = seed * 1103515245 + 12345) >> 20;
	tree_sort(order, N, smaller, values);
	for (size_t i = 1; i < N; i++) {
		assert_true(values[order[i - 1]] <= values[order[i]]);
		if (values[order[i - 1]] == values[order[i]])
			assert_true(order[i - 1] < order[i]); /* equal items keep their order */
	}
	free(values);
	free(order);
}

static void sorted_input_stays_flat(void **state)
{
	enum { N = 200000 }; /* an unbalanced tree would take minutes */
	uint32_t *values = xcalloc(N, sizeof(*values)), *order = xcalloc(N, sizeof(*order));

	for (uint32_t i = 0; i < N; i++)
		values[i] = i;
	tree_sort(order, N, smaller, values);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(order[i], i);
	free(values);
	free(order);
}

static bool beats(void *ctx, uint32_t a, uint32_t b)
{
	return (b + 3 - a) % 3 == 1; /* 0 before 1, 1 before 2, 2 before 0 */
}

static void contradictions_give_every_item_once(void **state)
{
	uint32_t order[100];
	bool seen[100] = { 0 };

	tree_sort(order, 100, beats, NULL);
	for (size_t i = 0; i < 100; i++) {
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
	}
}

static void nothing_is_sorted_too(void **state) { tree_sort(NULL, 0, smaller, NULL); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(sorted_input_stays_flat),
		cmocka_unit_test(contradictions_give_every_item_once),
		cmocka_unit_test(nothing_is_sorted_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
