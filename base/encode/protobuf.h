#ifndef BASE_ENCODE_PROTOBUF_H
#define BASE_ENCODE_PROTOBUF_H

#include "base/out.h"

/*
 * The wire format of protocol buffers: read and write messages by field number. Source:
 * https://protobuf.dev/programming-guides/encoding/
 */

/* Write a number without a field: an item of a packed list. */
void proto_varint(struct out *o, uint64_t v);
/* Small numbers of either sign in few bytes: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
void proto_zigzag(struct out *o, int64_t v);
/*
 * Write a field. Numbers of 0 and empty texts are left out, because readers use them for absent
 * fields.
 */
void proto_u64(struct out *o, unsigned field, uint64_t v);
void proto_fixed64(struct out *o, unsigned field, uint64_t v);
void proto_text(struct out *o, unsigned field, const char *text);
void proto_bytes(struct out *o, unsigned field, const void *bytes, size_t len); /* even if empty */
/* Write the contents of `part`, a memory sink, as a nested message or packed list, and empty it. */
void proto_part(struct out *o, unsigned field, struct out *part);

/*
 * Read a message: set p and end, and call proto_next until it returns 0. A field's bytes point into the message.
 */
struct proto {
	const uint8_t *p, *end;
	unsigned field;
	uint64_t number;      /* of a varint or a fixed field */
	const uint8_t *bytes; /* of a text, a nested message or a packed list; NULL for numbers */
	size_t len;
};
static inline struct proto proto_of(const void *bytes, size_t len)
{
	return (struct proto){ .p = bytes, .end = len ? (const uint8_t *)bytes + len : bytes };
}
/* Step to the next field. Return 1, 0 at the end, -1 if the bytes are no field. */
int proto_next(struct proto *r);
/* Take the next number of a packed list. Return 1, 0 at the end, -1 if the bytes are no number. */
int proto_item(struct proto *r, uint64_t *v);

#endif
