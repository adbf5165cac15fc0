#ifndef REPORT_TRACEPOINT_PAYLOAD_H
#define REPORT_TRACEPOINT_PAYLOAD_H

#include "base/bytes.h"
#include "report/session/session.h"
#include "report/tracepoint/trace_format.h"

/* Strings of the kernel that payloads point to: address -> index into `texts`. */
struct trace_strings {
	struct u64map by_address;
	VEC(const char *) texts;
	struct arena arena;
};

/* Add the lines of the kernel's printk_formats. */
void trace_strings_read(struct trace_strings *k, const char *text, size_t len);
void trace_strings_release(struct trace_strings *k);

/* A payload that is being printed. */
struct trace_payload {
	struct session *session; /* names kernel functions; NULL: `function` does */
	/* Print the name of the function at an address and return true; NULL: there are none. */
	bool (*function)(void *ctx, uint64_t address, bool with_offset, struct out *o);
	void *function_ctx;
	const struct trace_strings *strings; /* NULL: none */
	bool swap;
	const struct trace_format *f;
	const uint8_t *data;
	size_t size;
	struct out *o;
};

/* Bytes inside a payload, and the size of their elements. */
struct trace_span {
	const uint8_t *at;
	size_t len, element;
	bool is_signed;
};

/* --- tracepoint/payload.c: reads values, only from inside the payload --- */

static inline uint64_t payload_load(const struct trace_payload *p, const uint8_t *at, size_t size, bool is_signed)
{
	uint64_t v;

	switch (size) {
	case 1: v = *at; break;
	case 2: v = p->swap ? __builtin_bswap16(load_u16(at)) : load_u16(at); break;
	case 4: v = p->swap ? __builtin_bswap32(load_u32(at)) : load_u32(at); break;
	case 8: return p->swap ? __builtin_bswap64(load_u64(at)) : load_u64(at);
	default: return 0;
	}
	return trace_cast(v, (unsigned)size, is_signed);
}

static inline uint64_t payload_field(const struct trace_payload *p, const struct trace_field *field)
{
	if ((size_t)field->offset + field->size > p->size)
		return 0;
	return payload_load(p, p->data + field->offset, field->size, field->flags & TRACE_FIELD_SIGNED);
}

/* The bytes of an array field or a dynamic field. Empty if they lie outside of the payload. */
struct trace_span payload_field_span(const struct trace_payload *p, const struct trace_field *field);
/* The bytes that an expression refers to; empty for numbers. */
struct trace_span payload_span(const struct trace_payload *p, uint32_t node);
uint64_t payload_value(const struct trace_payload *p, uint32_t node);

/* --- tracepoint/trace_text.c --- */

/* The payload as a whole, by p->f. */
void payload_print(const struct trace_payload *p);

/* --- tracepoint/values.c: values as text --- */

void payload_print_span(const struct trace_span *s, struct out *o);
/*
 * Print the string at an address in the kernel, or the address if the recording does not have the
 * string.
 */
void payload_print_address(const struct trace_payload *p, uint64_t address, struct out *o);
/* Print set bits as a list: "0-3,8". */
void payload_print_bits(const struct trace_payload *p, const struct trace_span *s, struct out *o);
void payload_print_text(const struct trace_payload *p, uint32_t node, struct out *o);

/* --- tracepoint/conversions.c: conversions of printf and of the kernel --- */

void payload_print_number(const struct trace_payload *p, const struct trace_piece *piece);
void payload_print_conversion(const struct trace_payload *p, const struct trace_piece *piece);

#endif
