#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "report/ftrace/stream.h"

/* A page whose entries have a u32 each; only time and CPU matter here. */
static const char header_page[] = "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:112;\tsigned:0;\n";
enum { PAGE = 128 };

static struct ftrace_meta *meta(void)
{
	struct tracing_data td = { .long_size = 8,
				   .header_page = header_page,
				   .header_page_len = sizeof(header_page) - 1,
				   .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct ftrace_meta *m = ftrace_meta_new(&td, 0, NULL, NULL);

	assert_non_null(m);
	return m;
}

/* Entries at these times, ended by 0. */
static void add(struct ftrace_stream *s, int cpu, const uint64_t *times)
{
	uint8_t page[PAGE] = { 0 }, *at = page + 16;
	uint64_t last = *times, commit;

	memcpy(page, times, 8);
	for (; *times; last = *times++) {
		uint32_t delta = (uint32_t)(*times - last);
		uint32_t head = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1u << 27 | delta : delta << 5 | 1;

		memcpy(at, &head, 4);
		at += 8;
	}
	commit = (uint64_t)(at - page - 16);
	memcpy(page + 8, &commit, 8);
	ftrace_stream_add(s, cpu, page, PAGE, false);
}
#define ADD(s, cpu, ...) add(s, cpu, (const uint64_t[]){ __VA_ARGS__, 0 })

static void expect(struct ftrace_stream *s, uint64_t time_ns, int cpu)
{
	struct ftrace_event ev;

	assert_int_equal(ftrace_stream_next(s, &ev), 1);
	assert_int_equal(ev.time_ns, time_ns);
	assert_int_equal(ev.cpu, cpu);
}

static void expect_none(struct ftrace_stream *s)
{
	struct ftrace_event ev;

	assert_int_equal(ftrace_stream_next(s, &ev), 0);
}

static void cpus_are_merged_by_time(void **state)
{
	struct ftrace_meta *m = meta();
	struct ftrace_stream *s = ftrace_stream_new(m);

	ADD(s, 0, 10, 40, 50);
	ADD(s, 1, 20, 30, 60);
	ADD(s, 0, 70);
	ftrace_stream_end(s);
	expect(s, 10, 0);
	expect(s, 20, 1);
	expect(s, 30, 1);
	expect(s, 40, 0);
	assert_int_equal(ftrace_stream_following(s)->time_ns, 50);
	ftrace_stream_skip(s);
	expect(s, 60, 1);
	assert_null(ftrace_stream_following(s));
	expect(s, 70, 0);
	expect_none(s);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
}

static void later_rounds_may_bring_older_entries(void **state)
{
	struct ftrace_meta *m = meta();
	struct ftrace_stream *s = ftrace_stream_new(m);

	/* CPU 0 was read before CPU 1, and then ran on */
	ADD(s, 0, 10);
	ADD(s, 1, 12, 30);
	ftrace_stream_round(s);
	expect_none(s);
	ADD(s, 0, 20, 40);
	ftrace_stream_round(s); /* all up to 30 are there now */
	/* 10 has a follower; what has none waits a round longer */
	expect(s, 10, 0);
	expect(s, 12, 1);
	expect(s, 20, 0);
	expect_none(s);
	ftrace_stream_round(s);
	expect(s, 30, 1);
	ftrace_stream_round(s);
	ftrace_stream_round(s);
	expect(s, 40, 0);
	expect_none(s);
	assert_int_equal(ftrace_stream_waiting(s), 0);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
}

static void a_cpu_that_is_behind_holds_back_the_others(void **state)
{
	struct ftrace_meta *m = meta();
	struct ftrace_stream *s = ftrace_stream_new(m);

	ADD(s, 0, 10, 11);
	ADD(s, 1, 100, 110);
	ftrace_stream_behind(s, 0);
	ftrace_stream_round(s);
	ADD(s, 0, 12, 90);
	ftrace_stream_behind(s, 0);
	ftrace_stream_round(s); /* CPU 0 is known up to 90 */
	expect(s, 10, 0);
	expect(s, 11, 0);
	expect(s, 12, 0);
	expect_none(s);
	ADD(s, 0, 95);
	ftrace_stream_round(s);
	expect(s, 90, 0);
	ftrace_stream_round(s);
	expect(s, 95, 0);
	expect(s, 100, 1);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
}

static void damaged_pages_are_counted(void **state)
{
	struct ftrace_meta *m = meta();
	struct ftrace_stream *s = ftrace_stream_new(m);
	uint8_t page[PAGE];

	memset(page, 0xff, sizeof(page));
	ADD(s, 0, 10);
	ftrace_stream_add(s, 0, page, PAGE, true);
	ftrace_stream_add(s, 0, page, 3, true);
	ADD(s, 0, 20);
	ftrace_stream_end(s);
	expect(s, 10, 0);
	expect(s, 20, 0);
	expect_none(s);
	assert_int_equal(m->n_bad_pages, 2);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_merged_by_time),
		cmocka_unit_test(later_rounds_may_bring_older_entries),
		cmocka_unit_test(a_cpu_that_is_behind_holds_back_the_others),
		cmocka_unit_test(damaged_pages_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
