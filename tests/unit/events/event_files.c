/* The vendors' files on simulated machines: which are read for a CPU, and what becomes of their events. */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include "events/event_files_priv.h"

#define VENDOR "/vendor/"

static void cpu(const char *vendor, const char *family, const char *model, const char *stepping)
{
	autofree char *text = xasprintf("processor\t: 0\nvendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\n"
					"model name\t: Some CPU @ 2.40GHz\nstepping\t: %s\n",
					vendor, family, model, stepping);

	fake_file("/proc/cpuinfo", text);
}

static int begin(void **state)
{
	if (fake_begin(state) < 0)
		return -1;
	unsetenv("PERF_CPUID");
	fake_pmus();
	fake_file(FAKE_PMU "cpu/format/cmask", "config:24-31\n");
	fake_file(FAKE_PMU "cpu/format/offcore_rsp", "config1:0-63\n");
	cpu("GenuineIntel", "6", "85", "4");
	return 0;
}

static int end(void **state)
{
	event_files_clear();
	return fake_end(state);
}

static int load(struct err *e)
{
	autofree char *dir = xasprintf("%s/vendor", fake_root);

	return event_files_load(dir, e);
}

static void load_or_fail(void)
{
	struct err e = { 0 };

	if (load(&e) < 0)
		fail_msg("%s: %s", e.what, e.why);
}

static struct event parsed(const char *text)
{
	struct event_list l = { 0 };
	struct err e = { 0 };
	struct event event;

	if (event_list_parse(&l, text, &e) < 0)
		fail_msg("%s %s", e.what, e.why);
	event = l.events.items[0];
	event_list_release(&l);
	return event;
}

static void perfmon(void)
{
	fake_file(VENDOR "mapfile.csv",
		  "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
		  "GenuineIntel-6-55-[01234],V1,/SKX/events/skylakex_core.json,core,,,\n"
		  "GenuineIntel-6-55-[01234],V1,/SKX/events/skylakex_uncore.json,uncore,,,\r\n"
		  "GenuineIntel-6-55-[56789ABCDEF],V1,/CLX/events/none.json,core,,,\n"
		  "GenuineIntel-6-97,V1,/ADL/events/alderlake_gracemont_core.json,hybridcore,0x20,0x000001,Atom\n"
		  "GenuineIntel-6-97,V1,/ADL/events/alderlake_goldencove_core.json,hybridcore,0x40,0x000001,Core\n");
	fake_file(VENDOR "SKX/events/skylakex_core.json",
		  "{\"Header\": {\"Copyright\": \"x\"}, \"Events\": ["
		  "{\"EventCode\": \"0xD1\", \"UMask\": \"0x08\", \"EventName\": \"MEM_X.L1_MISS\", \"CounterMask\": "
		  "\"2\","
		  " \"SampleAfterValue\": \"100003\", \"BriefDescription\": \"misses\", \"MSRIndex\": \"0x00\"},"
		  "{\"EventCode\": \"0xB7, 0xBB\", \"UMask\": \"0x01\", \"EventName\": \"OCR.X\","
		  " \"MSRIndex\": \"0x1a6,0x1a7\", \"MSRValue\": \"0x3F80\"},"
		  "{\"EventCode\": \"0x00\", \"UMask\": \"0x01\", \"EventName\": \"INST_RETIRED.ANY\"}]}");
	fake_file(VENDOR "SKX/events/skylakex_uncore.json", "{\"Events\": [{\"Unit\": \"iMC\", \"EventCode\": "
							    "\"0x05\", \"EventName\": \"UNC_M_X\", \"PerPkg\": \"1\","
							    " \"ScaleUnit\": \"64Bytes\"}]}");
	fake_file(VENDOR "SKX/metrics/skylakex_metrics.json",
		  "{\"Metrics\": [{\"MetricName\": \"Front\", \"Level\": 1, \"Category\": \"TMA\", \"MetricGroup\": "
		  "\"Fe, X\","
		  " \"Formula\": \"100 * ( a / ( 4 * b ) ) if c else d\","
		  " \"Events\": [{\"Name\": \"MEM_X.L1_MISS\", \"Alias\": \"a\"},"
		  "  {\"Name\": \"OCR.X:c1:e1\", \"Alias\": \"b\"}, {\"Name\": \"PERF_METRICS.FETCH_LATENCY\", "
		  "\"Alias\": \"d\"}],"
		  " \"Constants\": [{\"Name\": \"HYPERTHREADING_ON\", \"Alias\": \"c\"}], \"UnitOfMeasure\": "
		  "\"percent\"}]}");
	fake_file(VENDOR "ADL/events/alderlake_gracemont_core.json",
		  "{\"Events\": [{\"EventCode\": \"0x11\", \"EventName\": \"BOTH\"}]}");
	fake_file(VENDOR "ADL/events/alderlake_goldencove_core.json",
		  "{\"Events\": [{\"EventCode\": \"0x22\", \"EventName\": \"BOTH\"}]}");
}

static void perfmon_gives_config_bits(void **state)
{
	struct event event;

	perfmon();
	load_or_fail();
	event = parsed("mem_x.l1_miss");
	assert_int_equal(event.attr.config, 0x020008d1);
	assert_int_equal(event.attr.sample_period, 100003);
	assert_false(event.user_period);
	event = parsed("cpu/OCR.X,cmask=3/u");
	assert_int_equal(event.attr.config, 0x030001b7);
	assert_int_equal(event.attr.config1, 0x3f80);
	assert_int_equal(parsed("INST_RETIRED.ANY").attr.config, 0xc0); /* the kernel's number of the fixed counter */
	event = parsed("UNC_M_X");
	assert_int_equal(event.attr.type, 20);
	assert_int_equal(event.attr.config, 5);
	assert_true(event.per_package && event.scale == 64);
}

static void formulas_name_events_in_place_of_letters(void **state)
{
	const struct vendor_metric *m;

	perfmon();
	load_or_fail();
	assert_int_equal(event_files()->metrics.len, 1);
	m = &event_files()->metrics.items[0];
	assert_string_equal(m->expression, "100 * ( MEM_X.L1_MISS / ( 4 * cpu@OCR.X\\,cmask\\=1\\,edge\\=1@ ) ) if "
					   "#smt_on else topdown\\-fetch\\-latency");
	assert_string_equal(m->groups, "TopdownL1;Fe;X");
	assert_string_equal(m->unit, "%");
}

static void hybrids_have_a_file_for_each_kind(void **state)
{
	struct event_list l = { 0 };
	struct err e = { 0 };

	fake_hybrid();
	perfmon();
	cpu("GenuineIntel", "6", "151", "2");
	load_or_fail();
	assert_int_equal(event_list_parse(&l, "BOTH", &e), 0);
	assert_int_equal(l.events.len, 2);
	assert_string_equal(l.events.items[0].pmu, "cpu_atom");
	assert_int_equal(l.events.items[0].attr.config, 0x11);
	assert_int_equal(l.events.items[1].attr.config, 0x22);
	event_list_release(&l);
}

static void pmu_events_are_found_below_their_arch(void **state)
{
	fake_file(VENDOR "x86/mapfile.csv", "Family-model,Version,Filename,EventType\n"
					    "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]]),v1,amdzen3,core\n");
	fake_file(VENDOR "x86/amdzen3/cache.json",
		  "[{\"EventName\": \"zen.x\", \"EventCode\": \"0x60\", \"UMask\": \"0x10\"},"
		  "{\"MetricName\": \"m\", \"MetricExpr\": \"zen.x / 2\", \"MetricGroup\": \"g;h\","
		  "\"ScaleUnit\": \"100%\"}]");
	cpu("AuthenticAMD", "25", "33", "0");
	load_or_fail();
	assert_int_equal(parsed("zen.x").attr.config, 0x1060);
	assert_string_equal(event_files()->metrics.items[0].expression, "zen.x / 2");
	assert_true(event_files_cpu_is("AuthenticAMD-25-21"));
	assert_false(event_files_cpu_is("AuthenticAMD-25-2"));
}

static void arm_refers_to_architected_events(void **state)
{
	fake_file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
	fake_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/type", "8\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/cpus", "0-1\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/format/event", "config:0-15\n");
	fake_file(VENDOR "arch/arm64/mapfile.csv", "#Family-model,Version,Filename,EventType\n"
						   "0x00000000410fd0c0,v1,arm/neoverse-n1,core\n");
	fake_file(VENDOR "arch/arm64/common.json", "[{\"EventName\": \"L1D_X\", \"EventCode\": \"0x40\","
						   "\"BriefDescription\": \"common\"}]");
	fake_file(VENDOR "arch/arm64/arm/neoverse-n1/cache.json", "[{\"ArchStdEvent\": \"L1D_X\"}]");
	load_or_fail();
	assert_int_equal(event_files()->events.len, 1);
	assert_string_equal(event_files()->events.items[0].description, "common");
	/* the x86 PMU of this machine is a core PMU, too */
	assert_int_equal(parsed("armv8_pmuv3_0/l1d_x/").attr.config, 0x40);
}

static void bad_files_are_told_in_one_line(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "[{\"EventName\": \"A\", \"EventCode\": \"zz\"}]", "event 'A': 'EventCode' is no number: 'zz'" },
		{ "[{\"EventCode\": \"0x1\"}]", "entry 1 has no 'EventName' and no 'MetricName'" },
		{ "[7]", "entry 1 has no 'EventName' and no 'MetricName'" },
		{ "{\"Data\": []}", "it has no list of events or metrics" },
		{ "{\"Events\": 7}", "'Events' is no list" },
		{ "[{\"MetricName\": \"m\"}]", "metric 'm' has neither 'MetricExpr' nor 'Formula'" },
		{ "[{\"ArchStdEvent\": \"NONE\"}]", "'ArchStdEvent' names an unknown event: 'NONE'" },
		{ "[{\"EventName\": \"a b\"}]", "'EventName' is no name: 'a b'" },
		{ "[{\"EventName\": \"A\", \"Filter\": \"a=1;b\"}]",
		  "event 'A': 'Filter' is no list of terms: 'a=1;b'" },
		{ "[{]", "bad JSON in line 1: a name in quotes is expected" },
		{ "[{\"MetricName\": \"m\", \"Formula\": \"a\", \"Events\": [{\"Name\": \"X:q7\", \"Alias\": \"a\"}]}]",
		  "metric 'm': an event has the unknown option 'q7'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		autofree char *what = xasprintf("cannot read '%s/vendor/x.json': %s", fake_root, rows[i].what);
		struct err e = { 0 };

		fake_file(VENDOR "x.json", rows[i].text);
		assert_int_equal(load(&e), -1);
		assert_string_equal(e.what, what);
		assert_int_equal(e.exit_code, 129);
		assert_int_equal(event_files()->events.len + event_files()->metrics.len, 0);
	}
}

static void bad_directories_are_told(void **state)
{
	struct err e = { 0 };

	assert_int_equal(load(&e), -1); /* there is none */
	fake_file(VENDOR "readme", "x");
	assert_int_equal(load(&e), -1);
	assert_string_equal(e.why, "it has neither mapfile.csv nor *.json");
	fake_file(VENDOR "mapfile.csv", "GenuineIntel-6-9E,V1,x,core\n");
	assert_int_equal(load(&e), -1);
	assert_string_equal(e.why, "its id is GenuineIntel-6-55-4");
	fake_file(VENDOR "mapfile.csv", "GenuineIntel-6-55,V1,../../x,core\n");
	assert_int_equal(load(&e), -1);
	assert_non_null(strstr(e.what, "line 1 leads out of the directory"));
	fake_file(VENDOR "mapfile.csv", "Genuine[,V1,x,core\n");
	assert_int_equal(load(&e), -1);
	assert_non_null(strstr(e.what, "line 1 has a bad regular expression"));
	fake_file(VENDOR "mapfile.csv", "GenuineIntel-6-55\n");
	assert_int_equal(load(&e), -1);
	assert_non_null(strstr(e.what, "line 1 is not 'id,version,file,type'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(perfmon_gives_config_bits, begin, end),
		cmocka_unit_test_setup_teardown(formulas_name_events_in_place_of_letters, begin, end),
		cmocka_unit_test_setup_teardown(hybrids_have_a_file_for_each_kind, begin, end),
		cmocka_unit_test_setup_teardown(pmu_events_are_found_below_their_arch, begin, end),
		cmocka_unit_test_setup_teardown(arm_refers_to_architected_events, begin, end),
		cmocka_unit_test_setup_teardown(bad_files_are_told_in_one_line, begin, end),
		cmocka_unit_test_setup_teardown(bad_directories_are_told, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
