#include "record/record.h"

/* A thread leaves its CPU; somebody makes it run again; a new one runs for the first time. */
static const char *const events[] = { "sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new" };

void record_add_waits(struct record_opts *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		vec_push(&o->events, events[i]);
	o->system_wide = true;
	o->period = 1;
	o->raw = o->sample_cpu = true;
	o->timestamp = TRI_ON;
	if (o->chain == CHAIN_MODE_NONE)
		o->chain = CHAIN_MODE_FP;
}
