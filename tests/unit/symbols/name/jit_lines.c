#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "symbols/name/symbols_priv.h"
#include "symbols/name/jitdump.h"

/*
 * JIT_CODE_DEBUG_INFO behind its header, as the specification of jitdump describes it: u64 code address, u64 number of
 * entries, then entries of u64 address, u32 line, u32 discriminator and a file name.
 */
struct lines {
	uint8_t bytes[512];
	size_t len;
	bool swap;
};

enum { CODE = 0x1000, CODE_LEN = 0x200, PLACE = 0x80 };

static void put(struct lines *l, uint64_t v, unsigned size)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != l->swap;

	assert_true(l->len + size <= sizeof(l->bytes));
	for (unsigned i = 0; i < size; i++)
		l->bytes[l->len++] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

static struct lines begin(bool swap, uint64_t n)
{
	struct lines l = { .swap = swap };

	put(&l, CODE, 8);
	put(&l, n, 8);
	return l;
}

static void entry(struct lines *l, uint64_t address, uint32_t line, const char *file)
{
	put(l, address, 8);
	put(l, line, 4);
	put(l, 7, 4);
	for (size_t i = 0; i <= strlen(file); i++)
		put(l, (uint8_t)file[i], 1);
}

/* ---- lines of addresses ---- */

/* "FILE:LINE", or "" if the address has none. */
static void line_in(const uint8_t *bytes, size_t len, bool swap, uint64_t address, const char *wanted)
{
	struct dso d = { .lines = bytes, .lines_len = len, .lines_swapped = swap };
	autofree char *text = NULL;
	struct source_line found;

	text = jit_source_line(&d, address, &found) ? xasprintf("%s:%u", found.file, found.line) : xstrdup("");
	assert_string_equal(text, wanted);
}

static void line_is(const struct lines *l, uint64_t address, const char *wanted)
{
	line_in(l->bytes, l->len, l->swap, address, wanted);
}

static void a_line_lasts_until_the_next_entry(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct lines l = begin(swap, 3);

		entry(&l, CODE + 4, 10, "a.js");
		entry(&l, CODE + 8, 11, "\xff"); /* the file of the entry before */
		entry(&l, CODE + 12, UINT32_MAX, "b.js");
		line_is(&l, CODE, "");
		line_is(&l, CODE + 3, "");
		line_is(&l, CODE + 4, "a.js:10");
		line_is(&l, CODE + 7, "a.js:10");
		line_is(&l, CODE + 8, "a.js:11");
		line_is(&l, CODE + 12, "b.js:4294967295");
		line_is(&l, UINT64_MAX, "b.js:4294967295");
	}
}

static void of_two_entries_at_an_address_the_last_counts(void **state)
{
	struct lines l = begin(false, 2);

	entry(&l, CODE, 1, "a");
	entry(&l, CODE, 2, "b");
	line_is(&l, CODE, "b:2");
}

static void a_first_entry_without_a_file_has_none(void **state)
{
	struct lines l = begin(false, 2);

	entry(&l, CODE, 1, "\xff");
	entry(&l, CODE + 1, 2, "a");
	line_is(&l, CODE, "");
	line_is(&l, CODE + 1, "a:2");
}

static void the_number_of_entries_ends_the_list(void **state)
{
	struct lines l = begin(false, 1);

	entry(&l, CODE, 1, "a");
	entry(&l, CODE + 1, 2, "b");
	line_is(&l, CODE + 1, "a:1");
	l = begin(false, 0);
	entry(&l, CODE, 1, "a");
	line_is(&l, CODE, "");
	l = begin(false, UINT64_MAX);
	entry(&l, CODE, 1, "a");
	line_is(&l, CODE, "a:1");
}

/* An entry of "a" has 18 bytes. */
static void entries_that_are_cut_do_not_count(void **state)
{
	struct lines l = begin(false, 2);

	entry(&l, CODE, 1, "a");
	entry(&l, CODE + 1, 2, "b");
	for (size_t len = 0; len <= l.len; len++) {
		const char *wanted = len < 16 + 18 ? "" : len < 16 + 36 ? "a:1" : "b:2";
		uint8_t *exact = xmalloc(MAX(len, (size_t)1)); /* so that ASan sees reads behind the end */

		memcpy(exact, l.bytes, len);
		line_in(exact, len, false, CODE + 1, wanted);
		free(exact);
	}
}

/* ---- the same as DWARF 4: a reader of the few operations that occur ---- */

struct reader {
	struct bytes b;
	const char *files[8];
	size_t n_files;
	struct out rows;
};

static void read_header(struct reader *r, size_t table_len)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 }; /* DWARF 4, 6.2.5.2 */
	const uint8_t *program;

	assert_int_equal(bytes_u32(&r->b), table_len - 4); /* unit_length */
	assert_int_equal(bytes_u16(&r->b), 4);
	program = r->b.at + 4;
	program += bytes_u32(&r->b);              /* header_length */
	assert_int_equal(bytes_u8(&r->b), 1);     /* minimum_instruction_length */
	assert_int_equal(bytes_u8(&r->b), 1);     /* maximum_operations_per_instruction */
	assert_int_equal(bytes_u8(&r->b), 1);     /* default_is_stmt */
	bytes_u8(&r->b);                          /* line_base */
	assert_int_not_equal(bytes_u8(&r->b), 0); /* line_range: readers divide by it */
	assert_int_equal(bytes_u8(&r->b), sizeof(lengths) + 1);
	assert_memory_equal(bytes_take(&r->b, sizeof(lengths)), lengths, sizeof(lengths));
	assert_int_equal(bytes_u8(&r->b), 0); /* include_directories */
	while (*r->b.at) {
		assert_true(r->n_files < ARRAY_SIZE(r->files));
		r->files[r->n_files++] = bytes_cstr(&r->b);
		for (int i = 0; i < 3; i++) /* directory, time, length */
			assert_int_equal(bytes_uleb(&r->b), 0);
	}
	bytes_u8(&r->b);
	assert_ptr_equal(r->b.at, program);
}

/* Print a line "ADDRESS FILE:LINE" for each row, and "ADDRESS end". Source: DWARF 4, 6.2.5.2 and 6.2.5.3. */
static void read_rows(struct reader *r)
{
	uint64_t address = 0, file = 1;
	int64_t line = 1;

	while (bytes_left(&r->b)) {
		switch (bytes_u8(&r->b)) {
		case 0: {
			uint64_t len = bytes_uleb(&r->b);
			uint8_t operation = bytes_u8(&r->b);

			assert_int_equal(len, operation == 1 ? 1 : 9);
			if (operation == 1)
				out_fmt(&r->rows, "%#llx end\n", (unsigned long long)address);
			else
				address = bytes_u64(&r->b);
			break;
		}
		case 1:
			assert_true(file >= 1 && file <= r->n_files);
			out_fmt(&r->rows, "%#llx %s:%lld\n", (unsigned long long)address, r->files[file - 1],
				(long long)line);
			break;
		case 2: address += bytes_uleb(&r->b); break;
		case 3: line += bytes_sleb(&r->b); break;
		case 4: file = bytes_uleb(&r->b); break;
		default: fail_msg("unknown operation");
		}
	}
	assert_false(r->b.bad);
}

/* The rows of code at [CODE, CODE + CODE_LEN) in an object where it lies at PLACE. */
static void rows_are(const struct lines *l, const char *wanted)
{
	const struct jitdump_code code = {
		.start = CODE, .len = CODE_LEN, .name = "f", .lines = l->bytes, .lines_len = l->len
	};
	struct reader r = { 0 };
	struct jit_dwarf d;

	jit_dwarf_init(&d, &(struct jitdump){ .swap = l->swap }, &code, PLACE);
	r.b = bytes_of(d.line.buf, d.line.len, false);
	out_init_mem(&r.rows);
	read_header(&r, d.line.len);
	read_rows(&r);
	assert_string_equal(out_text(&r.rows), wanted);
	out_release(&r.rows);
	jit_dwarf_release(&d);
}

static void rows_count_from_the_place_in_the_object(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct lines l = begin(swap, 3);

		entry(&l, CODE, 10, "a.js");
		entry(&l, CODE + 8, 5, "\xff");
		entry(&l, CODE + 0x1f, 200000, "b.js");
		rows_are(&l, "0x80 a.js:10\n0x88 a.js:5\n0x9f b.js:200000\n0x280 end\n");
	}
}

static void lines_move_by_any_distance(void **state)
{
	/* one byte of LEB128 holds -64 to 63, two hold -8192 to 8191 */
	static const uint32_t lines[] = { 1, 64, 128, 64, 129, 64, 8255, 16447, 8255, 16448, 8255, UINT32_MAX, 0 };
	struct lines l = begin(false, ARRAY_SIZE(lines));
	struct out wanted;

	out_init_mem(&wanted);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		entry(&l, CODE + i, lines[i], "a");
		out_fmt(&wanted, "%#zx a:%u\n", PLACE + i, lines[i]);
	}
	out_str(&wanted, "0x280 end\n");
	rows_are(&l, out_text(&wanted));
	out_release(&wanted);
}

static void addresses_move_by_any_distance(void **state)
{
	struct lines l = begin(false, 3);

	entry(&l, CODE + 127, 1, "a"); /* one byte of LEB128 holds up to 127 */
	entry(&l, CODE + 255, 2, "a");
	entry(&l, CODE + 511, 3, "a");
	rows_are(&l, "0xff a:1\n0x17f a:2\n0x27f a:3\n0x280 end\n");
}

static void entries_outside_of_the_code_have_no_rows(void **state)
{
	struct lines l = begin(false, 4);

	entry(&l, CODE - 1, 1, "before");
	entry(&l, CODE, 2, "a");
	entry(&l, CODE + CODE_LEN, 3, "behind");
	entry(&l, UINT64_MAX, 4, "far");
	rows_are(&l, "0x80 a:2\n0x280 end\n");
}

/* The rows of a sequence ascend: DWARF 4, 6.2.5. */
static void entries_that_go_backwards_have_no_rows(void **state)
{
	struct lines l = begin(false, 4);

	entry(&l, CODE + 8, 1, "a");
	entry(&l, CODE + 4, 2, "b");
	entry(&l, CODE + 8, 3, "c");
	entry(&l, CODE + 9, 4, "b");
	rows_are(&l, "0x88 a:1\n0x88 c:3\n0x89 b:4\n0x280 end\n");
}

static void a_file_that_returns_is_named_again(void **state)
{
	struct lines l = begin(false, 4);

	entry(&l, CODE, 1, "a");
	entry(&l, CODE + 1, 2, "a");
	entry(&l, CODE + 2, 3, "b");
	entry(&l, CODE + 3, 4, "a");
	rows_are(&l, "0x80 a:1\n0x81 a:2\n0x82 b:3\n0x83 a:4\n0x280 end\n");
}

static void code_without_lines_has_an_empty_sequence(void **state)
{
	struct lines l = begin(false, 0);

	rows_are(&l, "0x280 end\n");
	l.len = 0;
	rows_are(&l, "0x280 end\n");
}

/* DWARF 4, 7.5: unit length, version, place of abbreviations, address size, then the abbreviation and its values. */
static void the_unit_names_the_function_and_its_range(void **state)
{
	static const uint8_t info[] = {
		34,   0,   0,   0,   4,   0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, /* stmt_list */
		0x80, 0,   0,   0,   0,   0, 0, 0,                         /* low_pc */
		0,    2,   0,   0,   0,   0, 0, 0,                         /* high_pc: a length */
		'n',  'a', 'm', 'e', 's', 0,
	};
	static const uint8_t abbrev[] = { 1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0x03, 0x08, 0, 0, 0 };
	const struct jitdump_code code = { .start = CODE, .len = CODE_LEN, .name = "names" };
	struct jit_dwarf d;

	jit_dwarf_init(&d, &(struct jitdump){ 0 }, &code, PLACE);
	assert_int_equal(d.info.len, sizeof(info));
	assert_int_equal(info[0], sizeof(info) - 4);
	assert_memory_equal(d.info.buf, info, sizeof(info));
	assert_int_equal(d.abbrev.len, sizeof(abbrev));
	assert_memory_equal(d.abbrev.buf, abbrev, sizeof(abbrev));
	jit_dwarf_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_lasts_until_the_next_entry),
		cmocka_unit_test(of_two_entries_at_an_address_the_last_counts),
		cmocka_unit_test(a_first_entry_without_a_file_has_none),
		cmocka_unit_test(the_number_of_entries_ends_the_list),
		cmocka_unit_test(entries_that_are_cut_do_not_count),
		cmocka_unit_test(rows_count_from_the_place_in_the_object),
		cmocka_unit_test(lines_move_by_any_distance),
		cmocka_unit_test(addresses_move_by_any_distance),
		cmocka_unit_test(entries_outside_of_the_code_have_no_rows),
		cmocka_unit_test(entries_that_go_backwards_have_no_rows),
		cmocka_unit_test(a_file_that_returns_is_named_again),
		cmocka_unit_test(code_without_lines_has_an_empty_sequence),
		cmocka_unit_test(the_unit_names_the_function_and_its_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
