#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/out.h"
#include "events/event_files_priv.h"

/*
 * Read one JSON text as the only file, and print what was read, a line for each event or metric:
 *
 *	event NAME TERMS [on PMU] [every PERIOD] [* SCALE] [in UNIT] [per package]: DESCRIPTION
 *	metric NAME = EXPRESSION [of GROUPS] [in UNIT] [on PMU]: ABOUT
 *
 * A text that is refused gives "refused: " and the message. The result lives until the next call.
 */
static struct out printed;

static void print_events(const struct event_files *files)
{
	for (size_t i = 0; i < files->events.len; i++) {
		const struct vendor_event *event = &files->events.items[i];

		out_fmt(&printed, "event %s %s", event->name, event->terms);
		if (event->pmu)
			out_fmt(&printed, " on %s", event->pmu);
		if (event->period)
			out_fmt(&printed, " every %llu", (unsigned long long)event->period);
		if (event->scale != 1)
			out_fmt(&printed, " * %g", event->scale);
		if (event->unit)
			out_fmt(&printed, " in %s", event->unit);
		out_fmt(&printed, "%s: %s\n", event->per_package ? " per package" : "", event->description);
	}
}

static void print_metrics(const struct event_files *files)
{
	for (size_t i = 0; i < files->metrics.len; i++) {
		const struct vendor_metric *metric = &files->metrics.items[i];

		out_fmt(&printed, "metric %s = %s", metric->name, metric->expression);
		if (*metric->groups)
			out_fmt(&printed, " of %s", metric->groups);
		if (metric->unit)
			out_fmt(&printed, " in %s", metric->unit);
		if (metric->pmu)
			out_fmt(&printed, " on %s", metric->pmu);
		out_fmt(&printed, ": %s\n", metric->about);
	}
}

static void release(struct event_files *files)
{
	vec_free(&files->events);
	vec_free(&files->metrics);
	arena_release(&files->arena);
}

static int end(void **state)
{
	out_release(&printed);
	return 0;
}

/* `common`: what "ArchStdEvent" refers to, NULL = nothing. It is forgotten before we look at the result. */
static const char *read_with(const char *common, const char *pmu, const char *text)
{
	struct event_files files = { 0 };
	struct file_reading r = { .into = &files, .pmu = pmu };
	struct err e = { 0 };

	out_release(&printed);
	out_init_mem(&printed);
	if (common && event_json_read(&r, &r.common, common, strlen(common), &e) < 0)
		fail_msg("%s", e.what);
	if (event_json_read(&r, &files, text, strlen(text), &e) < 0)
		out_fmt(&printed, "refused: %s", e.what);
	release(&r.common);
	if (!e.what[0]) {
		print_events(&files);
		print_metrics(&files);
	}
	release(&files);
	return out_text(&printed);
}

/* The members of one event besides its name "E". */
static void event_is(const char *members, const char *wanted)
{
	autofree char *text = xasprintf("[{\"EventName\": \"E\"%s%s}]", *members ? ", " : "", members);

	assert_string_equal(read_with(NULL, NULL, text), wanted);
}

static void metric_is(const char *members, const char *wanted)
{
	autofree char *text = xasprintf("[{\"MetricName\": \"m\", %s}]", members);

	assert_string_equal(read_with(NULL, NULL, text), wanted);
}

/* ---- events ---- */

static void a_field_of_zero_is_no_term_except_for_the_number(void **state)
{
	event_is("", "event E event=0: \n");
	event_is("\"EventCode\": \"0x00\", \"UMask\": \"0x00\", \"Invert\": \"0\"", "event E event=0: \n");
	event_is("\"EventCode\": \"0xD1\", \"UMask\": \"0x08\", \"CounterMask\": \"2\", \"Invert\": \"1\", "
		 "\"EdgeDetect\": "
		 "\"1\", \"AnyThread\": \"1\"",
		 "event E event=0xd1,umask=0x8,cmask=0x2,inv=0x1,edge=0x1,any=0x1: \n");
	event_is("\"EventCode\": 209, \"UMask\": 8", "event E event=0xd1,umask=0x8: \n"); /* numbers of JSON */
	event_is("\"EventCode\": \"010\"", "event E event=0x8: \n");                      /* C's octal */
}

/* ExtSel is bit 21 of the control register, so bit 8 of the number. UMaskExt continues the umask. */
static void extensions_are_the_higher_bits(void **state)
{
	event_is("\"EventCode\": \"0x36\", \"ExtSel\": \"1\"", "event E event=0x136: \n");
	event_is("\"EventCode\": \"0x36\", \"UMask\": \"0xff\", \"UMaskExt\": \"0xC8\"",
		 "event E event=0x36,umask=0xc8ff: \n");
	event_is("\"EventCode\": \"0x36\", \"UMaskExt\": \"0x1\"", "event E event=0x36,umask=0x100: \n");
	event_is("\"EventCode\": \"0x36\", \"EdgeDetect\": \"1\", \"UMaskExt\": \"0x1\"",
		 "event E event=0x36,umask=0x100,edge=0x1: \n");
}

static void the_first_number_of_a_list_counts(void **state)
{
	event_is("\"EventCode\": \"0xb7, 0xbb\"", "event E event=0xb7: \n");
	event_is("\"EventCode\": \"0xb7,0xbb\"", "event E event=0xb7: \n");
	event_is("\"EventCode\": \"0xffffffffffffffff\"", "event E event=0xffffffffffffffff: \n");
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const bad[] = { "x", "-1", " 1", "+1", "0x", "0xg", "1;", "1x" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		autofree char *code = xasprintf("\"EventCode\": \"%s\"", bad[i]);
		autofree char *umask = xasprintf("\"UMask\": \"%s\"", bad[i]);
		autofree char *period = xasprintf("\"SampleAfterValue\": \"%s\"", bad[i]);
		autofree char *no_code = xasprintf("refused: event 'E': 'EventCode' is no number: '%s'", bad[i]);
		autofree char *no_umask = xasprintf("refused: event 'E': 'UMask' is no number: '%s'", bad[i]);
		autofree char *no_period = xasprintf("refused: 'SampleAfterValue' is no number: '%s'", bad[i]);

		event_is(code, no_code);
		event_is(umask, no_umask);
		event_is(period, no_period);
	}
}

static void config_codes_replace_event_codes(void **state)
{
	event_is("\"ConfigCode\": \"0x8000\", \"EventCode\": \"0x1\"", "event E config=0x8000: \n");
}

/* Intel's MSR_PEBS_LD_LAT_THRESHOLD, MSR_PEBS_FRONTEND and MSR_OFFCORE_RSP_0 and 1. */
static void registers_become_the_format_that_holds_their_value(void **state)
{
	event_is("\"MSRIndex\": \"0x3f6\", \"MSRValue\": \"0x80\"", "event E event=0,ldlat=0x80: \n");
	event_is("\"MSRIndex\": \"0x3f7\", \"MSRValue\": \"0x11\"", "event E event=0,frontend=0x11: \n");
	event_is("\"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x0\"", "event E event=0,offcore_rsp=0: \n");
	event_is("\"MSRIndex\": \"0x1a7\", \"MSRValue\": \"0x1\"", "event E event=0,offcore_rsp=0x1: \n");
	event_is("\"MSRIndex\": \"0x00\", \"MSRValue\": \"0x1\"", "event E event=0: \n");
	event_is("\"MSRIndex\": \"0x1a8\", \"MSRValue\": \"0x1\"", "event E event=0: \n");
}

static void filters_are_taken_over_if_they_are_terms(void **state)
{
	event_is("\"Filter\": \"opc=0x192,tid=1\"", "event E event=0,opc=0x192,tid=1: \n");
	event_is("\"Filter\": \"CBoFilter0[23:17]\"", "event E event=0: \n"); /* names a register */
	event_is("\"Filter\": \"a=1/\"", "refused: event 'E': 'Filter' is no list of terms: 'a=1/'");
}

static void fixed_counters_have_the_numbers_of_the_kernel(void **state)
{
	static const char *const files[][2] = {
		{ "INST_RETIRED.ANY", "event=0xc0" },
		{ "inst_retired.any", "event=0xc0" },
		{ "CPU_CLK_UNHALTED.THREAD_ANY", "event=0x3c,any=1" },
		{ "CPU_CLK_UNHALTED.REF_TSC", "event=0x0,umask=0x3" },
		{ "INST_RETIRED.ANY_P", "event=0x1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		autofree char *text = xasprintf("[{\"EventName\": \"%s\", \"EventCode\": \"0x01\"}]", files[i][0]);
		autofree char *wanted = xasprintf("event %s %s: \n", files[i][0], files[i][1]);

		assert_string_equal(read_with(NULL, NULL, text), wanted);
	}
}

static void a_unit_of_the_manual_is_the_pmu_of_sysfs(void **state)
{
	event_is("\"Unit\": \"CBO\"", "event E event=0 on cbox: \n");
	event_is("\"Unit\": \"UPI LL\"", "event E event=0 on upi: \n");
	event_is("\"Unit\": \"L3PMC\"", "event E event=0 on amd_l3: \n");
	event_is("\"Unit\": \"core\"", "event E event=0: \n");
	event_is("\"Unit\": \"hisi_sccl,DDRC\"", "event E event=0 on hisi_sccl_ddrc: \n");
	assert_string_equal(read_with(NULL, "cpu_atom",
				      "[{\"EventName\": \"E\"}, {\"EventName\": \"U\", \"Unit\": "
				      "\"iMC\"}]"),
			    "event E event=0 on cpu_atom: \nevent U event=0 on imc: \n");
}

static void scales_stand_before_their_units(void **state)
{
	event_is("\"ScaleUnit\": \"64Bytes\"", "event E event=0 * 64 in Bytes: \n");
	event_is("\"ScaleUnit\": \"0.5e3MiB\"", "event E event=0 * 500 in MiB: \n");
	event_is("\"ScaleUnit\": \"MiB\"", "event E event=0 in MiB: \n");
	event_is("\"ScaleUnit\": \"4\"", "event E event=0 * 4: \n");
}

static void periods_packages_and_descriptions_are_kept(void **state)
{
	event_is("\"SampleAfterValue\": \"100003\", \"PerPkg\": \"1\"", "event E event=0 every 100003 per package: \n");
	event_is("\"SampleAfterValue\": \"0xffffffffffffffff\"", "event E event=0 every 9223372036854775807: \n");
	event_is("\"PerPkg\": \"0\", \"PublicDescription\": \"long\"", "event E event=0: long\n");
	event_is("\"BriefDescription\": \"short\", \"PublicDescription\": \"long\"", "event E event=0: short\n");
}

static void names_have_no_characters_of_the_event_syntax(void **state)
{
	assert_string_equal(read_with(NULL, NULL, "[{\"EventName\": \"a.b_C-1:2\"}]"), "event a.b_C-1:2 event=0: \n");
	assert_string_equal(read_with(NULL, NULL, "[{\"EventName\": \"a,b\"}]"),
			    "refused: 'EventName' is no name: 'a,b'");
	assert_string_equal(read_with(NULL, NULL, "[{\"EventName\": \"a b\"}]"),
			    "refused: 'EventName' is no name: 'a b'");
	assert_string_equal(read_with(NULL, NULL, "[{\"EventName\": \"a\\u001b\"}]"),
			    "refused: 'EventName' is no name: 'a\x1b'");
}

/* ---- metrics ---- */

static void expressions_are_kept_as_they_are(void **state)
{
	metric_is(
		"\"MetricExpr\": \"a / b\", \"BriefDescription\": \"about\", \"ScaleUnit\": \"100%\", \"MetricGroup\": "
		"\"g, h;i\", \"Unit\": \"cpu_core\"",
		"metric m = a / b of g;h;i in 100% on cpu_core: about\n");
	metric_is("\"MetricExpr\": \"a\", \"Formula\": \"b\"", "metric m = a: \n");
	metric_is("\"MetricGroup\": \"g\"", "refused: metric 'm' has neither 'MetricExpr' nor 'Formula'");
}

static void only_whole_words_of_a_formula_are_aliases(void **state)
{
	metric_is("\"Formula\": \"100 * a / (ab + max(a, 1e3)) if a2 > 2a else min\", \"Events\": [{\"Alias\": \"a\", "
		  "\"Name\": \"X.Y\"}]",
		  "metric m = 100 * X.Y / (ab + max(X.Y, 1e3)) if a2 > 2a else min: \n");
	metric_is("\"Formula\": \"a\", \"Events\": [{\"Alias\": \"a\", \"Name\": \"X\"}, {\"Alias\": \"a\", \"Name\": "
		  "\"Y\"}]",
		  "metric m = X: \n"); /* the first of two */
	metric_is("\"Formula\": \"2 * a\", \"Events\": [{\"Alias\": \"2\", \"Name\": \"X\"}]",
		  "metric m = 2 * a: \n"); /* a number stays one */
}

static void events_of_a_formula_may_have_options(void **state)
{
	static const char *const rows[][2] = {
		{ "X-Y", "X\\-Y" },
		{ "X:c1", "cpu@X\\,cmask\\=1@" },
		{ "X:C0x2:e1:i1:u0xf", "cpu@X\\,cmask\\=0x2\\,edge\\=1\\,inv\\=1\\,umask\\=0xf@" },
		{ "TOPDOWN.SLOTS:perf_metrics", "slots" },
		{ "TOPDOWN.SLOTS", "TOPDOWN.SLOTS" },
		{ "TOPDOWN.SLOTS:c1", "cpu@TOPDOWN.SLOTS\\,cmask\\=1@" },
		{ "PERF_METRICS.BAD_SPECULATION", "topdown\\-bad\\-speculation" },
		{ "X:perf_metrics", "X" },
	};
	static const char *const bad[][2] = { { "X:q7", "q7" }, { "X:c", "c" }, { "X:", "" }, { "X:c1z", "c1z" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		autofree char *members =
			xasprintf("\"Formula\": \"a\", \"Events\": [{\"Alias\": \"a\", \"Name\": \"%s\"}]", rows[i][0]);
		autofree char *wanted = xasprintf("metric m = %s: \n", rows[i][1]);

		metric_is(members, wanted);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		autofree char *members =
			xasprintf("\"Formula\": \"a\", \"Events\": [{\"Alias\": \"a\", \"Name\": \"%s\"}]", bad[i][0]);
		autofree char *wanted =
			xasprintf("refused: metric 'm': an event has the unknown option '%s'", bad[i][1]);

		metric_is(members, wanted);
	}
}

static void options_are_terms_of_the_cores_that_the_file_is_for(void **state)
{
	assert_string_equal(read_with(NULL, "cpu_atom",
				      "[{\"MetricName\": \"m\", \"Formula\": \"a\", \"Events\": [{\"Alias\": \"a\", "
				      "\"Name\": \"X:c1\"}]}]"),
			    "metric m = cpu_atom@X\\,cmask\\=1@ on cpu_atom: \n");
}

static void constants_become_our_expressions(void **state)
{
	metric_is("\"Formula\": \"a / b + c\", \"Constants\": [{\"Alias\": \"a\", \"Name\": \"smt_on\"}, {\"Alias\": "
		  "\"b\", "
		  "\"Name\": \"SYSTEM_TSC_FREQ\"}, {\"Alias\": \"c\", \"Name\": \"1000\"}]",
		  "metric m = #smt_on / #system_tsc_freq + 1000: \n");
	metric_is("\"Formula\": \"a\", \"Constants\": [{\"Alias\": \"a\", \"Name\": \"NO_SUCH\"}]",
		  "refused: metric 'm': it has the unknown constant 'NO_SUCH'");
	metric_is("\"Formula\": \"a\", \"Constants\": [{\"Alias\": \"a\", \"Name\": \"\"}]",
		  "refused: metric 'm': it has the unknown constant ''");
	metric_is("\"Formula\": \"a\", \"Constants\": [{\"Alias\": \"a\", \"Name\": \"7x\"}]",
		  "refused: metric 'm': it has the unknown constant '7x'");
}

static void levels_are_groups_of_top_down_metrics_only(void **state)
{
	metric_is("\"MetricExpr\": \"a\", \"Level\": 2, \"Category\": \"TMA\", \"MetricGroup\": \"g\"",
		  "metric m = a of TopdownL2;g: \n");
	metric_is("\"MetricExpr\": \"a\", \"Level\": 2, \"Category\": \"other\", \"MetricGroup\": \"g\"",
		  "metric m = a of g: \n");
	metric_is("\"MetricExpr\": \"a\", \"Level\": \"x\", \"Category\": \"TMA\"", "metric m = a: \n");
}

static void units_are_scales_or_measures(void **state)
{
	metric_is("\"MetricExpr\": \"a\", \"UnitOfMeasure\": \"percent\"", "metric m = a in %: \n");
	metric_is("\"MetricExpr\": \"a\", \"UnitOfMeasure\": \"GHz\"", "metric m = a in GHz: \n");
	metric_is("\"MetricExpr\": \"a\", \"UnitOfMeasure\": \"GHz\", \"ScaleUnit\": \"1per_instr\"",
		  "metric m = a in 1per_instr: \n");
}

/* ---- files ---- */

static void a_file_is_a_list_or_has_lists(void **state)
{
	assert_string_equal(read_with(NULL, NULL, "[]"), "");
	assert_string_equal(read_with(NULL, NULL, "{}"), "");
	assert_string_equal(read_with(NULL, NULL, "{\"Topdown\": \"a group\", \"Mem\": \"another\"}"), "");
	assert_string_equal(read_with(NULL, NULL,
				      "{\"Events\": [{\"EventName\": \"E\"}], \"Metrics\": "
				      "[{\"MetricName\": \"m\", \"MetricExpr\": \"1\"}]}"),
			    "event E event=0: \nmetric m = 1: \n");
	assert_string_equal(
		read_with(NULL, NULL, "[{\"EventName\": \"E\", \"MetricName\": \"m\", \"MetricExpr\": \"1\"}]"),
		"event E event=0: \nmetric m = 1: \n");
}

static void what_is_no_such_file_is_refused(void **state)
{
	static const char *const rows[][2] = {
		{ "7", "it has no list of events or metrics" },
		{ "\"x\"", "it has no list of events or metrics" },
		{ "{\"Header\": {}}", "it has no list of events or metrics" },
		{ "{\"a\": \"text\", \"b\": 1}", "it has no list of events or metrics" },
		{ "{\"Events\": {}}", "'Events' is no list" },
		{ "{\"Metrics\": \"x\"}", "'Metrics' is no list" },
		{ "[{\"EventName\": \"E\"}, {}]", "entry 2 has no 'EventName' and no 'MetricName'" },
		{ "[[]]", "entry 1 has no 'EventName' and no 'MetricName'" },
		{ "[{\"EventName\": [\"E\"]}]", "entry 1 has no 'EventName' and no 'MetricName'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		autofree char *wanted = xasprintf("refused: %s", rows[i][1]);

		assert_string_equal(read_with(NULL, NULL, rows[i][0]), wanted);
	}
}

static void a_file_that_is_cut_anywhere_is_refused(void **state)
{
	static const char text[] =
		"[{\"EventName\": \"E\", \"EventCode\": \"0x1\"}, {\"MetricName\": \"m\", \"Formula\": "
		"\"a\", \"Events\": [{\"Alias\": \"a\", \"Name\": \"X:c1\"}]}]";

	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		autofree char *cut = xstrndup(text, len);

		assert_memory_equal(read_with(NULL, NULL, cut), "refused: ", 9);
	}
	assert_memory_equal(read_with(NULL, NULL, text), "event", 5);
}

static void architected_events_supply_what_is_not_said(void **state)
{
	static const char common[] =
		"[{\"EventName\": \"L1D_X\", \"EventCode\": \"0x40\", \"BriefDescription\": \"common\", "
		"\"SampleAfterValue\": \"9\"}]";

	assert_string_equal(read_with(common, NULL, "[{\"ArchStdEvent\": \"l1d_x\"}]"),
			    "event L1D_X event=0x40 every 9: common\n");
	assert_string_equal(read_with(common, NULL, "[{\"ArchStdEvent\": \"L1D_X\", \"BriefDescription\": \"own\"}]"),
			    "event L1D_X event=0x40 every 9: own\n");
	assert_string_equal(read_with(common, NULL, "[{\"ArchStdEvent\": \"L1D\"}]"),
			    "refused: 'ArchStdEvent' names an unknown event: 'L1D'");
}

static void what_architected_events_supply_outlives_their_file(void **state)
{
	assert_string_equal(read_with("[{\"EventName\": \"X\", \"Unit\": \"DDRC\", \"ScaleUnit\": \"64Bytes\"}]", NULL,
				      "[{\"ArchStdEvent\": \"X\"}]"),
			    "event X event=0 on ddrc * 64 in Bytes: \n");
}

/* As sbsa.json and neoverse-n2-v2 of arm64. */
static void an_architected_metric_may_have_an_expression_of_its_own(void **state)
{
	static const char common[] = "[{\"MetricName\": \"bound\", \"MetricExpr\": \"a / b\", \"MetricGroup\": "
				     "\"Default;Topdown\", \"ScaleUnit\": \"100%\", \"BriefDescription\": \"common\"}]";

	assert_string_equal(read_with(common, NULL, "[{\"ArchStdEvent\": \"BOUND\"}]"),
			    "metric bound = a / b of Default;Topdown in 100%: common\n");
	assert_string_equal(read_with(common, NULL, "[{\"ArchStdEvent\": \"BOUND\", \"MetricExpr\": \"c\"}]"),
			    "metric bound = c of Default;Topdown in 100%: common\n");
	assert_string_equal(read_with(common, NULL,
				      "[{\"ArchStdEvent\": \"bound\", \"MetricGroup\": \"g\", "
				      "\"ScaleUnit\": \"1x\", \"BriefDescription\": \"own\"}]"),
			    "metric bound = a / b of g in 1x: own\n");
}

/* As counter.json of skylakex. */
static void numbers_of_counters_are_no_events(void **state)
{
	assert_string_equal(read_with(NULL, NULL,
				      "[{\"Unit\": \"core\", \"CountersNumFixed\": \"3\", "
				      "\"CountersNumGeneric\": \"4\"}, {\"Unit\": \"CHA\", "
				      "\"CountersNumGeneric\": \"4\"}, {\"Unit\": \"x\", "
				      "\"CountersNumFixed\": \"1\"}, {\"EventName\": \"E\"}]"),
			    "event E event=0: \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_of_zero_is_no_term_except_for_the_number),
		cmocka_unit_test(extensions_are_the_higher_bits),
		cmocka_unit_test(the_first_number_of_a_list_counts),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(config_codes_replace_event_codes),
		cmocka_unit_test(registers_become_the_format_that_holds_their_value),
		cmocka_unit_test(filters_are_taken_over_if_they_are_terms),
		cmocka_unit_test(fixed_counters_have_the_numbers_of_the_kernel),
		cmocka_unit_test(a_unit_of_the_manual_is_the_pmu_of_sysfs),
		cmocka_unit_test(scales_stand_before_their_units),
		cmocka_unit_test(periods_packages_and_descriptions_are_kept),
		cmocka_unit_test(names_have_no_characters_of_the_event_syntax),
		cmocka_unit_test(expressions_are_kept_as_they_are),
		cmocka_unit_test(only_whole_words_of_a_formula_are_aliases),
		cmocka_unit_test(events_of_a_formula_may_have_options),
		cmocka_unit_test(options_are_terms_of_the_cores_that_the_file_is_for),
		cmocka_unit_test(constants_become_our_expressions),
		cmocka_unit_test(levels_are_groups_of_top_down_metrics_only),
		cmocka_unit_test(units_are_scales_or_measures),
		cmocka_unit_test(a_file_is_a_list_or_has_lists),
		cmocka_unit_test(what_is_no_such_file_is_refused),
		cmocka_unit_test(a_file_that_is_cut_anywhere_is_refused),
		cmocka_unit_test(architected_events_supply_what_is_not_said),
		cmocka_unit_test(what_architected_events_supply_outlives_their_file),
		cmocka_unit_test(an_architected_metric_may_have_an_expression_of_its_own),
		cmocka_unit_test(numbers_of_counters_are_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
