#include "report/session/delivery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/session/order_priv.h"
#include "tests/lib/build.h"
#include "tests/lib/walked.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

static struct session *session_of(struct build *b, uint64_t chunk_size)
{
	struct session *s = walked(b, &(struct session_opts){ .chunk_size = chunk_size });

	build_release(b);
	return s;
}

/* Chunks of about ten records. */
static struct session *session_from(struct build *b) { return session_of(b, 400); }

struct places {
	VEC(struct session_place);
};

/* All records at once. */
static struct places all_places(const struct session *s, bool as_they_lie)
{
	struct places all = { 0 };
	struct records_copy copy = { 0 };

	for (size_t i = 0; i < s->chunks.len; i++) {
		struct chunk c;
		struct record r;

		session_chunk_open(s, i, &copy, &c);
		while (chunk_next(&c, &r, NULL) > 0)
			if (as_they_lie)
				vec_push(&all, (struct session_place){ .pos = session_pos(r.stream, r.pos) });
			else if (r.type != RECORD_FINISHED_ROUND)
				vec_push(&all, session_place_of(s, &r));
		chunk_release(&c);
	}
	free(copy.room);
	order_sort(all.items, all.len);
	return all;
}

/* The records one by one are the same. */
static void hold_one_by_one(struct session *s, const struct places *all)
{
	struct delivered in;
	struct record r;
	size_t n = 0;

	for (delivered_init(&in, s); delivered_next(&in, &r); n++) {
		struct session_place place = session_place_of(s, &r);

		assert_true(n < all->len);
		assert_memory_equal(&place, in.place, sizeof(place));
		assert_memory_equal(in.place, &all->items[n], sizeof(*in.place));
		assert_int_equal(session_pos(r.stream, r.pos), in.place->pos);
	}
	assert_int_equal(n, all->len);
	delivered_release(&in);
}

/* All windows together are all records in order. Return the maximum number of places held. */
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
	if (!as_they_lie)
		hold_one_by_one(s, &all);
	vec_free(&all);
	return most;
}

static void sample(struct build *b, uint64_t time) { build_sample(b, .pid = 7, .tid = 7, .time = time, .ip = 0x1000); }

/* Two rings are read in turn: the records of the second are older than the last ones of the first. */
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

/* One read of a ring is many chunks long: rings are read side by side, whatever the length. */
static void rings_that_are_large(void **state)
{
	struct build b = build_start(WHEN);
	struct session *s;

	for (uint64_t round = 0; round < 4; round++) {
		for (uint64_t ring = 0; ring < 3; ring++)
			for (uint64_t i = 0; i < 2000; i++)
				sample(&b, 1000 + round * 20000 + i * 10 + ring);
		build_round(&b);
	}
	s = session_from(&b);
	assert_true(s->chunks.len > 1000);
	assert_in_range(hold_against_all(s, false), 10, 200);
	assert_in_range(hold_against_all(s, true), 10, 200);
	session_close(s);
}

/* Bytes of files in this process's memory; 0 if unknown. */
static size_t mapped_bytes(void)
{
	autofclose FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	size_t kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssFile: %zu kB", &kb) == 1)
			break;
	return kb << 10;
}

/*
 * Two rings of 32 MB, read one after the other; each record of a thread comes with one that names
 * it.
 */
static void pages_go_when_they_were_used(void **state)
{
	enum { RAW = 60000, SAMPLES = 2 * 550, MOST = 20 << 20 };
	static uint8_t raw[RAW];
	struct build b = build_start(WHEN | SAMPLE_RAW);
	size_t before = mapped_bytes(), most = 0;
	struct place_reader reader = { 0 };
	struct session *s;
	struct delivery d;
	struct record r;

	if (!before)
		skip();
	for (int32_t i = 0; i < SAMPLES; i++) {
		uint64_t time = 1000 + (uint64_t)i % (SAMPLES / 2) * 10;

		build_comm(&b, .pid = i + 1, .tid = i + 1, .time = time, .comm = "x");
		build_sample(&b, .pid = i + 1, .tid = i + 1, .time = time + 1, .raw = raw, .raw_size = RAW);
	}
	s = session_of(&b, 1 << 20);
	assert_in_range(mapped_bytes(), 0, before + MOST);
	for (delivery_init(&d, s, false); delivery_next(&d);) {
		for (size_t i = 0; i < d.n; i++) {
			assert_true(place_open(&reader, s, d.window[i].pos, &r));
			most = MAX(most, r.type == RECORD_SAMPLE ? r.body[r.size - 1] : most);
		}
		most = MAX(most, mapped_bytes());
	}
	assert_in_range(most, 0, before + MOST);
	place_reader_release(&reader);
	delivery_release(&d);
	session_close(s);
}

/* Two rings of small records, read one after the other: a copy of all open chunks would have the whole recording. */
static void copies_stay_small(void **state)
{
	enum { RAW = 1000, SAMPLES = 2 * 26000, MOST = 16 << 20 };
	static uint8_t raw[RAW];
	struct build b = build_start(WHEN | SAMPLE_RAW);
	struct delivered in;
	struct session *s;
	size_t n = 0, most = 0;
	struct record r;

	for (uint64_t i = 0; i < SAMPLES; i++)
		build_sample(&b, .pid = 7, .tid = 7, .time = 1000 + i % (SAMPLES / 2) * 10, .raw = raw,
			     .raw_size = RAW);
	s = session_of(&b, 1 << 20);
	assert_true(s->chunks.items[s->chunks.len - 1].to > MOST);
	for (delivered_init(&in, s); delivered_next(&in, &r); n++) {
		struct session_place place = session_place_of(s, &r);

		assert_memory_equal(&place, in.place, sizeof(place));
		most = MAX(most, in.delivery.copy.size);
	}
	assert_int_equal(n, SAMPLES);
	assert_in_range(most, 0, MOST + MOST / 2);
	delivered_release(&in);
	session_close(s);
}

/* Add records of 1 kB with evenly spread times. */
static void add_mb(struct build *b, uint64_t mb, uint64_t from, uint64_t to)
{
	static uint8_t raw[968];
	uint64_t n = mb << 10;

	for (uint64_t i = 0; i < n; i++)
		build_sample(b, .pid = 7, .tid = 7, .time = from + i * (to - from) / n, .raw = raw,
			     .raw_size = sizeof(raw));
}

/* The last chunk is open for long. At first its copy would be too large, later it alone would not be in the copy. */
static void a_chunk_may_stay_without_a_copy(void **state)
{
	struct build b = build_start(WHEN | SAMPLE_RAW);
	struct delivered in;
	struct session *s;
	struct record r;
	size_t n = 0;

	add_mb(&b, 3, 1000, 3000);
	add_mb(&b, 9, 400000, 500000);
	add_mb(&b, 4, 100000, 200000);
	add_mb(&b, 5, 500000, 600000);
	add_mb(&b, 1, 1000, 300000);
	s = session_of(&b, 1 << 20);
	for (delivered_init(&in, s); delivered_next(&in, &r); n++) {
		struct session_place place = session_place_of(s, &r);

		assert_memory_equal(&place, in.place, sizeof(place));
	}
	assert_int_equal(n, 22 << 10);
	delivered_release(&in);
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

/*
 * Each chunk has old and new records: nothing can be delivered before the end, but the order is
 * right.
 */
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
		cmocka_unit_test(rings_that_are_large),
		cmocka_unit_test(pages_go_when_they_were_used),
		cmocka_unit_test(copies_stay_small),
		cmocka_unit_test(a_chunk_may_stay_without_a_copy),
		cmocka_unit_test(the_newest_first),
		cmocka_unit_test(all_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
