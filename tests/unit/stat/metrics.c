/* Metrics on simulated machines: which are chosen, how their events are grouped, and the values. */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include <math.h>

#include "stat/metrics_priv.h"

static void pmu_events(const char *pmu, const char *type, const char *const *names)
{
	autofree char *type_file = xasprintf(FAKE_PMU "%s/type", pmu),
		      *format = xasprintf(FAKE_PMU "%s/format/event", pmu);

	fake_file(type_file, type);
	fake_file(format, "config:0-15\n");
	for (; *names; names++) {
		autofree char *file = xasprintf(FAKE_PMU "%s/events/%s", pmu, *names);

		fake_file(file, "event=0x11\n");
	}
}

static void ice_lake(void)
{
	pmu_events("cpu", "4\n",
		   (const char *const[]){ "slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound",
					  "topdown-be-bound", NULL });
}

static void skylake(void)
{
	pmu_events("cpu", "4\n",
		   (const char *const[]){ "topdown-total-slots", "topdown-slots-issued", "topdown-slots-retired",
					  "topdown-fetch-bubbles", "topdown-recovery-bubbles", NULL });
}

static void neoverse(void)
{
	pmu_events("armv8_pmuv3_0", "8\n",
		   (const char *const[]){ "cpu_cycles", "stall_frontend", "stall_backend", "l1d_cache",
					  "l1d_cache_refill", "inst_retired", NULL });
	fake_file(FAKE_PMU "armv8_pmuv3_0/cpus", "0-1\n");
}

/* A machine that counts slots, five per cycle. */
static void neoverse_v2(void)
{
	pmu_events("armv8_pmuv3_0", "8\n",
		   (const char *const[]){ "cpu_cycles", "op_retired", "op_spec", "stall_slot", "stall_slot_frontend",
					  "stall_slot_backend", NULL });
	fake_file(FAKE_PMU "armv8_pmuv3_0/cpus", "0-1\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/caps/slots", "0x00000005\n");
}

static void alder_lake(void)
{
	pmu_events("cpu_core", "4\n", (const char *const[]){ "slots", "topdown-retiring", NULL });
	pmu_events("cpu_atom", "10\n", (const char *const[]){ "topdown-retiring", NULL });
	fake_file(FAKE_PMU "cpu_core/cpus", "0\n");
	fake_file(FAKE_PMU "cpu_atom/cpus", "1\n");
}

static void zen(void) { pmu_events("cpu", "4\n", (const char *const[]){ "stalled-cycles-frontend", NULL }); }

/* Choose metrics, give every event `value` counts, and compute the metric `name`. */
static double computed(const char *names, const char *name, double value, size_t *n_events)
{
	static const int any[] = { -1 };
	struct metric_list m = { 0 };
	struct event_list l = { 0 };
	struct topology none = { 0 };
	struct err e = { 0 };
	struct table t;
	struct measured *measured;
	struct count *counts;
	double result = -1;

	if (metrics_choose(&m, &l, names, &(struct metric_opts){ 0 }, &e) < 0)
		fail_msg("%s: %s", e.what, e.why);
	*n_events = l.events.len;
	measured = xcalloc(l.events.len, sizeof(*measured));
	counts = xcalloc(2 * l.events.len, sizeof(*counts));
	for (size_t i = 0; i < l.events.len; i++) {
		const struct event *event = &l.events.items[i];

		measured[i] = (struct measured){ .name = event->name,
						 .unit = "",
						 .scale = 1,
						 .supported = true,
						 .n_cpus = 1,
						 .n_threads = 1,
						 .cpus = any,
						 .now = &counts[2 * i],
						 .before = &counts[2 * i + 1] };
		/*
		 * Give each event its own count: the length of its name, and ten times as many for
		 * the first of a kind.
		 */
		counts[2 * i] = (struct count){
			(uint64_t)(strstr(event->name, "slots") || strstr(event->name, "cycles") ? 10 * value : value),
			10, 10
		};
		assert_true(!event->n_members || event->n_members == 1 || event->weak_group);
	}
	table_layout(&t, measured, l.events.len, &none, &(struct table_opts){ 0 });
	table_add(&t, 1000, true);
	metrics_bind(&m, t.counter_of, &t);
	for (size_t c = 0; c < t.counters.len; c++) {
		struct derived d[16];
		size_t n = metrics_beside(&m, &t, c, 0, d, ARRAY_SIZE(d));

		for (size_t i = 0; i < n; i++)
			if (strstr(d[i].unit, name))
				result = d[i].value;
	}
	table_release(&t);
	metrics_release(&m);
	event_list_release(&l);
	free(measured);
	free(counts);
	return result;
}

static void slots_are_divided_by_what_the_core_shows(void **state)
{
	size_t n;

	ice_lake();
	assert_float_equal(computed("TopdownL1", "retiring", 50, &n), 10, 1e-6);
	assert_float_equal(computed("TopdownL1", "backend_bound", 50, &n), 10, 1e-6);
	assert_int_equal(n, 8); /* four pairs, each led by slots */
}

static void older_cores_need_a_formula(void **state)
{
	size_t n;

	skylake();
	/* total 10 v, issued 10 v, retired 10 v (their names contain "slots"), bubbles v */
	assert_float_equal(computed("TopdownL1", "retiring", 50, &n), 100, 1e-6);
	assert_float_equal(computed("bad_speculation", "bad_speculation", 50, &n), 10, 1e-6);
	assert_float_equal(computed("backend_bound", "backend_bound", 50, &n), -20, 1e-6);
}

static void arm_counts_stalled_cycles(void **state)
{
	size_t n;

	neoverse();
	assert_float_equal(computed("Stalls", "frontend_stalled_cycles", 50, &n), 10, 1e-6);
	assert_float_equal(computed("l1d_cache_miss_ratio", "l1d_cache_miss_ratio", 50, &n), 100, 1e-6);
	assert_float_equal(computed("l1d_cache_mpki", "l1d_cache_mpki", 50, &n), 1000, 1e-6);
}

static void arm_counts_slots(void **state)
{
	size_t n;

	neoverse_v2();
	/* 10 v cycles of 5 slots: a stalled slot is one of 50 */
	assert_float_equal(computed("TopdownL1", "retiring", 50, &n), 98, 1e-6);
	assert_float_equal(computed("TopdownL1", "bad_speculation", 50, &n), 0, 1e-6);
	assert_float_equal(computed("frontend_bound", "frontend_bound", 50, &n), 2, 1e-6);
	assert_float_equal(computed("backend_bound", "backend_bound", 50, &n), 2, 1e-6);
}

/* A core PMU with the formats of x86 and these events, on a CPU of this id. */
static void x86(const char *id, const char *const *events)
{
	setenv("PERF_CPUID", id, 1);
	pmu_events("cpu", "4\n", events);
	fake_file(FAKE_PMU "cpu/format/event", "config:0-7,32-35\n");
	fake_file(FAKE_PMU "cpu/format/umask", "config:8-15\n");
	fake_file(FAKE_PMU "cpu/format/edge", "config:18\n");
	fake_file(FAKE_PMU "cpu/format/cmask", "config:24-31\n");
}

static int end_cpu(void **state)
{
	unsetenv("PERF_CPUID");
	return fake_end(state);
}

static bool computes(const char *name)
{
	const struct metric_row *row;

	for (size_t i = 0; (row = metric_row_at(i)); i++)
		if (!strcmp(row->name, name) && metric_available(row))
			return true;
	return false;
}

static void second_level_is_by_numbers_of_the_cpu(void **state)
{
	static const char *const none[] = { NULL };
	static const char *const second[] = { "branch_mispredicts", "memory_bound", "core_bound" };
	size_t n;

	x86("AuthenticAMD-25-11-1", none);
	for (size_t i = 0; i < ARRAY_SIZE(second); i++)
		assert_true(computes(second[i]));
	/* all events count v: 1 of 6 slots, and of 8 */
	assert_float_equal(computed("frontend_bound", "frontend_bound", 60, &n), 100 / 6.0, 1e-6);
	assert_float_equal(computed("memory_bound", "memory_bound", 60, &n), 100 / 6.0, 1e-6);
	setenv("PERF_CPUID", "AuthenticAMD-26-2-1", 1);
	assert_float_equal(computed("retiring", "retiring", 60, &n), 12.5, 1e-6);
	assert_float_equal(computed("pipeline_restarts", "pipeline_restarts", 60, &n), 0, 1e-6);
	setenv("PERF_CPUID", "AuthenticAMD-25-21-0", 1); /* Zen 3 */
	assert_false(computes("frontend_bound"));
	assert_true(computes("dtlb_l2_mpki"));
	setenv("PERF_CPUID", "AuthenticAMD-23-1-0", 1); /* Zen 1 */
	assert_false(computes("dtlb_l2_mpki"));
}

/* Tell whether the metric counts this number. */
static bool counts(const char *metric, uint64_t config)
{
	struct metric_list m = { 0 };
	struct event_list l = { 0 };
	struct err e = { 0 };
	bool found = false;

	if (metrics_choose(&m, &l, metric, &(struct metric_opts){ 0 }, &e) < 0)
		fail_msg("%s: %s", e.what, e.why);
	for (size_t i = 0; i < l.events.len; i++)
		found |= l.events.items[i].attr.type == 4 && l.events.items[i].attr.config == config;
	metrics_release(&m);
	event_list_release(&l);
	return found;
}

/* Numbers that differ between cores, from the lists of events that AMD and Intel publish. */
static void numbers_are_those_of_the_core(void **state)
{
	static const struct {
		const char *id, *metric;
		uint64_t config;
	} numbers[] = {
		{ "AuthenticAMD-25-11-1", "microcode_retiring", 0x1000000c2 }, /* EX_RET_UCODE_OPS */
		{ "AuthenticAMD-26-2-1", "fastpath_retiring", 0x1000000c2 },
		{ "AuthenticAMD-25-11-1", "pipeline_restarts", 0x96 }, /* RESYNCS_OR_NC_REDIRECTS */
		{ "AuthenticAMD-26-2-1", "pipeline_restarts", 0x19f }, /* BP_REDIRECTS.RESYNC */
		{ "AuthenticAMD-25-11-1", "l2_miss_ratio", 0xf960 },   /* L2_REQUEST_G1.ALL_NO_PREFETCH */
		{ "AuthenticAMD-26-2-1", "l2_miss_ratio", 0xf160 },
		{ "GenuineIntel-6-55-4", "memory_bound", 0x40a6 }, /* EXE_ACTIVITY.BOUND_ON_STORES */
		{ "GenuineIntel-6-6A-6", "memory_bound", 0x20040a6 },
	};

	x86("", (const char *const[]){ "topdown-total-slots", "topdown-slots-issued", "topdown-slots-retired",
				       "topdown-fetch-bubbles", "topdown-recovery-bubbles", NULL });
	pmu_events("cpu", "4\n", (const char *const[]){ "slots", "topdown-retiring", "topdown-be-bound", NULL });
	fake_file(FAKE_PMU "cpu/format/event", "config:0-7,32-35\n");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		setenv("PERF_CPUID", numbers[i].id, 1);
		if (!counts(numbers[i].metric, numbers[i].config))
			fail_msg("%s %s", numbers[i].id, numbers[i].metric);
	}
	setenv("PERF_CPUID", "AuthenticAMD-26-50-1", 1); /* Zen 6 */
	assert_false(computes("pipeline_restarts"));
}

static void skylake_has_a_second_level(void **state)
{
	size_t n;

	x86("GenuineIntel-6-55-4",
	    (const char *const[]){ "topdown-total-slots", "topdown-slots-issued", "topdown-slots-retired",
				   "topdown-fetch-bubbles", "topdown-recovery-bubbles", NULL });
	/* slots 10 v, retired and issued, too: bad speculation 10 %, half of it by branches */
	assert_float_equal(computed("branch_mispredicts", "branch_mispredicts", 50, &n), 5, 1e-6);
	assert_float_equal(computed("machine_clears", "machine_clears", 50, &n), 5, 1e-6);
	/* backend -20 %, and 2 of 4 stalled cycles are of memory */
	assert_float_equal(computed("memory_bound", "memory_bound", 50, &n), -10, 1e-6);
	assert_float_equal(computed("core_bound", "core_bound", 50, &n), -10, 1e-6);
	assert_true(computes("page_walk_share"));
	setenv("PERF_CPUID", "GenuineIntel-6-3C-4", 1); /* Haswell: other numbers */
	assert_false(computes("memory_bound"));
}

static void sapphire_rapids_shows_all_of_it(void **state)
{
	size_t n;

	x86("GenuineIntel-6-8F-8", (const char *const[]){ "slots", "topdown-retiring", "topdown-heavy-ops",
							  "topdown-be-bound", "topdown-mem-bound", NULL });
	assert_float_equal(computed("light_operations", "light_operations", 50, &n), 0, 1e-6);
	assert_float_equal(computed("memory_bound", "memory_bound", 50, &n), 10, 1e-6);
	assert_true(computes("core_bound"));
}

static void small_cores_have_their_own_rows(void **state)
{
	size_t n;

	alder_lake();
	fake_file(FAKE_PMU "cpu_atom/format/umask", "config:8-15\n");
	setenv("PERF_CPUID", "GenuineIntel-6-97-2", 1);
	assert_true(computes("atom_retiring"));
	assert_false(computes("atom_frontend_bound")); /* this machine shows no such event */
	/* 10 v cycles of 5 slots, later of 6 and of 8 */
	assert_float_equal(computed("atom_branch_mispredicts", "atom_branch_mispredicts", 60, &n), 2, 1e-6);
	assert_float_equal(computed("atom_base", "atom_base", 60, &n), 0, 1e-6);
	setenv("PERF_CPUID", "GenuineIntel-6-AA-4", 1);
	assert_float_equal(computed("atom_microcode", "atom_microcode", 60, &n), 100 / 60.0, 1e-6);
	setenv("PERF_CPUID", "GenuineIntel-6-C6-2", 1);
	assert_float_equal(computed("atom_fetch_latency", "atom_fetch_latency", 60, &n), 1.25, 1e-6);
	setenv("PERF_CPUID", "GenuineIntel-6-8F-2", 1);
	assert_false(computes("atom_retiring"));
}

static void neoverse_v3_has_a_second_level(void **state)
{
	static const char *const second[] = { "frontend_mem_bound", "frontend_core_bound", "backend_mem_bound",
					      "backend_core_bound" };
	size_t n;

	pmu_events("armv8_pmuv3_0", "8\n",
		   (const char *const[]){ "cpu_cycles", "op_retired", "op_spec", "stall_slot", "stall_slot_frontend",
					  "stall_frontend", "stall_backend", NULL });
	fake_file(FAKE_PMU "armv8_pmuv3_0/cpus", "0-1\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/caps/slots", "0x0000000a\n");
	setenv("PERF_CPUID", "0x00000000410fd840", 1);
	for (size_t i = 0; i < ARRAY_SIZE(second); i++) {
		assert_true(computes(second[i]));
		assert_float_equal(computed(second[i], second[i], 60, &n), 100, 1e-6);
	}
	/* 1 of 100 slots is lost, but 1 of 10 cycles goes by behind a flush */
	assert_float_equal(computed("frontend_bound", "frontend_bound", 60, &n), -9, 1e-6);
	assert_float_equal(computed("bad_speculation", "bad_speculation", 60, &n), 10, 1e-6);
	setenv("PERF_CPUID", "0x00000000410fd4f0", 1); /* V2 */
	assert_false(computes("backend_mem_bound"));
	assert_float_equal(computed("frontend_bound", "frontend_bound", 60, &n), 1, 1e-6);
}

static void zen_3_counts_channels_of_memory(void **state)
{
	static const char *const none[] = { NULL };
	size_t n;

	x86("AuthenticAMD-25-21-0", none);
	pmu_events("amd_df", "12\n", none);
	fake_file(FAKE_PMU "amd_df/format/event", "config:0-7,32-35,59-60\n");
	fake_file(FAKE_PMU "amd_df/format/umask", "config:8-15\n");
	assert_true(computes("memory_bandwidth"));
	assert_true(computed("memory_bandwidth", "memory_bandwidth", 60, &n) > 0);
	assert_int_equal(n, 9);                          /* eight channels and the time */
	setenv("PERF_CPUID", "AuthenticAMD-25-17-1", 1); /* Zen 4 counts them in its controllers */
	assert_false(computes("memory_bandwidth"));
}

static void bandwidth_comes_from_the_controllers(void **state)
{
	size_t n;

	fake_pmus();
	assert_true(computes("memory_read_bandwidth"));
	/* two controllers; sysfs scales counts, the table of this test does not */
	assert_true(computed("memory_read_bandwidth", "memory_read_bandwidth", 50, &n) > 0);
}

static size_t uses_of(const char *names, struct metric_opts o, const char *const *pmus)
{
	struct metric_list m = { 0 };
	struct event_list l = { 0 };
	struct err e = { 0 };
	size_t n;

	if (metrics_choose(&m, &l, names, &o, &e) < 0)
		fail_msg("%s: %s", e.what, e.why);
	n = m.uses.len;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m.uses.items[i].expression.names.len; k++)
			assert_string_equal(l.events.items[m.uses.items[i].events[k]].pmu, pmus[i]);
	metrics_release(&m);
	event_list_release(&l);
	return n;
}

static void each_kind_of_cores_has_its_own(void **state)
{
	size_t n;

	alder_lake();
	assert_float_equal(computed("IPC", "IPC", 50, &n), 0.1, 1e-6);
	assert_int_equal(n, 4);
	assert_int_equal(uses_of("IPC", (struct metric_opts){ 0 }, (const char *const[]){ "cpu_atom", "cpu_core" }), 2);
	assert_int_equal(uses_of("IPC", (struct metric_opts){ .no_group = true },
				 (const char *const[]){ "cpu_atom", "cpu_core" }),
			 2);
	/* the second kind of cores has no slots */
	assert_int_equal(uses_of("retiring", (struct metric_opts){ 0 }, (const char *const[]){ "cpu_core" }), 1);
}

static void generic_events_serve_any_machine(void **state)
{
	size_t n;

	zen();
	assert_float_equal(computed("IPC", "IPC", 50, &n), 0.1, 1e-6);
	assert_int_equal(n, 2);
	assert_float_equal(computed("IPC,CPI", "CPI", 50, &n), 10, 1e-6);
	assert_int_equal(n, 2); /* both from one group */
}

static void missing_hardware_is_reported(void **state)
{
	struct metric_list m = { 0 };
	struct event_list l = { 0 };
	struct err e = { 0 };

	zen();
	assert_int_equal(metrics_choose(&m, &l, "retiring", &(struct metric_opts){ 0 }, &e), -1);
	assert_string_equal(e.why, "this machine has no events to compute it from");
	err_clear(&e);
	assert_int_equal(metrics_choose(&m, &l, "IPC,branch_mis_rate", &(struct metric_opts){ 0 }, &e), -1);
	assert_string_equal(e.what, "Cannot find metric or group `branch_mis_rate'");
	assert_string_equal(e.fix, "-M branch_miss_rate");
	assert_int_equal(e.exit_code, 129);
	metrics_release(&m);
	event_list_release(&l);
}

static void every_row_is_an_expression(void **state)
{
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		struct expression x = { 0 };
		struct err e = { 0 };

		if (expression_parse(&x, row->expression, NULL, &e) < 0)
			fail_msg("%s: %s", row->name, e.why);
		assert_true(row->groups && row->about && x.names.len > 0);
		expression_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(slots_are_divided_by_what_the_core_shows, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(older_cores_need_a_formula, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(arm_counts_stalled_cycles, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(arm_counts_slots, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(each_kind_of_cores_has_its_own, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(generic_events_serve_any_machine, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(missing_hardware_is_reported, fake_begin, fake_end),
		cmocka_unit_test_setup_teardown(second_level_is_by_numbers_of_the_cpu, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(numbers_are_those_of_the_core, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(skylake_has_a_second_level, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(sapphire_rapids_shows_all_of_it, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(small_cores_have_their_own_rows, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(neoverse_v3_has_a_second_level, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(zen_3_counts_channels_of_memory, fake_begin, end_cpu),
		cmocka_unit_test_setup_teardown(bandwidth_comes_from_the_controllers, fake_begin, fake_end),
		cmocka_unit_test(every_row_is_an_expression),
	};

	/* libpfm4 knows the events of the real CPU; here it shall know those of an old one. */
	setenv("LIBPFM_FORCE_PMU", "core", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
