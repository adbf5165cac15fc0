#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events/events_priv.h"

static void names_have_their_numbers(void **state)
{
	static const struct {
		const char *name;
		enum name_kind kind;
		uint64_t config;
	} cases[] = {
		{ "cycles", NAME_HARDWARE, 0 },
		{ "cpu-cycles", NAME_HARDWARE, 0 },
		{ "branches", NAME_HARDWARE, 4 },
		{ "idle-cycles-backend", NAME_HARDWARE, 8 },
		{ "ref-cycles", NAME_HARDWARE, 9 },
		{ "cpu-clock", NAME_SOFTWARE, 0 },
		{ "CPU-CLOCK", NAME_SOFTWARE, 0 },
		{ "cs", NAME_SOFTWARE, 3 },
		{ "cgroup-switches", NAME_SOFTWARE, 11 },
		{ "duration_time", NAME_TOOL, TOOL_DURATION_TIME },
		{ "L1-dcache-loads", NAME_CACHE, 0 },
		{ "L1-dcache-load-misses", NAME_CACHE, 0x10000 },
		{ "l1d", NAME_CACHE, 0 },
		{ "l1-d-misses-write", NAME_CACHE, 0x10100 },
		{ "LLC-stores", NAME_CACHE, 0x102 },
		{ "L2-prefetches", NAME_CACHE, 0x202 },
		{ "dTLB-prefetch-misses", NAME_CACHE, 0x10203 },
		{ "iTLB-load-misses", NAME_CACHE, 0x10004 },
		{ "branch-loads", NAME_CACHE, 5 },
		{ "bpu-read-miss", NAME_CACHE, 0x10005 },
		{ "node-speculative-load-refs", NAME_CACHE, 0x206 },
		{ "L1-icache-prefetches", NAME_CACHE, 0x201 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct known_event found;

		if (!name_find(cases[i].name, &found) || found.kind != cases[i].kind || found.config != cases[i].config)
			fail_msg("%s", cases[i].name);
	}
}

static void bad_names_are_not_found(void **state)
{
	static const char *const names[] = { "",
					     "cycle",
					     "cycles-",
					     "L1-dcache-",
					     "L1-dcache--loads",
					     "L1-dcache-loads-loads",
					     "iTLB-stores",
					     "L1-icache-stores",
					     "branch-prefetches",
					     "LLCloads",
					     "node-loads-misses-x",
					     "loads",
					     "r",
					     "cpu-clock " };
	struct known_event found;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (name_find(names[i], &found))
			fail_msg("%s", names[i]);
}

static void raw_events_are_hex_behind_r(void **state)
{
	uint64_t config;

	assert_true(name_is_raw("r1a8", &config));
	assert_int_equal(config, 0x1a8);
	assert_true(name_is_raw("read", &config));
	assert_int_equal(config, 0xead);
	assert_true(name_is_raw("rffffffffffffffff", &config));
	assert_int_equal(config, UINT64_MAX);
	assert_true(name_is_raw("r0", &config));
	assert_false(name_is_raw("r", &config));
	assert_false(name_is_raw("r0x1a8", &config));
	assert_false(name_is_raw("r-1", &config));
	assert_false(name_is_raw("r 1", &config));
	assert_false(name_is_raw("rzz", &config));
	assert_false(name_is_raw("r11112222333344445", &config));
}

static void every_listed_cache_event_can_be_found(void **state)
{
	struct known_event found;
	const char *name;
	char buf[64];
	size_t n = 0;

	for (size_t i = 0; (name = name_cache(i, buf, sizeof(buf))); i++) {
		if (!*name)
			continue;
		n++;
		if (!name_find(name, &found) || found.kind != NAME_CACHE)
			fail_msg("%s", name);
	}
	assert_int_equal(n, 2 * (4 * 3 + 2 + 1 + 1)); /* L1I lacks one op, iTLB and branch lack two */
}

static void a_slip_finds_its_name(void **state)
{
	static const char *const own[] = { "tsc" };
	struct names extra = { .items = (const char **)own, .len = 1 }, none = { 0 };
	struct arena a = { 0 };

	assert_string_equal(name_nearest("cyclse", &none, &a), "cycles");
	assert_string_equal(name_nearest("L1-dcache-laods", &none, &a), "L1-dcache-loads");
	assert_string_equal(name_nearest("tscc", &extra, &a), "tsc");
	assert_null(name_nearest("qwertyuiop", &none, &a));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_their_numbers),    cmocka_unit_test(bad_names_are_not_found),
		cmocka_unit_test(raw_events_are_hex_behind_r), cmocka_unit_test(every_listed_cache_event_can_be_found),
		cmocka_unit_test(a_slip_finds_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
