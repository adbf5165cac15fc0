#ifndef REPORT_TRACEPOINT_WANTS_H
#define REPORT_TRACEPOINT_WANTS_H

#include "report/tracepoint/trace_text.h"

/*
 * The tracepoints that an analysis wants, and their fields, looked up once per input.
 * report/live/events.h delivers the events of rings, pipes and files.
 *
 *	enum { SWITCH, WAKING };
 *	static const struct trace_want rows[] = {
 *		[SWITCH] = { "sched:sched_switch", { "prev_pid", "prev_state", "next_pid" } },
 *		[WAKING] = { "sched:sched_waking", { "pid" } },
 *	};
 *	struct trace_wants *w = trace_wants_new(session, rows, ARRAY_SIZE(rows));
 *	if (trace_wants_take(w, &record, moment, pos, &t) && t.want == WAKING)
 *		wake((int32_t)trace_number(&t, 0));
 *	trace_wants_free(w);
 */
enum { TRACE_WANT_FIELDS = 8 };
struct trace_want {
	const char *event; /* "group:name"; several rows may name the same analysis step; or the name of
			    * another event, "cpu-clock", which has no fields */
	const char *fields[TRACE_WANT_FIELDS];
};

/* One sample of a wanted tracepoint. Pointers live as long as the record. */
struct trace_event {
	uint32_t want;  /* index of the row */
	uint32_t event; /* index into pd->events */
	uint32_t cpu, moment;
	uint64_t time, pos; /* session_pos of the record */
	struct sample sample;
	struct task task; /* the running task */
	const struct trace_wants *wants;
};

struct trace_wants *trace_wants_new(struct session *s, const struct trace_want *rows, size_t n);
void trace_wants_free(struct trace_wants *w);
/* After session_sweep: forget what was looked up. */
void trace_wants_forget(struct trace_wants *w);
/* Return whether the input has events of this row. */
bool trace_wants_has(const struct trace_wants *w, uint32_t row);
/*
 * For an error that says that the input lacks events: if the end of the input is missing, say so. The formats of
 * tracepoints are there, and without them no event is found. Return -1.
 */
int trace_wants_say_cut(const struct session *s, struct err *e);

/*
 * Decode a record with a known moment. false when it is no sample of a wanted tracepoint, or
 * damaged; damage is counted in session.notes.
 */
bool trace_wants_take(struct trace_wants *w, const struct record *r, uint32_t moment, uint64_t pos,
		      struct trace_event *t);

/* Return whether the event has this field of its row. Kernels differ. */
bool trace_event_has(const struct trace_event *t, unsigned field);
/* The value of this field of the row; 0 when the event lacks it. */
uint64_t trace_number(const struct trace_event *t, unsigned field);
/* Return a number that identifies the value of this field: a hash if it is a text or an array. */
uint64_t trace_key(const struct trace_event *t, unsigned field);
/* Copy a string field, cut to `size - 1` bytes; foreign text. Empty when the event lacks it. */
void trace_string(const struct trace_event *t, unsigned field, char *buf, size_t size);

/* Print the context in which it fired: the four characters of report/tracepoint/context.h. */
void trace_event_context(const struct trace_event *t, struct out *o);
/* Print the payload with the kernel's format. */
void trace_event_text(const struct trace_event *t, struct out *o);

#endif
