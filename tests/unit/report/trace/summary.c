#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/trace/trace_priv.h"

enum { ONE_BY_ONE = 1, IN_PARTS = 2, READ = 0, WRITE = 1 };

static const struct trace_opts opts = { .by = TRACE_SUMS_CGROUP, .histogram = true };

static const struct call_sum *sum_in(const struct trace *t, uint64_t group, int32_t number)
{
	for (size_t i = 0; i < t->groups.len; i++)
		for (size_t j = 0; t->groups.items[i].id == group && j < t->groups.items[i].sums.len; j++)
			if (t->groups.items[i].sums.items[j].number == number)
				return &t->groups.items[i].sums.items[j];
	return NULL;
}

static void call(struct trace *t, int32_t number, uint64_t us, int64_t result)
{
	struct traced_thread thread = { .call.number = number };

	trace_sum_call(t, &thread, ONE_BY_ONE, (double)us / 1000, result);
}

static bool is_near(double a, double b) { return a - b < 1e-6 && b - a < 1e-6; }

static void calls_are_summed_by_number(void **state)
{
	struct trace t = { .opts = &opts };
	const struct call_sum *sum;

	call(&t, READ, 2000, 5);
	call(&t, READ, 4000, -11);
	call(&t, READ, 9000, -11);
	call(&t, READ, 1000, -4095);
	call(&t, READ, 4000, -4096); /* an address, no error */
	call(&t, WRITE, 7, 1);
	sum = sum_in(&t, ONE_BY_ONE, READ);
	assert_true(is_near(sum->min_ms, 1) && is_near(sum->max_ms, 9) && is_near(sum->total_ms, 20));
	assert_true(is_near(sum->spread.n, 5) && is_near(sum->spread.mean, 4) && is_near(sum->spread.m2, 4 + 25 + 9));
	assert_int_equal(sum->errors, 3);
	assert_int_equal(sum->codes.len, 2);
	assert_int_equal(sum->codes.items[0].code, 11);
	assert_int_equal(sum->codes.items[0].n, 2);
	sum = sum_in(&t, ONE_BY_ONE, WRITE);
	assert_true(is_near(sum->min_ms, 0.007) && is_near(sum->max_ms, 0.007));
	assert_int_equal(sum->errors, 0);
	trace_release_sums(&t);
}

/* Bucket 0 ends before 1 us, each further one at twice the time of the one before; the last has no end. */
static void buckets_go_by_powers_of_two(void **state)
{
	static const struct {
		uint64_t us;
		unsigned bucket;
	} cases[] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 1023, 10 }, { 1024, 11 } };
	struct trace t = { .opts = &opts };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		call(&t, (int32_t)i, cases[i].us, 0);
		assert_int_equal(sum_in(&t, ONE_BY_ONE, (int32_t)i)->buckets[cases[i].bucket], 1);
	}
	call(&t, 100, 1ull << 60, 0);
	assert_int_equal(sum_in(&t, ONE_BY_ONE, 100)->buckets[TRACE_BUCKETS - 1], 1);
	trace_release_sums(&t);
}

/* What the kernel counted arrives in parts. Their sum is that of the calls. */
static void parts_add_up_to_the_calls(void **state)
{
	static const uint64_t parts[3][4] = { { 10, 20, 30, 1000 }, { 5 }, { 7000, 1, 0, 2 } };
	static const size_t lengths[3] = { 4, 1, 4 };
	struct trace t = { .opts = &opts };
	const struct call_sum *calls, *sum;

	for (size_t i = 0; i < 3; i++) {
		uint32_t buckets[TRACE_BUCKETS] = { 0 };
		struct trace_count c = { .id = IN_PARTS, .number = READ, .min_ns = UINT64_MAX, .buckets = buckets };

		for (size_t j = 0; j < lengths[i]; j++) {
			uint64_t us = parts[i][j], ns = us * 1000;

			call(&t, READ, us, j ? 0 : -4);
			c.n++;
			c.total_ns += ns;
			c.squares_low += ns * ns;
			c.min_ns = MIN(c.min_ns, ns);
			c.max_ns = MAX(c.max_ns, ns);
			buckets[us ? 64 - __builtin_clzll(us) : 0]++;
		}
		c.errors = 1;
		trace_add_count(&t, &c);
		trace_add_error_count(&t,
				      &(struct trace_error_count){ .id = IN_PARTS, .number = READ, .code = 4, .n = 1 });
	}
	calls = sum_in(&t, ONE_BY_ONE, READ);
	sum = sum_in(&t, IN_PARTS, READ);
	assert_true(is_near(sum->min_ms, calls->min_ms) && is_near(sum->max_ms, calls->max_ms));
	assert_true(is_near(sum->total_ms, calls->total_ms) && is_near(sum->spread.n, calls->spread.n));
	assert_true(is_near(sum->spread.mean, calls->spread.mean) && is_near(sum->spread.m2, calls->spread.m2));
	assert_int_equal(sum->errors, calls->errors);
	assert_int_equal(sum->codes.items[0].n, 3);
	assert_memory_equal(sum->buckets, calls->buckets, TRACE_BUCKETS * sizeof(*sum->buckets));
	assert_int_equal(t.events, 2 * 9);
	trace_release_sums(&t);
}

/* The sum of the squares of many long calls takes more than 64 bits. */
static void squares_have_two_words(void **state)
{
	enum { N = 4 };
	struct trace t = { .opts = &opts };
	uint64_t ns = 1ull << 32; /* 4.3 s: 4 squares are 2^66 */
	struct trace_count c = { .id = IN_PARTS,
				 .number = READ,
				 .n = N,
				 .total_ns = N * ns,
				 .squares_high = 4,
				 .min_ns = ns,
				 .max_ns = ns };

	trace_add_count(&t, &c);
	assert_true(is_near(sum_in(&t, IN_PARTS, READ)->spread.m2, 0));
	assert_true(is_near(sum_in(&t, IN_PARTS, READ)->spread.mean, (double)ns / 1e6));
	trace_release_sums(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_summed_by_number),
		cmocka_unit_test(buckets_go_by_powers_of_two),
		cmocka_unit_test(parts_add_up_to_the_calls),
		cmocka_unit_test(squares_have_two_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
