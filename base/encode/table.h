#ifndef BASE_ENCODE_TABLE_H
#define BASE_ENCODE_TABLE_H

#include "base/out.h"

/*
 * A table of named columns whose values come from functions, so that no writer needs a copy of the whole. Texts are
 * valid UTF-8 without control bytes (out_name makes them so) and live as long as `ctx`; a list lives until the next
 * call.
 */
enum table_type { TABLE_U64, TABLE_I64, TABLE_I32, TABLE_BOOL, TABLE_TEXT, TABLE_U64_LIST };
struct table_column {
	const char *name;
	enum table_type type;
	uint64_t (*number)(void *ctx, size_t row); /* for numbers; signed ones are sign-extended */
	const char *(*text)(void *ctx, size_t row);
	const uint64_t *(*list)(void *ctx, size_t row, size_t *n);
};
struct data_table {
	const char *name;
	const struct table_column *columns; /* name NULL at the end */
	size_t rows;
	void *ctx;
};

/* Write one row as a JSON object and a newline: NDJSON, which engines call JSONEachRow. */
void table_json_row(const struct data_table *t, size_t row, struct out *o);

#endif
