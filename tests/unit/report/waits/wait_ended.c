#include "report/waits/waits_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ENDED_MOST = 1 << 16 }; /* so many ended threads have rows of their own */

static const struct waits_opts usual = { 0 };

static struct waits start(void) { return (struct waits){ .opts = &usual }; }

static void release(struct waits *w)
{
	for (size_t i = 0; i < w->threads.len; i++)
		free(w->threads.items[i].past);
	vec_free(&w->threads);
	vec_free(&w->unused_threads);
	u64map_free(&w->thread_index);
	u64map_free(&w->ended_index);
	sched_names_release(&w->tasks);
	strtab_free(&w->names);
}

/* A thread of 100 ns: it ran 1 of them, was runnable 2, in IO 30, unseen 40, unknown 27. */
static uint32_t add(struct waits *w, int32_t tid, const char *comm)
{
	struct wait_thread th = { .tid = tid,
				  .pid = tid,
				  .first = 1000,
				  .last = 1100,
				  .running = 1,
				  .runnable = 2,
				  .unseen = 40,
				  .unknown = 27,
				  .wanted = true,
				  .state = STATE_RUNNING,
				  .n_past = 3 };

	th.blocked[WAIT_IO] = 30;
	th.past = xcalloc(PAST_SPANS, sizeof(*th.past));
	snprintf(th.comm, sizeof(th.comm), "%s", comm);
	vec_push(&w->threads, th);
	*u64map_put(&w->thread_index, (uint32_t)tid, NULL) = (uint32_t)w->threads.len;
	return (uint32_t)w->threads.len - 1;
}

static uint32_t index_of(const struct waits *w, int32_t tid)
{
	const uint32_t *at = u64map_find(&w->thread_index, (uint32_t)tid);

	return at ? *at : 0;
}

static const struct wait_thread *row_of(const struct waits *w, const char *comm)
{
	const struct wait_thread *found = NULL;

	for (size_t i = 0; i < w->threads.len; i++)
		if (w->threads.items[i].ended && !strcmp(w->threads.items[i].comm, comm)) {
			assert_null(found);
			found = &w->threads.items[i];
		}
	return found;
}

static void an_ended_thread_keeps_its_row_but_not_its_number(void **state)
{
	struct waits w = start();
	uint32_t thread = add(&w, 7, "sh");
	const struct wait_thread *th = &w.threads.items[thread];

	wait_thread_ended(&w, thread);
	assert_int_equal(index_of(&w, 7), 0);
	assert_int_equal(th->state, STATE_UNKNOWN);
	assert_true(th->has_ended);
	assert_int_equal(th->tid, 7);
	assert_int_equal(th->blocked[WAIT_IO], 30);
	assert_int_equal(th->unseen, 40);
	assert_null(th->past);
	assert_int_equal(th->n_past, 0);
	assert_int_equal(w.unused_threads.len, 0);
	release(&w);
}

/* Programs that start threads for ever must not fill the memory. */
static void later_ones_are_summed_by_name(void **state)
{
	const struct wait_thread *row;
	struct waits w = start();
	uint32_t first = add(&w, 7, "sh"), other = add(&w, 8, "ls"), second = add(&w, 9, "sh");

	w.n_ended_kept = ENDED_MOST - 1;
	wait_thread_ended(&w, add(&w, 6, "last of its own"));
	assert_null(row_of(&w, "last of its own"));
	wait_thread_ended(&w, first);
	wait_thread_ended(&w, other);
	wait_thread_ended(&w, second);
	row = row_of(&w, "sh");
	assert_non_null(row);
	assert_int_equal(row->ended, 2);
	assert_int_equal(row->running, 2);
	assert_int_equal(row->runnable, 4);
	assert_int_equal(row->blocked[WAIT_IO], 60);
	assert_int_equal(row->blocked[WAIT_LOCK], 0);
	assert_int_equal(row->unseen, 80);
	assert_int_equal(row->unknown, 54);
	assert_int_equal(row->last - row->first, 200); /* so long they lived */
	assert_true(row->wanted && row->tid == -1 && row->pid == -1);
	assert_int_equal(row_of(&w, "ls")->ended, 1);
	/* their places are free, in the order of their ends */
	assert_int_equal(w.unused_threads.len, 3);
	assert_int_equal(w.unused_threads.items[0], first);
	assert_int_equal(w.unused_threads.items[2], second);
	assert_int_equal(w.threads.items[first].tid, -1);
	assert_int_equal(w.threads.items[first].unseen, 0);
	assert_int_equal(w.threads.len, 4 + 2);
	release(&w);
}

static void what_nobody_wants_is_not_summed(void **state)
{
	struct waits w = start();
	uint32_t thread = add(&w, 7, "sh");

	w.threads.items[thread].wanted = false;
	wait_thread_ended(&w, thread);
	assert_int_equal(w.threads.len, 1);
	assert_int_equal(w.threads.items[thread].tid, -1);
	assert_int_equal(w.unused_threads.len, 1);
	assert_int_equal(w.n_ended_kept, 0);
	release(&w);
}

/* A watcher knows threads by their place, so none is given to another thread. */
static void watched_threads_stay(void **state)
{
	static const struct waits_watch watch = { 0 };
	const struct waits_opts opts = { .watch = &watch };
	struct waits w = start();
	uint32_t thread = add(&w, 7, "sh"), unwanted = add(&w, 8, "ls");

	w.opts = &opts;
	w.n_ended_kept = ENDED_MOST;
	w.threads.items[unwanted].wanted = false;
	wait_thread_ended(&w, thread);
	wait_thread_ended(&w, unwanted);
	assert_int_equal(w.threads.items[thread].tid, 7);
	assert_int_equal(w.threads.items[unwanted].tid, 8);
	assert_int_equal(w.unused_threads.len, 0);
	release(&w);
}

/* From time to time the numbers of ended threads are forgotten; those of others stay. */
static void numbers_are_forgotten_in_the_end(void **state)
{
	struct waits w = start();
	uint32_t ends = add(&w, 7, "sh"), stays = add(&w, 8, "ls");

	for (int32_t tid = 100; tid < 200; tid++)
		*u64map_put(&w.thread_index, (uint32_t)tid, NULL) = 0; /* ended long ago */
	w.n_ended = ENDED_MOST - 2;
	wait_thread_ended(&w, ends);
	assert_int_equal(w.thread_index.len, 102);
	wait_thread_ended(&w, add(&w, 9, "cat"));
	assert_int_equal(w.thread_index.len, 1);
	assert_int_equal(index_of(&w, 8), stays + 1);
	release(&w);
}

/* A thread may come back under a number that the table no longer has. */
static void an_unknown_number_may_end(void **state)
{
	struct waits w = start();
	uint32_t thread = add(&w, 7, "sh");

	u64map_free(&w.thread_index);
	wait_thread_ended(&w, thread);
	assert_true(w.threads.items[thread].has_ended);
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ended_thread_keeps_its_row_but_not_its_number),
		cmocka_unit_test(later_ones_are_summed_by_name),
		cmocka_unit_test(what_nobody_wants_is_not_summed),
		cmocka_unit_test(watched_threads_stay),
		cmocka_unit_test(numbers_are_forgotten_in_the_end),
		cmocka_unit_test(an_unknown_number_may_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
