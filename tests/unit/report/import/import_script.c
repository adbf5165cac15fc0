#include "tests/unit/report/import/imported.h"

static void check(const char *text, const char *want)
{
	assert_string_equal(imported(import_script, text, strlen(text)), want);
}

/* The lines are as perf-script(1) prints them. */
static void a_head_line_and_its_frames_are_a_sample(void **state)
{
	check("my prog 2  12/13 [003]  4.567890:       1000 cycles:u: \n"
	      "\tffffffff81000010 do_it+0x10 ([kernel.kallsyms])\n"
	      "\t          401000 ns::f(int, char)+0x0 (/tmp/x (deleted))\n"
	      "\t          402000 small (inlined)\n\n",
	      "my prog 2 12/13 cycles:u 1000: do_it ns::f(int, char) small @4567890000 [3]\n");
	check("sh 7 cycles:\n", "sh 7/7 cycles 1:\n");
	check("sh 7 1.000000001: 2 cycles:\n", "sh 7/7 cycles 2: @1000000001\n");
}

static void a_frame_may_stand_on_the_head_line(void **state)
{
	check("sh 7 1.5: 9 cycles:  401000 main+0x4 (/bin/sh)\nsh 8 1.6: 9 cycles:  401000 main+0x4 (/bin/sh)\n",
	      "sh 7/7 cycles 9: main @1500000000\nsh 8/8 cycles 9: main @1600000000\n");
}

static void a_frame_without_a_name_is_called_after_its_object(void **state)
{
	check("sh 7 cycles:\n\t401000 [unknown] (/usr/lib/libx.so)\n\t402000 [unknown] ([unknown])\n",
	      "sh 7/7 cycles 1: [libx.so] [unknown]\n");
}

static void other_lines_are_refused_by_their_number(void **state)
{
	check("sh 7 cycles:\n\nhello\n", "refused: line 3 is neither the head of a sample nor a frame");
	check("sh 2147483648 cycles:\n", "refused: line 1 is neither the head of a sample nor a frame");
	check("sh 7 cycles\n", "refused: line 1 is neither the head of a sample nor a frame");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_line_and_its_frames_are_a_sample),
		cmocka_unit_test(a_frame_may_stand_on_the_head_line),
		cmocka_unit_test(a_frame_without_a_name_is_called_after_its_object),
		cmocka_unit_test(other_lines_are_refused_by_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
