#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stat/count_priv.h"

static void counts_are_scaled_to_the_time_enabled(void **state)
{
	assert_int_equal(count_scaled(&(struct count){ 100, 1000, 1000 }), 100);
	assert_int_equal(count_scaled(&(struct count){ 100, 1000, 500 }), 200);
	assert_int_equal(count_scaled(&(struct count){ 100, 1000, 333 }), 300); /* 300.3 */
	assert_int_equal(count_scaled(&(struct count){ 5, 3, 2 }), 8);          /* 7.5 is rounded up */
	assert_int_equal(count_scaled(&(struct count){ 100, 1000, 0 }), 0);
	assert_int_equal(count_scaled(&(struct count){ 1ull << 62, 4, 2 }), 1ull << 63);
}

static void an_interval_is_what_is_between_two_readings(void **state)
{
	struct count before = { 10, 100, 100 }, now = { 25, 300, 200 }, d = count_since(&now, &before);

	assert_int_equal(d.value, 15);
	assert_int_equal(d.enabled, 200);
	assert_int_equal(d.running, 100);
	d = count_since(&before, &now); /* set back */
	assert_int_equal(d.value, 10);
}

static void deviations_are_those_of_the_mean(void **state)
{
	struct spread s = { 0 };

	spread_add(&s, 4);
	assert_true(spread_percent(&s) == 0);
	spread_add(&s, 6);
	spread_add(&s, 8);
	assert_true(s.mean == 6);
	assert_float_equal(spread_of_mean(&s), 1.1547005, 1e-6); /* 2 / sqrt(3) */
	assert_float_equal(spread_percent(&s), 19.245009, 1e-5);
	s = (struct spread){ 0 };
	spread_add(&s, 0);
	spread_add(&s, 0);
	assert_true(spread_percent(&s) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_scaled_to_the_time_enabled),
		cmocka_unit_test(an_interval_is_what_is_between_two_readings),
		cmocka_unit_test(deviations_are_those_of_the_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
