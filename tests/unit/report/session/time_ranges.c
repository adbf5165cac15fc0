#include "report/session/time_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { FIRST = 1000, LAST = 2000 };

static void check(const char *text, bool relative, const struct time_span *want, size_t n)
{
	struct time_ranges r = { 0 };
	struct err e = { 0 };

	assert_int_equal(time_ranges_parse(&r, text, FIRST, LAST, relative, &e), 0);
	assert_int_equal(r.len, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(r.items[i].from, want[i].from);
		assert_int_equal(r.items[i].to, want[i].to);
	}
	time_ranges_free(&r);
}

static void seconds_with_open_ends(void **state)
{
	check("1.5,2", false, &(struct time_span){ 1500000000, 2000000000 }, 1);
	check("1.000000001,", false, &(struct time_span){ 1000000001, UINT64_MAX }, 1);
	check(",0.0000000019", false, &(struct time_span){ 0, 1 }, 1);
	check("1,2 3,4", false, (struct time_span[]){ { 1000000000, 2000000000 }, { 3000000000, 4000000000 } }, 2);
	check("1, 2", false, &(struct time_span){ 1000000000, 2000000000 }, 1);
	check("1,0", false, &(struct time_span){ 1000000000, UINT64_MAX }, 1);
	check("0,0", false, &(struct time_span){ 0, UINT64_MAX }, 1);
	check("0.000001,0.000002", true, &(struct time_span){ 2000, 3000 }, 1);
	check("0.000001,", true, &(struct time_span){ 2000, UINT64_MAX }, 1);
}

static void percents_of_the_recording(void **state)
{
	check("10%", false, &(struct time_span){ 1000, 1100 }, 1);
	check("10%/2", false, &(struct time_span){ 1100, 1200 }, 1);
	check("10%-20%", false, &(struct time_span){ 1100, 1200 }, 1);
	check("10%/2,10%/10", false, (struct time_span[]){ { 1100, 1200 }, { 1900, 2000 } }, 2);
	check("0%-10%,30%-40%", false, (struct time_span[]){ { 1000, 1100 }, { 1300, 1400 } }, 2);
}

static void nonsense_is_refused(void **state)
{
	static const char *const texts[] = { "",
					     "1",
					     "abc",
					     "5,4",
					     "1,2,3,4",
					     "101%",
					     "10%/0",
					     "10%/11",
					     "20%-10%",
					     "10%x",
					     "10%/2;",
					     "-1,2",
					     "1,2x",
					     "99999999999999999999,",
					     "10%,1,2",
					     "%",
					     "10%/99999999999999999999" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct time_ranges r = { 0 };
		struct err e = { 0 };

		assert_int_equal(time_ranges_parse(&r, texts[i], FIRST, LAST, false, &e), -1);
		assert_string_not_equal(e.what, "");
		time_ranges_free(&r);
	}
}

static void percents_need_times(void **state)
{
	struct time_ranges r = { 0 };
	struct err e = { 0 };

	assert_int_equal(time_ranges_parse(&r, "10%", 0, 0, false, &e), -1);
	assert_int_equal(e.exit_code, 234);
}

static void neighbours_share_nothing(void **state)
{
	struct time_span spans[] = { { 10, 20 }, { 20, 30 } };
	struct time_ranges r = { .items = spans, .len = 2 };

	assert_false(time_ranges_have(&r, 9));
	assert_true(time_ranges_have(&r, 10));
	assert_true(time_ranges_have(&r, 20));
	assert_true(time_ranges_have(&r, 30));
	assert_false(time_ranges_have(&r, 31));
	r.len = 1;
	assert_true(time_ranges_have(&r, 20));
	r.items = (struct time_span[]){ { 10, 20 }, { 30, 40 } };
	r.len = 2;
	assert_false(time_ranges_have(&r, 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_with_open_ends),   cmocka_unit_test(percents_of_the_recording),
		cmocka_unit_test(nonsense_is_refused),      cmocka_unit_test(percents_need_times),
		cmocka_unit_test(neighbours_share_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
