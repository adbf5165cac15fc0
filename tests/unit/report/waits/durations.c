#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/waits/durations.h"

static void sums_are_exact(void **state)
{
	struct durations d = { 0 };

	assert_int_equal(durations_average(&d), 0);
	assert_int_equal(durations_percentile(&d, 50), 0);
	durations_add(&d, 7);
	durations_add(&d, 1000003);
	durations_add(&d, 0);
	assert_int_equal(d.count, 3);
	assert_int_equal(d.total, 1000010);
	assert_int_equal(d.min, 0);
	assert_int_equal(d.max, 1000003);
	assert_int_equal(durations_average(&d), 333336);
	durations_clear(&d);
	durations_add(&d, 5);
	assert_int_equal(d.min, 5);
	assert_int_equal(d.max, 5);
	durations_free(&d);
}

/* A percentile is the end of its bucket: never below the true value, and at most an eighth above it. */
static void percentiles_are_within_an_eighth(void **state)
{
	static const uint64_t scales[] = { 1, 13, 1000, 77777, 1000000007, 1ull << 50 };
	static const unsigned percents[] = { 1, 25, 50, 75, 90, 99, 100 };

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		struct durations d = { 0 };

		for (uint64_t n = 1000; n; n--) /* not in ascending order */
			durations_add(&d, n * scales[i]);
		for (size_t k = 0; k < ARRAY_SIZE(percents); k++) {
			uint64_t truth = percents[k] * 10 * scales[i], found = durations_percentile(&d, percents[k]);

			assert_in_range(found, truth, truth + truth / 8);
		}
		assert_int_equal(durations_percentile(&d, 100), d.max);
		for (size_t k = 1; k < d.buckets.len; k++)
			assert_true(d.buckets.items[k - 1].bucket < d.buckets.items[k].bucket);
		durations_free(&d);
	}
}

static void the_longest_duration_has_a_bucket(void **state)
{
	struct durations d = { 0 };

	durations_add(&d, UINT64_MAX);
	assert_int_equal(durations_percentile(&d, 50), UINT64_MAX);
	durations_free(&d);
}

static void sums_of_a_bucket_are_added_to_it(void **state)
{
	struct durations d = { 0 }, sum = { 0 };

	for (uint64_t n = 1; n < 100; n++)
		durations_add(&d, n * n);
	for (size_t i = d.buckets.len; i-- > 0;)
		durations_add_some(&sum, d.buckets.items[i].bucket, d.buckets.items[i].count, d.buckets.items[i].total);
	durations_add_some(&sum, 5, 0, 0); /* none: no bucket, no minimum */
	assert_int_equal(sum.count, d.count);
	assert_int_equal(sum.total, d.total);
	assert_int_equal(sum.buckets.len, d.buckets.len);
	assert_int_equal(sum.min, 1);
	for (size_t i = 0; i < d.buckets.len; i++)
		assert_int_equal(durations_in(&sum, d.buckets.items[i].bucket), d.buckets.items[i].count);
	assert_int_equal(durations_in(&sum, 5), 0);
	durations_free(&d);
	durations_free(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(percentiles_are_within_an_eighth),
		cmocka_unit_test(the_longest_duration_has_a_bucket),
		cmocka_unit_test(sums_of_a_bucket_are_added_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
