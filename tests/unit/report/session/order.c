#include "report/session/order_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"

static int by_time(const void *a, const void *b)
{
	const struct session_place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static void check(struct session_place *places, size_t n)
{
	struct session_place *want = xmalloc((n + 1) * sizeof(*want));

	memcpy(want, places, n * sizeof(*want));
	qsort(want, n, sizeof(*want), by_time);
	order_sort(places, n);
	assert_memory_equal(places, want, n * sizeof(*want));
	free(want);
}

static void nothing_and_one_stay(void **state)
{
	struct session_place one = { 7, 8 };

	order_sort(NULL, 0);
	order_sort(&one, 1);
	assert_int_equal(one.time, 7);
	assert_int_equal(one.pos, 8);
}

static void equal_times_go_by_position(void **state)
{
	struct session_place p[] = { { 5, 40 }, { 5, 10 }, { 3, 30 }, { 5, 20 }, { 3, 0 } };

	order_sort(p, 5);
	assert_int_equal(p[0].pos, 0);
	assert_int_equal(p[1].pos, 30);
	assert_int_equal(p[2].pos, 10);
	assert_int_equal(p[3].pos, 20);
	assert_int_equal(p[4].pos, 40);
}

/* Rings read one after another, round by round. */
static void rounds_of_rings(void **state)
{
	enum { RINGS = 5, ROUNDS = 40, PER_RING = 30 };
	struct session_place *p = xcalloc(RINGS * ROUNDS * PER_RING, sizeof(*p));
	uint64_t time[RINGS] = { 0 };
	size_t n = 0;

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned ring = 0; ring < RINGS; ring++)
			for (unsigned i = 0; i < PER_RING; i++, n++) {
				time[ring] += hash_u64(n) % 100;
				p[n] = (struct session_place){ time[ring], n * 8 };
			}
	check(p, n);
	free(p);
}

static void any_order(void **state)
{
	enum { MAX_N = 700 };
	struct session_place *p = xcalloc(MAX_N, sizeof(*p));

	for (size_t n = 0; n < MAX_N; n += 1 + n / 20)
		for (uint64_t range = 2; range < 1u << 20; range *= 16) {
			for (size_t i = 0; i < n; i++)
				p[i] = (struct session_place){ hash_u64(i * 31 + range + n) % range, i };
			check(p, n);
		}
	for (size_t i = 0; i < MAX_N; i++)
		p[i] = (struct session_place){ MAX_N - i, i };
	check(p, MAX_N);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_and_one_stay),
		cmocka_unit_test(equal_times_go_by_position),
		cmocka_unit_test(rounds_of_rings),
		cmocka_unit_test(any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
