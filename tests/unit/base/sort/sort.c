#include "base/sort/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/mem.h"

static int compare(const void *a, const void *b, void *ctx)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	assert_ptr_equal(ctx, &compare);
	return (x > y) - (x < y);
}

/*
 * Test sizes around the one from which threads are used, and sizes that the threads do not divide
 * evenly.
 */
static void any_number_of_threads_sorts_the_same(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 1000, 19999, 20000, 20001, 50021 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned threads = 0; threads < 8; threads++) {
			size_t n = sizes[i];
			autofree uint64_t *items = xmalloc((n + 1) * sizeof(*items));
			uint64_t sum = 0, after = 0, random = 88172645463325252;

			for (size_t k = 0; k < n; k++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				sum += items[k] = random % 5000;
			}
			parallel_sort(items, n, sizeof(*items), threads, compare, (void *)&compare);
			for (size_t k = 0; k < n; k++) {
				assert_true(!k || items[k - 1] <= items[k]);
				after += items[k];
			}
			assert_true(sum == after);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(any_number_of_threads_sorts_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
