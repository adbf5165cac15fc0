#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/out.h"
#include "report/monitors/heat_priv.h"

static void slots_are_powers_of_two(void **state)
{
	struct heat_slots s = { 0 };
	uint64_t most;
	int first, last;

	assert_false(slots_range(&s, &first, &last, &most));
	slots_add(&s, 0);
	slots_add(&s, 1);
	slots_add(&s, 1023);
	slots_add(&s, 1024);
	slots_add(&s, 1025);
	slots_add(&s, UINT64_MAX);
	assert_true(slots_range(&s, &first, &last, &most));
	assert_int_equal(first, 0);
	assert_int_equal(last, 63);
	assert_int_equal(most, 2);
	assert_int_equal(s.counts[9], 1);
	assert_int_equal(s.counts[10], 2);
	assert_int_equal(slot_begins(0), 0);
	assert_int_equal(slot_begins(10), 1024);
}

static void empty_slots_before_the_first_share_a_row(void **state)
{
	struct heat_slots s = { 0 };
	struct out o;

	out_init_mem(&o);
	slots_print(&s, "ns", &o);
	assert_string_equal(out_text(&o), "");
	s.counts[3] = 4;
	s.counts[5] = 1;
	slots_print(&s, "ns", &o);
	assert_string_equal(out_text(&o),
			    "                       ns : count    distribution\n"
			    "         0 -> 7          : 0        |                                        |\n"
			    "         8 -> 15         : 4        |****************************************|\n"
			    "        16 -> 31         : 0        |                                        |\n"
			    "        32 -> 63         : 1        |**********                              |\n");
	out_release(&o);
}

/* Columns always cover the whole time, in equal spans, and no count is lost. */
static void columns_are_joined_when_there_are_many(void **state)
{
	struct heat h = { 0 };
	struct heat_slots sum;

	heat_init(&h);
	for (unsigned i = 0; i < 1000; i++) {
		heat_add(&h, i);
		heat_tick(&h);
		assert_in_range(h.columns.len, 1, HEAT_COLUMNS);
	}
	assert_int_equal(h.span, 16);
	assert_int_equal((h.columns.len - 1) * h.span + h.ticks, 1000);
	heat_sum(&h, &sum);
	assert_int_equal(sum.counts[0], 2);
	assert_int_equal(sum.counts[8], 256);
	assert_int_equal(sum.counts[9], 488);
	assert_int_equal(h.all.count, 1000);
	assert_int_equal(heat_most(&h), 16);
	heat_release(&h);
}

static void skipping_is_as_many_ticks(void **state)
{
	static const uint64_t steps[] = { 1, 3, 99, 100, 250, 7 };
	struct heat skipped = { 0 }, ticked = { 0 }, off = { 0 };

	heat_init(&skipped);
	heat_init(&ticked);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		heat_add(&skipped, 1);
		heat_add(&ticked, 1);
		heat_skip(&skipped, steps[i]);
		for (uint64_t n = 0; n < steps[i]; n++)
			heat_tick(&ticked);
		assert_int_equal(skipped.span, ticked.span);
		assert_int_equal(skipped.ticks, ticked.ticks);
		assert_int_equal(skipped.columns.len, ticked.columns.len);
		assert_memory_equal(skipped.columns.items, ticked.columns.items,
				    ticked.columns.len * sizeof(*ticked.columns.items));
	}
	heat_skip(&off, 1000);
	assert_false(heat_is_on(&off));
	heat_release(&skipped);
	heat_release(&ticked);
}

static void only_the_fullest_has_the_darkest_shade(void **state)
{
	assert_int_equal(heat_shade(0, 100, 9), 0);
	assert_int_equal(heat_shade(1, 100, 9), 1);
	assert_int_equal(heat_shade(99, 100, 9), 8);
	assert_int_equal(heat_shade(100, 100, 9), 9);
	assert_int_equal(heat_shade(1, 1, 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_powers_of_two),
		cmocka_unit_test(empty_slots_before_the_first_share_a_row),
		cmocka_unit_test(columns_are_joined_when_there_are_many),
		cmocka_unit_test(skipping_is_as_many_ticks),
		cmocka_unit_test(only_the_fullest_has_the_darkest_shade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
