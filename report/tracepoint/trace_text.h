#ifndef REPORT_TRACEPOINT_TRACE_TEXT_H
#define REPORT_TRACEPOINT_TRACE_TEXT_H

#include "report/session/session.h"

/*
 * The payloads of tracepoints as text. The formats come from the recording: foreign text, checked
 * against limits before use. Not thread-safe: make one per thread.
 */
struct trace_text;
struct trace_format;

/*
 * Read the formats of a walked session's events. The session names kernel functions. Never NULL;
 * without formats in the input nothing can be printed.
 */
struct trace_text *trace_text_new(struct session *s);
void trace_text_free(struct trace_text *t);
/*
 * Print the payload of a sample of `event` (index into pd->events). false: there is no format;
 * nothing was printed.
 */
bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size,
		      struct out *o);

/* Print each of the event's own fields as " name=value". Numbers stay numbers. */
bool trace_text_fields(struct trace_text *t, uint32_t event, const uint8_t *raw, size_t size, struct out *o);

/* The format of an event, NULL if there is none. Lives as long as `t`. */
const struct trace_format *trace_text_format(const struct trace_text *t, uint32_t event);
/*
 * The value of a field: a number, or for arrays and strings the bytes, which lie inside `raw`.
 * Empty if they would lie outside.
 */
struct trace_value {
	uint64_t number;
	const uint8_t *bytes;
	size_t len;
};
struct trace_field;
/* Return true if payloads have the other byte order. */
bool trace_text_swaps(const struct trace_text *t);
void trace_text_value(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct trace_value *v);
/* Print a field's value: numbers by their type, strings, ARRAY[..]. */
void trace_text_field(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct out *o);
/* The same, but print numbers as the event's own print fmt does, if it prints them. */
void trace_text_own_field(const struct trace_text *t, uint32_t event, const struct trace_field *field,
			  const uint8_t *raw, size_t size, struct out *o);

/*
 * For tests and fuzzers: print a payload with one format. `swap`: the payload has the other byte order. Without a
 * session, kernel functions are not named.
 */
void trace_format_print(const struct trace_format *f, struct session *s, bool swap, const uint8_t *raw, size_t size,
			struct out *o);

#endif
