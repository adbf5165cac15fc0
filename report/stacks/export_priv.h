#ifndef REPORT_STACKS_EXPORT_PRIV_H
#define REPORT_STACKS_EXPORT_PRIV_H

#include "report/stacks/export.h"

/* ---- exports.c: what several forms need ---- */

/* Weights of this event are nanoseconds: of a clock, or of sleeping. */
bool event_is_time(const struct session *s, const struct stack_event *ev);
/* ... of sleeping, as record --off-cpu has them. */
bool event_is_sleep(const struct stack_event *ev);
/* CLOCK_REALTIME of a time in the recording, ns; 0 = the recording does not tell. */
uint64_t export_wall_ns(const struct session *s, uint64_t time_ns);
/* Of samples that are exported; 0 when none has a time. */
struct export_span {
	uint64_t first, last;
};
struct export_span export_span(const struct session *s);
/* "strobe record -g -- make": the command line, escaped, into a memory sink. */
void export_command_line(const struct session *s, struct out *to);
/* "comm 12/13", and of which event where there are several. */
void export_thread_name(const struct stacks *st, const struct stack_thread *t, const struct stack_event *ev,
			struct out *to);
/* The samples of one thread and event that begin at [at] end here. */
size_t export_stretch(const struct stack_frames *f, size_t at);
/* "text" with its quotes. */
void export_quoted(struct out *o, const char *text);
exporter_write export_speedscope, export_pprof, export_otlp, export_firefox, export_chrome, export_perfetto;

#endif
