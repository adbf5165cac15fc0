/*
 * Files of Parquet, read by a small decoder of our own. Sources: parquet.thrift and README.md of
 * https://github.com/apache/parquet-format; Encodings.md there.
 */
#include "base/encode/parquet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <zstd.h>

#include "base/bytes.h"
#include "base/mem.h"

/* ---- Thrift's compact protocol ---- */

enum { NOTHING = 0, I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };
struct value {
	uint8_t type;
	struct bytes at;
};

static int64_t take_number(struct bytes *b)
{
	uint64_t v = bytes_uleb(b);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Go on to the next field of a struct. Return false at its end. */
static bool next_field(struct bytes *b, unsigned *number, uint8_t *type)
{
	uint8_t head = bytes_u8(b);

	*type = head & 15;
	if (*type)
		*number = head >> 4 ? *number + (head >> 4) : (unsigned)take_number(b);
	return *type;
}

static size_t take_list(struct bytes *b, uint8_t *type)
{
	uint8_t head = bytes_u8(b);

	*type = head & 15;
	return head >> 4 == 15 ? (size_t)bytes_uleb(b) : head >> 4;
}

static void skip_value(struct bytes *b, uint8_t type)
{
	unsigned number = 0;
	uint8_t of;

	switch (type) {
	case I32:
	case I64: bytes_uleb(b); break;
	case BINARY: bytes_take(b, bytes_uleb(b)); break;
	case LIST:
		for (size_t n = take_list(b, &of); n; n--)
			skip_value(b, of);
		break;
	case STRUCT:
		while (next_field(b, &number, &of))
			skip_value(b, of);
		break;
	default: fail_msg("unknown type %u", type);
	}
	assert_false(b->bad);
}

static struct value field(struct value s, unsigned wanted)
{
	struct value v = { .at = s.at };
	unsigned number = 0;

	assert_int_equal(s.type, STRUCT);
	while (next_field(&v.at, &number, &v.type) && number != wanted)
		skip_value(&v.at, v.type);
	return v;
}

static size_t length(struct value list)
{
	uint8_t type;

	assert_int_equal(list.type, LIST);
	return take_list(&list.at, &type);
}

static struct value item(struct value list, size_t i)
{
	struct value v = { .at = list.at };

	assert_true(i < length(list));
	for (take_list(&v.at, &v.type); i; i--)
		skip_value(&v.at, v.type);
	return v;
}

/* A number of a field that is not there is -1: no number of these files is below 0. */
static int64_t number(struct value v) { return v.type == I32 || v.type == I64 ? take_number(&v.at) : -1; }

static void expect_bytes(struct value v, const void *bytes, size_t len)
{
	assert_int_equal(v.type, BINARY);
	assert_int_equal(bytes_uleb(&v.at), len);
	assert_memory_equal(bytes_take(&v.at, len), bytes, len);
}

static void expect_text(struct value v, const char *text) { expect_bytes(v, text, strlen(text)); }

/* ---- files ---- */

/* Fields of parquet.thrift. */
enum { FILE_VERSION = 1, FILE_SCHEMA, FILE_ROWS, FILE_GROUPS, FILE_CREATED_BY = 6, FILE_ORDERS };
enum { SCHEMA_TYPE = 1, SCHEMA_REPETITION = 3, SCHEMA_NAME, SCHEMA_CHILDREN, SCHEMA_CONVERTED };
enum { GROUP_COLUMNS = 1, GROUP_BYTES, GROUP_ROWS };
enum { CHUNK_OFFSET = 2, CHUNK_META };
enum { META_TYPE = 1, META_ENCODINGS, META_PATH, META_CODEC, META_VALUES, META_UNCOMPRESSED, META_COMPRESSED };
enum { META_DATA = 9, META_DICTIONARY = 11, META_STATISTICS };
enum { STATISTICS_NULLS = 3, STATISTICS_MAX = 5, STATISTICS_MIN };
enum { PAGE_TYPE = 1, PAGE_UNCOMPRESSED, PAGE_COMPRESSED, PAGE_DATA_HEADER = 5, PAGE_DICTIONARY_HEADER = 7 };
/* Numbers of its enums. */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { PLAIN = 0, RLE = 3, DELTA = 5, DICTIONARY = 8 };

struct file {
	struct out o;
	struct value footer;
	size_t footer_at;
};

static struct file write_file(const struct table_column *columns, size_t rows, void *ctx)
{
	const struct data_table t = { "table", columns, rows, ctx };
	struct file f = { 0 };
	size_t len;

	out_init_mem(&f.o);
	parquet_write(&t, "a test", &f.o);
	assert_memory_equal(f.o.buf, "PAR1", 4);
	assert_memory_equal(f.o.buf + f.o.len - 4, "PAR1", 4);
	len = load_u32(f.o.buf + f.o.len - 8);
	assert_true(len <= f.o.len - 12);
	f.footer_at = f.o.len - 8 - len;
	f.footer = (struct value){ STRUCT, bytes_of(f.o.buf + f.footer_at, len, false) };
	return f;
}

static struct value group_of(const struct file *f, size_t group) { return item(field(f->footer, FILE_GROUPS), group); }

static struct value meta_of(const struct file *f, size_t group, size_t column)
{
	return field(item(field(group_of(f, group), GROUP_COLUMNS), column), CHUNK_META);
}

struct page {
	int64_t type, values, encoding;
	size_t len, end; /* end: where the next page begins */
	size_t whole;    /* bytes of its header and of its content, before compression */
	uint8_t bytes[256];
};

static struct page read_page(const struct file *f, int64_t at)
{
	struct value h = { STRUCT, bytes_of(f->o.buf + at, f->footer_at - (size_t)at, false) }, more;
	struct page p = { .type = number(field(h, PAGE_TYPE)) };
	struct bytes content = h.at;
	size_t packed = (size_t)number(field(h, PAGE_COMPRESSED));

	more = field(h, p.type == DATA_PAGE ? PAGE_DATA_HEADER : PAGE_DICTIONARY_HEADER);
	p.values = number(field(more, 1));
	p.encoding = number(field(more, 2));
	if (p.type == DATA_PAGE) { /* the encodings of both kinds of levels */
		assert_int_equal(number(field(more, 3)), RLE);
		assert_int_equal(number(field(more, 4)), RLE);
	}
	skip_value(&content, STRUCT);
	p.len = (size_t)number(field(h, PAGE_UNCOMPRESSED));
	p.end = (size_t)(content.at - (const uint8_t *)f->o.buf) + packed;
	p.whole = p.end - packed - (size_t)at + p.len;
	if (p.len <= sizeof(p.bytes))
		assert_int_equal(ZSTD_decompress(p.bytes, sizeof(p.bytes), content.at, packed), p.len);
	return p;
}

static void expect_page(const struct file *f, int64_t at, int64_t values, int64_t encoding, const void *bytes,
			size_t len)
{
	struct page p = read_page(f, at);

	assert_int_equal(p.values, values);
	assert_int_equal(p.encoding, encoding);
	assert_int_equal(p.len, len);
	assert_memory_equal(p.bytes, bytes, len);
}

/* ---- tables ---- */

/* The values of a column: `n` of them, again and again. */
struct values {
	size_t n;
	const uint64_t *numbers;
	const char *const *texts;
	const size_t *lengths; /* of lists, which begin one after another in `numbers` */
};

static uint64_t number_at(void *ctx, size_t row)
{
	const struct values *v = ctx;

	return v->numbers[row % v->n];
}

static const char *text_at(void *ctx, size_t row)
{
	const struct values *v = ctx;

	return v->texts[row % v->n];
}

static const uint64_t *list_at(void *ctx, size_t row, size_t *n)
{
	const struct values *v = ctx;
	const uint64_t *items = v->numbers;

	for (size_t i = 0; i < row; i++)
		items += v->lengths[i];
	*n = v->lengths[row];
	return items;
}

static struct file write_numbers(enum table_type type, const uint64_t *numbers, size_t n)
{
	const struct table_column columns[] = { { "n", type, .number = number_at }, { 0 } };

	return write_file(columns, n, &(struct values){ .n = n, .numbers = numbers });
}

static struct file write_texts(const char *const *texts, size_t n, size_t rows)
{
	const struct table_column columns[] = { { "t", TABLE_TEXT, .text = text_at }, { 0 } };

	return write_file(columns, rows, &(struct values){ .n = n, .texts = texts });
}

static struct file write_lists(const uint64_t *numbers, const size_t *lengths, size_t rows)
{
	const struct table_column columns[] = { { "l", TABLE_U64_LIST, .list = list_at }, { 0 } };

	return write_file(columns, rows, &(struct values){ .numbers = numbers, .lengths = lengths });
}

/* ---- the footer ---- */

static void expect_element(struct value schema, size_t i, const char *name, int64_t type, int64_t repetition,
			   int64_t children, int64_t converted)
{
	struct value e = item(schema, i);

	expect_text(field(e, SCHEMA_NAME), name);
	assert_int_equal(number(field(e, SCHEMA_TYPE)), type);
	assert_int_equal(number(field(e, SCHEMA_REPETITION)), repetition);
	assert_int_equal(number(field(e, SCHEMA_CHILDREN)), children);
	assert_int_equal(number(field(e, SCHEMA_CONVERTED)), converted);
}

static void columns_have_types(void **state)
{
	static const struct table_column columns[] = {
		{ "u", TABLE_U64, .number = number_at },
		{ "i", TABLE_I64, .number = number_at },
		{ "n", TABLE_I32, .number = number_at },
		{ "b", TABLE_BOOL, .number = number_at },
		{ "l", TABLE_U64_LIST, .list = list_at },
		{ "t", TABLE_TEXT, .text = text_at },
		{ 0 },
	};
	enum { REQUIRED, REPEATED = 2, NONE = -1 };
	enum { UTF8 = 0, CONVERTED_LIST = 3, UINT_64 = 14 };
	enum { BOOLEAN, INT32, INT64, BYTE_ARRAY = 6 };
	struct file f = write_file(columns, 0, NULL);
	struct value schema = field(f.footer, FILE_SCHEMA);

	assert_int_equal(length(schema), 9);
	expect_element(schema, 0, "table", NONE, NONE, 6, NONE);
	expect_element(schema, 1, "u", INT64, REQUIRED, NONE, UINT_64);
	expect_element(schema, 2, "i", INT64, REQUIRED, NONE, NONE);
	expect_element(schema, 3, "n", INT32, REQUIRED, NONE, NONE);
	expect_element(schema, 4, "b", BOOLEAN, REQUIRED, NONE, NONE);
	expect_element(schema, 5, "l", NONE, REQUIRED, 1, CONVERTED_LIST);
	expect_element(schema, 6, "list", NONE, REPEATED, 1, NONE);
	expect_element(schema, 7, "element", INT64, REQUIRED, NONE, UINT_64);
	expect_element(schema, 8, "t", BYTE_ARRAY, REQUIRED, NONE, UTF8);
	/* Only leaves have an order. Without it, readers ignore the statistics. */
	assert_int_equal(length(field(f.footer, FILE_ORDERS)), 6);
	assert_int_equal(field(item(field(f.footer, FILE_ORDERS), 5), 1).type, STRUCT);
	out_release(&f.o);
}

static void a_table_without_rows_has_no_groups(void **state)
{
	struct file f = write_numbers(TABLE_U64, NULL, 0);

	assert_int_equal(f.footer_at, 4);
	assert_int_equal(number(field(f.footer, FILE_VERSION)), 2);
	assert_int_equal(number(field(f.footer, FILE_ROWS)), 0);
	assert_int_equal(length(field(f.footer, FILE_GROUPS)), 0);
	expect_text(field(f.footer, FILE_CREATED_BY), "a test");
	out_release(&f.o);
}

/* Columns and their pages follow each other without gaps, and the footer has their sizes. */
static void sizes_and_places_fit(void **state)
{
	static const struct table_column columns[] = {
		{ "b", TABLE_BOOL, .number = number_at },
		{ "n", TABLE_I32, .number = number_at },
		{ 0 },
	};
	const uint64_t numbers[] = { 1, 0, 1 };
	struct file f = write_file(columns, 3, &(struct values){ 3, numbers });
	int64_t at = 4, group_bytes = 0;

	for (size_t i = 0; i < 2; i++) {
		struct value meta = meta_of(&f, 0, i);
		int64_t begin = at, bytes = 0;

		assert_int_equal(number(field(item(field(group_of(&f, 0), GROUP_COLUMNS), i), CHUNK_OFFSET)), at);
		assert_int_equal(number(field(meta, META_DICTIONARY)), i ? at : -1);
		if (i) {
			bytes += (int64_t)read_page(&f, at).whole;
			at = (int64_t)read_page(&f, at).end;
		}
		assert_int_equal(number(field(meta, META_DATA)), at);
		bytes += (int64_t)read_page(&f, at).whole;
		at = (int64_t)read_page(&f, at).end;
		assert_int_equal(number(field(meta, META_COMPRESSED)), at - begin);
		assert_int_equal(number(field(meta, META_UNCOMPRESSED)), bytes);
		group_bytes += bytes;
	}
	assert_int_equal(f.footer_at, at);
	assert_int_equal(number(field(group_of(&f, 0), GROUP_BYTES)), group_bytes);
	out_release(&f.o);
}

/* ---- encodings ---- */

static int64_t encoding_of(enum table_type type, const uint64_t *numbers, size_t n)
{
	struct file f = write_numbers(type, numbers, n);
	struct value meta = meta_of(&f, 0, 0);
	int64_t encoding = read_page(&f, number(field(meta, META_DATA))).encoding;

	assert_int_equal(number(item(field(meta, META_ENCODINGS), 2)), encoding);
	assert_int_equal(number(field(meta, META_DICTIONARY)) >= 0, encoding == DICTIONARY);
	out_release(&f.o);
	return encoding;
}

/* A dictionary pays if each number occurs twice on average. */
static void numbers_that_repeat_have_a_dictionary(void **state)
{
	static const struct {
		enum table_type type;
		size_t n;
		uint64_t numbers[5];
		int64_t encoding;
	} rows[] = {
		{ TABLE_U64, 1, { 7 }, DELTA },
		{ TABLE_U64, 2, { 7, 7 }, DICTIONARY },
		{ TABLE_U64, 4, { 1, 2, 2, 1 }, DICTIONARY },
		{ TABLE_U64, 4, { 1, 2, 3, 1 }, DELTA },
		{ TABLE_I64, 5, { 1, 2, 2, 3, 1 }, DELTA },
		{ TABLE_I64, 5, { 1, 2, 2, 2, 2 }, DICTIONARY },
		{ TABLE_I32, 4, { 1, 2, 3, 4 }, DICTIONARY },
		{ TABLE_BOOL, 4, { 1, 1, 1, 1 }, PLAIN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(encoding_of(rows[i].type, rows[i].numbers, rows[i].n), rows[i].encoding);
}

/* The first 16384 numbers decide: a dictionary that does not pay there is given up. */
static void a_dictionary_is_given_up_early(void **state)
{
	enum { TRIED = 16384, ROWS = 4 * TRIED };
	autofree uint64_t *numbers = xcalloc(ROWS, sizeof(uint64_t));

	for (uint64_t i = 0; i < TRIED; i++)
		numbers[i] = i % (TRIED / 2);
	assert_int_equal(encoding_of(TABLE_U64, numbers, ROWS), DELTA);
	for (uint64_t i = 0; i < TRIED; i++)
		numbers[i] = i % (TRIED / 2 - 1);
	assert_int_equal(encoding_of(TABLE_U64, numbers, ROWS), DICTIONARY);
	for (uint64_t i = 0; i < TRIED; i++)
		numbers[i] = i;
	assert_int_equal(encoding_of(TABLE_I32, numbers, ROWS), DICTIONARY);
}

/* ---- pages ---- */

static void dictionaries_are_in_the_order_of_first_sight(void **state)
{
	const uint64_t numbers[] = { 9, 0x0102030405060708, 9, 0x0102030405060708 };
	struct file f = write_numbers(TABLE_U64, numbers, 4);

	expect_page(&f, 4, 2, PLAIN, "\x09\0\0\0\0\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01", 16);
	/* the width of an index, then one group of eight, one bit each */
	expect_page(&f, number(field(meta_of(&f, 0, 0), META_DATA)), 4, DICTIONARY, "\x01\x03\x0a", 3);
	out_release(&f.o);
	f = write_numbers(TABLE_I32, (const uint64_t[]){ (uint64_t)-2 }, 1);
	expect_page(&f, 4, 1, PLAIN, "\xfe\xff\xff\xff", 4);
	assert_int_equal(read_page(&f, number(field(meta_of(&f, 0, 0), META_DATA))).bytes[0], 0);
	out_release(&f.o);
}

/* The empty text is always in the dictionary, before all others. */
static void texts_have_their_length(void **state)
{
	struct file f = write_texts((const char *const[]){ "bb", "a", "bb" }, 3, 3);

	expect_page(&f, 4, 3, PLAIN, "\0\0\0\0\2\0\0\0bb\1\0\0\0a", 15);
	expect_page(&f, number(field(meta_of(&f, 0, 0), META_DATA)), 3, DICTIONARY, "\x02\x03\x19\0", 4);
	out_release(&f.o);
	f = write_texts((const char *const[]){ "" }, 1, 1);
	expect_page(&f, 4, 1, PLAIN, "\0\0\0\0", 4);
	out_release(&f.o);
}

static void booleans_are_bits(void **state)
{
	const uint64_t numbers[] = { 1, 0, 1, 1, 0, 0, 0, 1, 1 };
	struct file f = write_numbers(TABLE_BOOL, numbers, 9);

	expect_page(&f, 4, 9, PLAIN, "\x8d\x01", 2);
	out_release(&f.o);
}

/* Repetition levels: 0 begins a list. Definition levels: 0 is an empty list, which has no value. */
static void lists_have_levels(void **state)
{
	const uint64_t numbers[] = { 7, 8, 9 };
	struct file f = write_lists(numbers, (const size_t[]){ 2, 0, 1 }, 3);
	struct value meta = meta_of(&f, 0, 0);

	assert_int_equal(number(field(f.footer, FILE_ROWS)), 3);
	assert_int_equal(number(field(meta, META_VALUES)), 4);
	assert_int_equal(length(field(meta, META_PATH)), 3);
	expect_text(item(field(meta, META_PATH), 0), "l");
	expect_text(item(field(meta, META_PATH), 1), "list");
	expect_text(item(field(meta, META_PATH), 2), "element");
	expect_page(&f, number(field(meta, META_DATA)), 4, DICTIONARY,
		    "\x02\0\0\0\x03\x02"
		    "\x02\0\0\0\x03\x0b"
		    "\x02\x03\x24\0",
		    16);
	out_release(&f.o);
	f = write_lists(numbers, (const size_t[]){ 0 }, 1);
	meta = meta_of(&f, 0, 0);
	assert_int_equal(number(field(meta, META_VALUES)), 1);
	assert_int_equal(read_page(&f, 4).values, 0);
	assert_int_equal(field(meta, META_STATISTICS).type, NOTHING);
	out_release(&f.o);
}

/* ---- statistics ---- */

static void least_and_most_follow_the_sign(void **state)
{
	static const struct {
		enum table_type type;
		unsigned bytes;
		uint64_t least, most;
	} rows[] = {
		{ TABLE_U64, 8, 1, UINT64_MAX },
		{ TABLE_U64, 8, 0, 1 },
		{ TABLE_I64, 8, (uint64_t)INT64_MIN, 0 },
		{ TABLE_I64, 8, (uint64_t)-1, INT64_MAX },
		{ TABLE_I32, 4, (uint64_t)INT32_MIN, INT32_MAX },
		{ TABLE_I32, 4, (uint64_t)-2, (uint64_t)-1 },
		{ TABLE_BOOL, 1, 0, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t numbers[] = { rows[i].most, rows[i].least, rows[i].most };
		struct file f = write_numbers(rows[i].type, numbers, 3);
		struct value s = field(meta_of(&f, 0, 0), META_STATISTICS);

		assert_int_equal(number(field(s, STATISTICS_NULLS)), 0);
		expect_bytes(field(s, STATISTICS_MIN), &rows[i].least, rows[i].bytes);
		expect_bytes(field(s, STATISTICS_MAX), &rows[i].most, rows[i].bytes);
		out_release(&f.o);
	}
}

#define TEXT64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The dictionary contains the empty text in any case, the statistics only if a row has it. */
static void texts_are_compared_by_byte(void **state)
{
	static const struct {
		const char *texts[3], *least, *most;
	} rows[] = {
		{ { "b", "a", "b" }, "a", "b" },
		{ { "a", "\xc3\xa4", "z" }, "a", "\xc3\xa4" },
		{ { "b", "", "b" }, "", "b" },
		{ { "b", "c", "d" }, "b", "d" },
		{ { TEXT64, "1", "1" }, TEXT64, "1" },
		{ { TEXT64 "x", "1", "1" } }, /* too long */
		{
			{ "0", "0", TEXT64 "x" },
		}, /* ... also if it is the most */
		{ { "", "", "" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct file f = write_texts(rows[i].texts, 3, 3);
		struct value s = field(meta_of(&f, 0, 0), META_STATISTICS);

		if (rows[i].most) {
			expect_text(field(s, STATISTICS_MIN), rows[i].least);
			expect_text(field(s, STATISTICS_MAX), rows[i].most);
		} else {
			assert_int_equal(s.type, NOTHING);
		}
		out_release(&f.o);
	}
}

/* ---- row groups ---- */

static void expect_groups(struct file *f, int64_t first, int64_t second)
{
	assert_int_equal(length(field(f->footer, FILE_GROUPS)), second ? 2 : 1);
	assert_int_equal(number(field(group_of(f, 0), GROUP_ROWS)), first);
	assert_int_equal(number(field(meta_of(f, 0, 0), META_VALUES)), first);
	if (second)
		assert_int_equal(number(field(group_of(f, 1), GROUP_ROWS)), second);
	assert_int_equal(number(field(f->footer, FILE_ROWS)), first + second);
	out_release(&f->o);
}

static void a_group_has_at_most_a_million_rows(void **state)
{
	enum { MOST = 1 << 20 };
	const struct table_column columns[] = { { "b", TABLE_BOOL, .number = number_at }, { 0 } };
	struct values one = { .n = 1, .numbers = (const uint64_t[]){ 1 } };
	struct file f = write_file(columns, MOST, &one);

	expect_groups(&f, MOST, 0);
	f = write_file(columns, MOST + 1, &one);
	expect_groups(&f, MOST, 1);
}

/* A text that follows itself is counted once. */
static void a_group_has_at_most_256_megabytes_of_text(void **state)
{
	enum { LONG = 1 << 20 };
	autofree char *a = xcalloc(1, LONG + 1), *b = xcalloc(1, LONG + 1);
	struct file f;

	memset(a, 'a', LONG);
	memset(b, 'b', LONG);
	f = write_texts((const char *const[]){ a, b }, 2, 257);
	expect_groups(&f, 256, 1);
	f = write_texts((const char *const[]){ a, a }, 2, 257);
	expect_groups(&f, 257, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_have_types),
		cmocka_unit_test(a_table_without_rows_has_no_groups),
		cmocka_unit_test(sizes_and_places_fit),
		cmocka_unit_test(numbers_that_repeat_have_a_dictionary),
		cmocka_unit_test(a_dictionary_is_given_up_early),
		cmocka_unit_test(dictionaries_are_in_the_order_of_first_sight),
		cmocka_unit_test(texts_have_their_length),
		cmocka_unit_test(booleans_are_bits),
		cmocka_unit_test(lists_have_levels),
		cmocka_unit_test(least_and_most_follow_the_sign),
		cmocka_unit_test(texts_are_compared_by_byte),
		cmocka_unit_test(a_group_has_at_most_a_million_rows),
		cmocka_unit_test(a_group_has_at_most_256_megabytes_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
