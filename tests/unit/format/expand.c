#include "tests/lib/forms.h"

#include <zstd.h>

/*
 * COMPRESSED records whose contents begin and end anywhere, and damaged ones. chunk.c tests the usual ones, and the
 * limits. Samples have a time, which tells them apart.
 */
enum { HEADER = 8 };

/* Records that are not in the recording yet: the last ones of a builder are taken out again. */
struct plain {
	uint8_t bytes[512];
	size_t len;
};

static struct plain take_out(struct build *b, size_t from)
{
	struct plain p = { .len = b->records.len - from };

	assert_true(p.len <= sizeof(p.bytes));
	memcpy(p.bytes, b->records.items + from, p.len);
	b->records.len = from;
	return p;
}

static struct plain samples(struct build *b, uint64_t first, uint64_t last)
{
	size_t from = b->records.len;

	for (uint64_t time = first; time <= last; time++)
		build_sample(b, .time = time);
	return take_out(b, from);
}

/*
 * Put bytes into a COMPRESSED record as perf before 6.16 writes it, or with the size of the frame and padding. `excess`
 * is added to this size.
 */
static void put(struct build *b, uint32_t type, const uint8_t *bytes, size_t len, int64_t excess)
{
	uint8_t body[1024] = { 0 };
	size_t n = ZSTD_compress(body + 8, sizeof(body) - 8, bytes, len, 1);
	uint64_t size = n + (uint64_t)excess;

	assert_false(ZSTD_isError(n));
	memcpy(body, &size, 8);
	if (type == RECORD_COMPRESSED)
		build_record(b, type, 0, body + 8, n, "s");
	else
		build_record(b, type, 0, body, 8 + ROUND_UP(n, (size_t)8), "8s");
}

/* The times of all samples, one after the other, with a 'c' for each COMM. */
static void records_are(const struct perfdata *pd, const char *wanted)
{
	struct format_notes notes = { 0 };
	struct chunk c;
	struct record r;
	struct out o;
	int got;

	out_init_mem(&o);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), &notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))) {
		if (got > 0 && r.type == RECORD_SAMPLE)
			out_fmt(&o, "%llu", (unsigned long long)load_u64(r.body));
		else if (got > 0 && r.type == RECORD_COMM)
			out_char(&o, 'c');
	}
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
	chunk_release(&c);
}

/* Open, compare the records and the number of bad ones, and release. */
static void expands_to(struct build *b, const char *wanted, uint64_t n_bad)
{
	struct perfdata *pd = build_open(b);

	assert_true(pd->compressed);
	assert_int_equal(pd->notes.bad_records, n_bad);
	assert_int_equal(pd->notes.stop, STOP_NONE);
	assert_false(pd->notes.cut);
	records_are(pd, wanted);
	perfdata_close(pd);
	build_release(b);
}

static void a_record_may_continue_in_the_next_one(void **state)
{
	for (uint32_t type = RECORD_COMPRESSED; type <= RECORD_COMPRESSED2;
	     type += RECORD_COMPRESSED2 - RECORD_COMPRESSED) {
		for (size_t cut = 0; cut <= 3 * (HEADER + 8); cut++) {
			struct build b = build_start_as(FORM, SAMPLE_TIME);
			struct plain p = samples(&b, 1, 3);

			assert_int_equal(p.len, 3 * (HEADER + 8));
			put(&b, type, p.bytes, cut, 0);
			put(&b, type, p.bytes + cut, p.len - cut, 0);
			expands_to(&b, "123", 0);
		}
	}
}

static void a_record_may_arrive_byte_by_byte(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct plain p = samples(&b, 1, 2);

	for (size_t i = 0; i < p.len; i++)
		put(&b, RECORD_COMPRESSED2, p.bytes + i, 1, 0);
	expands_to(&b, "12", 0);
}

/* The plain record comes first, because the other one is not complete before it. */
static void plain_records_may_lie_between_two_parts(void **state)
{
	for (size_t cut = 17; cut < 32; cut++) {
		struct build b = build_start_as(FORM, SAMPLE_TIME);
		struct plain p = samples(&b, 1, 3);

		put(&b, RECORD_COMPRESSED, p.bytes, cut, 0);
		build_comm(&b, .time = 9, .comm = "between");
		put(&b, RECORD_COMPRESSED, p.bytes + cut, p.len - cut, 0);
		build_sample(&b, .time = 4);
		expands_to(&b, "1c234", 0);
	}
}

/* perf flushes one stream into each record and never ends its frame. */
static void one_frame_may_go_on_through_all_records(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct plain p = samples(&b, 1, 9);
	ZSTD_CCtx *stream = ZSTD_createCCtx();

	for (size_t i = 0; i < 9; i++) {
		uint8_t body[256];
		ZSTD_inBuffer in = { p.bytes + 16 * i, 16, 0 };
		ZSTD_outBuffer out = { body, sizeof(body), 0 };

		assert_int_equal(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush), 0);
		build_record(&b, RECORD_COMPRESSED, 0, body, out.pos, "s");
		if (i == 4)
			build_comm(&b, .time = 9, .comm = "between");
	}
	ZSTD_freeCCtx(stream);
	expands_to(&b, "12345c6789", 0);
}

static void a_record_without_contents_is_none(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct plain p = samples(&b, 1, 1);

	put(&b, RECORD_COMPRESSED, p.bytes, 0, 0);
	put(&b, RECORD_COMPRESSED2, p.bytes, 0, 0);
	put(&b, RECORD_COMPRESSED2, p.bytes, p.len, 0);
	expands_to(&b, "1", 0);
}

static void a_frame_longer_than_its_record_is_bad(void **state)
{
	static const struct {
		int64_t excess;
		bool bad;
	} cases[] = { { 0, false }, { 8, true }, { 1ll << 40, true }, { INT64_MAX, true } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct build b = build_start_as(FORM, SAMPLE_TIME);
		struct plain p = samples(&b, 1, 1), q = samples(&b, 2, 2);

		put(&b, RECORD_COMPRESSED2, p.bytes, p.len, cases[i].excess);
		put(&b, RECORD_COMPRESSED2, q.bytes, q.len, 0);
		expands_to(&b, cases[i].bad ? "2" : "12", cases[i].bad);
	}
}

static void damage_ends_with_its_record(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct plain p = samples(&b, 1, 2), q = samples(&b, 3, 3);

	put(&b, RECORD_COMPRESSED, p.bytes, p.len, 0);
	build_record(&b, RECORD_COMPRESSED, 0, "no zstd frame...", 16, "s");
	put(&b, RECORD_COMPRESSED, q.bytes, q.len, 0);
	expands_to(&b, "123", 1);
}

/* Nothing behind such a size can be told apart; the records before it stay. */
static void contents_with_an_impossible_size_are_bad(void **state)
{
	for (unsigned size = 0; size <= HEADER; size++) {
		struct build b = build_start_as(FORM, SAMPLE_TIME);
		struct plain p = samples(&b, 1, 3), q = samples(&b, 4, 4);
		bool swap = FORM == BUILD_FILE_SWAPPED || FORM == BUILD_PIPE_SWAPPED;

		p.bytes[16] = p.bytes[17] = p.bytes[18] = p.bytes[19] = 0; /* no known record type */
		p.bytes[22 + (swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))] = (uint8_t)size;
		p.bytes[22 + (swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))] = 0;
		put(&b, RECORD_COMPRESSED2, p.bytes, size == HEADER ? 16 + HEADER : p.len, 0);
		put(&b, RECORD_COMPRESSED2, q.bytes, q.len, 0);
		expands_to(&b, "14", size < HEADER);
	}
}

static void the_rest_of_the_last_record_is_noted(void **state)
{
	for (size_t len = 17; len <= 32; len++) {
		struct build b = build_start_as(FORM, SAMPLE_TIME);
		struct plain p = samples(&b, 1, 2);
		struct perfdata *pd;

		put(&b, RECORD_COMPRESSED, p.bytes, len, 0);
		pd = build_open(&b);
		assert_int_equal(pd->notes.cut, len < 32);
		assert_int_equal(pd->notes.cut_type, len < 32 ? RECORD_COMPRESSED : 0);
		records_are(pd, len < 32 ? "1" : "12");
		perfdata_close(pd);
		build_release(&b);
	}
}

static void a_record_may_have_several_frames(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	struct plain p = samples(&b, 1, 3);
	uint8_t body[256];
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		n += ZSTD_compress(body + n, sizeof(body) - n, p.bytes + 16 * i, 16, 1);
	build_record(&b, RECORD_COMPRESSED, 0, body, n, "s");
	expands_to(&b, "123", 0);
}

/*
 * We expand 256 KB at a time, and a block of zstd holds 128 KB. After a first block of 16 bytes, the third one does not
 * fit into the rest of these, although zstd has read it.
 */
static void contents_of_several_windows_are_whole(void **state)
{
	enum { N = 1 + (256 << 10) / 16 };
	struct build b = build_start_as(FORM, SAMPLE_TIME);
	ZSTD_CCtx *stream = ZSTD_createCCtx();
	uint8_t *bytes, body[60000];
	ZSTD_outBuffer out = { body, sizeof(body), 0 };
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	uint64_t n = 0;

	for (uint64_t i = 0; i < N; i++)
		build_sample(&b, .time = i % 4);
	assert_int_equal(b.records.len, 16 * N);
	bytes = xmalloc(b.records.len);
	memcpy(bytes, b.records.items, b.records.len);
	b.records.len = 0;
	for (size_t from = 0; from < 16 * N; from = from ? 16 * N : 16) {
		ZSTD_inBuffer in = { bytes + from, from ? 16 * N - from : 16, 0 };

		assert_int_equal(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush), 0);
	}
	build_record(&b, RECORD_COMPRESSED, 0, body, out.pos, "s");
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		if (r.type == RECORD_SAMPLE)
			assert_int_equal(load_u64(r.body), n++ % 4);
	assert_int_equal(n, N);
	chunk_release(&c);
	perfdata_close(pd);
	ZSTD_freeCCtx(stream);
	free(bytes);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(a_record_may_continue_in_the_next_one),    FORMS(a_record_may_arrive_byte_by_byte),
		FORMS(plain_records_may_lie_between_two_parts),  FORMS(one_frame_may_go_on_through_all_records),
		FORMS(a_record_may_have_several_frames),         FORMS(a_record_without_contents_is_none),
		FORMS(a_frame_longer_than_its_record_is_bad),    FORMS(damage_ends_with_its_record),
		FORMS(contents_with_an_impossible_size_are_bad), FORMS(the_rest_of_the_last_record_is_noted),
		FORMS(contents_of_several_windows_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
