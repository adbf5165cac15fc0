#include "tests/lib/recording.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "format/record.h"
#include "record/attr/aux_kind.h"
#include "record/rings/aux_priv.h"

enum { SIZE = 8192, N = 2 };

/*
 * Areas of CPUs 0 and 1, written by the test instead of the kernel: each word holds the number
 * of words before it.
 */
struct fake {
	struct perf_event_mmap_page pages[N];
	uint64_t words[N][SIZE / 8], written[N];
	struct aux aux;
	char path[64];
	struct writer *writer;
};

static const struct aux_kind plain = { .pmu = "plain" }, by_place = { .pmu = "by_place", .search_bytes = 512 },
			     of_records = { .pmu = "of_records", .alignment = 24 };

static int set_up(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	f->aux = (struct aux){ .plan = { .mode = AUX_FULL, .kind = &plain, .snapshot_bytes = SIZE } };
	for (int i = 0; i < N; i++)
		vec_push(&f->aux.areas, (struct aux_area){
						.control = &f->pages[i],
						.data = (const uint8_t *)f->words[i],
						.size = SIZE,
						.idx = (uint32_t)i,
						.cpu = i,
						.tid = 7,
					});
	strcpy(f->path, "/tmp/strobe-aux-XXXXXX");
	close(mkstemp(f->path));
	unlink(f->path);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;
	char old[80];

	snprintf(old, sizeof(old), "%s.old", f->path);
	unlink(old);
	unlink(f->path);
	vec_free(&f->aux.areas);
	vec_free(&f->aux.tracers);
	free(f);
	return 0;
}

static void begin(struct fake *f, int zstd_level)
{
	struct writer_event event = { .name = "intel_pt//" };

	f->writer = writer_open(f->path, &(struct writer_opts){ .zstd_level = zstd_level }, NULL);
	assert_non_null(f->writer);
	writer_event(f->writer, &event);
	assert_int_equal(writer_begin(f->writer, NULL, NULL), 0);
}

/* Write like the kernel. `place`: the head is a position in the area. */
static void trace(struct fake *f, int area, uint64_t n_words, bool place)
{
	for (uint64_t i = 0; i < n_words; i++, f->written[area]++)
		f->words[area][f->written[area] % (SIZE / 8)] = f->written[area] + 1;
	f->pages[area].aux_head = place ? f->written[area] * 8 % SIZE : f->written[area] * 8;
}

static bool read_all(struct fake *f, uint64_t room)
{
	bool full = false;

	assert_int_equal(aux_read(&f->aux, f->writer, room, &full, NULL), 0);
	return full;
}

/* Return the contents of the file, one record after the other. */
struct piece {
	uint64_t offset, first, n_words;
	uint32_t idx;
	int32_t tid, cpu;
};
struct pieces {
	VEC(struct piece);
};

static void finish(struct fake *f, struct pieces *pieces)
{
	struct features features = { 0 };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	size_t i = 0;

	feature_set(&features, FEATURE_AUXTRACE);
	assert_int_equal(writer_finish(f->writer, &features, NULL), 0);
	pd = perfdata_open(f->path, &(struct perfdata_opts){ 0 }, NULL);
	assert_non_null(pd);
	assert_true(feature_has(&pd->features, FEATURE_AUXTRACE));
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0) {
		struct piece p;

		if (r.type != RECORD_AUXTRACE)
			continue;
		p = (struct piece){ load_u64(r.body + 8),           0,
				    load_u64(r.body) / 8,           load_u32(r.body + 24),
				    (int32_t)load_u32(r.body + 28), (int32_t)load_u32(r.body + 32) };
		p.first = p.n_words ? load_u64(r.payload) : 0;
		for (uint64_t w = 0; w < p.n_words; w++)
			assert_int_equal(load_u64(r.payload + w * 8), p.first + w);
		/* Find the place of the section. */
		assert_true(pd->features.auxtrace.size >= 8 + (i + 1) * 16);
		assert_int_equal(load_u64(pd->features.auxtrace.data + 8 + i * 16), r.offset);
		assert_int_equal(load_u64(pd->features.auxtrace.data + 16 + i * 16), 48);
		vec_push(pieces, p);
		i++;
	}
	assert_int_equal(load_u64(pd->features.auxtrace.data), i);
	chunk_release(&c);
	perfdata_close(pd);
}

/* ---- full traces ---- */

static void all_is_written_once_over_the_end_of_the_area(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };
	uint64_t next[N] = { 1, 1 };

	for (int level = 0; level < 2; level++) {
		begin(f, level);
		for (uint64_t n = 1; n < 900; n += 37) {
			trace(f, 0, n, false);
			trace(f, 1, n % 3, false);
			assert_false(read_all(f, UINT64_MAX));
			for (int i = 0; i < N; i++)
				assert_int_equal(f->pages[i].aux_tail, f->written[i] * 8);
		}
		vec_clear(&pieces);
		finish(f, &pieces);
		assert_true(pieces.len > 30);
		for (size_t i = 0; i < pieces.len; i++) {
			const struct piece *p = &pieces.items[i];

			assert_int_equal(p->first, next[p->idx]);
			assert_int_equal(p->offset, (p->first - 1) * 8);
			assert_int_equal(p->cpu, p->idx);
			assert_int_equal(p->tid, 7);
			next[p->idx] += p->n_words;
		}
		for (int i = 0; i < N; i++)
			assert_int_equal(next[i], f->written[i] + 1);
	}
	vec_free(&pieces);
}

static void a_full_area_is_written_whole(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };

	begin(f, 0);
	trace(f, 0, 100, false);
	read_all(f, UINT64_MAX);
	trace(f, 0, SIZE / 8, false);
	read_all(f, UINT64_MAX);
	read_all(f, UINT64_MAX);
	finish(f, &pieces);
	assert_int_equal(pieces.len, 2);
	assert_int_equal(pieces.items[1].n_words, SIZE / 8);
	assert_int_equal(pieces.items[1].first, 101);
	vec_free(&pieces);
}

static void no_more_is_written_than_there_is_room_for(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };

	begin(f, 0);
	trace(f, 0, 100, false);
	trace(f, 1, 100, false);
	assert_true(read_all(f, 48 + 800 + 48 + 84)); /* the second has ten words */
	assert_true(read_all(f, 48));
	finish(f, &pieces);
	assert_int_equal(pieces.len, 2);
	assert_int_equal(pieces.items[0].n_words, 100);
	assert_int_equal(pieces.items[1].n_words, 10);
	assert_int_equal(pieces.items[1].first, 1);
	assert_int_equal(f->pages[1].aux_tail, 80);
	vec_free(&pieces);
}

static void other_modes_are_not_read(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };

	begin(f, 0);
	trace(f, 0, 100, false);
	f->aux.plan.mode = AUX_SAMPLES;
	read_all(f, UINT64_MAX);
	assert_int_equal(aux_snapshot(&f->aux, f->writer, NULL), 0);
	f->aux.plan.mode = AUX_SNAPSHOT;
	read_all(f, UINT64_MAX);
	finish(f, &pieces);
	assert_int_equal(pieces.len, 0);
	assert_int_equal(f->pages[0].aux_tail, 0);
	vec_free(&pieces);
}

/* Records in a file lie at multiples of 8. */
static void bytes_are_padded(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };

	begin(f, 0);
	trace(f, 0, 3, false);
	f->pages[0].aux_head = 16 + 1; /* of the third word, which is 3, the first byte */
	read_all(f, UINT64_MAX);
	assert_int_equal(f->pages[0].aux_tail, 17);
	finish(f, &pieces);
	assert_int_equal(pieces.len, 1);
	assert_int_equal(pieces.items[0].n_words, 3);
	vec_free(&pieces);
}

/* Records of a tracer do not wrap around: the rest before the end holds none. */
static void records_stay_whole(void **state)
{
	struct fake *f = *state;
	struct aux_span span = { 24 * 300, 24 * 300 + 24 * 50 + 8 }; /* 8192 = 341 * 24 + 8 */
	struct iovec pieces[2];

	f->aux.plan.kind = &of_records;
	assert_int_equal(aux_pieces(&f->aux.areas.items[0], &span, UINT64_MAX, 24, pieces), 24 * 50);
	assert_int_equal(pieces[0].iov_len, 24 * 41);
	assert_int_equal(pieces[1].iov_len, 24 * 9);
	assert_ptr_equal(pieces[1].iov_base, f->words[0]);
}

/* ---- snapshots ---- */

static struct aux_span look(struct fake *f)
{
	return aux_span_snapshot(&f->aux.areas.items[0], f->pages[0].aux_head, f->aux.plan.kind->search_bytes);
}

static void check_snapshot(struct fake *f, uint64_t from, uint64_t n_words, uint64_t most)
{
	struct aux_span span = look(f);
	struct iovec pieces[2];
	uint64_t len = aux_pieces(&f->aux.areas.items[0], &span, most, 0, pieces), next = from + 1;

	assert_int_equal(len, n_words * 8);
	for (int i = 0; i < 2; i++)
		for (size_t w = 0; w < pieces[i].iov_len / 8; w++)
			assert_int_equal(((const uint64_t *)pieces[i].iov_base)[w], next++);
	f->aux.areas.items[0].at = span.to;
}

static void a_head_that_counts_on(void **state)
{
	struct fake *f = *state;

	trace(f, 0, 100, false);
	check_snapshot(f, 0, 100, UINT64_MAX);
	check_snapshot(f, 100, 0, UINT64_MAX);
	trace(f, 0, 1000, false);
	check_snapshot(f, 100, 1000, UINT64_MAX);
	trace(f, 0, 5000, false);
	check_snapshot(f, 6100 - SIZE / 8, SIZE / 8, UINT64_MAX);
	trace(f, 0, 5000, false);
	check_snapshot(f, 11100 - 32, 32, 256);
}

static void a_head_that_is_a_place(void **state)
{
	struct fake *f = *state;

	f->aux.plan.kind = &by_place;
	check_snapshot(f, 0, 0, UINT64_MAX);
	trace(f, 0, 100, true);
	check_snapshot(f, 0, 100, UINT64_MAX);
	trace(f, 0, SIZE / 8 - 110, true); /* near the end, but not there */
	check_snapshot(f, 100, SIZE / 8 - 110, UINT64_MAX);
	trace(f, 0, 20, true); /* beyond it: now all of it is trace, the oldest first */
	check_snapshot(f, 10, SIZE / 8, UINT64_MAX);
	trace(f, 0, 5000, true);
	check_snapshot(f, 5010, SIZE / 8, UINT64_MAX);
	check_snapshot(f, 5010 + SIZE / 8 - 64, 64, 512);
}

static void the_first_snapshot_may_come_late(void **state)
{
	struct fake *f = *state;

	f->aux.plan.kind = &by_place;
	trace(f, 0, 7 * SIZE / 8 + 5, true);
	check_snapshot(f, 6 * SIZE / 8 + 5, SIZE / 8, UINT64_MAX);
}

/* Zeros are no trace; then only the new part is known to be trace. */
static void an_end_of_zeroes(void **state)
{
	struct fake *f = *state;

	f->aux.plan.kind = &by_place;
	trace(f, 0, 900, true);
	check_snapshot(f, 0, 900, UINT64_MAX);
	trace(f, 0, SIZE / 8 - 900 + 8, true);
	memset(&f->words[0][SIZE / 8 - 64], 0, 512);
	assert_int_equal(look(f).from, 900 * 8);
	assert_int_equal(look(f).to, SIZE + 64);
}

static void snapshots_are_written(void **state)
{
	struct fake *f = *state;
	struct pieces pieces = { 0 };

	f->aux.plan.mode = AUX_SNAPSHOT;
	f->aux.plan.kind = &by_place;
	f->aux.plan.snapshot_bytes = 1024;
	begin(f, 0);
	trace(f, 0, 5000, true);
	trace(f, 1, 3, true);
	assert_int_equal(aux_snapshot(&f->aux, f->writer, NULL), 0);
	assert_int_equal(f->pages[0].aux_tail, 0); /* it is for the kernel to go on */
	finish(f, &pieces);
	assert_int_equal(pieces.len, 2);
	assert_int_equal(pieces.items[0].n_words, 128);
	assert_int_equal(pieces.items[0].first, 5001 - 128);
	assert_int_equal(pieces.items[1].n_words, 3);
	vec_free(&pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_written_once_over_the_end_of_the_area, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_area_is_written_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_more_is_written_than_there_is_room_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_modes_are_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_are_padded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(records_stay_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_head_that_counts_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_head_that_is_a_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_snapshot_may_come_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_end_of_zeroes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(snapshots_are_written, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
