#ifndef REPORT_TRACE_TEXT_H
#define REPORT_TRACE_TEXT_H

#include "report/session.h"

/*
 * What a tracepoint's payload says, by the format its kernel gave for it. The formats are the recording's: foreign text that is held to
 * limits before it is interpreted. One of these per thread.
 */
struct trace_text;

/* The formats of the events of a walked session, which also knows the names of kernel functions. Never NULL; without formats in the input nothing can be printed. */
struct trace_text *trace_text_new(struct session *s);
void trace_text_free(struct trace_text *t);
/* Print the payload of a sample of `event` (index into pd->events). false: there is no format for it, nothing was printed. */
bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size, struct out *o);


/* The same for one format: `swap` for payloads of the other byte order; without a session no kernel function is named. */
struct trace_format;
void trace_format_print(const struct trace_format *f, struct session *s, bool swap, const uint8_t *raw, size_t size, struct out *o);

#endif
