#include "fake.h"
#include <cmocka.h>

static struct event_list list;

static int begin(void **state)
{
	return fake_begin(state);
}

static int end(void **state)
{
	event_list_release(&list);
	return fake_end(state);
}

static void each_refusal_is_explained(void **state)
{
	static const struct { const char *event; int sys; bool system_wide; const char *level, *what, *why, *fix; } cases[] = {
		{ "cycles", EACCES, true, "2", "measuring the whole system is not allowed", "leaves users their own processes", "perf_event_paranoid=0" },
		{ "cycles", EACCES, false, "3", "measuring is not allowed", "perf_event_paranoid is 3", "perf_event_paranoid=2" },
		{ "cycles:k", EACCES, false, "2", "kernel profiling", "is 2, which leaves user space only", "-e cycles:u, or as root" },
		{ "2:1", EACCES, false, "1", "tracepoints are not allowed", "is 1", "perf_event_paranoid=-1" },
		{ "cycles:u", EACCES, false, "0", "not allowed", "CAP_PERFMON", "setcap" },
		{ "cycles", ENOENT, false, "0", "not supported", "no hardware counters", "-e task-clock" },
		{ "cycles", ENOENT, true, "0", "not supported", "no hardware counters", "-e cpu-clock" },
		{ "LLC-loads", ENOENT, false, "0", "not supported", "no hardware counters", "-e page-faults" },
		{ "1:99", ENOENT, false, "0", "not supported", "kernel does not know it", "" },
		{ "instructions:pp", EOPNOTSUPP, false, "0", "precise sampling", "PMU lacks it", "-e instructions without" },
		{ "mem:0x1/3", EINVAL, false, "0", "no such breakpoint", "1, 2, 4 or 8 bytes", "" },
		{ "mem:0x1", ENOSPC, false, "0", "all hardware breakpoints", "", "fewer" },
		{ "cs", EINVAL, false, "0", "combination of settings", "Invalid argument", "" },
		{ "cs", EMFILE, false, "0", "too many open files", "descriptor", "ulimit -n" },
		{ "cs", EBUSY, false, "0", "another user has the counters", "NMI watchdog", "nmi_watchdog=0" },
		{ "cs", ESRCH, false, "0", "process 500 has ended", "", "" },
		{ "cs", ENODEV, false, "0", "cannot be measured on CPU 1", "offline", "-C" },
		{ "cs", EFAULT, false, "0", "cannot open event 'cs'", "Bad address", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target t = { .is_task = !cases[i].system_wide };
		struct err e = { 0 };

		event_list_release(&list);
		fake_file("/proc/sys/kernel/perf_event_paranoid", cases[i].level);
		assert_int_equal(event_list_parse(&list, cases[i].event, &e), 0);
		assert_int_equal(advice_open(&list.events.items[0], &t, 1, cases[i].system_wide ? -1 : 500, cases[i].sys, &e), -1);
		if (!strstr(e.what, cases[i].what) || !strstr(e.why, cases[i].why) || !strstr(e.fix, cases[i].fix) || e.sys != cases[i].sys)
			fail_msg("case %zu: %s / %s / %s", i, e.what, e.why, e.fix);
	}
}

/* Without a branch stack it is of no help to leave out a modifier. */
static void branches_are_told_before_precision(void **state)
{
	struct target t = { .is_task = true };
	struct err e = { 0 };

	event_list_release(&list);
	fake_file("/proc/sys/kernel/perf_event_paranoid", "0");
	assert_int_equal(event_list_parse(&list, "task-clock:ppp", &e), 0);
	list.events.items[0].attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	assert_int_equal(advice_open(&list.events.items[0], &t, 1, 500, EOPNOTSUPP, &e), -1);
	assert_non_null(strstr(e.what, "branch records"));
	assert_non_null(strstr(e.fix, "--call-graph lbr"));
}

static void containers_and_policies_are_named(void **state)
{
	struct target t = { .is_task = true };
	struct err e = { 0 };

	assert_int_equal(event_list_parse(&list, "cs", &e), 0);
	fake_file("/proc/self/status", "Name:\tx\nSeccomp:\t2\n");
	advice_open(&list.events.items[0], &t, 0, 500, EPERM, &e);
	assert_non_null(strstr(e.what, "seccomp"));
	assert_non_null(strstr(e.fix, "--security-opt seccomp=unconfined"));
	fake_file("/proc/self/status", "Name:\tx\nSeccomp:\t0\n");
	fake_file("/sys/fs/selinux/enforce", "1");
	advice_open(&list.events.items[0], &t, 0, 500, EPERM, &e);
	assert_non_null(strstr(e.why, "SELinux"));
}

static void tracepoints_nobody_may_sample(void **state)
{
	struct target t = { 0 };
	struct err e = { 0 };

	assert_int_equal(event_list_parse(&list, "2:1", &e), 0);
	fake_file("/proc/self/status", "CapEff:\t0000000000000000\n");
	advice_open(&list.events.items[0], &t, 0, -1, EPERM, &e);
	assert_non_null(strstr(e.what, "not allowed for this user"));
	fake_file("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	advice_open(&list.events.items[0], &t, 0, -1, EPERM, &e);
	assert_string_equal(e.fix, "strobe stat -e 2:1");
}

static void uncore_events_say_how_they_can_be_used(void **state)
{
	struct target task = { .is_task = true }, all = { 0 };
	struct err e = { 0 };

	fake_pmus();
	assert_int_equal(event_list_parse(&list, "uncore_imc_0/event=1/", &e), 0);
	list.events.items[0].attr.sample_period = 5;
	advice_open(&list.events.items[0], &task, 0, 500, EINVAL, &e);
	assert_non_null(strstr(e.what, "per-thread mode"));
	assert_string_equal(e.fix, "with -a");
	advice_open(&list.events.items[0], &all, 0, -1, EINVAL, &e);
	assert_string_equal(e.fix, "strobe stat -a -e uncore_imc_0/event=1/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_refusal_is_explained, begin, end),
		cmocka_unit_test_setup_teardown(branches_are_told_before_precision, begin, end),
		cmocka_unit_test_setup_teardown(containers_and_policies_are_named, begin, end),
		cmocka_unit_test_setup_teardown(tracepoints_nobody_may_sample, begin, end),
		cmocka_unit_test_setup_teardown(uncore_events_say_how_they_can_be_used, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
