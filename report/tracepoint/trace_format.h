#ifndef REPORT_TRACEPOINT_TRACE_FORMAT_H
#define REPORT_TRACEPOINT_TRACE_FORMAT_H

#include "base/err.h"
#include "base/mem.h"

/*
 * A tracepoint's format file, taken apart: where the fields of a payload lie, and its "print fmt" as a program that
 * makes text of them. Format files come from recordings and are foreign text: what this parser does not understand is
 * refused as a whole, sizes and depths are limited, and nothing in a parsed format can make its execution
 * (report/tracepoint/trace_text.h) read outside a payload. Source: Documentation/trace/events.rst, "Event formats"; the
 * functions are those of include/trace/stages/ in the kernel.
 */

enum trace_field_flags {
	TRACE_FIELD_SIGNED = 1,
	TRACE_FIELD_ARRAY = 2,     /* fixed size: it lies in the payload */
	TRACE_FIELD_STRING = 4,    /* of char */
	TRACE_FIELD_DYNAMIC = 8,   /* __data_loc: u16 offset and u16 length of what it names */
	TRACE_FIELD_RELATIVE = 16, /* __rel_loc: the offset counts from the end of the field */
	TRACE_FIELD_POINTER = 32,
	TRACE_FIELD_LONG = 64,
	TRACE_FIELD_COMMON = 128, /* of every tracepoint */
};

struct trace_field {
	const char *name, *type; /* foreign text */
	uint32_t offset, size;   /* below TRACE_PAYLOAD_MAX together */
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

/* A name for a value of __print_flags and __print_symbolic. */
struct trace_name {
	uint64_t value;
	const char *text;
};

struct trace_node {
	uint8_t kind; /* enum trace_node_kind */
	uint8_t op;   /* UNARY, BINARY: the operator's character, or TRACE_OP_*; CAST: bytes of what the pointer points
			 to, 0 = no pointer */
	uint8_t size; /* of numbers: 4 or 8 bytes as C computes them, of CAST any; BINARY: what both sides become */
	bool is_signed;
	uint32_t a, b,
		c; /* nodes; FIELD and the functions of one field: a is the field; FLAGS, SYMBOLIC: names [b, b + c) */
	uint64_t value;   /* CONST */
	const char *text; /* STRING; FLAGS: between the names */
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

/* A stretch of literal text, or a conversion with its arguments. */
struct trace_piece {
	const char *text; /* literal: escaped for output already, with TRACE_TEXT_SLACK bytes behind it that may be
			     read. NULL: a conversion */
	uint32_t text_len;
	char conversion; /* d i u x X o c s p */
	char pointer[3]; /* letters behind %p: "S", "I4", "U"; [2] is 'p' when a socket's port is wanted */
	char length;     /* 0 int, h short, H char, l long, L long long or 64 bit */
	bool left, zero, alternate, plus, blank;
	bool shaped;                            /* of all these, more than a width and zeroes is used */
	int16_t width, precision;               /* -1: none */
	uint32_t width_arg, precision_arg, arg; /* node + 1, 0 = none */
	/* Numbers: as wide as the conversion says, and where the value lies if the argument is a field and casts that
	 * change nothing (size 0: it is not). */
	uint8_t number_size;
	bool number_signed;
	struct trace_direct {
		uint32_t offset;
		uint8_t size;
		bool is_signed;
	} direct;
};

struct trace_format {
	const char *name;   /* foreign text */
	const char *system; /* the same; set by who knows it, else NULL */
	uint64_t id;
	uint8_t long_size;
	VEC(struct trace_field) fields;
	VEC(struct trace_node) nodes;
	VEC(struct trace_name) names;
	VEC(struct trace_piece) pieces;
	bool understood; /* `pieces` hold the whole of print fmt; else only the fields are known */
	struct arena arena;
};

enum { TRACE_PAYLOAD_MAX = 64 << 10 }; /* no record is longer */

/* -1 with e when the text has no name, id or fields; a print fmt that is not understood is no error. Release in any
 * case. */
int trace_format_parse(struct trace_format *f, const char *text, size_t len, unsigned long_size, struct err *e);
void trace_format_release(struct trace_format *f);

/* v as a number of that size and sign, extended to 64 bits. */
static inline uint64_t trace_cast(uint64_t v, unsigned size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	}
	return v;
}
/* What a BINARY node (but not && and ||) makes of its two sides; what C leaves open (division by zero, large shifts) is
 * 0. */
uint64_t trace_binary(const struct trace_node *n, uint64_t a, uint64_t b);

#endif
