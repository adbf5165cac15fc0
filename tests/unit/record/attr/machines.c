/* What record asks of the PMUs of simulated machines: its default event, and stacks of branches. */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

#include "format/sample.h"
#include "record/attr/attr_config.h"

static struct event_list list;
static struct target target;
static struct open_notes notes;

static int begin(void **state)
{
	fake_judge = NULL;
	n_fake_calls = 0;
	return fake_begin(state);
}

static int end(void **state)
{
	event_list_release(&list);
	list = (struct event_list){ 0 };
	target_release(&target);
	vec_free(&notes.texts);
	return fake_end(state);
}

/* Configure the default event, or `events`, for a command of our own, and open it. */
static int open_on(const char *events, struct record_opts o, struct err *e)
{
	struct open_opts opts = { 0 };

	target = (struct target){ .workload = 500 };
	if (events)
		assert_int_equal(event_list_parse(&list, events, e), 0);
	else
		event_list_add_default(&list);
	assert_int_equal(target_resolve(&target, e), 0);
	if (attr_config(&list, &o, &target, false, NULL, e) < 0)
		return -1;
	return event_list_open(&list, &target, &opts, &notes, e);
}

static void open_or_fail(const char *events, struct record_opts o)
{
	struct err e = { 0 };

	if (open_on(events, o, &e) < 0)
		fail_msg("%s: %s", e.what, e.why);
}

static void hybrids_sample_both_kinds_of_cores(void **state)
{
	fake_hybrid();
	open_or_fail(NULL, (struct record_opts)RECORD_DEFAULTS);
	assert_true(list.events.len >= 2);
	assert_string_equal(list.events.items[0].name, "cpu_atom/cycles/P");
	assert_string_equal(list.events.items[1].name, "cpu_core/cycles/P");
	for (size_t i = 0; i < 2; i++) {
		const struct event *event = &list.events.items[i];

		assert_int_equal(event->attr.type, PERF_TYPE_HARDWARE);
		assert_int_equal(event->attr.config >> PERF_PMU_TYPE_SHIFT, i ? 4 : 10);
		assert_int_equal(event->attr.precise_ip, 3);
	}
}

static void zen(void)
{
	fake_file(FAKE_PMU "cpu/type", "4\n");
	fake_file(FAKE_PMU "cpu/format/event", "config:0-7,32-35\n");
	fake_file(FAKE_PMU "ibs_op/type", "11\n");
	fake_file(FAKE_PMU "ibs_op/format/cnt_ctl", "config:19\n");
}

/* AMD's kernel gives precise cycles to IBS, which has two levels. */
static int ibs_judge(const struct fake_call *call) { return call->attr.precise_ip > 2 ? EOPNOTSUPP : 0; }

static void zen_lowers_the_precision_to_that_of_ibs(void **state)
{
	zen();
	fake_judge = ibs_judge;
	open_or_fail(NULL, (struct record_opts)RECORD_DEFAULTS);
	assert_int_equal(list.events.items[0].attr.precise_ip, 2);
	assert_int_equal(list.events.items[0].attr.config, PERF_COUNT_HW_CPU_CYCLES);
}

static void neoverse(void)
{
	fake_file(FAKE_PMU "armv8_pmuv3_0/type", "8\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/cpus", "0-1\n");
	fake_file(FAKE_PMU "armv8_pmuv3_0/format/event", "config:0-15\n");
}

/* No precise samples, and branches only where the core has BRBE, which cannot follow calls. */
static bool has_brbe;
static int arm_judge(const struct fake_call *call)
{
	bool branches = call->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;

	if (call->attr.precise_ip)
		return EOPNOTSUPP;
	if (branches && (!has_brbe || call->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		return EOPNOTSUPP;
	return 0;
}

static void arm_samples_without_precision(void **state)
{
	neoverse();
	fake_judge = arm_judge;
	open_or_fail(NULL, (struct record_opts)RECORD_DEFAULTS);
	assert_int_equal(list.events.items[0].attr.precise_ip, 0);
}

static void branches_need_lbr_or_brbe(void **state)
{
	struct record_opts o = RECORD_DEFAULTS;
	struct err e = { 0 };

	neoverse();
	fake_judge = arm_judge;
	o.branches = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	has_brbe = false;
	assert_int_equal(open_on("cycles:u", o, &e), -1);
	assert_true(e.what[0] && e.why[0]);
	event_list_release(&list);
	list = (struct event_list){ 0 };
	target_release(&target);
	has_brbe = true;
	open_or_fail("cycles:u", o);
	assert_int_equal(list.events.items[0].attr.branch_sample_type, o.branches);
}

static void chains_of_lbr_ask_for_the_call_stack(void **state)
{
	struct record_opts o = RECORD_DEFAULTS;

	fake_hybrid();
	o.chain = CHAIN_MODE_LBR;
	open_or_fail("cycles:u", o);
	for (size_t i = 0; i < 2; i++) {
		const struct perf_event_attr *a = &list.events.items[i].attr;

		assert_true(a->sample_type & SAMPLE_BRANCH_STACK && a->sample_type & SAMPLE_CALLCHAIN);
		assert_true(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
		assert_true(a->branch_sample_type & PERF_SAMPLE_BRANCH_USER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hybrids_sample_both_kinds_of_cores, begin, end),
		cmocka_unit_test_setup_teardown(zen_lowers_the_precision_to_that_of_ibs, begin, end),
		cmocka_unit_test_setup_teardown(arm_samples_without_precision, begin, end),
		cmocka_unit_test_setup_teardown(branches_need_lbr_or_brbe, begin, end),
		cmocka_unit_test_setup_teardown(chains_of_lbr_ask_for_the_call_stack, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
