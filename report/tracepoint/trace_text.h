#ifndef REPORT_TRACEPOINT_TRACE_TEXT_H
#define REPORT_TRACEPOINT_TRACE_TEXT_H

#include "report/session/session.h"

/*
 * What a tracepoint's payload says, by the format its kernel gave for it. The formats are the recording's: foreign text
 * that is held to limits before it is interpreted. One of these per thread.
 */
struct trace_text;
struct trace_format;

/* The formats of the events of a walked session, which also knows the names of kernel functions. Never NULL; without
 * formats in the input nothing can be printed. */
struct trace_text *trace_text_new(struct session *s);
void trace_text_free(struct trace_text *t);
/* Print the payload of a sample of `event` (index into pd->events). false: there is no format for it, nothing was
 * printed. */
bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size,
		      struct out *o);

/* The same as " name=value" for each of its own fields: numbers stay numbers. */
bool trace_text_fields(struct trace_text *t, uint32_t event, const uint8_t *raw, size_t size, struct out *o);

/* The format of an event of the input, NULL if there is none. Lives as long as `t`. */
const struct trace_format *trace_text_format(const struct trace_text *t, uint32_t event);
/* What a field of that format holds: a number, or for arrays and strings the bytes, inside `raw` (empty when they would
 * lie outside). */
struct trace_value {
	uint64_t number;
	const uint8_t *bytes;
	size_t len;
};
struct trace_field;
void trace_text_value(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct trace_value *v);
/* The same as text: numbers by their type, strings, ARRAY[..]. */
void trace_text_field(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct out *o);
/* The same, but numbers as the event's own text has them, if it does. */
void trace_text_own_field(const struct trace_text *t, uint32_t event, const struct trace_field *field,
			  const uint8_t *raw, size_t size, struct out *o);

/* The same for one format: `swap` for payloads of the other byte order; without a session no kernel function is named.
 */
void trace_format_print(const struct trace_format *f, struct session *s, bool swap, const uint8_t *raw, size_t size,
			struct out *o);

#endif
