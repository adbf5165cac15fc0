#include "report/rows/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct block old = { .seen = { 10, 20, 30 }, .n_seen = 3 };

static const char *histogram(const struct block *new, int *width)
{
	static struct out o;

	if (!o.buf)
		out_init_mem(&o);
	o.len = 0;
	*width = diff_block_histogram(&(struct diff_block){ .old = &old, .new = new }, &o);
	return out_text(&o);
}

/* Changes of 1, 3 and 2: their mean is 2, its deviation the square root of 1/3. */
static void changes_of_rounds_have_a_deviation_and_bars(void **state)
{
	int width;

	assert_string_equal(histogram(&(struct block){ .seen = { 11, 17, 32 }, .n_seen = 3 }, &width), "± 28.9% ▁█▄");
	assert_int_equal(width, 11);
	assert_string_equal(histogram(&(struct block){ .seen = { 11, 17, 32, 99 }, .n_seen = 4 }, &width),
			    "± 28.9% ▁█▄"); /* without a partner */
}

static void equal_changes_have_none(void **state)
{
	int width;

	assert_string_equal(histogram(&(struct block){ .seen = { 12, 22, 28 }, .n_seen = 3 }, &width), "");
	assert_int_equal(width, 0);
	assert_string_equal(histogram(&(struct block){ .seen = { 10, 20, 30 }, .n_seen = 3 }, &width), "");
	assert_string_equal(histogram(&(struct block){ .seen = { 15 }, .n_seen = 1 }, &width), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_of_rounds_have_a_deviation_and_bars),
		cmocka_unit_test(equal_changes_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
