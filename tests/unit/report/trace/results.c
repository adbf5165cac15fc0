#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "report/trace/pointed_priv.h"

static void errors_have_the_names_of_the_kernel(void **state)
{
	assert_string_equal(trace_errno_name(ENOENT), "ENOENT");
	assert_string_equal(trace_errno_name(EAGAIN), "EAGAIN");
	assert_string_equal(trace_errno_name(512), "ERESTARTSYS");
	assert_string_equal(trace_errno_name(516), "ERESTART_RESTARTBLOCK");
	assert_null(trace_errno_name(4000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_the_names_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
