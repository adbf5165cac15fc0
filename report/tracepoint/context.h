#ifndef REPORT_TRACEPOINT_CONTEXT_H
#define REPORT_TRACEPOINT_CONTEXT_H

#include "base/out.h"

/*
 * The context in which a tracepoint fired, as four characters: interrupts or softirqs off; the kernel wants to
 * reschedule; inside an interrupt or softirq; how often preemption is disabled. `flags` and `preempt` are the fields
 * common_flags and common_preempt_count. Source: Documentation/trace/ftrace.rst, "irqs-off", and enum trace_flag_type
 * in include/linux/trace_events.h.
 */
void trace_context_text(uint8_t flags, uint8_t preempt, struct out *o);

#endif
