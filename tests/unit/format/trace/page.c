#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/bytes.h"
#include "format/trace/page.h"

/* As Linux 6.18 has it on x86-64 (tests/fuzz has the 32-bit one). */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_page_32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				     "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";

/* A page being built, in either byte order. */
struct builder {
	struct trace_layout layout;
	uint8_t bytes[4096];
	size_t len;
};

static void put(struct builder *b, size_t at, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		b->bytes[at + i] = (uint8_t)(v >> 8 * (b->layout.big_endian ? size - 1 - i : i));
}

static void start(struct builder *b, bool big_endian, bool narrow)
{
	const char *text = narrow ? header_page_32 : header_page;

	memset(b, 0, sizeof(*b));
	assert_int_equal(trace_layout_parse(&b->layout, text, strlen(text), 0, big_endian, NULL), 0);
	assert_int_equal(b->layout.page_size, 4096);
	b->len = b->layout.data_offset;
	put(b, 0, 1000, 8);
}

static void word(struct builder *b, uint32_t v)
{
	put(b, b->len, v, 4);
	b->len += 4;
}

static void head(struct builder *b, uint32_t type, uint32_t delta)
{
	word(b, b->layout.big_endian ? type << 27 | delta : delta << 5 | type);
}

static void open_page(struct builder *b, struct trace_page *p, uint32_t flags)
{
	uint64_t commit = (b->len - b->layout.data_offset) | flags;

	put(b, 8, commit, b->layout.commit_size);
	assert_int_equal(trace_page_open(p, &b->layout, b->bytes, sizeof(b->bytes), NULL), 0);
}

static void expect(struct trace_page *p, uint64_t time_ns, uint32_t size, uint8_t first)
{
	struct trace_entry entry;

	assert_int_equal(trace_page_next(p, &entry, NULL), 1);
	assert_int_equal(entry.time_ns, time_ns);
	assert_int_equal(entry.size, size);
	assert_int_equal(*entry.data, first);
}

static void all_kinds_of_entries(bool big_endian, bool narrow)
{
	struct builder b;
	struct trace_page p;
	struct trace_entry entry;

	start(&b, big_endian, narrow);
	head(&b, 2, 0); /* eight bytes */
	memset(b.bytes + b.len, 0x11, 8);
	b.len += 8;
	head(&b, 30, 5); /* extends the time by 3 << 27 | 5 */
	word(&b, 3);
	head(&b, 0, 7); /* long data: the length counts itself */
	word(&b, 4 + 128);
	memset(b.bytes + b.len, 0x22, 128);
	b.len += 128;
	head(&b, 29, 9); /* a discarded entry */
	word(&b, 12);
	b.len += 8;
	head(&b, 31, 1); /* absolute */
	word(&b, 1);
	head(&b, 1, 2);
	memset(b.bytes + b.len, 0x33, 4);
	b.len += 4;
	head(&b, 29, 0); /* the end */
	b.len += 100;
	open_page(&b, &p, 0);
	assert_false(p.lost);
	expect(&p, 1000, 8, 0x11);
	expect(&p, 1000 + (3u << 27) + 5 + 7, 128, 0x22);
	expect(&p, (1u << 27) + 1 + 2, 4, 0x33);
	assert_int_equal(trace_page_next(&p, &entry, NULL), 0);
	assert_int_equal(trace_page_next(&p, &entry, NULL), 0);
}

static void entries_of_each_kind(void **state)
{
	for (int i = 0; i < 4; i++)
		all_kinds_of_entries(i & 1, i & 2);
}

static void high_bits_of_a_stamp_stay(void **state)
{
	struct builder b;
	struct trace_page p;

	start(&b, false, false);
	put(&b, 0, (UINT64_C(5) << 59) + 1, 8);
	head(&b, 31, 7);
	word(&b, 2);
	head(&b, 1, 0);
	word(&b, 0x44);
	open_page(&b, &p, 0);
	expect(&p, (UINT64_C(5) << 59) + (UINT64_C(2) << 27) + 7, 4, 0x44);
}

static void lost_events_are_counted(void **state)
{
	for (int narrow = 0; narrow < 2; narrow++) {
		struct builder b;
		struct trace_page p;

		start(&b, narrow, narrow);
		head(&b, 1, 0);
		word(&b, 1);
		put(&b, b.len, 841, b.layout.commit_size);
		open_page(&b, &p, 1u << 31 | 1u << 30);
		assert_true(p.lost);
		assert_int_equal(p.n_lost, 841);
		open_page(&b, &p, 1u << 31);
		assert_true(p.lost);
		assert_int_equal(p.n_lost, 0);
	}
}

static void bad_pages_are_refused(void **state)
{
	struct builder b;
	struct trace_page p;
	struct trace_entry entry;
	struct err e = { 0 };

	start(&b, false, false);
	put(&b, 8, 4081, 8);
	assert_int_equal(trace_page_open(&p, &b.layout, b.bytes, sizeof(b.bytes), &e), -1);
	assert_string_equal(e.what, "page of 4096 bytes claims 4081 bytes of data");
	assert_int_equal(trace_page_open(&p, &b.layout, b.bytes, 15, NULL), -1);

	/* an entry that runs over the end, a length of less than itself, no room for the length */
	start(&b, false, false);
	head(&b, 28, 0);
	b.len += 4;
	open_page(&b, &p, 0);
	assert_int_equal(trace_page_next(&p, &entry, &e), -1);
	assert_string_equal(e.what, "page has a bad entry at byte 16");
	start(&b, false, false);
	head(&b, 0, 0);
	word(&b, 3);
	open_page(&b, &p, 0);
	assert_int_equal(trace_page_next(&p, &entry, NULL), -1);
	start(&b, false, false);
	head(&b, 30, 0);
	open_page(&b, &p, 0);
	assert_int_equal(trace_page_next(&p, &entry, NULL), -1);
	start(&b, false, false);
	b.len += 2;
	open_page(&b, &p, 0);
	assert_int_equal(trace_page_next(&p, &entry, NULL), -1);
}

static void odd_layouts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n",
		"\tfield: local_t commit;\toffset:0;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:4080;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:5;\n\tfield: char data;\toffset:16;\tsize:4080;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:9;\tsize:4080;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:99999999;\tsize:4080;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:3;\n",
	};
	struct trace_layout l;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(trace_layout_parse(&l, texts[i], strlen(texts[i]), 0, false, NULL), -1);
	assert_int_equal(trace_layout_parse(&l, header_page, strlen(header_page), 8u << 20, false, NULL), -1);
	assert_int_equal(trace_layout_parse(&l, header_page, strlen(header_page), 65536, false, NULL), 0);
	assert_int_equal(l.page_size, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_of_each_kind),    cmocka_unit_test(high_bits_of_a_stamp_stay),
		cmocka_unit_test(lost_events_are_counted), cmocka_unit_test(bad_pages_are_refused),
		cmocka_unit_test(odd_layouts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
