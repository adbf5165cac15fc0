/* The CPUs of a memory node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/rings/node_priv.h"
#include "tests/lib/fake_root.h"

#define NODE "/sys/devices/system/node/"

static const char *node_of(int cpu)
{
	static char text[64];
	struct cpuset cpus = { 0 };

	if (!node_read(fake_root, cpu, &cpus)) {
		assert_int_equal(cpus.len, 0);
		return NULL;
	}
	cpuset_format(&cpus, text, sizeof(text));
	cpuset_free(&cpus);
	return text;
}

static void numbers_of_nodes_have_gaps(void **state)
{
	fake_file(NODE "online", "0,4,8\n");
	fake_file(NODE "node0/cpulist", "0-3\n");
	fake_file(NODE "node4/cpulist", "\n"); /* memory without CPUs */
	fake_file(NODE "node8/cpulist", "4,6-7\n");
	assert_string_equal(node_of(2), "0-3");
	assert_string_equal(node_of(6), "4,6-7");
	assert_null(node_of(5));
}

static void without_nodes_there_is_no_answer(void **state)
{
	assert_null(node_of(0));
	fake_file(NODE "online", "0-1\n");
	fake_file(NODE "node1/cpulist", "0\n");
	assert_string_equal(node_of(0), "0");
	fake_file(NODE "online", "x\n");
	assert_null(node_of(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_of_nodes_have_gaps, fake_root_begin, fake_root_end),
		cmocka_unit_test_setup_teardown(without_nodes_there_is_no_answer, fake_root_begin, fake_root_end),
	};

	return cmocka_run_group_tests_name("node", tests, NULL, NULL);
}
