#include "report/live/events.h"

static bool take(struct live_events *events, struct trace_event *t)
{
	struct live_record r;

	while (events->wants && live_record(events->live, &r))
		if (trace_wants_take(events->wants, &r.record, r.moment, r.pos, t))
			return true;
		else if (events->other)
			events->other(events->ctx, &r);
	return false;
}

int live_events_next(struct live_events *events, struct trace_event *t, struct err *e)
{
	int what;

	for (;;) {
		if (take(events, t))
			return LIVE_EVENT;
		if (events->ticks) {
			events->ticks = false;
			return LIVE_TICK;
		}
		what = live_next(events->live, e);
		if (what <= LIVE_END)
			return what;
		events->ticks = what == LIVE_TICK;
		if (!events->wants)
			events->wants = trace_wants_new(live_session(events->live), events->rows, events->n_rows);
	}
}

bool live_events_tidy(struct live_events *events)
{
	if (live_is_file(events->live) || !session_has_grown(live_session(events->live)))
		return false;
	live_tidy_now(events->live, NULL, 0, NULL, 0);
	if (events->wants)
		trace_wants_forget(events->wants);
	return true;
}

void live_events_release(struct live_events *events) { trace_wants_free(events->wants); }
