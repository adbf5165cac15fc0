#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/units.h"
#include "format/features.h"
#include "stat/topology_priv.h"
#include "tests/lib/fake_root.h"

#define SYSTEM "/sys/devices/system/"

static void places_come_from_sysfs(void **state)
{
	struct topology t = { 0 };
	struct cpuset cpus = { 0 };
	const struct cpu_place *p;

	fake_file(SYSTEM "cpu/cpu1/topology/physical_package_id", "0\n");
	fake_file(SYSTEM "cpu/cpu1/topology/core_id", "4\n");
	fake_file(SYSTEM "cpu/cpu1/topology/die_id", "-1\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index0/level", "1\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index0/type", "Data\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index0/shared_cpu_list", "1,5\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index1/level", "1\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index1/type", "Instruction\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index1/shared_cpu_list", "3\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index2/level", "99\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index2/shared_cpu_list", "1\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index3/level", "3\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index3/type", "Unified\n");
	fake_file(SYSTEM "cpu/cpu1/cache/index3/shared_cpu_list", "0-5\n");
	fake_file(SYSTEM "cpu/cpu5/topology/core_id", "junk\n");
	fake_file(SYSTEM "node/online", "0,2\n");
	fake_file(SYSTEM "node/node2/cpulist", "4-6\n");
	assert_int_equal(cpuset_parse(&cpus, "1,5", NULL), 0);
	topology_read(&t, &cpus, fake_root);
	p = topology_find(&t, 1);
	assert_int_equal(p->socket, 0);
	assert_int_equal(p->core, 4);
	assert_int_equal(p->die, UNPLACED);
	assert_int_equal(p->node, UNPLACED);
	assert_int_equal(p->cache[1], 1);
	assert_int_equal(p->cache[2], UNPLACED);
	assert_int_equal(p->cache[3], 0);
	p = topology_find(&t, 5);
	assert_int_equal(p->core, UNPLACED);
	assert_int_equal(p->node, 2);
	assert_null(topology_find(&t, 0));
	assert_null(topology_find(&t, 6));
	topology_release(&t);
	cpuset_free(&cpus);
}

/* Numbers and lists of a recording are foreign. */
static void places_come_from_a_recording(void **state)
{
	struct feature_cpu cpus[] = { { .core_id = 0, .socket_id = 0 }, { .core_id = UINT32_MAX, .socket_id = 7 } };
	struct feature_node nodes[] = { { .node = 3, .cpus = "1" }, { .node = 4, .cpus = "x-" }, { .node = 5 } };
	struct feature_cache caches[] = { { .level = 2, .type = "Data", .cpus = "0-1" },
					  { .level = 1, .type = "Instruction", .cpus = "0" },
					  { .level = CACHE_LEVELS, .type = "Data", .cpus = "0" },
					  { .level = 3, .type = "Unified", .cpus = "?" },
					  { .level = 4 } };
	struct features f = { .cpus = cpus,
			      .n_cpus = ARRAY_SIZE(cpus),
			      .nodes = nodes,
			      .n_nodes = ARRAY_SIZE(nodes),
			      .caches = caches,
			      .n_caches = ARRAY_SIZE(caches) };
	struct topology t = { 0 };
	const struct cpu_place *p;

	topology_of_features(&t, &f);
	p = topology_find(&t, 1);
	assert_int_equal(p->core, UNPLACED);
	assert_int_equal(p->socket, 7);
	assert_int_equal(p->die, UNPLACED);
	assert_int_equal(p->node, 3);
	assert_int_equal(p->cache[2], 0);
	p = topology_find(&t, 0);
	assert_int_equal(p->node, UNPLACED);
	for (int level = 1; level < CACHE_LEVELS; level++)
		assert_int_equal(p->cache[level], level == 2 ? 0 : UNPLACED);
	topology_release(&t);
}

/* More lists than a machine can have: the last ones are passed over. */
static void lists_without_end_are_cut(void **state)
{
	enum { CPUS = 65536, LISTS = 8 };
	struct feature_cpu *cpus = xcalloc(CPUS, sizeof(*cpus));
	struct feature_node nodes[LISTS];
	struct features f = { .cpus = cpus, .n_cpus = CPUS, .nodes = nodes, .n_nodes = LISTS };
	struct topology t = { 0 };

	for (uint32_t i = 0; i < LISTS; i++)
		nodes[i] = (struct feature_node){ .node = i, .cpus = "0-65535" };
	topology_of_features(&t, &f);
	assert_int_equal(topology_find(&t, 0)->node, CACHE_LEVELS - 1);
	assert_int_equal(topology_find(&t, CPUS - 1)->node, CACHE_LEVELS - 1);
	topology_release(&t);
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places_come_from_sysfs, fake_root_begin, fake_root_end),
		cmocka_unit_test(places_come_from_a_recording),
		cmocka_unit_test(lists_without_end_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
