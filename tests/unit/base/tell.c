#include "base/tell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char told[4096];
static int told_level;

static void keep(void *of, int level, const char *text)
{
	++*(int *)of;
	told_level = level;
	snprintf(told, sizeof(told), "%s", text);
}

static void lines_up_to_the_level_arrive(void **state)
{
	int n = 0;
	const struct teller quiet = { keep, &n, -1 }, usual = { keep, &n, 0 }, chatty = { keep, &n, 2 };

	tell(&quiet, "a");
	tell_more(&usual, 1, "b");
	tell_more(&chatty, 3, "c");
	assert_int_equal(n, 0);
	tell(&usual, "lost %d of %s", 3, "x");
	assert_int_equal(n, 1);
	assert_int_equal(told_level, 0);
	assert_string_equal(told, "lost 3 of x");
	tell_more(&chatty, 2, "d");
	assert_int_equal(n, 2);
	assert_int_equal(told_level, 2);
}

static void long_lines_arrive_whole(void **state)
{
	int n = 0;
	const struct teller t = { keep, &n, 0 };
	char text[3000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	tell(&t, "%s", text);
	assert_string_equal(told, text);
}

static void a_teller_of_zeros_drops_all(void **state)
{
	const struct teller none = { 0 };

	assert_false(tells(&none, 0));
	tell(&none, "a");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_up_to_the_level_arrive),
		cmocka_unit_test(long_lines_arrive_whole),
		cmocka_unit_test(a_teller_of_zeros_drops_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
