#include "stat/derived_priv.h"

#include <math.h>

#include "tests/unit/stat/made.h"

/* The first thing derived from counter `of` of these; its value is -1 when there is none. */
static struct derived first(struct measured *m, size_t n, struct arena *a, size_t of)
{
	struct topology topology = made_topology();
	struct derived d[DERIVED_MAX] = { { .value = -1 } };
	struct table t;

	table_layout(&t, m, n, &topology, &(struct table_opts){ 0 });
	table_add(&t, 4000000, true);
	derived_find(&t, of, 0, d);
	table_release(&t);
	topology_release(&topology);
	arena_release(a);
	return d[0];
}

static void check(struct derived d, double value, const char *unit)
{
	assert_true(fabs(d.value - value) < 1e-9);
	assert_string_equal(d.unit, unit);
}

/* 3 ms on CPUs in 4 ms are 0.75 CPUs; 6e6 cycles in them are 2 GHz; 9e6 instructions 1.5 a cycle. */
static void counts_are_related_to_time_and_cycles(void **state)
{
	for (size_t of = 0; of < 3; of++) {
		static const struct {
			double value;
			const char *unit;
		} wants[] = { { 0.75, "CPUs utilized" }, { 2, "GHz" }, { 1.5, "insn per cycle" } };
		struct arena a = { 0 };
		struct measured m[] = { made_task(&a, "task-clock", KIND_CLOCK, 3000000),
					made_task(&a, "cycles", KIND_CYCLES, 6000000),
					made_task(&a, "instructions", KIND_INSTRUCTIONS, 9000000) };

		check(first(m, 3, &a, of), wants[of].value, wants[of].unit);
	}
}

static void the_unit_of_a_rate_fits_its_size(void **state)
{
	static const struct {
		uint64_t count;
		double value;
		const char *unit;
	} rates[] = {
		{ 3, 3, "/sec" }, { 2999, 2.999, "K/sec" }, { 4500000, 4.5, "M/sec" }, { 7000000000, 7, "G/sec" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct arena a = { 0 };
		struct measured m[] = { made_task(&a, "task-clock", KIND_CLOCK, 1000000000),
					made_task(&a, "faults", KIND_PLAIN, rates[i].count) };

		check(first(m, 2, &a, 1), rates[i].value, rates[i].unit);
	}
}

/* Shares above 5, 10 and 20 percent are shaded, as in perf. */
static void misses_are_a_share_that_is_shaded_by_its_size(void **state)
{
	static const struct {
		uint64_t misses;
		enum shade shade;
	} shades[] = { { 50, SHADE_NONE }, { 51, SHADE_MIDDLE }, { 101, SHADE_HIGH }, { 201, SHADE_TOO_HIGH } };

	for (size_t i = 0; i < ARRAY_SIZE(shades); i++) {
		struct arena a = { 0 };
		struct measured m[] = { made_task(&a, "branches", KIND_BRANCHES, 1000),
					made_task(&a, "branch-misses", KIND_BRANCH_MISSES, shades[i].misses) };
		struct derived d = first(m, 2, &a, 1);

		check(d, (double)shades[i].misses / 10, "of all branches");
		assert_int_equal(d.shade, shades[i].shade);
	}
}

static void nothing_is_derived_from_a_count_alone(void **state)
{
	struct arena a = { 0 };
	struct measured m[] = { made_task(&a, "branch-misses", KIND_BRANCH_MISSES, 5) };

	assert_true(first(m, 1, &a, 0).value == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_related_to_time_and_cycles),
		cmocka_unit_test(the_unit_of_a_rate_fits_its_size),
		cmocka_unit_test(misses_are_a_share_that_is_shaded_by_its_size),
		cmocka_unit_test(nothing_is_derived_from_a_count_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
