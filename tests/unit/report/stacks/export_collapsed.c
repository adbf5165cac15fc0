/* Collapsed lines for flamegraph.pl and difffolded.pl. */
#include "report/stacks/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report/stacks/made.h"

static void collapsed(bool compared, const char *wanted)
{
	struct stacks st = { 0 };
	struct out o;

	made_stack(&st, "a", 10, 4);
	made_stack(&st, "abc", 18446744073709551615u, 0);
	out_init_mem(&o);
	export_collapsed(&st, compared, &o);
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
	made_release(&st);
}

static void a_line_is_a_stack_and_its_weight(void **state) { collapsed(false, "a 10\na;b;c 18446744073709551615\n"); }

static void compared_lines_have_the_old_weight_first(void **state)
{
	collapsed(true, "a 4 10\na;b;c 0 18446744073709551615\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_stack_and_its_weight),
		cmocka_unit_test(compared_lines_have_the_old_weight_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
