#include "report/waits/open_pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void start(struct open_pairs *o, uint64_t key, uint64_t time)
{
	open_pairs_start(o, &(struct open_pair){ .key = key, .time = time });
}

/* The time of the start that an end of this key finds; 0: none. */
static uint64_t end(struct open_pairs *o, uint64_t key)
{
	struct open_pair p;

	return open_pairs_end(o, key, &p) ? p.time : 0;
}

static void newer_start_replaces(void **state)
{
	struct open_pairs o = { 0 };

	start(&o, 1, 10);
	start(&o, 2, 11);
	start(&o, 1, 20);
	assert_int_equal(o.n, 2);
	assert_int_equal(o.replaced, 1);
	assert_int_equal(end(&o, 1), 20);
	assert_int_equal(end(&o, 1), 0);
	assert_int_equal(o.unmatched, 1);
	assert_int_equal(end(&o, 2), 11);
	assert_int_equal(o.n, 0);
	open_pairs_free(&o);
}

static void nested_starts_end_newest_first(void **state)
{
	struct open_pairs o = { .nested = true };

	start(&o, 1, 10);
	start(&o, 2, 15);
	start(&o, 1, 20);
	start(&o, 1, 30);
	assert_int_equal(o.n, 4);
	assert_int_equal(end(&o, 1), 30);
	assert_int_equal(end(&o, 1), 20);
	start(&o, 1, 40);
	assert_int_equal(end(&o, 1), 40);
	assert_int_equal(end(&o, 1), 10);
	assert_int_equal(end(&o, 1), 0);
	assert_int_equal(o.replaced, 0);
	assert_int_equal(end(&o, 2), 15);
	open_pairs_free(&o);
}

/* With too many, the oldest give way and are counted; what stays keeps its partner. */
static void limit_drops_oldest(void **state)
{
	struct open_pairs o = { .most = 16 };
	uint64_t found = 0;

	for (uint64_t i = 1; i <= 1000; i++)
		start(&o, i, 100 + i);
	assert_true(o.n <= 16);
	assert_int_equal(o.n + o.dropped, 1000);
	assert_true(o.len <= 17);
	for (uint64_t i = 1; i <= 1000; i++)
		found += end(&o, i) == 100 + i;
	assert_true(found >= 13);
	assert_int_equal(found + o.unmatched, 1000);
	assert_int_equal(end(&o, 1000), 0);
	open_pairs_free(&o);
}

/* The bottom of a stack goes first; the rest still ends newest first. */
static void limit_cuts_nested_below(void **state)
{
	struct open_pairs o = { .most = 16, .nested = true };

	for (uint64_t i = 1; i <= 20; i++)
		start(&o, 1, i);
	assert_true(o.dropped > 0);
	for (uint64_t i = 20; i > o.dropped; i--)
		assert_int_equal(end(&o, 1), i);
	assert_int_equal(end(&o, 1), 0);
	assert_int_equal(o.n, 0);
	open_pairs_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_start_replaces),
		cmocka_unit_test(nested_starts_end_newest_first),
		cmocka_unit_test(limit_drops_oldest),
		cmocka_unit_test(limit_cuts_nested_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
