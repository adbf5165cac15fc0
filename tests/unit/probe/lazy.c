/* Lazy patterns: globs for source lines that ignore blanks. */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>

#include "probe/probe.h"

static void blanks_do_not_count(void **state)
{
	assert_true(lazy_match("\tx =  y + 1;", "x=y+1;"));
	assert_true(lazy_match("x=y", " x = y "));
	assert_false(lazy_match("x = z", "x=y"));
}

static void the_whole_line_must_fit(void **state)
{
	assert_false(lazy_match("x = y;", "x=y"));
	assert_true(lazy_match("x = y;", "x=y*"));
	assert_true(lazy_match("if (a) x = y;", "*x=y;"));
	assert_true(lazy_match("", ""));
	assert_true(lazy_match("", "*"));
	assert_false(lazy_match("a", ""));
}

static void sets_and_escapes(void **state)
{
	assert_true(lazy_match("x1", "x[0-9]"));
	assert_false(lazy_match("xa", "x[0-9]"));
	assert_true(lazy_match("xa", "x[!0-9]"));
	assert_false(lazy_match("x5", "x[^0-9]"));
	assert_true(lazy_match("x]", "x[]]"));
	assert_true(lazy_match("a[", "a["));
	assert_true(lazy_match("a*b", "a\\*b"));
	assert_false(lazy_match("acb", "a\\*b"));
	assert_true(lazy_match("acb", "a?b"));
}

static void a_star_tries_every_place(void **state)
{
	assert_true(lazy_match("abcabd", "*abd"));
	assert_true(lazy_match("aXbXc", "a*b*c"));
	assert_false(lazy_match("aXbXd", "a*b*c"));
}

/* Time is proportional to text times pattern: an exponential one would not end. */
static void many_stars_end(void **state)
{
	char text[2001], pattern[401];

	memset(text, 'a', 2000);
	text[2000] = 0;
	for (int i = 0; i < 400; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[400] = 0;
	pattern[399] = 'b';
	assert_false(lazy_match(text, pattern));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_do_not_count), cmocka_unit_test(the_whole_line_must_fit),
		cmocka_unit_test(sets_and_escapes),    cmocka_unit_test(a_star_tries_every_place),
		cmocka_unit_test(many_stars_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
