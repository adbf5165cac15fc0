#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "report/monitors/monitor.h"

/* Each time the same rate; where CPUID tells it, that one. Source: Intel's manual, CPUID leaf 0x15. */
static void the_rate_is_that_of_the_counter(void **state)
{
#if defined(__x86_64__)
	unsigned ratio = 0, number = 0, crystal = 0, unused;
	double hz = (double)monitor_tsc_hz(), again = (double)monitor_tsc_hz();

	assert_true(hz > 1e8 && hz < 1e10);
	assert_true(fabs(hz - again) < hz / 100);
	if (__get_cpuid(0x15, &ratio, &number, &crystal, &unused) && ratio && number && crystal)
		assert_true(fabs(hz - (double)crystal * number / ratio) < hz / 100);
#else
	assert_int_equal(monitor_tsc_hz(), 0);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_rate_is_that_of_the_counter) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
