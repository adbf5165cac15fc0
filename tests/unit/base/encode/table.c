/* Tables as NDJSON. What Parquet's readers make of tables is looked at in tests/e2e/parquet_readers.sh. */
#include "base/encode/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/encode/parquet.h"

static uint64_t number(void *ctx, size_t row) { return UINT64_MAX - row; }
static const char *text(void *ctx, size_t row) { return row ? "" : "a \"b\""; }
static const uint64_t *list(void *ctx, size_t row, size_t *n)
{
	static const uint64_t items[] = { 1, UINT64_MAX };

	*n = row ? 0 : 2;
	return items;
}

static const struct table_column columns[] = {
	{ "u", TABLE_U64, .number = number },
	{ "i", TABLE_I32, .number = number },
	{ "t", TABLE_TEXT, .text = text },
	{ "l", TABLE_U64_LIST, .list = list },
	{ 0 },
};
static const struct data_table table = { "name", columns, 2, NULL };

static void a_row_is_an_object(void **state)
{
	struct out o;

	out_init_mem(&o);
	table_json_row(&table, 0, &o);
	table_json_row(&table, 1, &o);
	assert_string_equal(out_text(&o), "{\"u\":18446744073709551615,\"i\":-1,\"t\":\"a \\\"b\\\"\",\"l\":"
					  "[1,18446744073709551615]}\n"
					  "{\"u\":18446744073709551614,\"i\":-2,\"t\":\"\",\"l\":[]}\n");
	out_release(&o);
}

/* The frame of the file: magic, footer, its length, magic; also for a table without rows. */
static void parquet_files_have_their_frame(void **state)
{
	for (size_t rows = 0; rows <= 2; rows++) {
		struct data_table t = table;
		struct out o;

		t.rows = rows;
		out_init_mem(&o);
		parquet_write(&t, "test", &o);
		assert_memory_equal(o.buf, "PAR1", 4);
		assert_memory_equal(o.buf + o.len - 4, "PAR1", 4);
		assert_true(load_u32(o.buf + o.len - 8) <= o.len - 12);
		if (!rows)
			assert_int_equal(load_u32(o.buf + o.len - 8), o.len - 12);
		/* version 2, then the schema's list: the root, four columns, two levels more of the list */
		assert_memory_equal(o.buf + o.len - 8 - load_u32(o.buf + o.len - 8), "\x15\x04\x19\x7c", 4);
		out_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_an_object),
		cmocka_unit_test(parquet_files_have_their_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
