#include "record/record.h"

/*
 * A thread leaves its CPU; another one wakes it; a new thread runs for the first time. Record each
 * of these, whatever frequency other events have.
 */
static const char *const events[] = { "sched:sched_switch/period=1/", "sched:sched_waking/period=1/",
				      "sched:sched_wakeup_new/period=1/" };
/* Used if no other event is requested: every CPU has this clock. */
static const char clock_event[] = "cpu-clock";
enum { CLOCK_HZ = 997 };

void record_add_waits(struct record_opts *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		vec_push(&o->events, events[i]);
	o->system_wide = true;
	o->raw = o->sample_cpu = true;
	o->timestamp = TRI_ON;
	o->waits = true;
	if (o->chain == CHAIN_MODE_NONE)
		o->chain = CHAIN_MODE_FP;
}

void record_add_wall(struct record_opts *o)
{
	if (!o->events.len)
		vec_push(&o->events, clock_event);
	if (!o->freq_given && !o->period)
		o->freq = CLOCK_HZ;
	record_add_waits(o);
}
