#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "report/ftrace/histogram.h"

static void expect_row(const struct histogram *h, const char *row)
{
	struct out o;

	out_init_mem(&o);
	histogram_print(h, &o);
	if (!strstr(out_text(&o), row))
		fail_msg("no '%s' in\n%s", row, out_text(&o));
	out_release(&o);
}

static void powers_of_two_are_labelled_as_counted(void **state)
{
	static const struct {
		uint64_t ns;
		const char *row;
	} cases[] = {
		{ 999, "     0 -    1 us |          1 | ##" },     { 1000, "     1 -    2 us |          1 | ##" },
		{ 237000, "   128 -  256 us |          1 | ##" },  { 1023999, "   512 - 1024 us |          1 | ##" },
		{ 1024000, "     1 -    2 ms |          1 | ##" }, { 2000000000, "     1 - ...   s |          1 | ##" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct histogram h;

		assert_int_equal(histogram_init(&h, &(struct histogram_opts){ 0 }, NULL), 0);
		histogram_add(&h, cases[i].ns);
		expect_row(&h, cases[i].row);
		histogram_release(&h);
	}
}

static void nanoseconds_end_earlier(void **state)
{
	struct histogram h;

	assert_int_equal(histogram_init(&h, &(struct histogram_opts){ .nanoseconds = true }, NULL), 0);
	histogram_add(&h, 1000);
	histogram_add(&h, 5000000);
	expect_row(&h, "   512 - 1024 ns |          1 |");
	expect_row(&h, "     1 - ...  ms |          1 |");
	expect_row(&h, "# statistics  (in nsec)\n  total time:              5001000\n");
	histogram_release(&h);
}

static void buckets_of_equal_width(void **state)
{
	struct histogram h;
	struct histogram_opts opts = { .width = 100, .least = 200, .most = 450, .hide_empty = true };

	assert_int_equal(histogram_init(&h, &opts, NULL), 0);
	for (uint64_t us = 199; us <= 501; us++)
		histogram_add(&h, us * 1000);
	expect_row(&h, "     0 -  200 us |          1 |");
	expect_row(&h, "   200 -  300 us |        100 |");
	expect_row(&h, "   400 -  450 us |         50 |");
	expect_row(&h, "   450 - ...  us |         52 |");
	histogram_release(&h);
}

static void impossible_buckets_are_refused(void **state)
{
	struct histogram h;

	assert_int_equal(histogram_init(&h, &(struct histogram_opts){ .width = 1, .least = 9, .most = 9 }, NULL), -1);
	assert_int_equal(histogram_init(&h, &(struct histogram_opts){ .width = 1, .most = 1 << 20 }, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_of_two_are_labelled_as_counted),
		cmocka_unit_test(nanoseconds_end_earlier),
		cmocka_unit_test(buckets_of_equal_width),
		cmocka_unit_test(impossible_buckets_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
