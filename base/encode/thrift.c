#include "base/encode/thrift_priv.h"

#include "base/encode/protobuf.h"

static void put_field(struct thrift *t, unsigned field, enum thrift_type type)
{
	unsigned *last = &t->last[t->depth];

	out_char(t->o, (char)((field - *last) << 4 | type)); /* steps of at most 15 */
	*last = field;
}

static void put_bytes(struct thrift *t, const void *bytes, size_t len)
{
	proto_varint(t->o, len);
	out_mem(t->o, bytes, len);
}

void thrift_i32(struct thrift *t, unsigned field, int32_t v)
{
	put_field(t, field, THRIFT_I32);
	proto_zigzag(t->o, v);
}

void thrift_i64(struct thrift *t, unsigned field, int64_t v)
{
	put_field(t, field, THRIFT_I64);
	proto_zigzag(t->o, v);
}

void thrift_bytes(struct thrift *t, unsigned field, const void *bytes, size_t len)
{
	put_field(t, field, THRIFT_BYTES);
	put_bytes(t, bytes, len);
}

void thrift_text(struct thrift *t, unsigned field, const char *text) { thrift_bytes(t, field, text, strlen(text)); }

void thrift_item_struct(struct thrift *t) { t->last[++t->depth] = 0; }

void thrift_struct(struct thrift *t, unsigned field)
{
	put_field(t, field, THRIFT_STRUCT);
	thrift_item_struct(t);
}

void thrift_end(struct thrift *t)
{
	out_char(t->o, 0);
	t->depth -= t->depth > 0;
}

void thrift_list(struct thrift *t, unsigned field, enum thrift_type of, size_t n)
{
	enum { SHORT = 15 };

	put_field(t, field, THRIFT_LIST);
	out_char(t->o, (char)(MIN(n, (size_t)SHORT) << 4 | of));
	if (n >= SHORT)
		proto_varint(t->o, n);
}

void thrift_item_i32(struct thrift *t, int32_t v) { proto_zigzag(t->o, v); }

void thrift_item_text(struct thrift *t, const char *text) { put_bytes(t, text, strlen(text)); }
