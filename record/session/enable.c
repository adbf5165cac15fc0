/* Enable and disable events: for -D, and on request. */

#include "base/clock.h"
#include "base/out.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

int recorder_enable(struct recorder *r, bool on, struct err *e)
{
	uint32_t tracking = attr_tracking(&r->events);

	r->aux.on = on;
	for (uint32_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		/* Keep sideband events enabled; otherwise readers would miss new maps. */
		bool stays = event->is_dummy && (i == tracking || !event->attr.disabled);

		if (event->leader == i && !event->is_twin && !event->is_reserve && !stays &&
		    event_enable(event, on, e) < 0)
			return -1;
		/*
		 * Enabling takes a while on many CPUs, and the rings fill meanwhile: read them
		 * in between.
		 */
		if (recorder_sweep(r, rings_quarter(&r->rings), e) < 0)
			return -1;
	}
	return off_cpu_enable(r->off_cpu, on, e);
}

int recorder_disable_all(struct recorder *r, struct err *e)
{
	off_cpu_enable(r->off_cpu, false, NULL);
	r->aux.on = false;
	for (uint32_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		if (event->leader == i && event_enable(event, false, NULL) < 0)
			continue; /* its task may have ended */
		if (!r->result->full && recorder_sweep(r, rings_quarter(&r->rings), e) < 0)
			return -1;
	}
	return 0;
}

bool recorder_next_change(const struct recorder *r, uint64_t *ms)
{
	const struct delay_span *span = &r->o.delays[r->next_delay / 2];

	if (r->next_delay / 2 >= r->o.n_delays)
		return false;
	*ms = r->next_delay % 2 ? span->end_ms : span->start_ms;
	return !(r->next_delay % 2) || span->end_ms;
}

int recorder_apply_delays(struct recorder *r, struct err *e)
{
	uint64_t ms;

	while (recorder_next_change(r, &ms) && now_ms() - r->start_ms >= ms) {
		bool on = !(r->next_delay++ % 2);

		if (recorder_enable(r, on, e) < 0)
			return -1;
		tell(&r->o.tell, "Events %s", on ? "enabled" : "disabled");
	}
	return 0;
}
