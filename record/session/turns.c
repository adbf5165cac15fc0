/*
 * Take call chains of switches and wakeups only for some of the time, if there are so many that the
 * recorded programs would slow down: the chain is most of the cost of such an event. Each event has
 * a reserve without chains, so every switch and every wakeup is in the recording, and the times of
 * threads are exact. Turns with and without chains alternate, at the same time on all CPUs. So a
 * short wait is recorded with both stacks, its own and its waker's, or with none. Readers estimate
 * the stacks of the other waits (report/waits/estimate.c).
 */
#include "record/session/recorder_priv.h"

enum {
	FULL_US = 10000, /* length of a turn with chains, and the least time to judge by */
	LEAN_US = 40000, /* length of a turn without chains */
};

/*
 * Return true if chains may be taken in turns. Nobody else may turn events on and off: they would
 * switch the wrong ones.
 */
static bool may_take_turns(const struct record_opts *o)
{
	return (o->waits || o->wall) && o->stack_rate && !o->target_only && !o->n_delays && !o->stay_disabled &&
	       !o->control && !o->overwrite && !o->threads && o->chain != CHAIN_MODE_LIVE;
}

static bool has_reserve(const struct event *event)
{
	return event->tp_name && (!strcmp(event->tp_name, "sched_switch") || !strcmp(event->tp_name, "sched_waking"));
}

void turns_add_events(struct recorder *r)
{
	struct event_list *l = &r->events;
	size_t n = l->events.len;

	if (r->trial || !may_take_turns(&r->o))
		return;
	for (size_t i = 0; i < n; i++) {
		struct event reserve = l->events.items[i];

		if (!has_reserve(&reserve) || reserve.n_members != 1 || reserve.term_callgraph)
			continue;
		reserve.cpus = (struct cpuset){ 0 };
		for (size_t k = 0; k < l->events.items[i].cpus.len; k++)
			cpuset_add(&reserve.cpus, l->events.items[i].cpus.items[k]);
		reserve.leader = (uint32_t)l->events.len;
		reserve.term_callgraph = "no";
		reserve.is_reserve = true;
		vec_push(&l->events, reserve);
		r->turns.any = true;
	}
}

static void begin_turn(struct recorder *r)
{
	r->turns.since_us = pace_now_us();
	for (size_t i = 0; i < r->rings.rings.len; i++)
		r->turns.heads[i] = r->rings.rings.items[i].head;
}

void turns_start(struct recorder *r)
{
	if (!r->turns.any)
		return;
	r->turns.heads = arena_alloc(&r->whole_run, r->rings.rings.len * sizeof(uint64_t));
	begin_turn(r);
}

/* Return the bytes of the ring that got most in this turn. */
static uint64_t most_bytes(const struct recorder *r)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->rings.rings.len; i++)
		most = MAX(most, r->rings.rings.items[i].head - r->turns.heads[i]);
	return most;
}

static int enable_all(struct recorder *r, bool reserves, bool on, struct err *e)
{
	for (size_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		if (event->is_reserve == reserves && has_reserve(event) && !event->is_twin &&
		    event_enable(event, on, e) < 0)
			return -1;
	}
	return 0;
}

/*
 * For some microseconds, both are enabled: for readers, a duplicate switch is better than a missing
 * one.
 */
static int change_over(struct recorder *r, struct err *e)
{
	struct turns *t = &r->turns;

	t->lean = !t->lean;
	return enable_all(r, t->lean, true, e) < 0 ? -1 : enable_all(r, !t->lean, false, e);
}

int turns_step(struct recorder *r, struct err *e)
{
	struct turns *t = &r->turns;
	uint64_t took_us = pace_now_us() - t->since_us;
	int rc = 0;

	if (!t->any || took_us < (t->lean ? LEAN_US : FULL_US))
		return 0;
	*(t->lean ? &t->lean_us : &t->full_us) += took_us;
	if (!t->lean)
		t->fast = most_bytes(r) > took_us * r->o.stack_rate / 1000;
	if (t->lean || t->fast)
		rc = change_over(r, e);
	begin_turn(r);
	return rc;
}

int turns_timeout(const struct recorder *r, int limit_ms)
{
	const struct turns *t = &r->turns;
	uint64_t took_us, turn_us = t->lean ? LEAN_US : FULL_US;

	if (!t->any || !t->fast)
		return limit_ms;
	took_us = MIN(pace_now_us() - t->since_us, turn_us);
	return MIN(limit_ms, (int)((turn_us - took_us + 999) / 1000));
}

void turns_end(struct recorder *r)
{
	struct turns *t = &r->turns;

	*(t->lean ? &t->lean_us : &t->full_us) += t->any ? pace_now_us() - t->since_us : 0;
	if (!t->lean_us)
		return;
	tell(&r->o.tell,
	     "[ %s record: many switches: their call chains were taken in %.0f%% of the time; times are whole ]",
	     tool_name(), 100.0 * (double)t->full_us / (double)(t->full_us + t->lean_us));
	tell(&r->o.tell, "  try: --stack-rate=0, which takes all, and slows programs down more");
}
