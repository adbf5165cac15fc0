#include "base/sort/radix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"

static int by_key_then_value(const void *a, const void *b)
{
	const struct radix_item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Values count up, so the original order of equal keys is the order of values. */
static void hold_against_qsort(size_t n, uint64_t mask, uint64_t high)
{
	autofree struct radix_item *items = xcalloc(n + 1, sizeof(*items)), *expected = xcalloc(n + 1, sizeof(*items)),
				   *spare = xcalloc(n + 1, sizeof(*items));
	uint64_t random = 1;

	for (size_t i = 0; i < n; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		expected[i] = items[i] = (struct radix_item){ (random >> 16 & mask) | high, i };
	}
	qsort(expected, n, sizeof(*expected), by_key_then_value);
	radix_sort(items, spare, n);
	assert_memory_equal(items, expected, n * sizeof(*items));
}

static void by_any_of_the_bits(void **state)
{
	hold_against_qsort(0, ~0ull, 0);
	hold_against_qsort(1, ~0ull, 0);
	hold_against_qsort(5000, ~0ull, 0);
	for (unsigned shift = 0; shift < 64; shift += 7)
		hold_against_qsort(300, 0xffull << shift, 0);
}

static void few_as_well_as_many(void **state)
{
	for (size_t n = 0; n < 70; n++)
		hold_against_qsort(n, ~0ull, 0);
	for (size_t n = 505; n < 520; n++)
		hold_against_qsort(n, 0xfff, 0);
}

static void equal_keys_stay_as_they_were(void **state)
{
	hold_against_qsort(400, 0x3, 0);
	hold_against_qsort(5000, 0x30000f, 1ull << 63);
	hold_against_qsort(100, 0, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_any_of_the_bits),
		cmocka_unit_test(few_as_well_as_many),
		cmocka_unit_test(equal_keys_stay_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
