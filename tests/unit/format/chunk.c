#include "tests/lib/forms.h"
#include "format/scouts.h"

static void records_come_in_order_with_positions(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	uint64_t pos = 0, n = 0;

	build_comm(&b, .pid = 1, .tid = 1, .time = 5, .comm = "one");
	build_round(&b);
	build_sample(&b, .pid = 1, .tid = 1, .time = 6);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0) {
		assert_int_equal(r.pos, pos);
		if (!pd->pipe)
			assert_int_equal(r.offset, pd->data_offset + pos);
		pos += r.size + 8u;
		n += r.type == RECORD_COMM || r.type == RECORD_FINISHED_ROUND || r.type == RECORD_SAMPLE;
	}
	assert_int_equal(n, 3);
	assert_int_equal(pos, stream_size(pd, 0));
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void a_chunk_ends_at_its_limit(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	uint64_t second = 0;

	for (uint64_t i = 1; i <= 3; i++)
		build_sample(&b, .time = i);
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_SAMPLE);
	second = r.pos + r.size + 8;
	chunk_release(&c);
	perfdata_chunk(pd, 0, second, second + 16, NULL, &c);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(load_u64(r.body), 2);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_seek(&c, second + 16);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(load_u64(r.body), 3);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void trailers_tell_who_and_when(void **state)
{
	struct build b =
		build_start_as(FORM, SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_STREAM_ID | SAMPLE_CPU);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	struct trailer t;
	uint64_t time;

	build_comm(&b, .pid = 7, .tid = 8, .time = 99, .cpu = 3, .comm = "x");
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_COMM);
	assert_true(record_trailer(pd, &r, &t));
	assert_int_equal(t.pid, 7);
	assert_int_equal(t.tid, 8);
	assert_int_equal(t.time, 99);
	assert_int_equal(t.cpu, 3);
	assert_int_equal(t.id, 1);
	assert_true(record_time(pd, &r, &time));
	assert_int_equal(time, 99);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void no_trailer_without_sample_id_all(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	struct record_comm comm;
	struct trailer t;
	uint64_t time;

	build_attr(&b, 0)->flags &= ~ATTR_SAMPLE_ID_ALL;
	build_comm(&b, .pid = 7, .tid = 8, .comm = "exactly15bytes!");
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_COMM);
	assert_false(record_trailer(pd, &r, &t));
	assert_int_equal(t.pid, UINT32_MAX);
	assert_false(record_time(pd, &r, &time));
	assert_int_equal(record_comm(pd, &r, &comm), 0);
	assert_string_equal(comm.comm, "exactly15bytes!");
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

/* The walk continues behind bytes that make no record, and counts them. */
static void damage_is_stepped_over(void **state)
{
	static const uint8_t garbage[48] = { 0xff, 0xff, 0xff };
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct format_notes notes = { 0 };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	struct err e = { 0 };
	int got, samples = 0, bad = 0;

	build_sample(&b, .time = 1);
	build_raw(&b, garbage, sizeof(garbage));
	build_sample(&b, .time = 2);
	build_sample(&b, .time = 3);
	build_sample(&b, .time = 4);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while ((got = chunk_next(&c, &r, &e)) > 0 || (got < 0 && chunk_skip(&c))) {
		samples += got > 0 && r.type == RECORD_SAMPLE;
		bad += got < 0;
	}
	assert_int_equal(samples, 4);
	assert_int_equal(bad, 1);
	assert_int_equal(notes.skipped_bytes, sizeof(garbage));
	assert_non_null(strstr(e.what, "offset 0x"));
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

/* A size beyond the end is damage if records follow, also in open-ended streams. */
static void wrong_sizes_cost_one_record(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct format_notes notes = { 0 };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	int got, samples = 0;
	size_t from;

	build_sample(&b, .time = 1);
	from = b.records.len;
	build_sample(&b, .time = 2);
	memset(b.records.items + from + 6, 0xf8, 2);
	for (uint64_t i = 3; i < 10; i++)
		build_sample(&b, .time = i);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c)))
		samples += got > 0 && r.type == RECORD_SAMPLE;
	assert_int_equal(samples, 8);
	assert_int_equal(notes.skipped_bytes, 16);
	assert_int_equal(notes.skipped_type, RECORD_SAMPLE);
	assert_false(notes.cut);
	assert_true(format_notes_damaged(&notes, pd));
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void short_bodies_are_counted_and_skipped(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct format_notes notes = { .bad_records = 1, .bad_offset = UINT64_MAX, .bad_type = RECORD_COMPRESSED };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	int records = 0;

	build_record(&b, RECORD_MMAP, 0, "12345678", 8, "s");
	build_record(&b, RECORD_FORK, 0, "12345678", 8, "s");
	build_record(&b, 50, 0, "12345678", 8, "s");
	build_sample(&b, .time = 4);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		records += r.type == RECORD_SAMPLE || r.type == 50;
	assert_int_equal(records, 2);
	assert_int_equal(notes.bad_records, 3);
	assert_int_equal(notes.bad_type, RECORD_MMAP); /* of the three the first in the input */
	assert_int_equal(notes.unknown_types, 1);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void sizes_need_not_be_multiples_of_8(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;

	build_record(&b, RECORD_HEADER_BUILD_ID, 0, "................................name\0", 37, "s");
	build_sample(&b, .time = 4);
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_SAMPLE);
	assert_int_equal(load_u64(r.body), 4);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void payload_goes_with_its_record(void **state)
{
	struct {
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, pad;
	} aux = { .size = 32, .tid = 5 };
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;

	build_record(&b, RECORD_AUXTRACE, 0, &aux, sizeof(aux), "8884444");
	build_raw(&b, "0123456789abcdef0123456789abcdef", 32);
	build_sample(&b, .time = 4);
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_AUXTRACE);
	assert_int_equal(r.payload_size, 32);
	assert_memory_equal(r.payload, "0123456789abcdef", 16);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(r.type, RECORD_SAMPLE);
	assert_null(r.payload);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void payload_past_the_end_is_refused(void **state)
{
	struct {
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, pad;
	} aux = { .size = UINT64_MAX - 7 };
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct format_notes notes = { 0 };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	int got;

	build_record(&b, RECORD_AUXTRACE, 0, &aux, sizeof(aux), "8884444");
	build_raw(&b, "\377\377\377\377\377\377\377\377", 8);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0)
		assert_int_not_equal(r.type, RECORD_AUXTRACE);
	assert_true(got < 0 || notes.cut);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

/*
 * The contents of COMPRESSED records are walked like other records. The record itself stays visible
 * without its bytes.
 */
static void compressed_records_are_expanded(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	uint64_t times = 0, markers = 0, expanded_at = 0, seconds[3] = { 0 };
	size_t from;

	build_comm(&b, .time = 1, .comm = "plain");
	from = b.records.len;
	for (uint64_t i = 0; i < 100; i++)
		build_sample(&b, .time = 10 + i);
	build_compress(&b, from);
	build_round(&b);
	from = b.records.len;
	build_sample(&b, .time = 1000);
	build_compress(&b, from);
	pd = build_open(&b);
	assert_true(pd->compressed);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0) {
		if (r.type == RECORD_COMPRESSED2) {
			assert_int_equal(r.size, 0);
			assert_true(r.payload_size > 0);
			expanded_at = r.offset;
			seconds[markers++] = r.pos;
		}
		if (r.type != RECORD_SAMPLE)
			continue;
		assert_int_equal(r.offset, expanded_at);
		times += load_u64(r.body);
	}
	assert_int_equal(markers, 2);
	assert_int_equal(times, 100 * 10 + 99 * 50 + 1000);
	/* Seek back to the second one: first comes the marker, then the contents. */
	chunk_seek(&c, seconds[1]);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(r.type, RECORD_COMPRESSED2);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(r.type, RECORD_SAMPLE);
	chunk_seek(&c, r.pos);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(load_u64(r.body), 1000);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void expanding_ends_when_it_shall_stop(void **state)
{
	struct build b = build_start(SAMPLE_IP | SAMPLE_TIME);
	size_t from = b.records.len;
	struct progress progress = { 0 };
	struct err e = { 0 };
	char *path;

	build_sample(&b, .ip = 1, .time = 2);
	build_compress(&b, from);
	path = build_file(&b);
	progress_stop(&progress);
	assert_null(perfdata_open(path, &(struct perfdata_opts){ .force = true, .progress = &progress }, &e));
	assert_non_null(strstr(e.what, "given up"));
	unlink(path);
	free(path);
	build_release(&b);
}

static void unreadable_compressed_data_is_counted(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	struct chunk c;
	struct record r;

	build_record(&b, RECORD_COMPRESSED, 0, "no zstd frame...", 16, "s");
	build_sample(&b, .time = 5);
	pd = build_open(&b);
	assert_int_equal(pd->notes.bad_records, 1);
	assert_int_equal(pd->notes.bad_type, RECORD_COMPRESSED);
	r = first_record(pd, &c, RECORD_SAMPLE);
	assert_int_equal(load_u64(r.body), 5);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

enum { BIG = 65528 };

/*
 * Add `n` COMPRESSED records. Each contains about a megabyte of empty records of this type, of
 * maximum size.
 */
static void build_bomb(struct build *b, enum build_form form, uint32_t type, int n)
{
	bool big_endian = form == BUILD_FILE_SWAPPED || form == BUILD_PIPE_SWAPPED;
	uint8_t head[8] = { (uint8_t)type, 0, 0, 0, 0, 0, 0xf8, 0xff },
		swapped[8] = { 0, 0, 0, (uint8_t)type, 0, 0, 0xff, 0xf8 };
	uint8_t *records = xcalloc(16, BIG);

	for (int i = 0; i < 16; i++)
		memcpy(records + i * BIG, big_endian ? swapped : head, 8);
	for (int i = 0; i < n; i++) {
		size_t from = b->records.len;

		build_raw(b, records, 16 * BIG);
		build_compress(b, from);
	}
	free(records);
}

static uint64_t count_type(const struct perfdata *pd, uint32_t type)
{
	struct chunk c;
	struct record r;
	uint64_t n = 0;

	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		n += r.type == type;
	chunk_release(&c);
	return n;
}

/* Put 64 MB of samples into some kilobytes, like copied stacks of a tight loop. */
static void any_ratio_is_expanded(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;
	size_t len;

	build_bomb(&b, FORM, RECORD_SAMPLE, 64);
	build_bytes(&b, &len);
	assert_true(len < 64 * 16 * BIG / 1000);
	pd = build_open(&b);
	assert_int_equal(pd->notes.stop, STOP_NONE);
	assert_false(pd->notes.cut);
	assert_int_equal(count_type(pd, RECORD_SAMPLE), 64 * 16);
	assert_int_equal(count_type(pd, RECORD_COMPRESSED2), 64);
	perfdata_close(pd);
	build_release(&b);
}

/*
 * Stop at samples beyond a limit, and at records about tasks that would fill our memory. Keep what
 * comes before.
 */
static void expensive_input_stops(void **state)
{
	struct build b = build_start(SAMPLE_TIME);
	struct err e = { 0 };
	struct perfdata *pd;
	char *path;

	build_bomb(&b, BUILD_FILE, RECORD_SAMPLE, 8);
	path = build_file(&b);
	pd = perfdata_open(path, &(struct perfdata_opts){ .force = true, .expand_max = 4 << 20 }, &e);
	assert_non_null(pd);
	assert_int_equal(pd->notes.stop, STOP_TOTAL);
	assert_true(pd->notes.stop_size > 4 << 20 && pd->notes.stop_size < 5 << 20);
	assert_true(format_notes_damaged(&pd->notes, pd));
	assert_in_range(count_type(pd, RECORD_SAMPLE), 3 * 16, 5 * 16);
	perfdata_close(pd);
	unlink(path);
	free(path);
	build_release(&b);
}

static void too_many_other_records_stop(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd;

	build_sample(&b, .time = 1);
	build_compress(&b, 0);
	build_bomb(&b, FORM, RECORD_COMM, 80);
	build_sample(&b, .time = 2);
	pd = build_open(&b);
	assert_int_equal(pd->notes.stop, STOP_OTHERS);
	assert_true(pd->notes.stop_size < 66 << 20);
	assert_true(format_notes_damaged(&pd->notes, pd));
	assert_int_equal(count_type(pd, RECORD_SAMPLE), 1);
	perfdata_close(pd);
	build_release(&b);
}

/* Without disk space use some memory, and keep what fits. */
static void without_room_expanding_stops(void **state)
{
	char *before = getenv("TMPDIR") ? xstrdup(getenv("TMPDIR")) : NULL;
	struct build b = build_start(SAMPLE_TIME);
	struct perfdata *pd;

	build_bomb(&b, BUILD_FILE, RECORD_SAMPLE, 300);
	setenv("TMPDIR", "/nonexistent", 1);
	pd = build_open(&b);
	before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
	free(before);
	assert_int_equal(pd->notes.stop, STOP_ROOM);
	assert_in_range(count_type(pd, RECORD_SAMPLE), 250 * 16, 257 * 16);
	perfdata_close(pd);
	build_release(&b);
}

static void rings_are_walked_like_files(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME), ring = build_start_as(FORM, SAMPLE_TIME);
	struct perfdata *pd = build_open(&b);
	struct chunk c;
	struct record r;

	build_sample(&ring, .time = 77);
	build_round(&ring);
	chunk_over(pd, ring.records.items, ring.records.len, &c);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(load_u64(r.body), 77);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(r.type, RECORD_FINISHED_ROUND);
	assert_int_equal(chunk_next(&c, &r, NULL), 0);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
	build_release(&ring);
}

static void ids_lead_to_events(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_ID | SAMPLE_TIME);
	size_t other = build_event(&b, SAMPLE_ID | SAMPLE_TIME, "other");
	struct perfdata *pd;
	struct chunk c;
	struct record r;

	build_comm(&b, .event = other, .comm = "x");
	build_sample(&b, .event = other, .time = 5);
	b.events.items[0].ids[0] = 77; /* an id that no attr has */
	b.events.items[0].n_ids = 0;
	build_sample(&b, .event = 0, .time = 6);
	b.events.items[0].ids[0] = 0;
	build_comm(&b, .event = 0, .comm = "y");
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_COMM);
	assert_int_equal(perfdata_event_of(pd, &r), other);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(perfdata_event_of(pd, &r), other);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(perfdata_event_of(pd, &r), -1);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(perfdata_event_of(pd, &r), 0);
	assert_int_equal(perfdata_event_by_id(pd, 2), other);
	assert_int_equal(perfdata_event_by_id(pd, 99), -1);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

static void a_cursor_passes_damage(void **state)
{
	static const uint8_t broken[16] = { 0 };
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct format_notes notes = { 0 };
	struct perfdata *pd;
	struct record r;
	size_t n = 0;

	build_sample(&b, .time = 1);
	build_raw(&b, broken, sizeof(broken));
	build_sample(&b, .time = 2);
	pd = build_open(&b);
	for (struct cursor c = { .pd = pd, .notes = &notes }; cursor_next(&c, &r);)
		n += r.type == RECORD_SAMPLE;
	assert_int_equal(n, 2);
	perfdata_close(pd);
	build_release(&b);
}

static void a_run_of_samples_ends_before_other_records_and_early_times(void **state)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME);
	struct scout_run run;
	struct perfdata *pd;
	struct chunk c;

	build_sample(&b, .time = 5);
	build_sample(&b, .time = 3);
	build_sample(&b, .time = 7);
	build_comm(&b, .pid = 1, .tid = 1, .comm = "x");
	build_sample(&b, .time = 9);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	run = scout_sum(pd, &c, stream_size(pd, 0), 1);
	assert_int_equal(run.records, 3);
	assert_int_equal(run.least_time, 3);
	assert_int_equal(run.most_time, 7);
	assert_int_equal(run.least_pos, run.to / 3);
	assert_int_equal(run.to, chunk_pos(&c));
	chunk_seek(&c, 0);
	run = scout_sum(pd, &c, stream_size(pd, 0), 4);
	assert_int_equal(run.records, 1);
	chunk_seek(&c, 0);
	run = scout_sum(pd, &c, run.to + 1, 1);
	assert_int_equal(run.records, 2); /* the second one begins before the limit */
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(records_come_in_order_with_positions),
		FORMS(a_chunk_ends_at_its_limit),
		FORMS(trailers_tell_who_and_when),
		FORMS(no_trailer_without_sample_id_all),
		FORMS(damage_is_stepped_over),
		FORMS(a_cursor_passes_damage),
		FORMS(wrong_sizes_cost_one_record),
		FORMS(short_bodies_are_counted_and_skipped),
		FORMS(sizes_need_not_be_multiples_of_8),
		FORMS(payload_goes_with_its_record),
		FORMS(payload_past_the_end_is_refused),
		FORMS(compressed_records_are_expanded),
		cmocka_unit_test(expanding_ends_when_it_shall_stop),
		FORMS(unreadable_compressed_data_is_counted),
		FORMS(any_ratio_is_expanded),
		cmocka_unit_test(expensive_input_stops),
		FORMS(too_many_other_records_stop),
		cmocka_unit_test(without_room_expanding_stops),
		FORMS(rings_are_walked_like_files),
		FORMS(ids_lead_to_events),
		cmocka_unit_test(a_run_of_samples_ends_before_other_records_and_early_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
