#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct pmu_list pmus;

static int begin(void **state)
{
	if (fake_begin(state) < 0)
		return -1;
	fake_pmus();
	pmu_list_read(&pmus);
	return 0;
}

static int end(void **state)
{
	pmu_list_release(&pmus);
	return fake_end(state);
}

static const struct pmu *pmu_named(const char *name)
{
	for (size_t i = 0; i < pmus.pmus.len; i++)
		if (!strcmp(pmus.pmus.items[i].name, name))
			return &pmus.pmus.items[i];
	fail_msg("no PMU %s", name);
	return NULL;
}

static void core_pmus_come_first(void **state)
{
	assert_int_equal(pmus.pmus.len, 4);
	assert_string_equal(pmus.pmus.items[0].name, "cpu");
	assert_true(pmus.pmus.items[0].is_core);
	assert_int_equal(pmu_named("uncore_imc_1")->type, 21);
	assert_true(pmu_named("uncore_imc_0")->is_uncore);
	assert_false(pmu_named("software")->is_uncore);
}

static void formats_say_where_bits_go(void **state)
{
	struct pmu_format f;
	struct err e = { 0 };
	uint64_t word = 0, max;

	assert_int_equal(pmu_format_find(pmu_named("cpu"), "umask", &f, &e), 1);
	assert_int_equal(f.word, 0);
	assert_int_equal(f.bits, 0xff00);
	assert_true(pmu_format_store(&f, 0xa5, &word, &max));
	assert_int_equal(word, 0xa500);
	assert_false(pmu_format_store(&f, 0x100, &word, &max));
	assert_int_equal(max, 255);
	assert_int_equal(pmu_format_find(pmu_named("cpu"), "wide", &f, &e), 1);
	word = 0;
	assert_true(pmu_format_store(&f, 0xc3, &word, &max));
	assert_int_equal(word, 0xc000000300000000);
	assert_int_equal(pmu_format_find(pmu_named("cpu"), "deep", &f, &e), 1);
	assert_int_equal(f.word, 3);
	assert_true(pmu_format_store(&f, UINT64_MAX, &word, &max));
	assert_int_equal(word, UINT64_MAX);
	assert_int_equal(pmu_format_find(pmu_named("cpu"), "nosuch", &f, &e), 0);
	assert_int_equal(pmu_format_find(pmu_named("cpu"), "../type", &f, &e), 0);
	assert_int_equal(pmu_format_find(pmu_named("cpu"), "odd", &f, &e), -1);
	assert_non_null(strstr(e.what, "banana"));
}

static void odd_formats_are_refused(void **state)
{
	static const char *const texts[] = { "config",      "config:",   "config:5-", "config:7-3",
					     "config:0-64", "config9:0", "config:1,", "config:1;" };
	struct pmu_format f;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		fake_file(FAKE_PMU "cpu/format/odd", texts[i]);
		if (pmu_format_find(pmu_named("cpu"), "odd", &f, NULL) != -1)
			fail_msg("%s", texts[i]);
	}
}

static void events_have_scale_and_unit(void **state)
{
	struct event event = { .scale = 1 };
	struct arena a = { 0 };
	char *alias = pmu_alias(pmu_named("uncore_imc_0"), "CAS_COUNT_READ", NULL);

	assert_string_equal(alias, "event=0x04");
	free(alias);
	pmu_alias_extras(pmu_named("uncore_imc_0"), "cas_count_read", &a, &event);
	assert_string_equal(event.unit, "MiB");
	assert_true(event.scale > 6.1035156e-5 && event.scale < 6.1035157e-5);
	assert_true(event.per_package);
	assert_false(event.snapshot);
	assert_null(pmu_alias(pmu_named("uncore_imc_0"), "cas_count_read.unit", NULL));
	assert_null(pmu_alias(pmu_named("uncore_imc_0"), "../type", NULL));
	arena_release(&a);
}

static void names_match_without_prefix_and_number(void **state)
{
	const struct pmu *imc = pmu_named("uncore_imc_1"), *cpu = pmu_named("cpu");
	const struct pmu cha = { .name = "uncore_cha_1f" }, cbox = { .name = "uncore_cbox" },
			 atom = { .name = "cpu_atom", .is_core = true };

	assert_true(pmu_matches(imc, "uncore_imc_1"));
	assert_true(pmu_matches(imc, "uncore_imc"));
	assert_true(pmu_matches(imc, "imc"));
	assert_true(pmu_matches(imc, "imc_1"));
	assert_true(pmu_matches(imc, "*imc*"));
	assert_false(pmu_matches(imc, "imc_0"));
	assert_false(pmu_matches(imc, "im"));
	assert_false(pmu_matches(imc, ""));
	assert_true(pmu_matches(&cha, "cha"));
	assert_true(pmu_matches(&cbox, "cbox"));
	assert_false(pmu_matches(&cbox, "c"));
	assert_true(pmu_matches(cpu, "cpu"));
	assert_false(pmu_matches(&atom, "cpu"));
}

static void cpumasks_are_read(void **state)
{
	struct cpuset cpus = { 0 };

	assert_int_equal(pmu_cpus(pmu_named("uncore_imc_0"), &cpus, NULL), 0);
	assert_int_equal(cpus.len, 1);
	assert_int_equal(pmu_cpus(pmu_named("cpu"), &cpus, NULL), 0);
	assert_int_equal(cpus.len, 1);
	cpuset_free(&cpus);
}

/* A directory without a type number is no PMU: type 0 would make its events another PMU's. */
static void odd_types_and_names_are_no_pmus(void **state)
{
	static const char *const types[] = {
		"", "\n", "x\n", "-1\n", "4294967296\n", "18446744073709551616\n", "4 4\n"
	};
	char path[512], name[200];
	struct pmu_list l = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		fake_file(FAKE_PMU "zzz/type", types[i]);
		pmu_list_read(&l);
		if (l.pmus.len != 4)
			fail_msg("type '%s'", types[i]);
		pmu_list_release(&l);
	}
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(path, sizeof(path), FAKE_PMU "%s/type", name);
	fake_file(path, "9\n");
	fake_file(FAKE_PMU "zzz/type", "4294967295\n");
	pmu_list_read(&l);
	assert_int_equal(l.pmus.len, 5);
	assert_int_equal(l.pmus.items[4].type, UINT32_MAX);
	pmu_list_release(&l);
}

static void odd_scales_are_numbers_all_the_same(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0.5", 0.5 }, { "-2", -2 },   { "1e3", 1000 }, { "2.5e-2\n", 0.025 },
		{ "x", 1 },     { "1e999", 1 }, { "1,5", 1 },    { "", 1 },
	};
	struct arena a = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event event = { .scale = 1 };

		fake_file(FAKE_PMU "uncore_imc_0/events/cas_count_read.scale", cases[i].text);
		pmu_alias_extras(pmu_named("uncore_imc_0"), "cas_count_read", &a, &event);
		if (event.scale < cases[i].value - 1e-9 || event.scale > cases[i].value + 1e-9)
			fail_msg("'%s' is %g", cases[i].text, event.scale);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(core_pmus_come_first, begin, end),
		cmocka_unit_test_setup_teardown(formats_say_where_bits_go, begin, end),
		cmocka_unit_test_setup_teardown(odd_formats_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(events_have_scale_and_unit, begin, end),
		cmocka_unit_test_setup_teardown(names_match_without_prefix_and_number, begin, end),
		cmocka_unit_test_setup_teardown(cpumasks_are_read, begin, end),
		cmocka_unit_test_setup_teardown(odd_types_and_names_are_no_pmus, begin, end),
		cmocka_unit_test_setup_teardown(odd_scales_are_numbers_all_the_same, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
