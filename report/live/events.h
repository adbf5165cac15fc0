#ifndef REPORT_LIVE_EVENTS_H
#define REPORT_LIVE_EVENTS_H

#include "report/live/live.h"
#include "report/tracepoint/wants.h"

/*
 * Tracepoints as they arrive, ordered by time, with their fields by number.
 *
 *	struct live_events events = { .live = live, .rows = rows, .n_rows = ARRAY_SIZE(rows) };
 *	struct trace_event t;
 *	while ((what = live_events_next(&events, &t, e)) > LIVE_END)
 *		if (what == LIVE_TICK)
 *			print the sums;
 *		else
 *			add t to the sums;
 *	live_events_release(&events);
 */
enum { LIVE_EVENT = LIVE_TICK + 1 };
struct live_events {
	struct live *live;
	const struct trace_want *rows;
	size_t n_rows;
	struct trace_wants *wants; /* made with the first round, because in a pipe the formats come before it */
	/* Other records than those of the rows, in the same order; NULL: unwanted. */
	void (*other)(void *ctx, struct live_record *r);
	void *ctx;
	bool ticks; /* report a tick once the records before it have been delivered */
};

/* Return LIVE_EVENT with `t`, which is valid until the next call; LIVE_TICK; LIVE_END; -1 with e. */
int live_events_next(struct live_events *events, struct trace_event *t, struct err *e);
/*
 * Release unused data if there is much of it. Programs that run for long call it at ticks. true: it released data, and
 * ids of threads, spaces and objects may have a new meaning.
 */
bool live_events_tidy(struct live_events *events);
void live_events_release(struct live_events *events);

#endif
