#ifndef REPORT_STACKS_EXPORT_PRIV_H
#define REPORT_STACKS_EXPORT_PRIV_H

#include "base/encode/json.h"
#include "report/stacks/data.h"
#include "report/stacks/export.h"

/* ---- exports.c: what several formats need ---- */

/* Are weights of this event nanoseconds, of a clock or of sleep? */
bool event_is_time(const struct session *s, const struct stack_event *ev);
/* Are they nanoseconds of sleep, recorded by --off-cpu? */
bool event_is_sleep(const struct stack_event *ev);
/* Return CLOCK_REALTIME in ns for a time in the recording; 0 = unknown. */
uint64_t export_wall_ns(const struct session *s, uint64_t time_ns);
/* Print the escaped command line, "strobe record -g -- make", to a memory sink. */
void export_command_line(const struct session *s, struct out *to);
/* Print "comm 12/13", and the event if there are several. */
void export_thread_name(const struct stacks *st, const struct stack_thread *t, const struct stack_event *ev,
			struct out *to);
/* Return the end of the samples of one thread and event that begin at [at]. */
size_t export_stretch(const struct stack_frames *f, size_t at);
/* See fleet.h. */
exporter_write_directory export_parquet;
exporter_write export_speedscope, export_pprof, export_otlp, export_firefox, export_chrome, export_perfetto;

#endif
