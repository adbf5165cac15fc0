/*
 * Measure how long tasks slept (-S) or were blocked (-D), by default both: from their switch away until they are woken
 * or run again.
 */
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"
#include "report/waits/sched.h"

enum { SWITCH, WAKEUP };
enum { ASLEEP = 1, BLOCKED = 2 };

struct sleeps {
	struct open_pairs open; /* by tid */
	struct sched_names names;
	uint64_t than_ns, n_lost;
	bool named;
};

static bool wants_asleep(const struct monitor_opts *o) { return o->asleep || !o->blocked; }
static bool wants_blocked(const struct monitor_opts *o) { return o->blocked || !o->asleep; }

/*
 * Return the filter for switches of the chosen tasks, away from a CPU and back. We need the switches back because we
 * do not see every wakeup, for example on a CPU that idles in a virtual machine.
 */
static char *switch_filter(const struct monitor_opts *o)
{
	const char *state = wants_asleep(o) && wants_blocked(o) ? "(prev_state==1 || prev_state==2)"
			    : wants_blocked(o)                  ? "prev_state==2"
								: "prev_state==1";

	if (!o->filter)
		return NULL;
	return xasprintf("(prev_comm~\"%s\" && %s) || next_comm~\"%s\"", o->filter, state, o->filter);
}

static int events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct sleeps *s = run->state;
	autofree char *away = NULL, *wake = o->filter ? xasprintf("comm~\"%s\"", o->filter) : NULL;

	if (o->than && monitor_parse_time(&s->than_ns, o->than, 1000000, e) < 0)
		return -1;
	away = switch_filter(o);
	run->open = &s->open;
	run->keeps_lines = true;
	if (monitor_want(run, &sched_wants[SCHED_SWITCH], away, e) < 0)
		return -1;
	return monitor_want(run, &sched_wants[SCHED_WAKEUP], wake, e);
}

static bool is_wanted(const struct monitor_opts *o, const struct sched_switch *s)
{
	return s->prev.tid && ((wants_asleep(o) && s->state == ASLEEP) || (wants_blocked(o) && s->state == BLOCKED)) &&
	       (!o->filter || monitor_glob(o->filter, s->prev.comm));
}

static void fall_asleep(struct monitor_run *run, const struct trace_event *t, const struct sched_switch *sw)
{
	struct sleeps *s = run->state;

	/* New threads start all the time, so forget the names at a limit. The lines of sleeping threads keep theirs. */
	if (s->names.len >= OPEN_PAIRS_MOST) {
		sched_names_release(&s->names);
		sched_names_init(&s->names, run->session);
	}
	sched_names_tell(&s->names, sw->prev.tid, sw->prev.comm);
	monitor_start(run, t, (uint32_t)sw->prev.tid, sw->state);
}

/* Print how long a thread slept. `woken`: the thread that runs at `t` woke it; otherwise we see it run again. */
static void end_sleep(struct monitor_run *run, const struct trace_event *t, const struct sched_side *side, bool woken)
{
	struct sleeps *s = run->state;
	char buf[SCHED_COMM];
	struct open_pair start;
	struct json j;
	uint64_t slept;

	if (!open_pairs_end(&s->open, (uint32_t)side->tid, &start))
		return;
	slept = t->time > start.time ? t->time - start.time : 0;
	if (slept < s->than_ns)
		return;
	if (monitor_json(run, &j, "wait", t->time)) {
		json_text(&j, "comm", side->comm);
		json_number(&j, "tid", side->tid);
		json_unsigned(&j, "ns", slept);
		json_text(&j, "state", start.value == BLOCKED ? "D" : "S");
		json_unsigned(&j, "cpu", start.cpu);
		if (woken) {
			json_text(&j, "waker", sched_names_now(&s->names, t, t->task.tid, buf));
			json_number(&j, "waker_tid", t->task.tid);
		}
		monitor_json_stack(run, &j, start.stack);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_str(run->out, "== ");
	out_name(run->out, side->comm);
	out_fmt(run->out, " %d WAIT %llu ms in state %c on CPU %u, ", side->tid, (unsigned long long)(slept / 1000000),
		start.value == BLOCKED ? 'D' : 'S', start.cpu);
	if (woken) {
		out_str(run->out, "woken by ");
		out_name(run->out, sched_names_now(&s->names, t, t->task.tid, buf));
		out_fmt(run->out, " %d\n", t->task.tid);
	} else {
		out_str(run->out, "runs again; its wakeup was not seen\n");
	}
	monitor_start_line(run, &start);
	monitor_line(run, t);
}

static void take_switch(struct monitor_run *run, const struct trace_event *t)
{
	struct sched_switch sw;

	sched_switch_read(t, &sw);
	end_sleep(run, t, &sw.next, false);
	if (is_wanted(run->opts, &sw))
		fall_asleep(run, t, &sw);
}

static void take_wakeup(struct monitor_run *run, const struct trace_event *t)
{
	struct sched_side side;

	sched_side_read(t, &side);
	end_sleep(run, t, &side, true);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct sleeps *s = run->state;

	if (!s->named)
		sched_names_init(&s->names, run->session);
	s->named = true;
	if (t->want == SWITCH)
		take_switch(run, t);
	else
		take_wakeup(run, t);
}

/* Forget the sleeping threads when events are lost: a thread may have been awake in the gap. */
static void lost(struct monitor_run *run)
{
	struct sleeps *s = run->state;

	s->n_lost += open_pairs_forget(&s->open);
}

static void finish(struct monitor_run *run)
{
	const struct sleeps *s = run->state;

	if (s->open.dropped || s->n_lost)
		out_fmt(run->out, "# sleeps dropped: too many threads slept: %llu, events were lost: %llu\n",
			(unsigned long long)s->open.dropped, (unsigned long long)s->n_lost);
}

static void release(struct monitor_run *run)
{
	struct sleeps *s = run->state;

	open_pairs_free(&s->open);
	sched_names_release(&s->names);
}

const struct monitor monitor_task_state = { .events = events,
					    .sample = sample,
					    .lost = lost,
					    .finish = finish,
					    .release = release,
					    .ring_pages = 64,
					    .state_size = sizeof(struct sleeps) };
