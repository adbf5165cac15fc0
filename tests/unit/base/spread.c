#include "base/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int is_near(double a, double b) { return fabs(a - b) < 1e-9; }

static void few_values_have_no_spread(void **state)
{
	struct spread s = { 0 };

	assert_true(spread_of_mean(&s) == 0 && spread_percent(&s) == 0);
	spread_add(&s, 7);
	assert_true(s.n == 1 && s.mean == 7);
	assert_true(spread_of_mean(&s) == 0 && spread_percent(&s) == 0);
}

/* 2 4 4 4 5 5 7 9: mean 5, squared deviations 32, so sqrt(32 / 7 / 8). */
static void deviation_of_the_mean_is_that_of_the_text_book(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct spread s = { 0 };

	for (size_t i = 0; i < 8; i++)
		spread_add(&s, values[i]);
	assert_true(is_near(s.mean, 5));
	assert_true(is_near(s.m2, 32));
	assert_true(is_near(spread_of_mean(&s), sqrt(32.0 / 7 / 8)));
	assert_true(is_near(spread_percent(&s), 20 * sqrt(32.0 / 7 / 8)));
}

/* Summing squares would lose these deviations: 1e9 squared leaves no digit for them. */
static void small_deviations_of_large_values_survive(void **state)
{
	struct spread s = { 0 };

	spread_add(&s, 1e9 + 4);
	spread_add(&s, 1e9 + 7);
	spread_add(&s, 1e9 + 13);
	spread_add(&s, 1e9 + 16);
	assert_true(is_near(s.mean, 1e9 + 10));
	assert_true(is_near(s.m2, 90));
}

static void mean_of_zero_has_no_percentage(void **state)
{
	struct spread s = { 0 };

	spread_add(&s, -1);
	spread_add(&s, 1);
	assert_true(spread_of_mean(&s) > 0);
	assert_true(spread_percent(&s) == 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_values_have_no_spread),
		cmocka_unit_test(deviation_of_the_mean_is_that_of_the_text_book),
		cmocka_unit_test(small_deviations_of_large_values_survive),
		cmocka_unit_test(mean_of_zero_has_no_percentage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
