#include "base/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void as_printf_does(void **state)
{
	for (uint32_t v = 0; v < 100000000; v += v < 20000 || v > 99980000 ? 1 : 991) {
		uint64_t digits = digits_8(v);
		char want[16];

		snprintf(want, sizeof(want), "%08u", v);
		assert_memory_equal(&digits, want, 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_printf_does) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
