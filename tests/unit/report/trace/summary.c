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
	/* calls of 2^33 ns and of 0 are 2^32 ns from their mean: twice 2^64 */
	c = (struct trace_count){
		.id = IN_PARTS, .number = WRITE, .n = 2, .total_ns = 2 * ns, .squares_high = 4, .max_ns = 2 * ns
	};
	trace_add_count(&t, &c);
	assert_true(is_near(sum_in(&t, IN_PARTS, WRITE)->spread.m2 / 0x1p65 * 1e12, 1));
	trace_release_sums(&t);
}

/* What the kernel counted may be damaged: squares that are too small for their sum. */
static void there_is_no_negative_spread(void **state)
{
	struct trace t = { .opts = &opts };

	trace_add_count(&t, &(struct trace_count){ .id = IN_PARTS, .number = READ, .n = 3, .total_ns = UINT64_MAX });
	assert_true(sum_in(&t, IN_PARTS, READ)->spread.m2 == 0);
	trace_release_sums(&t);
}

static uint64_t events_in(const struct trace *t, uint64_t group)
{
	for (size_t i = 0; i < t->groups.len; i++)
		if (t->groups.items[i].id == group)
			return t->groups.items[i].events;
	return 0;
}

/* A call that returned has two events, one that did not return or was not seen to begin has one. */
static void events_are_entries_and_exits(void **state)
{
	struct traced_thread thread = { .tid = 7 };
	struct trace t = { .opts = &opts };

	trace_add_count(&t, &(struct trace_count){ .id = IN_PARTS, .number = READ, .n = 5, .unentered = 2 });
	assert_int_equal(t.events, 8);
	trace_add_count(&t, &(struct trace_count){ .id = IN_PARTS, .number = -1, .n = 3 });
	assert_int_equal(t.events, 11);
	trace_add_count(&t, &(struct trace_count){ .id = IN_PARTS, .number = WRITE, .errors = 1 });
	assert_int_equal(events_in(&t, IN_PARTS), 11);
	assert_null(sum_in(&t, IN_PARTS, -1));
	assert_null(sum_in(&t, IN_PARTS, WRITE)); /* no call has ended */
	assert_true(is_near(sum_in(&t, IN_PARTS, READ)->spread.n, 5));
	trace_sum_event(&t, &thread, ONE_BY_ONE);
	trace_sum_event(&t, &thread, ONE_BY_ONE);
	assert_int_equal(t.events, 13);
	assert_int_equal(thread.events, 2);
	assert_int_equal(events_in(&t, ONE_BY_ONE), 2);
	trace_release_sums(&t);
}

/* Three threads; the last one made no call. `o` gets the tables. */
static void print(const struct trace_opts *how, struct out *o)
{
	struct traced_thread threads[] = { { .tid = 7, .comm = "few\x1b" },
					   { .tid = 5, .comm = "many" },
					   { .tid = 9 } };
	struct trace t = { .opts = how, .out = o };
	static const struct {
		int thread;
		int32_t number;
		double ms;
		int64_t result;
	} calls[] = { { 0, READ, 3, -4 },  { 0, READ, 1, -11 }, { 0, WRITE, 5, 1 }, { 1, READ, 8, 0 },
		      { 1, READ, 8, -11 }, { 1, READ, 8, -11 }, { 1, 2, 0.5, 0 } };

	t.shapes = call_shapes_new(syscall_names_of("x86_64"));
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct traced_thread *thread = &threads[calls[i].thread];

		thread->call.number = calls[i].number;
		trace_sum_event(&t, thread, 0);
		trace_sum_call(&t, thread, 0, calls[i].ms, calls[i].result);
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		vec_push(&t.threads, &threads[i]);
	out_init_mem(o);
	trace_print_sums(&t);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		call_sums_release(&threads[i].sums);
	vec_free(&t.threads);
	call_shapes_free(t.shapes);
}

static void tables_have_the_largest_first(void **state)
{
	struct out o;

	print(&(struct trace_opts){ .errno_sums = true }, &o);
	assert_string_equal(
		out_text(&o),
		"\n Summary of events:\n\n"
		" many (5), 4 events, 57.1%\n\n"
		"   syscall            calls  errors  total       min       avg       max       stddev\n"
		"                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
		"   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
		"   read                   3      2    24.000     8.000     8.000     8.000      0.00%\n"
		"\t\t\t\tEAGAIN: 2\n"
		"   open                   1      0     0.500     0.500     0.500     0.500      0.00%\n\n\n"
		" few\\x1b (7), 3 events, 42.9%\n\n"
		"   syscall            calls  errors  total       min       avg       max       stddev\n"
		"                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
		"   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
		"   write                  1      0     5.000     5.000     5.000     5.000      0.00%\n"
		"   read                   2      2     4.000     1.000     2.000     3.000     50.00%\n"
		"\t\t\t\tEINTR: 1\n\t\t\t\tEAGAIN: 1\n\n\n");
	out_release(&o);
}

static void the_total_is_of_all_threads(void **state)
{
	struct out o;

	print(&(struct trace_opts){ .errno_sums = true, .by = TRACE_SUMS_TOTAL, .max_sums = 1, .histogram = true }, &o);
	assert_non_null(strstr(out_text(&o), " total, 7 events\n\n"));
	assert_non_null(
		strstr(out_text(&o),
		       "   read                   5      4    28.000     1.000     5.600     8.000     26.85%\n"
		       "\t\t\t\tEAGAIN: 3\n\t\t\t\tEINTR: 1\n"
		       "             512 .. 1024       us          1 |#############\n"
		       "            2048 .. 4096       us          1 |#############\n"
		       "            4096 .. 8192       us          3 |########################################\n"));
	assert_null(strstr(out_text(&o), "write"));
	out_release(&o);
}

/* The kernel's table of calls may be full while that of errors is not. */
static void errors_without_calls_have_no_average(void **state)
{
	struct out o;
	struct traced_thread thread = { .tid = 7 };
	struct trace counted = { .opts = &opts };
	struct trace t = { .opts = &(struct trace_opts){ .errno_sums = true, .by = TRACE_SUMS_TOTAL }, .out = &o };

	trace_add_error_count(&counted,
			      &(struct trace_error_count){ .id = IN_PARTS, .number = READ, .code = 4, .n = 1 });
	thread.sums = counted.groups.items[0].sums;
	vec_push(&t.threads, &thread);
	t.shapes = call_shapes_new(syscall_names_of("x86_64"));
	out_init_mem(&o);
	trace_print_sums(&t);
	assert_non_null(strstr(out_text(&o), "   read                   0      0     0.000     0.000     0.000 "));
	out_release(&o);
	vec_free(&t.threads);
	call_shapes_free(t.shapes);
	trace_release_sums(&counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_summed_by_number),
		cmocka_unit_test(buckets_go_by_powers_of_two),
		cmocka_unit_test(parts_add_up_to_the_calls),
		cmocka_unit_test(squares_have_two_words),
		cmocka_unit_test(there_is_no_negative_spread),
		cmocka_unit_test(events_are_entries_and_exits),
		cmocka_unit_test(tables_have_the_largest_first),
		cmocka_unit_test(the_total_is_of_all_threads),
		cmocka_unit_test(errors_without_calls_have_no_average),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
