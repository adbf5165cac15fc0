#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void raising_fills_what_and_clears_the_rest(void **state)
{
	struct err e = { .why = "old", .fix = "old", .sys = 5, .exit_code = 7 };

	assert_int_equal(err_set(&e, "bad %s %d", "x", 3), -1);
	assert_string_equal(e.what, "bad x 3");
	assert_string_equal(e.why, "");
	assert_string_equal(e.fix, "");
	assert_int_equal(e.sys, 0);
	assert_int_equal(e.exit_code, 0);
}

static void errno_becomes_the_reason(void **state)
{
	struct err e = { 0 };

	errno = ENOENT;
	assert_int_equal(err_sys(&e, "cannot open '%s'", "f"), -1);
	assert_string_equal(e.what, "cannot open 'f'");
	assert_string_equal(e.why, "No such file or directory");
	assert_int_equal(e.sys, ENOENT);
	assert_int_equal(errno, ENOENT);
}

static void offset_is_kept_when_the_text_is_cut(void **state)
{
	struct err e = { 0 };
	char text[2000];

	err_at(&e, 0x1234, "bad record");
	assert_string_equal(e.what, "bad record at offset 0x1234");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_at(&e, UINT64_MAX, "%s", text);
	assert_true(strlen(e.what) < sizeof(e.what));
	assert_non_null(strstr(e.what, "aa at offset 0xffffffffffffffff"));
}

static void context_goes_before(void **state)
{
	struct err e = { 0 };
	char text[2000];

	err_set(&e, "no magic");
	err_why(&e, "it is text");
	err_try(&e, "another file");
	err_exit(&e, 129);
	assert_int_equal(err_in(&e, "cannot read '%s'", "x"), -1);
	assert_string_equal(e.what, "cannot read 'x': no magic");
	assert_string_equal(e.why, "it is text");
	assert_string_equal(e.fix, "another file");
	assert_int_equal(e.exit_code, 129);
	memset(text, 'b', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_in(&e, "%s", text);
	assert_int_equal(strlen(e.what), sizeof(e.what) - 1);
	err_clear(&e);
	assert_string_equal(e.what, "");
	assert_int_equal(e.exit_code, 0);
}

static void arguments_may_lie_in_the_error(void **state)
{
	struct err e = { 0 };

	err_set(&e, "inner");
	err_set(&e, "outer (%s)", e.what);
	assert_string_equal(e.what, "outer (inner)");
	err_why(&e, "because %s", e.what);
	assert_string_equal(e.why, "because outer (inner)");
}

static void without_a_struct_only_the_failure_counts(void **state)
{
	assert_int_equal(err_set(NULL, "x"), -1);
	assert_int_equal(err_sys(NULL, "x"), -1);
	assert_int_equal(err_at(NULL, 1, "x"), -1);
	assert_int_equal(err_why(NULL, "x"), -1);
	assert_int_equal(err_try(NULL, "x"), -1);
	assert_int_equal(err_in(NULL, "x"), -1);
	assert_int_equal(err_exit(NULL, 1), -1);
	err_clear(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raising_fills_what_and_clears_the_rest),
		cmocka_unit_test(errno_becomes_the_reason),
		cmocka_unit_test(offset_is_kept_when_the_text_is_cut),
		cmocka_unit_test(context_goes_before),
		cmocka_unit_test(arguments_may_lie_in_the_error),
		cmocka_unit_test(without_a_struct_only_the_failure_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
