#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/out.h"
#include "base/signal.h"

#define ITEMS 20000

struct work {
	atomic_uint done[ITEMS];
	atomic_uint busy[64];
	size_t last[64];
	atomic_uint wrong;
	unsigned threads;
};

static void count(void *ctx, size_t item, unsigned worker)
{
	struct work *w = ctx;

	if (worker >= w->threads || atomic_fetch_add(&w->busy[worker], 1) ||
	    (w->last[worker] && item + 1 <= w->last[worker]))
		atomic_fetch_add(&w->wrong, 1);
	w->last[worker] = item + 1;
	atomic_fetch_add(&w->done[item], 1);
	atomic_fetch_sub(&w->busy[worker], 1);
}

static void every_item_once_by_a_worker_of_its_own(void **state)
{
	static const unsigned threads[] = { 0, 1, 2, 7, 64, 1000 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct work *w = calloc(1, sizeof(*w));

		w->threads = threads[i] > 64 ? 64 : threads[i] ? threads[i] : 1;
		parallel_for(ITEMS, threads[i], count, w);
		for (size_t n = 0; n < ITEMS; n++)
			assert_int_equal(w->done[n], 1);
		assert_int_equal(w->wrong, 0);
		free(w);
	}
}

static void nothing_to_do(void **state) { parallel_for(0, 8, NULL, NULL); }

enum { PIECES = 3000 };

static void print_number(void *ctx, size_t item, unsigned worker, struct out *o)
{
	atomic_fetch_add((atomic_uint *)ctx, 1);
	if (item % 97 == 0) /* these finish late */
		usleep(200);
	out_fmt(o, "%zu\n", item);
	if (item % 1000 == 1)
		out_pad(o, '.', 100000);
}

static void pieces_of_text_keep_their_order(void **state)
{
	static const unsigned threads[] = { 1, 2, 7, 2 };
	struct text_buffers kept = { 0 };
	struct out want;

	out_init_mem(&want);
	for (size_t i = 0; i < PIECES; i++) {
		out_fmt(&want, "%zu\n", i);
		if (i % 1000 == 1)
			out_pad(&want, '.', 100000);
	}
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		atomic_uint calls = 0;
		struct out got;

		out_init_mem(&got);
		parallel_text(PIECES, threads[i], print_number, &calls, i ? &kept : NULL, &got);
		assert_int_equal(calls, PIECES);
		assert_int_equal(got.len, want.len);
		assert_memory_equal(got.buf, want.buf, want.len);
		out_release(&got);
	}
	assert_int_equal(kept.n_shelves, 7);
	text_buffers_free(&kept);
	assert_int_equal(kept.n_shelves, 0);
	out_release(&want);
}

/* The piece that all wait for ends late, again and again; then two workers may wait for one place. */
static void print_unevenly(void *ctx, size_t item, unsigned worker, struct out *o)
{
	if (item % 50 == 0)
		usleep(500);
	print_number(ctx, item, worker, o);
}

static void text_of_late_pieces_is_complete(void **state)
{
	for (unsigned threads = 2; threads <= 64; threads *= 2) {
		atomic_uint calls = 0;
		struct out got;

		out_init_mem(&got);
		parallel_text(PIECES, threads, print_unevenly, &calls, NULL, &got);
		assert_int_equal(calls, PIECES);
		out_release(&got);
	}
}

static void text_that_nobody_reads_is_not_made(void **state)
{
	atomic_uint calls = 0;
	struct out o;
	int fds[2];

	ignore_sigpipe();
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	out_init_fd(&o, fds[1]);
	parallel_text(PIECES, 2, print_number, &calls, NULL, &o);
	assert_in_range(calls, 1, 40);
	assert_int_equal(o.error, EPIPE);
	out_release(&o);
	close(fds[1]);
}

static void environment_decides_the_threads(void **state)
{
	setenv("STROBE_THREADS", "5", 1);
	assert_int_equal(parallel_threads(), 5);
	setenv("STROBE_THREADS", "1000", 1);
	assert_int_equal(parallel_threads(), 64);
	setenv("STROBE_THREADS", "x", 1);
	assert_in_range(parallel_threads(), 1, 64);
	setenv("STROBE_THREADS", "0", 1);
	assert_in_range(parallel_threads(), 1, 64);
	unsetenv("STROBE_THREADS");
	assert_in_range(parallel_threads(), 1, 64);
}

static void print_much(void *ctx, size_t item, unsigned worker, struct out *o) { out_pad(o, 'x', 100 << 10); }

/* Nobody reads: without more room in the pipe, the write would wait for ever. */
static void a_pipe_gets_room_for_much_text(void **state)
{
	int ends[2], room;
	struct out o;

	assert_int_equal(pipe(ends), 0);
	room = fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	if (room < 1 << 20)
		skip(); /* the system allows no more */
	fcntl(ends[1], F_SETPIPE_SZ, 64 << 10);
	alarm(20);
	out_init_fd(&o, ends[1]);
	parallel_text(2, 2, print_much, NULL, NULL, &o);
	alarm(0);
	assert_int_equal(o.error, 0);
	assert_int_equal(fcntl(ends[1], F_GETPIPE_SZ), room);
	out_release(&o);
	close(ends[0]);
	close(ends[1]);
}

/* Read all, with a pause before each part: the writer must wait. */
static void *read_slowly(void *arg)
{
	const int *fd = arg;
	char part[64 << 10];

	do
		usleep(500);
	while (read(*fd, part, sizeof(part)) > 0);
	return NULL;
}

static void a_slow_reader_needs_one_thread(void **state)
{
	struct text_buffers kept = { 0 };
	pthread_t reader;
	struct out o;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &ends[0]), 0);
	out_init_fd(&o, ends[1]);
	for (int i = 0; i < 6; i++)
		parallel_text(100, 4, print_much, NULL, &kept, &o);
	assert_int_equal(kept.threads, 1);
	out_release(&o);
	close(ends[1]);
	pthread_join(reader, NULL);
	close(ends[0]);
	text_buffers_free(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_once_by_a_worker_of_its_own),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(pieces_of_text_keep_their_order),
		cmocka_unit_test(text_of_late_pieces_is_complete),
		cmocka_unit_test(text_that_nobody_reads_is_not_made),
		cmocka_unit_test(a_pipe_gets_room_for_much_text),
		cmocka_unit_test(a_slow_reader_needs_one_thread),
		cmocka_unit_test(environment_decides_the_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
