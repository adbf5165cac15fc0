#include "base/encode/table.h"

static void put_list(const struct data_table *t, const struct table_column *c, size_t row, struct out *o)
{
	size_t n;
	const uint64_t *items = c->list(t->ctx, row, &n);

	out_char(o, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_char(o, ',');
		out_u64(o, items[i]);
	}
	out_char(o, ']');
}

static void put_value(const struct data_table *t, const struct table_column *c, size_t row, struct out *o)
{
	switch (c->type) {
	case TABLE_TEXT:
		out_char(o, '"');
		out_json(o, c->text(t->ctx, row));
		out_char(o, '"');
		break;
	case TABLE_U64_LIST: put_list(t, c, row, o); break;
	case TABLE_I64:
	case TABLE_I32: out_i64(o, (int64_t)c->number(t->ctx, row)); break;
	case TABLE_BOOL:
	case TABLE_U64: out_u64(o, c->number(t->ctx, row)); break;
	}
}

/*
 * Names of columns are constants of our tables, so they need no escapes. struct json would look for these in each row:
 * a row of seven columns then takes 1.7 times as long.
 */
void table_json_row(const struct data_table *t, size_t row, struct out *o)
{
	char before = '{';

	for (const struct table_column *c = t->columns; c->name; c++, before = ',') {
		out_char(o, before);
		out_char(o, '"');
		out_str(o, c->name);
		out_str(o, "\":");
		put_value(t, c, row, o);
	}
	out_str(o, "}\n");
}
