#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include "tests/unit/events/vendor.h"

static struct event_catalogue catalogue;

static int begin(void **state)
{
	fake_judge = NULL;
	return fake_begin(state);
}

static int end(void **state)
{
	event_catalogue_release(&catalogue);
	return fake_end(state);
}

static size_t count(enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < catalogue.events.len; i++)
		n += catalogue.events.items[i].kind == kind;
	return n;
}

static int only_cycles(const struct fake_call *call)
{
	return call->attr.type != PERF_TYPE_HARDWARE ? ENOENT : call->attr.config ? EOPNOTSUPP : EACCES;
}

static void only_what_answers_is_listed(void **state)
{
	fake_judge = only_cycles;
	assert_int_equal(
		event_catalogue_read(&catalogue, 1 << KIND_HARDWARE | 1 << KIND_CACHE | 1 << KIND_SOFTWARE, NULL), 0);
	assert_int_equal(count(KIND_HARDWARE), 1);
	assert_string_equal(catalogue.events.items[0].name, "cpu-cycles");
	assert_string_equal(catalogue.events.items[0].alias, "cycles");
	assert_int_equal(count(KIND_CACHE), 0);
	assert_int_equal(count(KIND_SOFTWARE), 12);
	assert_string_equal(catalogue.events.items[1].name, "alignment-faults");
	assert_string_equal(catalogue.events.items[1].encoding, "software/config=0x7/");
}

static void everything_comes_by_kind_and_name(void **state)
{
	const struct listed_event *last = NULL;

	fake_pmus();
	fake_tracepoints();
	assert_int_equal(event_catalogue_read(&catalogue, (1 << KIND_COUNT) - 1, NULL), 0);
	assert_int_equal(count(KIND_HARDWARE), 10);
	assert_int_equal(count(KIND_CACHE), 32);
	assert_int_equal(count(KIND_PMU), 5);
	assert_int_equal(count(KIND_TRACEPOINT), 5);
	for (size_t i = 0; i < catalogue.events.len; last = &catalogue.events.items[i++])
		assert_true(!last || last->kind <= catalogue.events.items[i].kind);
	assert_string_equal(last->name, "u:only");
}

/* -e accepts every listed name. */
static void listed_names_parse(void **state)
{
	struct event_list list = { 0 };
	struct err e = { 0 };

	fake_pmus();
	fake_tracepoints();
	assert_int_equal(event_catalogue_read(&catalogue, (1 << KIND_COUNT) - 1, NULL), 0);
	for (size_t i = 0; i < catalogue.events.len; i++) {
		const struct listed_event *event = &catalogue.events.items[i];

		if (event->kind == KIND_RAW || event->kind == KIND_BREAKPOINT || strstr(event->name, "/param/") ||
		    strstr(event->name, "/broken/"))
			continue;
		if (event_list_parse(&list, event->name, &e) < 0)
			fail_msg("%s: %s", event->name, e.why);
		if (event->encoding && event_list_parse(&list, event->encoding, &e) < 0)
			fail_msg("%s: %s", event->encoding, e.why);
	}
	event_list_release(&list);
}

/*
 * Vendors' events are listed with their descriptions where the kernel shows a PMU; without one
 * nothing could count them.
 */
static void vendor_names_are_listed_if_there_is_a_pmu(void **state)
{
	bool seen = false;

	need_vendor_events();
	assert_int_equal(event_catalogue_read(&catalogue, 1 << KIND_VENDOR, NULL), 0);
	assert_int_equal(catalogue.events.len, 0);
	fake_pmus();
	assert_int_equal(event_catalogue_read(&catalogue, 1 << KIND_VENDOR, NULL), 0);
	for (size_t i = 0; i < catalogue.events.len; i++) {
		const struct listed_event *event = &catalogue.events.items[i];

		if (strcmp(event->name, "inst_retired.any_p"))
			continue;
		seen = true;
		assert_string_equal(event->encoding, "cpu/config=0xc0/");
		assert_non_null(strstr(event->description, "nstruction"));
	}
	assert_true(seen);
}

static void units_and_scales_are_printed(void **state)
{
	fake_pmus();
	event_catalogue_read(&catalogue, 1 << KIND_PMU, NULL);
	for (size_t i = 0; i < catalogue.events.len; i++) {
		const struct listed_event *event = &catalogue.events.items[i];

		assert_int_equal(event->on_core, !strcmp(event->pmu, "cpu"));
		if (!strcmp(event->name, "uncore_imc_0/cas_count_read/"))
			assert_string_equal(event->unit, "MiB");
		else if (event->on_core)
			assert_null(event->unit);
	}
}

static void closed_tracepoints_are_told_the_rest_is_there(void **state)
{
	struct err e = { 0 };

	fake_pmus();
	assert_int_equal(event_catalogue_read(&catalogue, (1 << KIND_COUNT) - 1, &e), -1);
	assert_string_equal(e.what, "can't access trace events");
	assert_int_equal(count(KIND_SOFTWARE), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_what_answers_is_listed, begin, end),
		cmocka_unit_test_setup_teardown(everything_comes_by_kind_and_name, begin, end),
		cmocka_unit_test_setup_teardown(listed_names_parse, begin, end),
		cmocka_unit_test_setup_teardown(vendor_names_are_listed_if_there_is_a_pmu, begin, end),
		cmocka_unit_test_setup_teardown(units_and_scales_are_printed, begin, end),
		cmocka_unit_test_setup_teardown(closed_tracepoints_are_told_the_rest_is_there, begin, end),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
