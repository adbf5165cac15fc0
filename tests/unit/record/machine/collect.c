#include "record/machine/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>
#include <time.h>
#include <cmocka.h>

#include "tests/lib/fake_root.h"

static struct arena arena;
static struct features f;

static int teardown(void **state)
{
	fake_root_end(state);
	arena_release(&arena);
	f = (struct features){ 0 };
	return 0;
}

static void collect(void)
{
	static char *argv[] = { "strobe", "record", "true" };

	collect_features(&f, &arena, &(struct collect_opts){ .argc = 3, .argv = argv, .root = fake_root });
}

#define CPU(n, rest) "/sys/devices/system/cpu/cpu" #n rest

static void put_cpus(void)
{
	fake_file("/sys/devices/system/cpu/present", "0-2\n");
	fake_file("/sys/devices/system/cpu/online", "0,2\n");
	fake_file(CPU(0, "/topology/package_cpus_list"), "0,2\n");
	fake_file(CPU(2, "/topology/package_cpus_list"), "0,2\n");
	fake_file(CPU(0, "/topology/die_cpus_list"), "0,2\n");
	fake_file(CPU(2, "/topology/die_cpus_list"), "0,2\n");
	fake_file(CPU(0, "/topology/core_cpus_list"), "0\n");
	fake_file(CPU(2, "/topology/core_cpus_list"), "2\n");
	fake_file(CPU(0, "/topology/core_id"), "0\n");
	fake_file(CPU(2, "/topology/core_id"), "5\n");
	fake_file(CPU(0, "/topology/physical_package_id"), "0\n");
	fake_file(CPU(2, "/topology/physical_package_id"), "1\n");
	fake_file(CPU(0, "/topology/die_id"), "0\n");
	fake_file(CPU(2, "/topology/die_id"), "0\n");
}

static void topology_leaves_holes_for_cpus_that_are_off(void **state)
{
	put_cpus();
	collect();
	assert_int_equal(f.cpus_available, 3);
	assert_int_equal(f.cpus_online, 2);
	assert_true(feature_has(&f, FEATURE_CPU_TOPOLOGY));
	assert_int_equal(f.packages.n, 1);
	assert_string_equal(f.packages.items[0], "0,2");
	assert_int_equal(f.cores.n, 2);
	assert_string_equal(f.cores.items[1], "2");
	assert_true(f.has_dies);
	assert_int_equal(f.n_cpus, 3);
	assert_int_equal(f.cpus[1].core_id, UINT32_MAX);
	assert_int_equal(f.cpus[2].core_id, 5);
	assert_int_equal(f.cpus[2].socket_id, 1);
}

static void older_names_of_the_topology_lists_serve_too(void **state)
{
	fake_file("/sys/devices/system/cpu/present", "0\n");
	fake_file("/sys/devices/system/cpu/online", "0\n");
	fake_file(CPU(0, "/topology/core_siblings_list"), "0\n");
	fake_file(CPU(0, "/topology/thread_siblings_list"), "0\n");
	collect();
	assert_int_equal(f.packages.n, 1);
	assert_int_equal(f.cores.n, 1);
	assert_false(f.has_dies);
}

static void put_cache(const char *dir, const char *level, const char *type, const char *cpus)
{
	static const char *const names[] = { "level",
					     "type",
					     "shared_cpu_list",
					     "size",
					     "coherency_line_size",
					     "number_of_sets",
					     "ways_of_associativity" };
	const char *const values[] = { level, type, cpus, "32K\n", "64\n", "512\n", "8\n" };
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s/%s", dir, names[i]);
		fake_file(path, values[i]);
	}
}

static void caches_come_once_and_by_level(void **state)
{
	put_cpus();
	put_cache("cpu0/cache/index0", "1\n", "Data\n", "0\n");
	put_cache("cpu0/cache/index1", "3\n", "Unified\n", "0,2\n");
	put_cache("cpu2/cache/index0", "1\n", "Data\n", "2\n");
	put_cache("cpu2/cache/index1", "3\n", "Unified\n", "0,2\n");
	collect();
	assert_int_equal(f.n_caches, 3);
	assert_string_equal(f.caches[0].cpus, "0");
	assert_string_equal(f.caches[1].cpus, "2");
	assert_int_equal(f.caches[2].level, 3);
	assert_int_equal(f.caches[2].ways, 8);
	assert_int_equal(f.caches[0].line_size, 64);
}

static void memory_of_nodes(void **state)
{
	fake_file("/sys/devices/system/node/online", "0\n");
	fake_file("/sys/devices/system/node/node0/meminfo",
		  "Node 0 MemTotal:    1000 kB\nNode 0 MemFree:      400 kB\n");
	fake_file("/sys/devices/system/node/node0/cpulist", "0-2\n");
	fake_file("/sys/devices/system/node/node0/memory0/x", "");
	fake_file("/sys/devices/system/node/node0/memory65/x", "");
	fake_file("/sys/devices/system/node/node0/memory_side_cache/x", "");
	fake_file("/sys/devices/system/memory/block_size_bytes", "8000000\n");
	fake_file("/proc/meminfo", "MemTotal:       24684096 kB\nMemFree:  1 kB\n");
	collect();
	assert_int_equal(f.total_mem_kb, 24684096);
	assert_int_equal(f.n_nodes, 1);
	assert_int_equal(f.nodes[0].total_kb, 1000);
	assert_int_equal(f.nodes[0].free_kb, 400);
	assert_string_equal(f.nodes[0].cpus, "0-2");
	assert_int_equal(f.mem_block_size, 0x8000000);
	assert_int_equal(f.n_mem_nodes, 1);
	assert_int_equal(f.mem_nodes[0].n_bits, 66);
	assert_int_equal(f.mem_nodes[0].words[0], 1);
	assert_int_equal(f.mem_nodes[0].words[1], 2);
}

static void pmus_with_caps_and_cpus(void **state)
{
	fake_file("/sys/bus/event_source/devices/software/type", "1\n");
	fake_file("/sys/bus/event_source/devices/cpu_core/type", "4\n");
	fake_file("/sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
	fake_file("/sys/bus/event_source/devices/cpu_core/caps/max_precise", "3\n");
	fake_file("/sys/bus/event_source/devices/cpu/type", "8\n");
	fake_file("/sys/bus/event_source/devices/cpu/caps/branches", "32\n");
	fake_file("/sys/bus/event_source/devices/broken/nothing", "\n");
	collect();
	assert_int_equal(f.n_pmus, 3);
	assert_string_equal(f.pmus[0].name, "cpu");
	assert_int_equal(f.n_cpu_caps, 1);
	assert_string_equal(f.cpu_caps[0].value, "32");
	assert_int_equal(f.n_pmu_caps, 1);
	assert_string_equal(f.pmu_caps[0].pmu, "cpu_core");
	assert_string_equal(f.pmu_caps[0].caps[0].name, "max_precise");
	assert_int_equal(f.n_hybrids, 1);
	assert_string_equal(f.hybrids[0].cpus, "0-3");
}

static void cpu_named_by_cpuinfo(void **state)
{
	fake_file(
		"/proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		"model name\t: Intel(R)   Xeon(R)  @ 2.50GHz\nstepping\t: 7\n\nprocessor\t: 1\nmodel name\t: other\n");
	collect();
	assert_string_equal(f.cpudesc, "Intel(R) Xeon(R) @ 2.50GHz");
	assert_string_equal(f.cpuid, "GenuineIntel,6,85,7");
}

static void arm_cpu_named_by_its_register(void **state)
{
	fake_file("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\n");
	fake_file(CPU(0, "/regs/identification/midr_el1"), "0x00000000410fd0c0\n");
	collect();
	assert_false(feature_has(&f, FEATURE_CPUDESC));
	assert_string_equal(f.cpuid, "0x00000000410fd0c0");
}

static void missing_parts_are_left_out(void **state)
{
	collect();
	assert_true(feature_has(&f, FEATURE_HOSTNAME));
	assert_true(feature_has(&f, FEATURE_CMDLINE));
	assert_int_equal(f.cmdline.n, 3);
	assert_string_equal(f.cmdline.items[2], "true");
	assert_int_equal(*f.cmdline.items[0], '/');
	for (unsigned bit = 1; bit < FEATURES; bit++)
		if (feature_has(&f, bit))
			assert_true((bit >= FEATURE_HOSTNAME && bit <= FEATURE_ARCH) || bit == FEATURE_CMDLINE);
}

static void this_machine_is_described(void **state)
{
	struct utsname u;

	collect_features(&f, &arena, &(struct collect_opts){ .use_clockid = true, .clockid = CLOCK_MONOTONIC });
	uname(&u);
	assert_string_equal(f.osrelease, u.release);
	assert_int_equal(f.clock_ns > 0, 1);
	if (feature_has(&f, FEATURE_NRCPUS))
		assert_true(f.cpus_available >= 1 && f.cpus_online <= f.cpus_available);
	assert_false(feature_has(&f, FEATURE_CMDLINE));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fake_root_begin, teardown)
	const struct CMUnitTest tests[] = {
		T(topology_leaves_holes_for_cpus_that_are_off),
		T(older_names_of_the_topology_lists_serve_too),
		T(caches_come_once_and_by_level),
		T(memory_of_nodes),
		T(pmus_with_caps_and_cpus),
		T(cpu_named_by_cpuinfo),
		T(arm_cpu_named_by_its_register),
		T(missing_parts_are_left_out),
		T(this_machine_is_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
