#include "tests/unit/events/fake.h"
#include <cmocka.h>

static int begin(void **state)
{
	if (fake_begin(state) < 0)
		return -1;
	fake_tracepoints();
	return 0;
}

static void plain_names_are_looked_up(void **state)
{
	struct tracepoints found = { 0 };
	struct arena a = { 0 };
	struct err e = { 0 };

	assert_int_equal(tracepoint_find("sched", "sched_switch", &a, &found, &e), 0);
	assert_int_equal(found.len, 1);
	assert_int_equal(found.items[0].id, 316);
	vec_free(&found);
	arena_release(&a);
}

static void globs_match_on_both_sides(void **state)
{
	static const struct {
		const char *system, *name;
		size_t n;
	} cases[] = {
		{ "sched", "*", 2 },
		{ "s*", "s*", 4 },
		{ "syscalls", "sys_enter_o*", 1 },
		{ "sche?", "sched_switch", 1 },
		{ "*", "only", 1 },
	};
	struct arena a = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tracepoints found = { 0 };

		assert_int_equal(tracepoint_find(cases[i].system, cases[i].name, &a, &found, NULL), 0);
		assert_int_equal(found.len, cases[i].n);
		vec_free(&found);
	}
	arena_release(&a);
}

static void missing_values_have_the_text_of_perf(void **state)
{
	static const char *const names[][2] = {
		{ "sched", "nope" },      { "nope", "nope" }, { "nope", "*" },
		{ "sched", "x*" },        { "..", "sched" },  { "sched", "../sched_switch" },
		{ "ftrace", "function" }, { "ftrace", "*" },  { "", "x" }
	};
	struct tracepoints found = { 0 };
	struct arena a = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct err e = { 0 };

		assert_int_equal(tracepoint_find(names[i][0], names[i][1], &a, &found, &e), -1);
		assert_string_equal(e.what, "unknown tracepoint");
		assert_non_null(strstr(e.why, "not found"));
		assert_int_equal(found.len, 0);
	}
	arena_release(&a);
}

static void a_closed_tracefs_says_so(void **state)
{
	char path[128];
	struct err e = { 0 };
	uint64_t id;

	if (geteuid() == 0) {
		print_message("skipped: root may read any directory\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing", fake_root);
	chmod(path, 0);
	assert_int_equal(tracepoint_id("sched", "sched_switch", &id, &e), -1);
	chmod(path, 0755);
	assert_string_equal(e.what, "can't access trace events");
	assert_non_null(strstr(e.fix, "remount,mode=755"));
}

static void without_tracefs_the_mount_is_named(void **state)
{
	struct err e = { 0 };

	fake_file("/proc/mounts", "proc /proc proc rw 0 0\n");
	fake_end(state); /* all removed */
	mkdir(fake_root, 0755);
	assert_null(tracefs_path(&e));
	assert_non_null(strstr(e.fix, "mount -t tracefs"));
}

static void fields_are_listed_for_filters(void **state)
{
	autofree char *fields = tracepoint_fields("sched", "sched_switch");

	assert_string_equal(fields, "prev_comm, prev_pid");
	assert_null(tracepoint_fields("sched", "nope"));
}

static void mistyped_names_find_theirs(void **state)
{
	struct arena a = { 0 };

	assert_string_equal(tracepoint_nearest("sched", "sched_swich", &a), "sched:sched_switch");
	assert_string_equal(tracepoint_nearest("shed", "sched_switch", &a), "sched:sched_switch");
	assert_null(tracepoint_nearest("qqqqqqq", "sched_switch", &a));
	assert_string_equal(tracepoint_of_name("sched_switch", &a), "sched:sched_switch");
	assert_null(tracepoint_of_name("nope", &a));
	arena_release(&a);
}

static void format_text_is_whole(void **state)
{
	size_t len;
	autofree char *text = tracepoint_format("sched", "sched_switch", &len, NULL);

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	assert_memory_equal(text, "name: sched_switch\n", 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain_names_are_looked_up, begin, fake_end),
		cmocka_unit_test_setup_teardown(globs_match_on_both_sides, begin, fake_end),
		cmocka_unit_test_setup_teardown(missing_values_have_the_text_of_perf, begin, fake_end),
		cmocka_unit_test_setup_teardown(a_closed_tracefs_says_so, begin, fake_end),
		cmocka_unit_test_setup_teardown(without_tracefs_the_mount_is_named, begin, fake_end),
		cmocka_unit_test_setup_teardown(fields_are_listed_for_filters, begin, fake_end),
		cmocka_unit_test_setup_teardown(mistyped_names_find_theirs, begin, fake_end),
		cmocka_unit_test_setup_teardown(format_text_is_whole, begin, fake_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
