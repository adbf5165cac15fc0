#ifndef TESTS_TRACEPOINT_PRINTED_H
#define TESTS_TRACEPOINT_PRINTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "report/tracepoint/trace_format.h"
#include "report/tracepoint/trace_text.h"

/* The fields that payloads of these tests have, behind 8 common bytes. */
struct printed_payload {
	uint8_t common[8];
	int32_t number;
	uint8_t small;
	int8_t tiny;
	uint16_t half;
	uint64_t wide;
	uint8_t bytes[24];
	char text[8];
};
#define PRINTED_FIELD(type, name, member, sign) \
	{ \
		type, name, offsetof(struct printed_payload, member), sizeof(((struct printed_payload *)0)->member), \
			sign \
	}
static const struct {
	const char *type, *name;
	size_t offset, size;
	int is_signed;
} printed_fields[] = {
	PRINTED_FIELD("int", "number", number, 1), PRINTED_FIELD("u8", "small", small, 0),
	PRINTED_FIELD("s8", "tiny", tiny, 1),      PRINTED_FIELD("u16", "half", half, 0),
	PRINTED_FIELD("u64", "wide", wide, 0),     PRINTED_FIELD("u8", "bytes[24]", bytes, 0),
	PRINTED_FIELD("char", "text[8]", text, 0),
};

/* Parse a print fmt over these fields. */
static inline void printed_parse(struct trace_format *f, const char *print)
{
	char text[8192];
	int n = snprintf(text, sizeof(text), "name: ev\nID: 42\nformat:\n");

	for (size_t i = 0; i < ARRAY_SIZE(printed_fields); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "\tfield:%s %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", printed_fields[i].type,
			      printed_fields[i].name, printed_fields[i].offset, printed_fields[i].size,
			      printed_fields[i].is_signed);
	snprintf(text + n, sizeof(text) - (size_t)n, "\nprint fmt: %s\n", print);
	assert_int_equal(trace_format_parse(f, text, strlen(text), 8, NULL), 0);
}

/* Fail unless the print fmt is understood and prints `wanted`; a `wanted` of NULL: it must not be understood. */
static inline void printed(const struct printed_payload *raw, const char *print, const char *wanted)
{
	struct trace_format f;
	struct out o;

	printed_parse(&f, print);
	if (f.understood != (wanted != NULL))
		fail_msg("%s was %sunderstood", print, f.understood ? "" : "not ");
	out_init_mem(&o);
	if (wanted) {
		trace_format_print(&f, NULL, false, (const uint8_t *)raw, sizeof(*raw), &o);
		if (strcmp(out_text(&o), wanted))
			fail_msg("%s prints '%s' instead of '%s'", print, out_text(&o), wanted);
	}
	out_release(&o);
	trace_format_release(&f);
}

#endif
