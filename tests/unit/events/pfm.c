#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "events/events_priv.h"

static void names_of_libpfm4_are_encoded(void **state)
{
	struct event_list l = { 0 };
	struct err e = { 0 };

	if (access("/proc/sys/kernel/perf_event_paranoid", F_OK)) {
		print_message("skipped: a kernel without perf events, and libpfm4 then knows none\n");
		skip();
	}
	if (event_list_parse_pfm(&l, "perf::CPU-CLOCK:u,{perf::PERF_COUNT_SW_PAGE_FAULTS,perf::CONTEXT-SWITCHES}", &e))
		fail_msg("%s", e.what);
	assert_int_equal(l.events.len, 3);
	assert_int_equal(l.events.items[0].attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(l.events.items[0].attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(l.events.items[0].attr.exclude_kernel);
	assert_string_equal(l.events.items[0].name, "perf::CPU-CLOCK:u");
	assert_int_equal(l.events.items[1].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(l.events.items[1].n_members, 2);
	assert_int_equal(l.events.items[2].leader, 1);
	event_list_release(&l);
}

static void bad_lists_are_refused(void **state)
{
	static const char *const texts[] = { "",
					     ",",
					     "{",
					     "}",
					     "{}",
					     "perf::CPU-CLOCK,",
					     "{perf::CPU-CLOCK",
					     "perf::CPU-CLOCK}",
					     "no_such_event",
					     "{{perf::CPU-CLOCK}}",
					     "perf::CPU-CLOCK{" };
	struct event_list l = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = { 0 };

		if (event_list_parse_pfm(&l, texts[i], &e) == 0 || !e.what[0] || e.exit_code != 129)
			fail_msg("'%s': %s", texts[i], e.what);
		assert_int_equal(l.events.len, 0);
	}
	event_list_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_libpfm4_are_encoded),
		cmocka_unit_test(bad_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
