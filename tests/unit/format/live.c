#include "format/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"
#include "tests/lib/pieces.h"

static struct perfdata *opened(struct pieces *p)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open_live("input", &(struct live_bytes){ read_piece, p }, &e);

	if (!pd)
		fail_msg("%s", e.what);
	return pd;
}

/* Add up the times of the samples from `from` on. Return the position behind the last record. */
static uint64_t add_times(struct perfdata *pd, uint64_t from, uint64_t *sum)
{
	struct record r;
	struct chunk c;

	perfdata_chunk(pd, 0, from, stream_size(pd, 0), NULL, &c);
	while (chunk_next(&c, &r, NULL) > 0)
		if (r.type == RECORD_SAMPLE)
			*sum += load_u64(r.body);
	chunk_release(&c);
	return stream_size(pd, 0);
}

static void add_samples(struct build *b)
{
	size_t from;

	for (uint64_t i = 0; i < 20; i++)
		build_sample(b, .time = 10 + i);
	from = b->records.len;
	for (uint64_t i = 0; i < 20; i++)
		build_sample(b, .time = 100 + i);
	build_compress(b, from);
}

static void records_are_whole_in_pieces_of_any_size(void **state)
{
	enum { SUM = 20 * 10 + 20 * 100 + 2 * 190 };
	struct build b = build_start_as(BUILD_PIPE, SAMPLE_TIME);

	add_samples(&b);
	for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1) {
		struct pieces p = { .piece = piece };
		uint64_t sum = 0, pos = 0;
		struct perfdata *pd;

		p.data = build_bytes(&b, &p.left);
		pd = opened(&p);
		assert_true(perfdata_is_live(pd));
		assert_int_equal(pd->n_events, 1);
		do {
			pos = add_times(pd, pos, &sum);
			perfdata_drop(pd, pos);
		} while (perfdata_more(pd, 0, NULL) > 0);
		assert_int_equal(sum, SUM);
		assert_false(pd->notes.cut);
		perfdata_close(pd);
	}
	build_release(&b);
}

static void only_what_came_is_dropped(void **state)
{
	struct build b = build_start_as(BUILD_PIPE, SAMPLE_TIME);
	struct pieces p = { .piece = 100 };
	struct perfdata *pd;
	uint64_t sum = 0, pos = 0;

	for (uint64_t i = 0; i < 20; i++)
		build_sample(&b, .time = 1);
	p.data = build_bytes(&b, &p.left);
	pd = opened(&p);
	do {
		pos = add_times(pd, pos, &sum);
		perfdata_drop(pd, pos + 1000);
		assert_int_equal(stream_size(pd, 0), pos);
	} while (perfdata_more(pd, 0, NULL) > 0);
	assert_int_equal(sum, 20);
	perfdata_close(pd);
	build_release(&b);
}

static void a_cut_record_at_the_end_is_noted(void **state)
{
	struct build b = build_start_as(BUILD_PIPE, SAMPLE_TIME);
	struct pieces p = { .piece = 4096 };
	struct perfdata *pd;
	uint64_t sum = 0;

	build_sample(&b, .time = 1);
	build_sample(&b, .time = 2);
	p.data = build_bytes(&b, &p.left);
	p.left -= 4;
	pd = opened(&p);
	while (perfdata_more(pd, 0, NULL) > 0)
		;
	add_times(pd, 0, &sum);
	assert_int_equal(sum, 1);
	assert_true(pd->notes.cut);
	assert_int_equal(pd->notes.cut_type, RECORD_SAMPLE);
	perfdata_close(pd);
	build_release(&b);
}

/* Bytes that are not in the input must not be read: the contents of a COMPRESSED record have no payload. */
static void a_payload_that_is_not_there_ends_the_preamble(void **state)
{
	struct build b = build_start_as(BUILD_PIPE, SAMPLE_TIME);
	const uint32_t size[2] = { 0x7ffffff0 };
	size_t from = b.records.len;
	struct pieces p = { .piece = 4096 };
	struct perfdata *pd;
	size_t len;

	build_record(&b, RECORD_HEADER_TRACING_DATA, 0, size, sizeof(size), "44");
	build_compress(&b, from);
	build_sample(&b, .time = 1);
	p.data = build_bytes(&b, &p.left);
	pd = opened(&p);
	perfdata_preamble(pd, &len);
	assert_true(len < 4096);
	assert_int_equal(pd->n_events, 1);
	perfdata_close(pd);
	build_release(&b);
}

static void the_file_form_is_read_as_a_whole(void **state)
{
	struct build b = build_start_as(BUILD_FILE, SAMPLE_TIME);
	struct pieces p = { .piece = 100 };
	struct perfdata *pd;
	uint64_t sum = 0;

	add_samples(&b);
	p.data = build_bytes(&b, &p.left);
	pd = opened(&p);
	assert_false(perfdata_is_live(pd));
	assert_false(pd->pipe);
	add_times(pd, 0, &sum);
	assert_true(sum > 0);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_whole_in_pieces_of_any_size),
		cmocka_unit_test(only_what_came_is_dropped),
		cmocka_unit_test(a_cut_record_at_the_end_is_noted),
		cmocka_unit_test(a_payload_that_is_not_there_ends_the_preamble),
		cmocka_unit_test(the_file_form_is_read_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
