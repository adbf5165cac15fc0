#include "report/delivery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/order.h"
#include "tests/lib/build.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

/* Chunks of some ten records. */
static struct session *session_from(struct build *b)
{
	char *path = build_file(b);
	struct err e = { 0 };
	struct session *s = session_open(path, &(struct session_opts){ .force = true, .chunk_size = 400 }, &e);

	if (!s)
		fail_msg("%s", e.what);
	unlink(path);
	free(path);
	assert_int_equal(session_walk(s, &e), 0);
	build_release(b);
	return s;
}

struct places { VEC(struct session_place); };

/* All records at once. */
static struct places all_places(const struct session *s, bool as_they_lie)
{
	struct places all = { 0 };

	for (size_t i = 0; i < s->chunks.len; i++) {
		struct chunk c;
		struct record r;

		session_chunk_open(s, i, NULL, &c);
		while (chunk_next(&c, &r, NULL) > 0)
			if (as_they_lie)
				vec_push(&all, (struct session_place){ .pos = session_pos(r.stream, r.pos) });
			else if (r.type != RECORD_FINISHED_ROUND)
				vec_push(&all, session_place_of(s, &r));
		chunk_release(&c);
	}
	order_sort(all.items, all.len);
	return all;
}

/* Windows put together are all records in order; returns the most places that were held. */
static size_t hold_against_all(struct session *s, bool as_they_lie)
{
	struct places all = all_places(s, as_they_lie);
	size_t most = 0, n = 0;
	struct delivery d;

	for (delivery_init(&d, s, as_they_lie); delivery_next(&d); n += d.n) {
		assert_true(n + d.n <= all.len);
		assert_memory_equal(d.window, all.items + n, d.n * sizeof(*all.items));
		most = MAX(most, d.places.len);
	}
	assert_int_equal(n, all.len);
	delivery_release(&d);
	vec_free(&all);
	return most;
}

static void sample(struct build *b, uint64_t time)
{
	build_sample(b, .pid = 7, .tid = 7, .time = time, .ip = 0x1000);
}

/* Two rings read in turn: what the second has is older than the end of what the first has. */
static void rings_that_are_read_in_turn(void **state)
{
	struct build b = build_start(WHEN);
	struct session *s;

	for (uint64_t round = 0; round < 200; round++) {
		for (uint64_t ring = 0; ring < 2; ring++)
			for (uint64_t i = 0; i < 5; i++)
				sample(&b, 1000 + round * 100 + i * 10 + ring);
		build_round(&b);
	}
	s = session_from(&b);
	assert_true(s->chunks.len > 50);
	assert_in_range(hold_against_all(s, false), 10, 400);
	assert_in_range(hold_against_all(s, true), 10, 400);
	session_close(s);
}

static void the_newest_first(void **state)
{
	struct build b = build_start(WHEN);
	struct session *s;

	for (uint64_t i = 0; i < 1000; i++)
		sample(&b, 100000 - i);
	s = session_from(&b);
	hold_against_all(s, false);
	hold_against_all(s, true);
	session_close(s);
}

/* Each chunk has old ones and new ones: nothing can be told apart before the end, but the order is right. */
static void all_mixed(void **state)
{
	struct build b = build_start(WHEN);
	struct session *s;

	for (uint64_t i = 0; i < 1000; i++)
		sample(&b, 1 + i * 7919 % 1000);
	build_comm(&b, .pid = 7, .tid = 7, .comm = "untimed");
	s = session_from(&b);
	hold_against_all(s, false);
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_that_are_read_in_turn),
		cmocka_unit_test(the_newest_first),
		cmocka_unit_test(all_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
