#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/symbols.h"

static struct symbols *store(void)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null" };

	return symbols_new(&opts);
}

static uint32_t file(struct symbols *s, const char *name)
{
	return symbols_dso(s, &(struct dso_args){ .filename = name, .exec = true });
}

static void map(struct symbols *s, uint32_t space, uint64_t time, uint64_t start, uint64_t len, uint64_t pgoff,
		uint32_t dso)
{
	space_map(s, space,
		  &(struct map_args){ .time_ns = time, .start = start, .len = len, .pgoff = pgoff, .dso = dso });
}

static uint32_t at(struct symbols *s, uint32_t space, uint64_t time, uint64_t addr)
{
	struct map_hit hit;

	return space_find(s, space, time, addr, &hit) ? hit.dso : 0;
}

static void a_map_hides_what_it_overlaps_from_its_time_on(void **state)
{
	struct symbols *s = store();
	uint32_t a = file(s, "/a"), b = file(s, "/b"), p = space_new(s, 0, 0);
	struct map_hit hit;

	map(s, p, 10, 0x1000, 0x3000, 0, a);
	map(s, p, 20, 0x2000, 0x1000, 0x5000, b);
	assert_int_equal(at(s, p, 9, 0x1000), 0);
	assert_int_equal(at(s, p, 10, 0x2800), a);
	assert_int_equal(at(s, p, 20, 0x1fff), a);
	assert_int_equal(at(s, p, 20, 0x2000), b);
	assert_int_equal(at(s, p, 99, 0x2fff), b);
	assert_int_equal(at(s, p, 99, 0x3000), a);
	assert_int_equal(at(s, p, 99, 0x4000), 0);
	assert_int_equal(at(s, SPACE_NONE, 99, 0x1000), 0);
	assert_int_equal(at(s, 12345, 99, 0x1000), 0);
	assert_true(space_find(s, p, 30, 0x2010, &hit));
	assert_int_equal(hit.dso_off, 0x5010);
	assert_int_equal(hit.start, 0x2000);
	assert_true(space_find(s, p, 30, 0x3010, &hit));
	assert_int_equal(hit.dso_off, 0x2010);
	assert_int_equal(space_version(s, p, 9), 0);
	assert_int_equal(space_version(s, p, 15), 1);
	assert_int_equal(space_version(s, p, 20), 2);
	symbols_free(s);
}

static void a_fork_sees_the_parent_as_it_was(void **state)
{
	struct symbols *s = store();
	uint32_t a = file(s, "/a"), b = file(s, "/b"), c = file(s, "/c");
	uint32_t parent = space_new(s, 0, 0), child, grandchild;

	map(s, parent, 10, 0x1000, 0x1000, 0, a);
	child = space_new(s, parent, 20);
	grandchild = space_new(s, child, 21);
	map(s, parent, 30, 0x1000, 0x1000, 0, b);
	map(s, child, 40, 0x1800, 0x1000, 0, c);
	assert_int_equal(at(s, parent, 35, 0x1000), b);
	assert_int_equal(at(s, child, 35, 0x1000), a);
	assert_int_equal(at(s, child, 45, 0x1800), c);
	assert_int_equal(at(s, child, 45, 0x17ff), a);
	assert_int_equal(at(s, grandchild, 45, 0x1800), a);
	symbols_free(s);
}

static void odd_lengths_do_no_harm(void **state)
{
	struct symbols *s = store();
	uint32_t a = file(s, "/a"), p = space_new(s, 0, 0);

	map(s, p, 1, 0x1000, 0, 0, a);
	assert_int_equal(at(s, p, 2, 0x1000), 0);
	map(s, p, 3, UINT64_MAX - 0xfff, 0x5000, 0, a);
	assert_int_equal(at(s, p, 4, UINT64_MAX - 1), a);
	assert_int_equal(at(s, p, 4, 0), 0);
	/* A time that runs backwards counts as now. */
	map(s, p, 2, 0x8000, 0x1000, 0, a);
	assert_int_equal(at(s, p, 2, 0x8000), 0);
	assert_int_equal(at(s, p, 3, 0x8000), a);
	symbols_free(s);
}

static void a_kernel_without_a_place_covers_everything(void **state)
{
	struct symbols *s = store();
	uint32_t k = symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true });
	struct map_hit hit;

	assert_int_equal(k, DSO_KERNEL);
	map(s, SPACE_KERNEL, 0, 0, 0, 0, k);
	assert_true(space_find(s, SPACE_KERNEL, 5, 0xffffffff81234567, &hit));
	assert_int_equal(hit.dso_off, 0xffffffff81234567);
	symbols_free(s);
}

static void jit_and_kernel_offsets_are_addresses_and_the_vdso_begins_at_0(void **state)
{
	struct symbols *s = store();
	uint32_t p = space_new(s, 0, 0),
		 jit = symbols_dso(s, &(struct dso_args){ .filename = "//anon", .exec = true, .pid = 7 });
	uint32_t vdso = symbols_dso(s, &(struct dso_args){ .filename = "[vdso]", .exec = true });
	uint32_t module = symbols_dso(s, &(struct dso_args){ .filename = "[e1000]", .kernel = true });
	struct map_hit hit;

	map(s, p, 1, 0x10000, 0x1000, 0x123000, jit);
	map(s, p, 1, 0x20000, 0x2000, 0x20000, vdso);
	map(s, SPACE_KERNEL, 1, 0xffffffffa0000000, 0x2000, 0, module);
	assert_true(space_find(s, p, 1, 0x10010, &hit));
	assert_int_equal(hit.dso_off, 0x10010);
	assert_true(space_find(s, p, 1, 0x20010, &hit));
	assert_int_equal(hit.dso_off, 0x10);
	assert_true(space_find(s, SPACE_KERNEL, 1, 0xffffffffa0000123, &hit));
	assert_int_equal(hit.dso_off, 0x123);
	symbols_free(s);
}

static void maps_are_listed_by_address(void **state)
{
	struct symbols *s = store();
	uint32_t a = file(s, "/a"), parent = space_new(s, 0, 0), child;
	struct map_args maps[4];

	map(s, parent, 1, 0x3000, 0x1000, 0, a);
	child = space_new(s, parent, 2);
	map(s, child, 3, 0x1000, 0x1000, 0, a);
	assert_int_equal(space_maps(s, child, maps, 4), 2);
	assert_int_equal(maps[0].start, 0x1000);
	assert_int_equal(maps[1].start, 0x3000);
	assert_int_equal(space_maps(s, child, maps, 1), 2);
	assert_int_equal(space_maps(s, SPACE_NONE, maps, 4), 0);
	symbols_free(s);
}

/* ---- against a model that keeps every address ---- */

enum { ADDRESSES = 64, TIMES = 400, SPACES = 40 };

struct model {
	uint32_t dso[ADDRESSES];
};

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

static void any_history_is_answered_as_by_the_model(void **state)
{
	for (uint64_t round = 1; round <= 20; round++) {
		struct symbols *s = store();
		uint64_t seed = round;
		static struct model history[SPACES][TIMES + 1];
		uint32_t spaces[SPACES] = { 0 }, born[SPACES], n = 1, dso[8];

		for (int i = 0; i < 8; i++) {
			char name[16];

			snprintf(name, sizeof(name), "/%d", i);
			dso[i] = file(s, name);
		}
		memset(history, 0, sizeof(history));
		spaces[0] = space_new(s, 0, 0);
		born[0] = 0;
		for (uint32_t t = 1; t <= TIMES; t++) {
			uint32_t what = random_below(&seed, 20), which = random_below(&seed, n);
			struct model *m;

			for (uint32_t i = 0; i < n; i++)
				history[i][t] = history[i][t - 1];
			m = &history[which][t];
			if (what <= 2 && n < SPACES) {
				spaces[n] = space_new(s, spaces[which], t);
				born[n] = t;
				for (uint32_t back = 0; back <= t; back++)
					history[n][back] = *m;
				n++;
			} else {
				uint32_t start = random_below(&seed, ADDRESSES), len = 1 + random_below(&seed, 12),
					 d = dso[random_below(&seed, 8)];

				map(s, spaces[which], t, start, len, 0, d);
				for (uint32_t i = start; i < start + len && i < ADDRESSES; i++)
					m->dso[i] = d;
			}
			/* the maps behind the index are searched without it */
			if (t == TIMES / 2 || t == TIMES - 30)
				symbols_freeze(s);
		}
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t t = born[i]; t <= TIMES; t += 3)
				for (uint32_t a = 0; a < ADDRESSES; a++)
					assert_int_equal(at(s, spaces[i], t, a), history[i][t].dso[a]);
		symbols_free(s);
	}
}

static void a_long_line_of_forks_keeps_its_maps(void **state)
{
	struct symbols *s = store();
	uint32_t p = space_new(s, 0, 0), a = file(s, "/a"), b = file(s, "/b");

	map(s, p, 1, 0x100000, 0x1000, 0, a);
	for (uint32_t i = 0; i < 1000; i++) {
		p = space_new(s, p, 2 + i);
		map(s, p, 2 + i, 0x1000 * (i % 16), 0x1000, i, b);
	}
	assert_int_equal(at(s, p, 5000, 0x100000), a);
	for (uint32_t i = 0; i < 16; i++) {
		struct map_hit hit;

		assert_true(space_find(s, p, 5000, 0x1000 * i, &hit));
		assert_int_equal(hit.pgoff, i < 1000 % 16 ? 992 + i : 976 + i);
	}
	symbols_free(s);
}

/* 100,000 maps and as many lookups: a linear search would take minutes. */
static void a_jit_with_very_many_maps_is_fast(void **state)
{
	enum { MAPS = 100000 };
	struct symbols *s = store();
	uint32_t p = space_new(s, 0, 0), a = file(s, "/a"), b = file(s, "/b");

	for (uint32_t i = 0; i < MAPS; i++) {
		map(s, p, i, UINT64_C(0x1000) * (i * UINT64_C(7919) % 5000), 0x1000, 0, i % 2 ? a : b);
		if (i % 100 == 0)
			map(s, p, i, 0, 0x1000 * 5000, 0, a);
	}
	symbols_freeze(s);
	for (uint32_t i = 1; i < MAPS; i++)
		assert_int_equal(at(s, p, i, UINT64_C(0x1000) * (i * UINT64_C(7919) % 5000)),
				 i % 100 == 0 || i % 2 ? a : b);
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_hides_what_it_overlaps_from_its_time_on),
		cmocka_unit_test(a_fork_sees_the_parent_as_it_was),
		cmocka_unit_test(odd_lengths_do_no_harm),
		cmocka_unit_test(a_kernel_without_a_place_covers_everything),
		cmocka_unit_test(jit_and_kernel_offsets_are_addresses_and_the_vdso_begins_at_0),
		cmocka_unit_test(maps_are_listed_by_address),
		cmocka_unit_test(any_history_is_answered_as_by_the_model),
		cmocka_unit_test(a_long_line_of_forks_keeps_its_maps),
		cmocka_unit_test(a_jit_with_very_many_maps_is_fast),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
