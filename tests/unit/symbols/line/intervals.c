/* The innermost of nested ranges of code. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "symbols/line/intervals_priv.h"

/* Return the id of the range that covers the address, or -1. */
static int id_at(const struct intervals *t, uint64_t addr)
{
	const struct interval *i = intervals_find(t, addr);

	return i ? (int)i->id : -1;
}

static void the_innermost_range_covers(void **state)
{
	struct intervals t = { 0 };

	intervals_nest(&t);
	assert_int_equal(id_at(&t, 5), -1);
	intervals_add(&t, 30, 40, 3, 1);
	intervals_add(&t, 10, 100, 1, 0);
	intervals_add(&t, 20, 50, 2, 1);
	intervals_add(&t, 10, 12, 4, 1);
	intervals_add(&t, 0, 1000, 5, 0); /* dropped by the linker */
	intervals_add(&t, 60, 60, 6, 0);  /* empty */
	intervals_add(&t, 70, 65, 7, 0);  /* ends before it begins */
	intervals_add(&t, 200, 210, 8, 0);
	intervals_nest(&t);
	assert_int_equal(t.v.len, 5);
	assert_int_equal(id_at(&t, 9), -1);
	assert_int_equal(id_at(&t, 10), 4);
	assert_int_equal(id_at(&t, 12), 1);
	assert_int_equal(id_at(&t, 29), 2);
	assert_int_equal(id_at(&t, 30), 3);
	assert_int_equal(id_at(&t, 40), 2);
	assert_int_equal(id_at(&t, 50), 1);
	assert_int_equal(id_at(&t, 99), 1);
	assert_int_equal(id_at(&t, 100), -1);
	assert_int_equal(id_at(&t, 209), 8);
	vec_free(&t.v);
}

/* A call that was put into another one has the same code: the deeper one is meant. */
static void of_equal_ranges_the_deepest_covers(void **state)
{
	struct intervals t = { 0 };

	intervals_add(&t, 10, 20, 1, 3);
	intervals_add(&t, 10, 20, 2, 1);
	intervals_add(&t, 10, 20, 3, 2);
	intervals_nest(&t);
	assert_int_equal(id_at(&t, 15), 1);
	vec_free(&t.v);
}

/* As a search through all ranges finds it. */
static void random_trees_agree_with_a_plain_search(void **state)
{
	enum { RANGES = 300, SPACE = 4096 };
	struct intervals t = { 0 };

	srandom(1);
	for (uint32_t i = 0; i < RANGES; i++) { /* halves of halves: each is inside of another or beside it */
		uint64_t size = SPACE >> random() % 8, at = (uint64_t)random() % (SPACE / size) * size;

		intervals_add(&t, 1 + at, 1 + at + size, i, i);
	}
	intervals_nest(&t);
	for (uint64_t addr = 0; addr < SPACE + 2; addr++) {
		const struct interval *best = NULL, *found = intervals_find(&t, addr);

		for (size_t i = 0; i < t.v.len; i++) {
			const struct interval *x = &t.v.items[i];

			if (addr >= x->start && addr < x->end &&
			    (!best || x->end - x->start < best->end - best->start ||
			     (x->end - x->start == best->end - best->start && x->depth > best->depth)))
				best = x;
		}
		assert_ptr_equal(found, best);
	}
	vec_free(&t.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_range_covers),
		cmocka_unit_test(of_equal_ranges_the_deepest_covers),
		cmocka_unit_test(random_trees_agree_with_a_plain_search),
	};

	return cmocka_run_group_tests_name("intervals", tests, NULL, NULL);
}
