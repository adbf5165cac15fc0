#include "report/traces/itrace_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"

static void no_letters_are_all_kinds(void **state)
{
	struct itrace what;

	assert_int_equal(itrace_parse("", &what, NULL), 0);
	assert_true(itrace_wants(&what, 'b'));
	assert_true(itrace_wants(&what, 'i'));
	assert_int_equal(what.every, 1);
	assert_false(what.stacks);
}

static void letters_choose_kinds(void **state)
{
	struct itrace what;

	assert_int_equal(itrace_parse("cl64e,M", &what, NULL), 0);
	assert_true(itrace_wants(&what, 'b'));
	assert_true(itrace_wants(&what, 'M'));
	assert_false(itrace_wants(&what, 'i'));
	assert_true(what.stacks);
}

static void the_period_counts_operations(void **state)
{
	struct itrace what;

	assert_int_equal(itrace_parse("i1000ib", &what, NULL), 0);
	assert_int_equal(what.every, 1000);
	assert_int_equal(itrace_parse("i0i", &what, NULL), 0);
	assert_int_equal(what.every, 1);
	assert_int_equal(itrace_parse("i99999999999999999999999i", &what, NULL), 0);
	assert_int_equal(what.every, UINT32_MAX);
	assert_int_equal(itrace_parse("i", &what, NULL), 0);
	assert_true(itrace_wants(&what, 'i'));
}

static void what_no_trace_has_is_refused(void **state)
{
	static const char *const texts[] = {
		"i10us", "i10", "x",
		"y",     "b7",  "q",
		"\xff",  "g16", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = { 0 };
		struct itrace what;

		assert_int_equal(itrace_parse(texts[i], &what, &e), -1);
		assert_non_null(strstr(e.what, "--itrace="));
		assert_int_equal(e.exit_code, 129);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_letters_are_all_kinds),
		cmocka_unit_test(letters_choose_kinds),
		cmocka_unit_test(the_period_counts_operations),
		cmocka_unit_test(what_no_trace_has_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
