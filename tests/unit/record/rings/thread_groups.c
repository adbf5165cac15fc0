#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/rings/thread_groups.h"

static struct cpuset cpus_of(const char *list)
{
	struct cpuset cpus = { 0 };

	assert_int_equal(cpuset_parse(&cpus, list, NULL), 0);
	return cpus;
}

static void a_thread_per_cpu(void **state)
{
	struct cpuset cpus = cpus_of("0,2,5");
	struct thread_groups g = { 0 };

	assert_int_equal(thread_groups_make(&g, "cpu", &cpus, NULL), 0);
	assert_int_equal(g.groups.len, 3);
	assert_int_equal(g.groups.items[1].cpus.len, 1);
	assert_int_equal(g.groups.items[1].cpus.items[0], 2);
	assert_int_equal(g.groups.items[1].affinity.items[0], 2);
	thread_groups_release(&g);
	cpuset_free(&cpus);
}

/* On any machine, each CPU of the recording is in exactly one group, and no other CPU is. */
static void kinds_share_out_all_cpus(void **state)
{
	static const char *const kinds[] = { "core", "package", "numa" };
	struct cpuset cpus = cpus_of("0-3");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct thread_groups g = { 0 };
		size_t n = 0;

		assert_int_equal(thread_groups_make(&g, kinds[i], &cpus, NULL), 0);
		for (size_t j = 0; j < g.groups.len; j++)
			n += g.groups.items[j].cpus.len;
		assert_int_equal(n, 4);
		thread_groups_release(&g);
	}
	cpuset_free(&cpus);
}

static void lists_name_rings_and_place(void **state)
{
	struct cpuset cpus = cpus_of("0-3");
	struct thread_groups g = { 0 };

	assert_int_equal(thread_groups_make(&g, "0-1,9/0:3/2-3", &cpus, NULL), 0);
	assert_int_equal(g.groups.len, 2);
	assert_int_equal(g.groups.items[0].cpus.len, 2); /* 9 is not recorded */
	assert_int_equal(g.groups.items[0].affinity.len, 1);
	assert_int_equal(g.groups.items[1].cpus.items[0], 3);
	assert_int_equal(g.groups.items[1].affinity.len, 2);
	thread_groups_release(&g);
	cpuset_free(&cpus);
}

static void malformed_lists_are_refused(void **state)
{
	static const char *const bad[] = { "",          "0",   "cpus", "0/",  "/0",    "0/0:",
					   "0-1/0:1/1", "9/0", "x/0",  "0/x", "0/0/0", ":" };
	struct cpuset cpus = cpus_of("0-3");

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct thread_groups g = { 0 };
		struct err e = { 0 };

		assert_int_equal(thread_groups_make(&g, bad[i], &cpus, &e), -1);
		assert_int_equal(e.exit_code, 129);
		assert_true(e.what[0] && e.fix[0]);
		thread_groups_release(&g);
	}
	cpuset_free(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_per_cpu),
		cmocka_unit_test(kinds_share_out_all_cpus),
		cmocka_unit_test(lists_name_rings_and_place),
		cmocka_unit_test(malformed_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
