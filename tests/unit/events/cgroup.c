#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct event_list list;
static struct err error;

static int begin(void **state)
{
	fake_judge = NULL;
	n_fake_calls = 0;
	fake_begin(state);
	fake_file("/proc/mounts",
		  "x /old cgroup rw,perf_events 0 0\nnone /cg2 cgroup2 rw 0 0\nnone /other cgroup2 rw 0 0\nbroken\n");
	fake_file("/cg2/a/cgroup.procs", "");
	fake_file("/cg2/b/c/cgroup.procs", "");
	fake_file("/cg1/only/tasks", "");
	return 0;
}

static int end(void **state)
{
	event_list_release(&list);
	return fake_end(state);
}

static void give(const char *events, const char *names)
{
	event_list_release(&list);
	assert_int_equal(event_list_parse(&list, events, &error), 0);
	if (event_list_cgroups(&list, names, &error) < 0)
		fail_msg("%s: %s %s", names, error.what, error.why);
}

static void expect_names(const char *const *names, size_t n)
{
	assert_int_equal(list.events.len, n);
	for (size_t i = 0; i < n; i++) {
		const char *is = list.events.items[i].cgroup;

		if ((is == NULL) != (names[i] == NULL) || (is && strcmp(is, names[i])))
			fail_msg("event %zu: %s, not %s", i, is ? is : "none", names[i] ? names[i] : "none");
	}
}
#define EXPECT(...) \
	expect_names((const char *const[]){ __VA_ARGS__ }, ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

static void names_go_to_events_in_turn(void **state)
{
	give("cs,faults,migrations", "a");
	EXPECT("a", "a", "a");
	give("cs,faults,migrations", "a,,/b/c");
	EXPECT("a", NULL, "/b/c");
	give("cs,faults,migrations", ",a");
	EXPECT(NULL, "a", NULL);
	give("cs", "");
	EXPECT((const char *)NULL);
	give("{cs,faults},migrations", "a");
	EXPECT("a", "a", "a");
	give("{cs,faults},migrations", "a,b"); /* the second is a member of the first */
	EXPECT("a", "a", NULL);
	give("cs", "a");
	assert_int_equal(event_list_parse(&list, "faults,migrations", &error), 0);
	EXPECT("a", NULL, NULL);
	assert_int_equal(event_list_cgroups(&list, "b", &error), 0);
	EXPECT("a", "b", NULL);
}

static void wrong_names_are_refused(void **state)
{
	assert_int_equal(event_list_cgroups(&list, "a", &error), -1);
	assert_string_equal(error.what, "must define events before cgroups");
	assert_int_equal(error.exit_code, 129);
	event_list_parse(&list, "cs", &error);
	assert_int_equal(event_list_cgroups(&list, "a,b", &error), -1);
	assert_string_equal(error.what, "more cgroups than events");
	event_list_release(&list);
	event_list_parse(&list, "cs", &error);
	assert_int_equal(event_list_cgroups(&list, "nosuch", &error), -1);
	assert_non_null(strstr(error.what, "no access to cgroup "));
	fake_file("/proc/mounts", "none /sys/kernel/tracing tracefs rw 0 0\n");
	assert_int_equal(event_list_cgroups(&list, "a", &error), -1);
	assert_non_null(strstr(error.fix, "mount -t cgroup2"));
}

static void the_first_version_is_taken_where_it_measures(void **state)
{
	fake_file("/proc/mounts", "none /cg2 cgroup2 rw 0 0\nnone /cg1 cgroup rw,cpu,perf_event 0 0\n");
	give("cs", "only");
	assert_int_equal(event_list_cgroups(&list, "a", &error), -1);
}

static void a_descriptor_stands_for_the_group(void **state)
{
	struct target target = { .system_wide = true };
	struct open_opts opts = { 0 };

	give("cs,faults", "a,");
	assert_int_equal(target_resolve(&target, &error), 0);
	assert_int_equal(event_list_open(&list, &target, &opts, NULL, &error), 0);
	assert_int_equal(n_fake_calls, 4); /* two CPUs */
	for (size_t i = 0; i < 2; i++) {
		assert_true(fake_calls[i].pid > 2);
		assert_true(fake_calls[i].flags & PERF_FLAG_PID_CGROUP);
		assert_int_equal(fake_calls[i].cpu, i);
		assert_int_equal(fake_calls[2 + i].pid, -1);
		assert_false(fake_calls[2 + i].flags & PERF_FLAG_PID_CGROUP);
	}
	for (size_t i = 0; i < 2; i++) { /* the descriptors are closed again */
		autofree char *link = xasprintf("/proc/self/fd/%d", fake_calls[i].pid);
		char where[256] = "";

		assert_true(readlink(link, where, sizeof(where) - 1) < 0 || !strcmp(where, "/dev/null"));
	}
	target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_go_to_events_in_turn, begin, end),
		cmocka_unit_test_setup_teardown(wrong_names_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(the_first_version_is_taken_where_it_measures, begin, end),
		cmocka_unit_test_setup_teardown(a_descriptor_stands_for_the_group, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
