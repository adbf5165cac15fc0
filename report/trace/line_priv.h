#ifndef REPORT_TRACE_LINE_PRIV_H
#define REPORT_TRACE_LINE_PRIV_H

#include "report/trace/trace_priv.h"

/*
 * The parts of a call that a line shows. WHOLE: entry and exit. CUT: the entry; the exit comes later. CONTINUED: that
 * exit. NO_ENTRY: the exit; the entry is unknown. NO_RETURN: the entry of a call that does not return.
 */
enum line_form { LINE_WHOLE, LINE_CUT, LINE_CONTINUED, LINE_NO_ENTRY, LINE_NO_RETURN };
/* Print a line for the call of the thread; `s` is the sample of the exit, or NULL. */
void line_call(struct trace *t, struct traced_thread *thread, enum line_form form, int64_t result,
	       const struct trace_sample *s);
/* Print a tracepoint or another event; `format` NULL: it has none. */
void line_event(struct trace *t, uint32_t event, const struct trace_format *format, const struct trace_sample *s);
void line_fault(struct trace *t, const struct trace_sample *s, bool major);
/* Return the number of frames in the sample's chain. */
size_t line_chain_length(struct trace *t, const struct trace_sample *s);

#endif
