#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct event_list list;

static int begin(void **state)
{
	if (fake_begin(state) < 0)
		return -1;
	fake_pmus();
	fake_file(FAKE_PMU "intel_pt/type", "9\n");
	fake_file(FAKE_PMU "intel_pt/format/pt", "config:0\n");
	fake_file(FAKE_PMU "intel_pt/format/cyc", "config:1\n");
	fake_file(FAKE_PMU "intel_pt/format/mtc", "config:9\n");
	fake_file(FAKE_PMU "intel_pt/format/tsc", "config:10\n");
	fake_file(FAKE_PMU "intel_pt/format/branch", "config:13\n");
	fake_file(FAKE_PMU "intel_pt/format/mtc_period", "config:14-17\n");
	fake_file(FAKE_PMU "intel_pt/format/psb_period", "config:24-27\n");
	fake_file(FAKE_PMU "intel_pt/caps/mtc", "1\n");
	fake_file(FAKE_PMU "intel_pt/caps/mtc_periods", "249\n");
	fake_file(FAKE_PMU "intel_pt/caps/psb_cyc", "1\n");
	fake_file(FAKE_PMU "intel_pt/caps/psb_periods", "3f\n");
	return 0;
}

static int end(void **state)
{
	event_list_release(&list);
	return fake_end(state);
}

static struct event *parse(const char *text)
{
	event_list_release(&list);
	assert_int_equal(event_list_parse(&list, text, NULL), 0);
	return &list.events.items[0];
}

/* perf sets the same values with the same files. */
static void settings_that_are_not_given(void **state)
{
	assert_int_equal(parse("intel_pt//u")->attr.config, 0x300e601);
	assert_int_equal(parse("intel_pt/tsc=0/u")->attr.config, 0x300e201);
	assert_int_equal(parse("intel_pt/cyc,mtc=0/u")->attr.config, 0x300e403);
	assert_int_equal(parse("intel_pt/psb_period=1/")->attr.config, 0x100e601);
	fake_file(FAKE_PMU "intel_pt/caps/mtc_periods", "20\n"); /* no value is small enough */
	assert_int_equal(parse("intel_pt//")->attr.config, 0x3016601);
	fake_file(FAKE_PMU "intel_pt/caps/mtc", "0\n");
	assert_int_equal(parse("intel_pt//")->attr.config, 0x2401);
}

static void given_settings_stay(void **state)
{
	struct event *event = parse("intel_pt//");

	event_format_default(event, "psb_period", 0);
	assert_int_equal(event_format_value(event, "psb_period"), 0);
	event = parse("intel_pt/psb_period=2/");
	event_format_default(event, "psb_period", 0);
	assert_int_equal(event_format_value(event, "psb_period"), 2);
	event_format_default(event, "nosuch", 1);
	assert_int_equal(event_format_value(event, "nosuch"), 0);
}

static void values_that_the_pmu_does_not_take(void **state)
{
	struct err e = { 0 };

	assert_int_equal(event_format_check(parse("intel_pt//"), "psb_period", "caps/psb_periods", "caps/psb_cyc", &e),
			 0);
	assert_int_equal(
		event_format_check(parse("intel_pt/mtc_period=4/"), "mtc_period", "caps/mtc_periods", "caps/mtc", &e),
		-1);
	assert_string_equal(e.what, "Invalid mtc_period for intel_pt. Valid values are: 0,3,6,9");
	assert_int_equal(e.exit_code, 234);
	fake_file(FAKE_PMU "intel_pt/caps/psb_cyc", "0\n");
	assert_int_equal(event_format_check(parse("intel_pt/psb_period=2/"), "psb_period", "caps/psb_periods",
					    "caps/psb_cyc", NULL),
			 -1);
	assert_int_equal(event_format_check(parse("intel_pt/psb_period=0/"), "psb_period", "caps/psb_periods",
					    "caps/psb_cyc", NULL),
			 0);
}

static void names_of(const char *text)
{
	char names[128] = "";

	for (size_t i = 0; i < list.events.len; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s<%s ", list.events.items[i].name,
			 list.events.items[list.events.items[i].leader].name);
	assert_string_equal(names, text);
}

static void the_tracers_group_goes_first(void **state)
{
	parse("cs,{faults,minor-faults},{intel_pt//,cpu-clock},dummy");
	event_list_to_front(&list, 3);
	names_of("intel_pt//<intel_pt// cpu-clock<intel_pt// cs<cs faults<faults minor-faults<faults dummy<dummy ");
	event_list_to_front(&list, 0);
	names_of("intel_pt//<intel_pt// cpu-clock<intel_pt// cs<cs faults<faults minor-faults<faults dummy<dummy ");
}

static void who_is_one(void **state)
{
	assert_true(event_is_aux(parse("intel_pt//")));
	assert_false(event_is_aux(parse("cpu/event=1/")));
	assert_false(event_is_aux(parse("cs")));
	fake_file(FAKE_PMU "cpum_sf/type", "8\n");
	fake_file(FAKE_PMU "cpum_sf/format/event", "config:0-63\n");
	assert_true(event_is_aux(parse("cpum_sf/event=0xbd000/")));
	assert_false(event_is_aux(parse("cpum_sf/event=0xb0000/")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(settings_that_are_not_given, begin, end),
		cmocka_unit_test_setup_teardown(given_settings_stay, begin, end),
		cmocka_unit_test_setup_teardown(values_that_the_pmu_does_not_take, begin, end),
		cmocka_unit_test_setup_teardown(the_tracers_group_goes_first, begin, end),
		cmocka_unit_test_setup_teardown(who_is_one, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
