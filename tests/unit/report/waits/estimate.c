#include "report/waits/waits_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

/* ---- times of threads ---- */

static void add_thread(struct waits *w, int32_t pid, uint64_t io, uint64_t lock, uint64_t timer, uint64_t unseen)
{
	struct wait_thread th = { .tid = pid + (int32_t)w->threads.len, .pid = pid, .unseen = unseen };

	th.blocked[WAIT_IO] = io;
	th.blocked[WAIT_LOCK] = lock;
	th.blocked[WAIT_TIMER] = timer;
	vec_push(&w->threads, th);
}

static void check_thread(const struct waits *w, size_t i, uint64_t io, uint64_t lock, uint64_t timer, uint64_t other)
{
	const struct wait_thread *th = &w->threads.items[i];

	assert_int_equal(th->blocked[WAIT_IO], io);
	assert_int_equal(th->blocked[WAIT_LOCK], lock);
	assert_int_equal(th->blocked[WAIT_TIMER], timer);
	assert_int_equal(th->blocked[WAIT_OTHER], other);
	assert_int_equal(th->unseen, 0);
}

static void release(struct waits *w)
{
	for (size_t i = 0; i < w->rows.len; i++)
		durations_free(&w->rows.items[i].waits);
	vec_free(&w->rows);
	vec_free(&w->threads);
}

static void unseen_time_is_like_the_known(void **state)
{
	struct waits w = { 0 };

	add_thread(&w, 1, 30, 10, 0, 8);
	add_thread(&w, 1, 1, 1, 1, 10);           /* thirds: 3, 3 and what is left */
	add_thread(&w, 1, 5, 0, 7, 0);            /* complete */
	add_thread(&w, 1, 1ull << 62, 0, 0, 100); /* one kind takes all, whatever a double can hold */
	waits_estimate(&w);
	check_thread(&w, 0, 36, 12, 0, 0);
	check_thread(&w, 1, 4, 4, 5, 0);
	check_thread(&w, 2, 5, 0, 7, 0);
	check_thread(&w, 3, (1ull << 62) + 100, 0, 0, 0);
	release(&w);
}

/* The time grows with the number of threads, not with its square. */
static void many_threads_are_estimated_at_once(void **state)
{
	enum { MANY = 300000 };
	struct waits w = { 0 };

	for (int32_t i = 0; i < MANY; i++)
		add_thread(&w, 100 + i / 2, i % 2 ? 3 : 0, i % 2 ? 1 : 0, 0, 8);
	alarm(60); /* end a test whose time is quadratic: several minutes */
	waits_estimate(&w);
	alarm(0);
	for (size_t i = 0; i < MANY; i++)
		check_thread(&w, i, i % 2 ? 9 : 6, i % 2 ? 3 : 2, 0, 0);
	release(&w);
}

/* A double has 53 bits; the parts of a longer time still add up. */
static void parts_of_long_times_add_up(void **state)
{
	const uint64_t ns = (1ull << 60) + 12345;
	const struct wait_thread *th;
	struct waits w = { 0 };

	add_thread(&w, 1, 1, 1, 1, ns);
	waits_estimate(&w);
	th = &w.threads.items[0];
	assert_int_equal(th->blocked[WAIT_IO] + th->blocked[WAIT_LOCK] + th->blocked[WAIT_TIMER], ns + 3);
	assert_in_range(th->blocked[WAIT_LOCK], ns / 3 - 1024, ns / 3 + 1024);
	release(&w);
}

static void threads_without_known_waits_are_like_their_process(void **state)
{
	struct waits w = { 0 };

	add_thread(&w, 1, 0, 0, 0, 8);
	add_thread(&w, 1, 30, 0, 0, 0);
	add_thread(&w, 1, 0, 0, 10, 0);
	add_thread(&w, 2, 0, 50, 0, 0); /* of another process */
	add_thread(&w, 3, 0, 0, 0, 9);  /* neither is known */
	waits_estimate(&w);
	check_thread(&w, 0, 6, 0, 2, 0);
	check_thread(&w, 1, 30, 0, 0, 0);
	check_thread(&w, 2, 0, 0, 10, 0);
	check_thread(&w, 3, 0, 50, 0, 0);
	check_thread(&w, 4, 0, 0, 0, 9);
	release(&w);
}

/* ---- rows ---- */

static struct wait_row *add_row(struct waits *w, struct wait_row row, uint64_t count, uint64_t ns)
{
	while (count--)
		durations_add(&row.waits, ns);
	vec_push(&w->rows, row);
	w->without += row.unseen != 0;
	return &w->rows.items[w->rows.len - 1];
}

static void check_row(const struct waits *w, size_t i, uint64_t count, uint64_t ns, uint64_t estimated)
{
	const struct wait_row *row = &w->rows.items[i];

	assert_int_equal(row->waits.count, count);
	assert_int_equal(row->waits.total, ns);
	assert_int_equal(row->estimated, estimated);
}

#define NAMES .comm = 1, .waker = 2

static void waits_are_shared_by_their_length(void **state)
{
	struct waits w = { 0 };

	add_row(&w, (struct wait_row){ NAMES, .stack = 1 }, 3, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 2 }, 1, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 3 }, 50, 100000); /* long ones say nothing of short ones */
	add_row(&w, (struct wait_row){ NAMES, .unseen = UNSEEN_VICTIM }, 8, 100);
	waits_estimate(&w);
	check_row(&w, 0, 3 + 6, 300 + 600, 600);
	check_row(&w, 1, 1 + 2, 100 + 200, 200);
	check_row(&w, 2, 50, 5000000, 0);
	check_row(&w, 3, 0, 0, 0);
	assert_int_equal(w.rows.items[0].waits.buckets.items[0].count, 9);
	release(&w);
}

/* Nobody was seen to wait so long: all waits of the candidates are the weights. */
static void other_lengths_count_when_there_is_none_alike(void **state)
{
	struct waits w = { 0 };

	add_row(&w, (struct wait_row){ NAMES, .stack = 1 }, 3, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 2 }, 6, 70);
	add_row(&w, (struct wait_row){ NAMES, .unseen = UNSEEN_VICTIM }, 9, 1000000);
	waits_estimate(&w);
	check_row(&w, 0, 3 + 3, 300 + 3000000, 3000000);
	check_row(&w, 1, 6 + 6, 420 + 6000000, 6000000);
	check_row(&w, 2, 0, 0, 0);
	assert_int_equal(w.rows.items[0].waits.max, 1000000);
	release(&w);
}

/* One wait cannot be divided, but its time can. */
static void no_time_is_lost(void **state)
{
	struct waits w = { 0 };

	add_row(&w, (struct wait_row){ NAMES, .stack = 1 }, 2, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 2 }, 2, 100);
	add_row(&w, (struct wait_row){ NAMES, .unseen = UNSEEN_VICTIM }, 1, 101);
	waits_estimate(&w);
	check_row(&w, 0, 2, 200 + 50, 50);
	check_row(&w, 1, 3, 200 + 51, 51);
	release(&w);
}

static void only_rows_that_it_may_be_take_part(void **state)
{
	struct waits w = { 0 };

	add_row(&w, (struct wait_row){ NAMES, .stack = 1, .waker_stack = 4 }, 1, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 1, .waker_stack = 5 }, 1, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 2, .waker_stack = 5 }, 1, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 1, .waker_stack = 4, .unwanted = true }, 1, 100);
	add_row(&w, (struct wait_row){ .comm = 3, .waker = 2, .stack = 1, .waker_stack = 4 }, 1, 100);
	add_row(&w, (struct wait_row){ .comm = 1, .waker = 3, .stack = 1, .waker_stack = 4 }, 1, 100);
	add_row(&w, (struct wait_row){ NAMES, .waker_stack = 4, .unseen = UNSEEN_VICTIM }, 10, 100);
	add_row(&w, (struct wait_row){ NAMES, .stack = 2, .unseen = UNSEEN_WAKER }, 20, 100);
	add_row(&w, (struct wait_row){ NAMES, .unseen = UNSEEN_VICTIM | UNSEEN_WAKER, .unwanted = true }, 40, 100);
	waits_estimate(&w);
	check_row(&w, 0, 1 + 10, 1100, 1000);
	check_row(&w, 1, 1, 100, 0);
	check_row(&w, 2, 1 + 20, 2100, 2000);
	check_row(&w, 3, 1 + 40, 4100, 4000);
	check_row(&w, 4, 1, 100, 0);
	check_row(&w, 5, 1, 100, 0);
	for (size_t i = 6; i < w.rows.len; i++)
		check_row(&w, i, 0, 0, 0);
	release(&w);
}

/* Rows of unseen waits are no candidates, not even for each other. */
static void rows_that_are_like_nothing_stay(void **state)
{
	struct waits w = { 0 };

	add_row(&w, (struct wait_row){ NAMES, .waker_stack = 4, .unseen = UNSEEN_VICTIM }, 10, 100);
	add_row(&w, (struct wait_row){ NAMES, .unseen = UNSEEN_VICTIM | UNSEEN_WAKER }, 20, 100);
	add_row(&w, (struct wait_row){ .comm = 1, .waker = 9, .stack = 1, .waker_stack = 4 }, 1, 100);
	waits_estimate(&w);
	check_row(&w, 0, 10, 1000, 0);
	check_row(&w, 1, 20, 2000, 0);
	check_row(&w, 2, 1, 100, 0);
	release(&w);
}

static void a_row_of_each_name_in_any_order(void **state)
{
	struct waits w = { 0 };

	for (uint32_t i = 20; i; i--) {
		add_row(&w, (struct wait_row){ .comm = i % 5, .waker = i / 5, .unseen = UNSEEN_VICTIM }, i, 64);
		add_row(&w, (struct wait_row){ .comm = i % 5, .waker = i / 5, .stack = 7 }, 1, 64);
	}
	waits_estimate(&w);
	for (uint32_t i = 20; i; i--) {
		check_row(&w, 2 * (20 - i), 0, 0, 0);
		check_row(&w, 2 * (20 - i) + 1, 1 + i, 64 + 64 * i, 64 * i);
	}
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unseen_time_is_like_the_known),
		cmocka_unit_test(many_threads_are_estimated_at_once),
		cmocka_unit_test(parts_of_long_times_add_up),
		cmocka_unit_test(threads_without_known_waits_are_like_their_process),
		cmocka_unit_test(waits_are_shared_by_their_length),
		cmocka_unit_test(other_lengths_count_when_there_is_none_alike),
		cmocka_unit_test(no_time_is_lost),
		cmocka_unit_test(only_rows_that_it_may_be_take_part),
		cmocka_unit_test(rows_that_are_like_nothing_stay),
		cmocka_unit_test(a_row_of_each_name_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
