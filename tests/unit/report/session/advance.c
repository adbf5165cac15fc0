/* How much the counters in samples advance from one sample to the next. */
#include "report/session/advance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"

static struct build group_of_two(void)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_READ);

	build_attr(&b, 0)->read_format = READ_ID | READ_GROUP;
	build_event(&b, SAMPLE_TID | SAMPLE_READ, "second");
	build_attr(&b, 1)->read_format = READ_ID | READ_GROUP;
	return b;
}

/*
 * A sample of thread `tid` with the values `first` of the event with id 1 and `second` of that with
 * id 2.
 */
static void read_both(struct build *b, int32_t tid, uint64_t first, uint64_t second)
{
	const uint64_t words[] = { 2, first, 1, second, 2 };

	build_sample(b, .pid = 7, .tid = tid, .read = words, .n_read = 5);
}

/* The advance of each counter of each sample, in order: event and amount. */
static size_t advances(struct build *b, uint64_t (*got)[2], uint64_t *unknown)
{
	struct perfdata *pd = build_open(b);
	struct cursor c = { .pd = pd };
	struct advance a = { 0 };
	struct record r;
	size_t n = 0;

	*unknown = 0;
	while (cursor_next(&c, &r)) {
		uint64_t i = 0, by;
		struct sample s;
		uint32_t event;

		if (r.type != RECORD_SAMPLE)
			continue;
		assert_int_equal(sample_decode(pd, &r, 0, &s, NULL), 0);
		while (advance_next(&a, pd, &s, 0, &i, &event, &by, unknown)) {
			got[n][0] = event;
			got[n++][1] = by;
		}
	}
	advance_release(&a);
	perfdata_close(pd);
	build_release(b);
	return n;
}

static void each_counter_counts_from_its_last_value(void **state)
{
	struct build b = group_of_two();
	uint64_t got[8][2], unknown;

	read_both(&b, 7, 100, 5);
	read_both(&b, 7, 150, 5);
	read_both(&b, 7, 151, 9);
	assert_int_equal(advances(&b, got, &unknown), 5);
	const uint64_t wanted[5][2] = { { 0, 100 }, { 1, 5 }, { 0, 50 }, { 0, 1 }, { 1, 4 } };

	assert_memory_equal(got, wanted, sizeof(wanted));
	assert_int_equal(unknown, 0);
}

static void inherited_counters_are_the_thread_s(void **state)
{
	struct build b = group_of_two();
	uint64_t got[8][2], unknown;

	build_attr(&b, 0)->flags |= ATTR_INHERIT;
	read_both(&b, 7, 100, 0);
	read_both(&b, 8, 30, 0);
	read_both(&b, 7, 101, 0);
	assert_int_equal(advances(&b, got, &unknown), 3);
	assert_int_equal(got[0][1], 100);
	assert_int_equal(got[1][1], 30);
	assert_int_equal(got[2][1], 1);
}

static void others_are_shared_by_threads(void **state)
{
	struct build b = group_of_two();
	uint64_t got[8][2], unknown;

	read_both(&b, 7, 100, 0);
	read_both(&b, 8, 130, 0);
	assert_int_equal(advances(&b, got, &unknown), 2);
	assert_int_equal(got[1][1], 30);
}

static void ids_that_nobody_knows_are_counted(void **state)
{
	struct build b = group_of_two();
	const uint64_t words[] = { 2, 10, 99, 20, 2 };
	uint64_t got[8][2], unknown;

	build_sample(&b, .pid = 7, .tid = 7, .read = words, .n_read = 5);
	assert_int_equal(advances(&b, got, &unknown), 1);
	assert_int_equal(got[0][0], 1);
	assert_int_equal(got[0][1], 20);
	assert_int_equal(unknown, 1);
}

static void only_events_that_read_counters_need_it(void **state)
{
	struct build with = group_of_two(), without = build_start(SAMPLE_TID);
	struct perfdata *a = build_open(&with), *b = build_open(&without);

	assert_true(advance_needed(a));
	assert_false(advance_needed(b));
	perfdata_close(a);
	perfdata_close(b);
	build_release(&with);
	build_release(&without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_counts_from_its_last_value),
		cmocka_unit_test(inherited_counters_are_the_thread_s),
		cmocka_unit_test(others_are_shared_by_threads),
		cmocka_unit_test(ids_that_nobody_knows_are_counted),
		cmocka_unit_test(only_events_that_read_counters_need_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
