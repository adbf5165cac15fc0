/* Measure the time from each event of a row to the next one, on one CPU or in one thread. */
#include "report/monitors/delays_priv.h"

static int events(struct monitor_run *run, struct err *e)
{
	struct delays *s = run->state;

	s->key = run->opts->pids || run->opts->tids ? DELAY_BY_TID : DELAY_BY_CPU;
	return delays_events(run, e);
}

const struct monitor monitor_mpdelay = { .events = events, .ring_pages = 64, DELAYS_MONITOR };
