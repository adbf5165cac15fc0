#include "report/live/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

/* Bytes that arrive in pieces; between two pieces, one read returns nothing. */
struct pieces {
	const uint8_t *bytes;
	size_t len, at, piece;
	bool paused;
};

static ssize_t read_piece(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct pieces *p = of;
	size_t n = MIN(MIN(p->piece, room), p->len - p->at);

	p->paused = !p->paused;
	if (p->paused)
		return LIVE_LATER;
	memcpy(to, p->bytes + p->at, n);
	p->at += n;
	return (ssize_t)n;
}

static struct live *open_pieces(struct build *b, struct pieces *p, size_t piece, struct live_opts opts)
{
	struct err e = { 0 };
	struct live *l;

	*p = (struct pieces){ .piece = piece };
	p->bytes = build_bytes(b, &p->len);
	opts.session.force = true;
	l = live_open_source("pieces", &(struct live_bytes){ read_piece, p }, &opts, &e);
	if (!l)
		fail_msg("%s", e.what);
	return l;
}

static void round_ends(struct build *b) { build_record(b, RECORD_FINISHED_ROUND, 0, NULL, 0, ""); }

/* Two CPUs: an older record of the second one arrives a round later. */
static struct build two_cpus(enum build_form form)
{
	struct build b = build_start_as(form, WHEN);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "old");
	round_ends(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 10, .ip = 1);
	build_sample(&b, .pid = 7, .tid = 7, .time = 40, .ip = 4);
	round_ends(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 20, .ip = 2);
	build_comm(&b, .pid = 7, .tid = 7, .time = 30, .comm = "new");
	build_sample(&b, .pid = 7, .tid = 7, .time = 50, .ip = 5);
	round_ends(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 60, .ip = 6);
	return b;
}

/* "1old 2old 4new ..." */
static void read_all(struct live *l, struct out *o)
{
	struct err e = { 0 };
	struct live_record r;
	struct task task;
	char buf[16];
	int what;

	out_init_mem(o);
	while ((what = live_next(l, &e)) > LIVE_END) {
		while (live_record(l, &r))
			if (live_sample(l, &r, &task))
				out_fmt(o, "%llu%s ", (unsigned long long)r.sample.ip,
					session_comm(live_session(l), task.comm, buf));
		if (what == LIVE_TICK)
			out_str(o, "tick ");
	}
	assert_int_equal(what, LIVE_END);
}

static void records_come_in_the_order_of_time(void **state)
{
	static const size_t sizes[] = { 1, 13, 4096 };

	for (int form = BUILD_PIPE; form <= BUILD_PIPE_SWAPPED; form++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct build b = two_cpus(form);
			struct pieces p;
			struct live *l = open_pieces(&b, &p, sizes[i], (struct live_opts){ 0 });
			struct out o;

			assert_false(live_is_file(l));
			read_all(l, &o);
			assert_string_equal(out_text(&o), "1old 2old 4new 5new 6new ");
			out_release(&o);
			live_close(l);
			build_release(&b);
		}
	}
}

static void a_round_is_due_when_the_next_has_ended(void **state)
{
	struct build b = two_cpus(BUILD_PIPE);
	struct pieces p;
	struct live *l;
	struct live_record r;
	struct task task;
	size_t n = 0;

	build_bytes(&b, &p.len);
	l = open_pieces(&b, &p, 1, (struct live_opts){ 0 });
	while (p.at < p.len && !n) {
		live_next_within(l, 0, NULL);
		while (live_record(l, &r))
			n += live_sample(l, &r, &task);
	}
	assert_true(p.len - p.at < 64); /* everything except the last sample was read */
	assert_int_equal(n, 3);
	live_close(l);
	build_release(&b);
}

static void a_file_gives_the_same_and_ticks_by_its_own_time(void **state)
{
	struct build b = two_cpus(BUILD_FILE);
	char *path = build_file(&b);
	struct err e = { 0 };
	struct live *l;
	struct out o;

	build_release(&b);
	b = build_start(WHEN);
	build_sample(&b, .pid = 7, .tid = 7, .time = 1000000, .ip = 1);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2500000, .ip = 2);
	build_sample(&b, .pid = 7, .tid = 7, .time = 9000000, .ip = 3);
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "");
	l = live_open_file(path, &(struct live_opts){ .session.force = true }, &e);
	assert_non_null(l);
	assert_true(live_is_file(l));
	read_all(l, &o);
	assert_string_equal(out_text(&o), "1old 2old 4new 5new 6new ");
	out_release(&o);
	live_close(l);
	unlink(path);
	free(path);

	path = build_file(&b);
	l = live_open_file(path, &(struct live_opts){ .session.force = true, .tick_ms = 1 }, &e);
	read_all(l, &o);
	assert_string_equal(out_text(&o), "1 tick 2 tick 3 ");
	out_release(&o);
	live_close(l);
	unlink(path);
	free(path);
	build_release(&b);
}

static void damage_is_reported_after_the_records_before_it(void **state)
{
	static const uint8_t bad[] = { 9, 0, 0, 0, 0, 0, 4, 0 };
	struct build b = two_cpus(BUILD_PIPE);
	struct pieces p;
	struct live *l;
	struct live_record r;
	struct task task;
	struct err e = { 0 };
	int what, n = 0;

	build_raw(&b, bad, sizeof(bad));
	l = open_pieces(&b, &p, 64, (struct live_opts){ 0 });
	while ((what = live_next(l, &e)) > LIVE_END)
		while (live_record(l, &r))
			n += live_sample(l, &r, &task);
	assert_int_equal(what, -1);
	assert_int_equal(n, 5);
	assert_non_null(strstr(e.what, "fewer than its header has"));
	live_close(l);
	build_release(&b);
}

static void unneeded_parts_leave_memory(void **state)
{
	struct build b = build_start_as(BUILD_PIPE, WHEN);
	struct pieces p;
	struct live *l;
	uint64_t largest = 0;

	for (unsigned i = 0; i < 2000; i++) {
		build_sample(&b, .pid = 7, .tid = 7, .time = i + 1, .ip = i);
		if (i % 10 == 9)
			round_ends(&b);
	}
	l = open_pieces(&b, &p, 500, (struct live_opts){ .sums = true });
	while (live_next(l, NULL) > LIVE_END)
		largest = MAX(largest, (uint64_t)live_session(l)->chunks.len);
	assert_true(largest < 40);
	live_close(l);
	build_release(&b);
}

static void losses_and_throttling_are_counted_since_the_last_look(void **state)
{
	struct build b = build_start_as(BUILD_PIPE, WHEN);
	struct pieces p;
	struct live_costs c;
	struct live *l;

	build_sample(&b, .pid = 7, .tid = 7, .time = 10, .ip = 1);
	build_record(&b, RECORD_THROTTLE, 0, (uint64_t[]){ 11, 1, 1, 7ull << 32 | 7, 11 }, 40, "88844");
	build_record(&b, RECORD_THROTTLE, 0, (uint64_t[]){ 12, 1, 1, 7ull << 32 | 7, 12 }, 40, "88844");
	build_lost(&b, .id = 1, .lost = 5);
	round_ends(&b);
	l = open_pieces(&b, &p, 1 << 20, (struct live_opts){ .sums = true });
	while (live_next(l, NULL) > LIVE_END)
		;
	live_costs(l, &c);
	assert_int_equal(c.samples, 1);
	assert_int_equal(c.new_throttled, 2);
	assert_int_equal(c.new_lost, 5);
	live_costs(l, &c);
	assert_int_equal(c.throttled, 2);
	assert_int_equal(c.new_throttled, 0);
	assert_int_equal(c.lost, 5);
	assert_int_equal(c.new_lost, 0);
	live_close(l);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_in_the_order_of_time),
		cmocka_unit_test(a_round_is_due_when_the_next_has_ended),
		cmocka_unit_test(a_file_gives_the_same_and_ticks_by_its_own_time),
		cmocka_unit_test(damage_is_reported_after_the_records_before_it),
		cmocka_unit_test(unneeded_parts_leave_memory),
		cmocka_unit_test(losses_and_throttling_are_counted_since_the_last_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
