/* Record the switches and wakeups of the target only (--target-only); the kernel picks them. */
#include "record/session/recorder_priv.h"

static bool is_picked(const struct event *event) { return event->system && !strcmp(event->system, "sched"); }

static int open_picks(struct recorder *r, struct err *e)
{
	char workload[16];

	snprintf(workload, sizeof(workload), "%d", (int)r->workload.pid);
	return picks_open(&r->picks, r->o.subject_pids, r->o.subject_is_command ? workload : r->o.subject_tids,
			  r->o.no_inherit, e);
}

void picked_prepare(struct recorder *r)
{
	struct err e = { 0 };

	if (!r->o.target_only || r->trial)
		return;
	if (open_picks(r, &e) < 0) {
		tell(&r->o.tell,
		     "[ %s record: cannot pick the target's switches (%s), so this records those of all threads ]",
		     tool_name(), e.what);
		return;
	}
	r->picks_on = true;
	for (size_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		if (!is_picked(event))
			continue;
		event->attr.type = PERF_TYPE_SOFTWARE;
		event->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	}
}

static int attach(struct recorder *r, struct event *event, struct err *e)
{
	bool is_switch = !strcmp(event->tp_name, "sched_switch");
	struct pick_output o = { .system = event->system,
				 .name = event->tp_name,
				 .fields = { is_switch ? "prev_pid" : "pid", is_switch ? "next_pid" : NULL },
				 .fds = event->fds,
				 .cpus = event->open_cpus,
				 .n = event->n_cpus };

	if (tracepoint_id(o.system, o.name, &o.id, e) < 0)
		return -1;
	/* Readers must see a tracepoint: its samples look like that. */
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = o.id;
	return picks_add(&r->picks, &o, e);
}

int picked_attach(struct recorder *r, struct err *e)
{
	if (!r->picks_on)
		return 0;
	for (size_t i = 0; i < r->events.events.len; i++)
		if (is_picked(&r->events.events.items[i]) && attach(r, &r->events.events.items[i], e) < 0)
			return err_in(e, "--target-only");
	tell(&r->o.tell, "[ %s record: switches and wakeups of the target alone, picked by BPF ]", tool_name());
	return 0;
}
