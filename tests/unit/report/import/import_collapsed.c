#include "tests/unit/report/import/imported.h"

static void check(const char *text, const char *want)
{
	assert_string_equal(imported(import_collapsed, text, strlen(text)), want);
}

static void frames_are_kept_innermost_first(void **state)
{
	check("sh-12/13;main;read 5\n", "sh 12/13 samples 5: read main\n");
	check("sh-12;main;a b;c 18446744073709551615", "sh 12/12 samples 18446744073709551615: c a b main\n");
	check("# a comment\n\r\nsh-7 1 \r\n", "sh 7/7 samples 1:\n");
}

/* The number is that of the text, whose first one (1) is the event's name: the same name is the same task. */
static void a_name_without_ids_gets_a_number_of_its_own(void **state)
{
	check("x;f 1\ny;f 2\nx;g 3\n", "x 2/2 samples 1: f\ny 4/4 samples 2: f\nx 2/2 samples 3: g\n");
	check("-12;f 1\n", "-12 2/2 samples 1: f\n");                   /* ids need a name before them */
	check("a-2147483648;f 1\n", "a-2147483648 2/2 samples 1: f\n"); /* larger than any id */
}

static void a_line_without_a_sound_weight_is_refused_by_its_number(void **state)
{
	check("a;b 1\na;b\n", "refused: line 2: no weight at the end");
	check("12\n", "refused: line 1: no weight at the end");
	check("a;b 18446744073709551616\n", "refused: line 1: the weight is larger than 64 bits hold");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_kept_innermost_first),
		cmocka_unit_test(a_name_without_ids_gets_a_number_of_its_own),
		cmocka_unit_test(a_line_without_a_sound_weight_is_refused_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
