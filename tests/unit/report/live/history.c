#include "report/live/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "tests/lib/build.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)
enum { SECOND = 1000000000 };

struct rounds {
	const uint8_t *data;
	size_t len, at;
	bool paused;
};

/* A second's records for each call of live_next_within: up to the end of a round. */
static ssize_t read_round(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct rounds *b = of;
	size_t from = b->at;
	bool ended = false;

	b->paused = !b->paused;
	if (b->paused)
		return LIVE_LATER;
	if (!b->at)
		b->at = 16; /* the header of the pipe */
	while (b->at < b->len && !ended) {
		ended = load_u32(b->data + b->at) == RECORD_FINISHED_ROUND;
		b->at += load_u16(b->data + b->at + 6);
	}
	assert_true(b->at - from <= room);
	memcpy(to, b->data + from, b->at - from);
	return (ssize_t)(b->at - from);
}

static void round_ends(struct build *b) { build_record(b, RECORD_FINISHED_ROUND, 0, NULL, 0, ""); }

/*
 * Feed a round for each second, then save what is left, and print times and names of its samples. Return the
 * size of the file.
 */
static size_t keep(struct build *b, uint64_t seconds, size_t most, uint64_t span, struct out *o)
{
	struct rounds bytes = { 0 };
	struct live_opts opts = { .session.force = true };
	char path[] = "/tmp/history.XXXXXX";
	struct live_history *h = history_new(seconds * SECOND, most);
	struct profile *none = NULL;
	struct live_record r;
	struct err e = { 0 };
	struct task task;
	struct stat file;
	struct live *l;
	uint64_t now = 0;
	char buf[16];

	bytes.data = build_bytes(b, &bytes.len);
	l = live_open_source("bytes", &(struct live_bytes){ read_round, &bytes }, &opts, &e);
	assert_non_null(l);
	while (live_next_within(l, 0, &e) > LIVE_END)
		history_take(h, live_session(l), now += SECOND);
	assert_int_equal(history_span(h, now), span * SECOND);
	close(mkstemp(path));
	chmod(path, 0644);
	assert_int_equal(history_save(h, live_session(l), path, &e), 0);
	stat(path, &file);
	assert_int_equal(file.st_mode & 0777, 0600); /* as every recording */
	history_free(h);
	live_tidy(l, &none, 0, NULL, 0);
	live_close(l);

	l = live_open_file(path, &opts, &e);
	assert_non_null(l);
	out_init_mem(o);
	while (live_next(l, &e) > LIVE_END)
		while (live_record(l, &r))
			if (live_sample(l, &r, &task))
				out_fmt(o, "%llu%s ", (unsigned long long)r.time,
					session_comm(live_session(l), task.comm, buf));
	assert_int_equal(live_session(l)->notes.format.bad_records, 0);
	live_close(l);
	unlink(path);
	return (size_t)file.st_size;
}

static struct build three_seconds(void)
{
	struct build b = build_start_as(BUILD_PIPE, WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "old");
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 1);
	round_ends(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = 1);
	round_ends(&b);
	build_comm(&b, .pid = 7, .tid = 7, .time = 4, .comm = "new");
	build_sample(&b, .pid = 7, .tid = 7, .time = 5, .ip = 1);
	round_ends(&b);
	return b;
}

static void check_kept(uint64_t seconds, size_t most, uint64_t span, const char *text)
{
	struct build b = three_seconds();
	struct out o;

	keep(&b, seconds, most, span, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
	build_release(&b);
}

static void the_last_seconds_are_kept_with_the_names_from_before(void **state)
{
	check_kept(100, SIZE_MAX, 3, "2old 3old 5new ");
	check_kept(1, SIZE_MAX, 1, "3old 5new ");
	check_kept(100, 150, 2, "3old 5new ");
	check_kept(100, 1, 0, "");
}

/* 51 has its name from 50, which is forgotten by the kernel long before the time that is kept. */
static void processes_that_ended_are_forgotten_unless_others_come_from_them(void **state)
{
	enum { SECONDS = 60, FORKS = 700 };
	struct build b = build_start_as(BUILD_PIPE, WHEN);
	int32_t pid = 100;
	struct out o;
	size_t size;

	build_comm(&b, .pid = 50, .tid = 50, .time = 1, .comm = "parent");
	build_fork(&b, .pid = 51, .tid = 51, .ppid = 50, .ptid = 50, .time = 2);
	build_exit(&b, .pid = 50, .tid = 50, .ppid = 1, .ptid = 1, .time = 3);
	for (uint64_t i = 1; i <= SECONDS; i++) {
		for (int k = 0; k < FORKS; k++, pid++) {
			build_fork(&b, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = 10 * i);
			build_comm(&b, .pid = pid, .tid = pid, .time = 10 * i + 1, .comm = "short");
			build_exit(&b, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = 10 * i + 2);
		}
		build_sample(&b, .pid = 51, .tid = 51, .time = 10 * i + 3, .ip = 1);
		round_ends(&b);
	}
	size = keep(&b, 1, SIZE_MAX, 1, &o);
	assert_string_equal(out_text(&o), "593parent 603parent ");
	assert_true(size < 3 << 19); /* of more than 5 MB */
	out_release(&o);
	build_release(&b);
}

/* A server that lives for days starts and ends threads all the time. */
static void threads_that_ended_are_forgotten_though_their_process_lives(void **state)
{
	enum { SECONDS = 60, THREADS = 700 };
	struct build b = build_start_as(BUILD_PIPE, WHEN);
	int32_t tid = 100;
	struct out o;
	size_t size;

	build_comm(&b, .pid = 50, .tid = 50, .time = 1, .comm = "server");
	build_fork(&b, .pid = 50, .tid = 51, .ppid = 50, .ptid = 50, .time = 2);
	build_comm(&b, .pid = 50, .tid = 51, .time = 3, .comm = "worker");
	for (uint64_t i = 1; i <= SECONDS; i++) {
		for (int k = 0; k < THREADS; k++, tid++) {
			build_fork(&b, .pid = 50, .tid = tid, .ppid = 50, .ptid = 50, .time = 10 * i);
			build_comm(&b, .pid = 50, .tid = tid, .time = 10 * i + 1, .comm = "short");
			build_exit(&b, .pid = 50, .tid = tid, .ppid = 50, .ptid = 50, .time = 10 * i + 2);
		}
		build_sample(&b, .pid = 50, .tid = 50, .time = 10 * i + 3, .ip = 1);
		build_sample(&b, .pid = 50, .tid = 51, .time = 10 * i + 4, .ip = 1);
		round_ends(&b);
	}
	size = keep(&b, 1, SIZE_MAX, 1, &o);
	assert_string_equal(out_text(&o), "593server 594worker 603server 604worker ");
	assert_true(size < 3 << 19); /* of more than 5 MB */
	out_release(&o);
	build_release(&b);
}

/* If another thread than the first runs a program, the first ends before, and the process goes on with its number. */
static void a_thread_may_run_a_program(void **state)
{
	enum { SECONDS = 60, FORKS = 700 };
	struct build b = build_start_as(BUILD_PIPE, WHEN);
	int32_t pid = 100;
	struct out o;

	build_comm(&b, .pid = 50, .tid = 50, .time = 1, .comm = "old");
	build_exit(&b, .pid = 50, .tid = 50, .ppid = 1, .ptid = 1, .time = 2);
	build_comm(&b, .pid = 50, .tid = 50, .time = 3, .comm = "new", .exec = true);
	for (uint64_t i = 1; i <= SECONDS; i++) {
		for (int k = 0; k < FORKS; k++, pid++) {
			build_fork(&b, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = 10 * i);
			build_exit(&b, .pid = pid, .tid = pid, .ppid = 1, .ptid = 1, .time = 10 * i + 2);
		}
		build_sample(&b, .pid = 50, .tid = 50, .time = 10 * i + 3, .ip = 1);
		round_ends(&b);
	}
	keep(&b, 1, SIZE_MAX, 1, &o);
	assert_string_equal(out_text(&o), "593new 603new ");
	out_release(&o);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_seconds_are_kept_with_the_names_from_before),
		cmocka_unit_test(processes_that_ended_are_forgotten_unless_others_come_from_them),
		cmocka_unit_test(threads_that_ended_are_forgotten_though_their_process_lives),
		cmocka_unit_test(a_thread_may_run_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
