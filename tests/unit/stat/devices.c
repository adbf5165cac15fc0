/* Events on several PMUs: which one is meant, how they are named, and groups across them. */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include "base/out.h"
#include "stat/stat_priv.h"

static struct stat_opts opts;
static struct counting counting;
static struct err error;
static struct out told;

static void take(void *of, int level, const char *text) { out_fmt(of, "%s\n", text); }

static int begin(void **state)
{
	opts = (struct stat_opts)STAT_DEFAULTS;
	counting = (struct counting){ .o = &opts };
	error = (struct err){ 0 };
	out_init_mem(&told);
	opts.tell = (struct teller){ take, &told, 0 };
	return fake_begin(state);
}

static int end(void **state)
{
	event_list_release(&counting.events);
	arena_release(&counting.arena);
	out_release(&told);
	return fake_end(state);
}

/* ---- --cputype, --pmu-filter ---- */

static void expect_chosen(const char *only_pmu)
{
	counting.events.only_pmu = NULL;
	assert_int_equal(choose_pmu(&counting, &error), 0);
	if (only_pmu)
		assert_string_equal(counting.events.only_pmu, only_pmu);
	else
		assert_null(counting.events.only_pmu);
}

static void expect_refused(const char *what)
{
	assert_int_equal(choose_pmu(&counting, &error), -1);
	assert_string_equal(error.what, what);
	assert_int_equal(error.exit_code, EXIT_BAD_USAGE);
}

static void without_an_option_any_pmu_may_count(void **state)
{
	fake_hybrid();
	expect_chosen(NULL);
}

static void a_kind_of_cores_means_its_pmu(void **state)
{
	fake_hybrid();
	opts.cpu_type = "core";
	expect_chosen("cpu_core");
	opts.cpu_type = "atom";
	expect_chosen("cpu_atom");
	opts.cpu_type = "cpu_atom"; /* by the name of the PMU */
	expect_chosen("cpu_atom");
	opts.cpu_type = "lowpower";
	expect_refused("--cputype lowpower is not supported!");
	assert_non_null(strstr(error.why, "'cpu_lowpower'"));
	opts.cpu_type = "cpu"; /* there are cores with counters, but none of this kind */
	expect_refused("--cputype cpu is not supported!");
	fake_file(FAKE_PMU "cpu_clock/type", "30\n"); /* a PMU of that name, but not of cores */
	fake_file(FAKE_PMU "cpu_clock/cpumask", "0\n");
	opts.cpu_type = "clock";
	expect_refused("--cputype clock is not supported!");
	opts.cpu_type = "";
	expect_refused("--cputype  is not supported!");
}

static void one_kind_of_cores_is_cpu(void **state)
{
	fake_pmus();
	opts.cpu_type = "cpu";
	expect_chosen("cpu");
	opts.cpu_type = "core";
	expect_refused("--cputype core is not supported!");
	opts.cpu_type = "uncore_imc_0"; /* a PMU, but not of cores */
	expect_refused("--cputype uncore_imc_0 is not supported!");
}

static void a_machine_without_counters_has_cpu(void **state)
{
	fake_file(FAKE_PMU "software/type", "1\n");
	opts.cpu_type = "cpu";
	expect_chosen("cpu");
	opts.cpu_type = "core";
	expect_refused("--cputype core is not supported!");
}

static void a_device_is_named_as_a_whole(void **state)
{
	fake_pmus();
	opts.pmu_filter = "uncore_imc_1";
	expect_chosen("uncore_imc_1");
	opts.pmu_filter = "uncore_imc";
	expect_refused("--pmu-filter: there is no PMU 'uncore_imc'");
	opts.pmu_filter = "uncore_imc_11";
	expect_refused("--pmu-filter: there is no PMU 'uncore_imc_11'");
	opts.pmu_filter = "../cpu";
	expect_refused("--pmu-filter: there is no PMU '../cpu'");
}

static void only_one_of_the_two_options_is_taken(void **state)
{
	fake_pmus();
	opts.cpu_type = "cpu";
	opts.pmu_filter = "uncore_imc_0";
	expect_refused("cannot use both --cputype and --pmu-filter");
	assert_null(counting.events.only_pmu);
}

/* ---- names ---- */

static void add(const char *name, const char *shared_name, const char *pmu)
{
	vec_push(&counting.events.events,
		 (struct event){ .name = name, .shared_name = shared_name, .pmu = pmu, .n_members = 1 });
}

/* The names of events that one word made on two devices, and on two kinds of cores. */
static void expect_names(const char *const *want)
{
	fake_pmus();
	fake_hybrid();
	add("uncore_imc_0/cas_count_read/", "uncore_imc/cas_count_read/", "uncore_imc_0");
	add("cas_count_read", "cas_count_read", "uncore_imc_1");
	add("cpu_core/cycles/", "cycles", "cpu_core");
	add("cs", NULL, "software");
	add("lost", "lost", "gone_0"); /* a device that went away */
	name_devices(&counting);
	for (size_t i = 0; i < counting.events.events.len; i++)
		assert_string_equal(counting.events.events.items[i].name, want[i]);
}
#define EXPECT_NAMES(...) expect_names((const char *const[]){ __VA_ARGS__ })

/* perf merges the devices of an uncore PMU, but not kinds of cores: perf-stat(1), --hybrid-merge. */
static void devices_are_one_line_and_cores_several(void **state)
{
	EXPECT_NAMES("uncore_imc/cas_count_read/", "cas_count_read", "cpu_core/cycles/", "cs", "lost");
}

static void cores_are_one_line_on_request(void **state)
{
	opts.table.hybrid_merge = true;
	EXPECT_NAMES("uncore_imc/cas_count_read/", "cas_count_read", "cycles", "cs", "lost");
}

/* A name with the device in it stays; to others perf adds the device: perf-stat(1), --no-merge. */
static void each_device_has_a_name_if_they_stay_apart(void **state)
{
	opts.table.no_merge = true;
	opts.table.hybrid_merge = true; /* the other wins */
	EXPECT_NAMES("uncore_imc_0/cas_count_read/", "cas_count_read [uncore_imc_1]", "cpu_core/cycles/", "cs",
		     "lost [gone_0]");
}

/* ---- groups ---- */

static void set_cpus(size_t event, const int *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cpuset_add(&counting.events.events.items[event].cpus, cpus[i]);
}

static void free_cpus(void)
{
	for (size_t i = 0; i < counting.events.events.len; i++)
		vec_free(&counting.events.events.items[i].cpus);
}

/* Event i is a member of the group of leaders[i]. */
static void make_groups(const uint32_t *leaders, size_t n)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	for (uint32_t i = 0; i < n; i++) {
		add(names[i], NULL, NULL);
		counting.events.events.items[i].leader = leaders[i];
		counting.events.events.items[i].n_members = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		counting.events.events.items[leaders[i]].n_members++;
}

static void expect_group(size_t event, uint32_t leader, uint32_t n_members)
{
	assert_int_equal(counting.events.events.items[event].leader, leader);
	assert_int_equal(counting.events.events.items[event].n_members, n_members);
}

static void members_on_other_cpus_leave_the_group(void **state)
{
	make_groups((const uint32_t[]){ 0, 0, 0, 0 }, 4);
	set_cpus(0, (const int[]){ 0, 2 }, 2);
	set_cpus(1, (const int[]){ 0, 2 }, 2);
	set_cpus(2, (const int[]){ 0, 3 }, 2);
	set_cpus(3, (const int[]){ 0 }, 1);
	part_groups(&counting);
	expect_group(0, 0, 2);
	expect_group(1, 0, 0);
	expect_group(2, 2, 1);
	expect_group(3, 3, 1);
	assert_string_equal(out_text(&told),
			    "WARNING: grouped events cpus do not match: 'c' leaves the group of 'a'\n"
			    "WARNING: grouped events cpus do not match: 'd' leaves the group of 'a'\n");
	free_cpus();
}

static void any_cpu_is_not_the_same_as_one(void **state)
{
	make_groups((const uint32_t[]){ 0, 0, 2, 2 }, 4);
	set_cpus(1, (const int[]){ 0 }, 1);
	part_groups(&counting); /* 2 and 3 both count anywhere */
	expect_group(0, 0, 1);
	expect_group(1, 1, 1);
	expect_group(2, 2, 2);
	expect_group(3, 2, 0);
	free_cpus();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_an_option_any_pmu_may_count, begin, end),
		cmocka_unit_test_setup_teardown(a_kind_of_cores_means_its_pmu, begin, end),
		cmocka_unit_test_setup_teardown(one_kind_of_cores_is_cpu, begin, end),
		cmocka_unit_test_setup_teardown(a_machine_without_counters_has_cpu, begin, end),
		cmocka_unit_test_setup_teardown(a_device_is_named_as_a_whole, begin, end),
		cmocka_unit_test_setup_teardown(only_one_of_the_two_options_is_taken, begin, end),
		cmocka_unit_test_setup_teardown(devices_are_one_line_and_cores_several, begin, end),
		cmocka_unit_test_setup_teardown(cores_are_one_line_on_request, begin, end),
		cmocka_unit_test_setup_teardown(each_device_has_a_name_if_they_stay_apart, begin, end),
		cmocka_unit_test_setup_teardown(members_on_other_cpus_leave_the_group, begin, end),
		cmocka_unit_test_setup_teardown(any_cpu_is_not_the_same_as_one, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
