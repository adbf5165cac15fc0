#include "base/encode/protobuf.h"

#include "base/bytes.h"

enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

void proto_varint(struct out *o, uint64_t v)
{
	uint8_t *to = (uint8_t *)out_room(o, 10);
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	o->len += n;
}

void proto_zigzag(struct out *o, int64_t v) { proto_varint(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0)); }

static void tag(struct out *o, unsigned field, enum wire wire) { proto_varint(o, (uint64_t)field << 3 | wire); }

void proto_u64(struct out *o, unsigned field, uint64_t v)
{
	if (!v)
		return;
	tag(o, field, WIRE_VARINT);
	proto_varint(o, v);
}

void proto_fixed64(struct out *o, unsigned field, uint64_t v)
{
	uint8_t bytes[8];

	if (!v)
		return;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	tag(o, field, WIRE_FIXED64);
	out_mem(o, (const char *)bytes, sizeof(bytes));
}

void proto_bytes(struct out *o, unsigned field, const void *bytes, size_t len)
{
	tag(o, field, WIRE_BYTES);
	proto_varint(o, len);
	out_mem(o, bytes, len);
}

void proto_text(struct out *o, unsigned field, const char *text)
{
	if (*text)
		proto_bytes(o, field, text, strlen(text));
}

void proto_part(struct out *o, unsigned field, struct out *part)
{
	proto_bytes(o, field, part->len ? part->buf : "", part->len);
	part->len = 0;
}

/* ---- reading ---- */

int proto_item(struct proto *r, uint64_t *v)
{
	*v = 0;
	if (r->p == r->end)
		return 0;
	for (unsigned shift = 0; shift < 64 && r->p < r->end; shift += 7) {
		uint8_t byte = *r->p++;

		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 1;
	}
	return -1;
}

static int take_fixed(struct proto *r, size_t size)
{
	if ((size_t)(r->end - r->p) < size)
		return -1;
	r->number = 0;
	for (size_t i = 0; i < size; i++)
		r->number |= (uint64_t)r->p[i] << 8 * i;
	r->p += size;
	return 1;
}

int proto_next(struct proto *r)
{
	uint64_t key, len;
	int got = proto_item(r, &key);

	if (got <= 0)
		return got;
	r->field = key >> 3 > UINT32_MAX ? 0 : (unsigned)(key >> 3);
	r->bytes = NULL;
	r->len = 0;
	switch ((enum wire)(key & 7)) {
	case WIRE_VARINT: return proto_item(r, &r->number) > 0 ? 1 : -1;
	case WIRE_FIXED64: return take_fixed(r, 8);
	case WIRE_FIXED32: return take_fixed(r, 4);
	case WIRE_BYTES:
		if (proto_item(r, &len) <= 0 || len > (size_t)(r->end - r->p))
			return -1;
		r->bytes = r->p;
		r->len = (size_t)len;
		r->p += len;
		return 1;
	}
	return -1;
}
