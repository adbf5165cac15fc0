#ifndef REPORT_TRACEPOINT_TRACE_FORMAT_H
#define REPORT_TRACEPOINT_TRACE_FORMAT_H

#include "base/err.h"
#include "base/mem.h"

/*
 * A parsed format file of a tracepoint: where the fields of a payload lie, and its "print fmt" as a
 * program that formats them. Format files come from recordings and are foreign text. The parser
 * refuses what it does not understand as a whole and limits sizes and depths. No parsed format can
 * make its execution (report/tracepoint/trace_text.h) read outside a payload.
 *
 * Source: Documentation/trace/events.rst, "Event formats"; for the functions, include/trace/stages/
 * of the kernel.
 */

enum trace_field_flags {
	TRACE_FIELD_SIGNED = 1,
	TRACE_FIELD_ARRAY = 2,     /* fixed size, lies in the payload */
	TRACE_FIELD_STRING = 4,    /* of char */
	TRACE_FIELD_DYNAMIC = 8,   /* __data_loc: u16 offset and u16 length of the data */
	TRACE_FIELD_RELATIVE = 16, /* __rel_loc: the offset counts from the end of the field */
	TRACE_FIELD_POINTER = 32,
	TRACE_FIELD_LONG = 64,
	TRACE_FIELD_COMMON = 128, /* a field that every tracepoint has */
};

struct trace_field {
	const char *name, *type; /* foreign text */
	uint32_t offset, size;   /* their sum is below TRACE_PAYLOAD_MAX */
	uint32_t element_size;   /* of arrays; at least 1 */
	uint32_t flags;
};

enum trace_node_kind {
	TRACE_UNKNOWN,
	TRACE_CONST,
	TRACE_STRING,
	TRACE_FIELD,
	TRACE_UNARY,
	TRACE_BINARY,
	TRACE_COND,
	TRACE_CAST,
	TRACE_INDEX,
	TRACE_FLAGS,
	TRACE_SYMBOLIC,
	TRACE_HEX,
	TRACE_HEX_STR,
	TRACE_ARRAY,
	TRACE_GET_STR,
	TRACE_DYNAMIC,
	TRACE_DYNAMIC_LEN,
	TRACE_BITMASK,
	TRACE_CPUMASK,
};

/* A name for a value in __print_flags or __print_symbolic. */
struct trace_name {
	uint64_t value;
	const char *text;
};

struct trace_node {
	uint8_t kind; /* enum trace_node_kind */
	/*
	 * UNARY, BINARY: the operator's character, or TRACE_OP_*. CAST: size of what the pointer
	 * points to, 0 = no pointer.
	 */
	uint8_t op;
	uint8_t size; /* numbers: 4 or 8 bytes as C computes them, any for CAST; BINARY: size common to both sides */
	bool is_signed;
	/*
	 * Child nodes. FIELD and functions of one field: a is the field. FLAGS, SYMBOLIC:
	 * names [b, b + c).
	 */
	uint32_t a, b, c;
	uint64_t value;   /* CONST */
	const char *text; /* STRING; FLAGS: the separator */
};
enum {
	TRACE_OP_SHL = 128,
	TRACE_OP_SHR,
	TRACE_OP_LE,
	TRACE_OP_GE,
	TRACE_OP_EQ,
	TRACE_OP_NE,
	TRACE_OP_AND,
	TRACE_OP_OR
};

enum { TRACE_TEXT_SLACK = 16 };

/* Literal text, or a conversion with its arguments. */
struct trace_piece {
	/*
	 * Literal text, already escaped for output. TRACE_TEXT_SLACK bytes behind it are readable.
	 * NULL: a conversion.
	 */
	const char *text;
	uint32_t text_len;
	char conversion; /* d i u x X o c s p */
	char pointer[3]; /* letters after %p: "S", "I4", "U"; [2] is 'p' when a socket's port is wanted */
	char length;     /* 0 int, h short, H char, l long, L long long or 64 bit */
	bool left, zero, alternate, plus, blank;
	bool shaped;                            /* uses more than a width and zeroes */
	int16_t width, precision;               /* -1: none */
	uint32_t width_arg, precision_arg, arg; /* node + 1, 0 = none */
	/*
	 * For numbers: the width that the conversion states. `direct` tells where the value lies if
	 * the argument is a field whose casts change nothing (size 0: it is not).
	 */
	uint8_t number_size;
	bool number_signed;
	struct trace_direct {
		uint32_t offset;
		uint8_t size;
		bool is_signed;
	} direct;
	/*
	 * The same for little-endian payloads with eight bytes at `direct`: keep the bits of `mask`, extend the bit
	 * `sign`, then keep the bits of `cut`. Only for d, i, u and x without a shape; for others mask is 0.
	 */
	struct trace_quick {
		uint64_t mask, sign, cut;
	} quick;
};

struct trace_format {
	const char *name;   /* foreign text */
	const char *system; /* foreign text; set by the caller, may be NULL */
	uint64_t id;
	uint8_t long_size;
	VEC(struct trace_field) fields;
	VEC(struct trace_node) nodes;
	VEC(struct trace_name) names;
	VEC(struct trace_piece) pieces;
	bool understood; /* `pieces` cover the whole print fmt; else only the fields are known */
	struct arena arena;
};

enum { TRACE_PAYLOAD_MAX = 64 << 10 }; /* no record is longer */

/*
 * Parse a format file. -1 with e when it has no name, id or fields; an unknown print fmt is no
 * error. Call trace_format_release in any case.
 */
int trace_format_parse(struct trace_format *f, const char *text, size_t len, unsigned long_size, struct err *e);
void trace_format_release(struct trace_format *f);

/* Cut v to this size and extend it by this sign to 64 bits. */
static inline uint64_t trace_cast(uint64_t v, unsigned size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	}
	return v;
}
/*
 * Compute a BINARY node (except && and ||) from its two sides. What C leaves undefined (division by
 * zero, large shifts) gives 0.
 */
uint64_t trace_binary(const struct trace_node *n, uint64_t a, uint64_t b);

#endif
