#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct err error;

static int begin(void **state)
{
	static const struct {
		int pid, uid;
		int tids[3];
	} processes[] = { { 10, 0, { 10 } }, { 200, 5, { 200, 201, 9 } }, { 300, 5, { 300 } } };

	if (fake_begin(state) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++) {
		autofree char *status = xasprintf("/proc/%d/status", processes[i].pid);
		autofree char *text = xasprintf("Name:\tx\nUid:\t77\t%d\t0\t0\n", processes[i].uid);

		fake_file(status, text);
		for (int j = 0; j < 3 && processes[i].tids[j]; j++) {
			autofree char *task =
				xasprintf("/proc/%d/task/%d/comm", processes[i].pid, processes[i].tids[j]);
			autofree char *thread = xasprintf("/proc/%d/status", processes[i].tids[j]);

			fake_file(task, "x\n");
			if (processes[i].tids[j] == 201)
				fake_file(thread, text);
		}
	}
	fake_file("/sys/devices/system/cpu/online", "0-2,4\n");
	return 0;
}

static void expect_threads(const struct target *t, size_t n, const int32_t *tids)
{
	assert_int_equal(t->threads.len, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(t->threads.items[i], tids[i]);
}
#define EXPECT_THREADS(t, ...) \
	expect_threads(t, sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t), (int32_t[]){ __VA_ARGS__ })

static void nothing_given_is_the_whole_system(void **state)
{
	struct target t = { 0 };

	assert_int_equal(target_resolve(&t, &error), 0);
	EXPECT_THREADS(&t, -1);
	assert_int_equal(t.cpu_list.len, 4);
	assert_false(t.is_task);
	target_release(&t);
}

static void processes_give_their_threads_once_and_sorted(void **state)
{
	struct target t = { .pids = "200,10,200", .tids = "201" };

	assert_int_equal(target_resolve(&t, &error), 0);
	EXPECT_THREADS(&t, 9, 10, 200, 201);
	assert_true(t.is_task);
	assert_int_equal(t.cpu_list.len, 4);
	target_release(&t);
}

static void users_give_all_their_processes(void **state)
{
	struct target t = { .uid = "5" }, root = { .uid = "root" };

	assert_int_equal(target_resolve(&t, &error), 0);
	EXPECT_THREADS(&t, 9, 200, 201, 300);
	target_release(&t);
	assert_int_equal(target_resolve(&root, &error), 0);
	EXPECT_THREADS(&root, 10);
	target_release(&root);
}

static void a_command_is_a_target_unless_others_are_given(void **state)
{
	struct target t = { .workload = 55 }, with_pid = { .workload = 55, .pids = "10" },
		      all = { .workload = 55, .system_wide = true }, cpu = { .workload = 55, .cpus = "1" };

	assert_int_equal(target_resolve(&t, &error), 0);
	EXPECT_THREADS(&t, 55);
	assert_int_equal(target_resolve(&with_pid, &error), 0);
	EXPECT_THREADS(&with_pid, 10);
	assert_int_equal(target_resolve(&all, &error), 0);
	EXPECT_THREADS(&all, -1);
	assert_int_equal(target_resolve(&cpu, &error), 0);
	EXPECT_THREADS(&cpu, -1);
	assert_int_equal(cpu.cpu_list.len, 1);
	target_release(&t);
	target_release(&with_pid);
	target_release(&all);
	target_release(&cpu);
}

static void per_thread_means_any_cpu(void **state)
{
	struct target t = { .pids = "10", .per_thread = true },
		      on_one = { .pids = "10", .per_thread = true, .cpus = "2" };

	assert_int_equal(target_resolve(&t, &error), 0);
	assert_true(t.any_cpu);
	assert_int_equal(t.cpu_list.len, 1);
	assert_int_equal(t.cpu_list.items[0], -1);
	target_release(&t);
	assert_int_equal(target_resolve(&on_one, &error), 0);
	assert_false(on_one.any_cpu);
	assert_int_equal(on_one.cpu_list.items[0], 2);
	target_release(&on_one);
}

static void errors_name_what_is_wrong(void **state)
{
	static const struct {
		struct target t;
		const char *what, *why;
		int exit_code;
	} cases[] = {
		{ { .pids = "11" }, "Couldn't create thread/CPU maps: No such process", "'11'", 244 },
		{ { .pids = "10,11" }, "No such process", "'11'", 244 },
		{ { .tids = "12" }, "No such process", "thread", 244 },
		{ { .pids = "99999999999" }, "No such process", "'99999999999'", 244 },
		{ { .pids = "x" }, "bad process id 'x'", "", 129 },
		{ { .pids = "10," }, "bad process id ''", "", 129 },
		{ { .tids = "-1" }, "bad thread id '-1'", "", 129 },
		{ { .pids = "" }, "bad process id ''", "", 129 },
		{ { .pids = "0" }, "bad process id '0'", "", 129 },
		{ { .uid = "no-such-user" }, "Invalid User: no-such-user", "", 129 },
		{ { .uid = "12345" }, "user '12345' has no process", "", 244 },
		{ { .cpus = "0-" }, "bad list of CPUs '0-'", "", 129 },
		{ { .cpus = "" }, "bad list of CPUs ''", "", 129 },
		{ { .cpus = "2-1" }, "bad list of CPUs '2-1'", "", 129 },
		{ { .cpus = "0-3" }, "cannot measure CPU 3: it is not online", "0-2,4", 0 },
		{ { .cpus = "99" }, "cannot measure CPU 99", "0-2,4", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target t = cases[i].t;

		err_clear(&error);
		assert_int_equal(target_resolve(&t, &error), -1);
		if (!strstr(error.what, cases[i].what) || !strstr(error.why, cases[i].why) ||
		    error.exit_code != cases[i].exit_code)
			fail_msg("case %zu: %s / %s / %d", i, error.what, error.why, error.exit_code);
		assert_int_equal(t.threads.len, 0);
	}
}

static void long_lists_are_taken(void **state)
{
	size_t n = 50000;
	autofree char *list = xcalloc(n, 4);
	struct target t = { .pids = list };

	for (size_t i = 0; i < n; i++)
		memcpy(list + 3 * i, i + 1 < n ? "10," : "10", i + 1 < n ? 3 : 2);
	assert_int_equal(target_resolve(&t, &error), 0);
	EXPECT_THREADS(&t, 10);
	target_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_given_is_the_whole_system, begin, fake_end),
		cmocka_unit_test_setup_teardown(processes_give_their_threads_once_and_sorted, begin, fake_end),
		cmocka_unit_test_setup_teardown(users_give_all_their_processes, begin, fake_end),
		cmocka_unit_test_setup_teardown(a_command_is_a_target_unless_others_are_given, begin, fake_end),
		cmocka_unit_test_setup_teardown(per_thread_means_any_cpu, begin, fake_end),
		cmocka_unit_test_setup_teardown(errors_name_what_is_wrong, begin, fake_end),
		cmocka_unit_test_setup_teardown(long_lists_are_taken, begin, fake_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
