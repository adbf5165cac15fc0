/*
 * This is a separate program because libpfm4 is initialised once per process, and here it must
 * assume a machine whose events the test knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "events/events_priv.h"
#include "tests/unit/events/vendor.h"

static void names_of_the_vendor_are_found(void **state)
{
	static const char *const others[] = {
		"",      "cycles", "perf::CPU-CLOCK", "INST_RETIRED:ANY_P", "no_such_event", "inst_retired.nosuch", ".",
		"a.b.c", "1"
	};
	struct perf_event_attr attr = { 0 };
	struct pfm_names names = { 0 };
	struct arena a = { 0 };

	need_vendor_events();
	assert_true(pfm_find("inst_retired.any_p", &attr));
	assert_int_equal(attr.type, PERF_TYPE_RAW);
	assert_int_equal(attr.config, 0xc0);
	assert_false(attr.exclude_hv);
	assert_true(pfm_find("Br_Misp_Retired.CONDITIONAL", &attr));
	assert_int_equal(attr.config, 0x1c5);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (pfm_find(others[i], &attr))
			fail_msg("'%s' is found", others[i]);
	pfm_list(&a, &names);
	assert_true(names.len > 50);
	for (size_t i = 0; i < names.len; i++)
		assert_true(names.items[i].name[0] && !strpbrk(names.items[i].name, ": /"));
	vec_free(&names);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_of_the_vendor_are_found) };

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
