/* Collect what CPUs and tasks did over time, from events of the scheduler, power management and system calls. */
#include "report/presets/timechart_priv.h"

#include <errno.h>

enum { SWITCH, WAKEUP, IDLE, FREQ, FIXED };
static const struct trace_want fixed[FIXED] = {
	[SWITCH] = { "sched:sched_switch",
		     { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm", "next_prio" } },
	[WAKEUP] = { "sched:sched_wakeup", { "pid", "comm", "common_flags", NULL, NULL, "prio", "success" } },
	[IDLE] = { "power:cpu_idle", { "state", "cpu_id" } },
	[FREQ] = { "power:cpu_frequency", { "state", "cpu_id" } },
};
/* Source: TRACE_FLAG_* in include/linux/trace_events.h. */
enum { FLAG_HARDIRQ = 8, FLAG_SOFTIRQ = 16 };

const struct timechart_call timechart_calls[] = {
	{ "read", CHART_DISK },        { "pread64", CHART_DISK },
	{ "readv", CHART_DISK },       { "preadv", CHART_DISK },
	{ "write", CHART_DISK },       { "pwrite64", CHART_DISK },
	{ "writev", CHART_DISK },      { "pwritev", CHART_DISK },
	{ "sync", CHART_SYNC },        { "sync_file_range", CHART_SYNC },
	{ "fsync", CHART_SYNC },       { "msync", CHART_SYNC },
	{ "recvfrom", CHART_NET },     { "recvmmsg", CHART_NET },
	{ "recvmsg", CHART_NET },      { "sendto", CHART_NET },
	{ "sendmsg", CHART_NET },      { "sendmmsg", CHART_NET },
	{ "epoll_pwait", CHART_POLL }, { "epoll_wait", CHART_POLL },
	{ "poll", CHART_POLL },        { "ppoll", CHART_POLL },
	{ "pselect6", CHART_POLL },    { "select", CHART_POLL },
};
const size_t n_timechart_calls = ARRAY_SIZE(timechart_calls);

/* The rows of wanted events: the fixed ones, then the entry and the exit of each call. */
enum { ROWS = FIXED + 2 * ARRAY_SIZE(timechart_calls) };
struct chart_rows {
	struct trace_want wants[ROWS];
	struct arena names;
};

static void make_rows(struct chart_rows *r)
{
	memcpy(r->wants, fixed, sizeof(fixed));
	for (size_t i = 0; i < n_timechart_calls; i++) {
		struct trace_want *w = &r->wants[FIXED + 2 * i];

		w[0].event = arena_printf(&r->names, "syscalls:sys_enter_%s", timechart_calls[i].name);
		w[1] = (struct trace_want){ .fields = { "ret" } };
		w[1].event = arena_printf(&r->names, "syscalls:sys_exit_%s", timechart_calls[i].name);
	}
}

/* ---- lanes ---- */

static struct chart_task *task_of(struct chart *c, int32_t tid, const char *comm, uint64_t time)
{
	uint32_t *at = u64map_put(&c->index, (uint32_t)tid, NULL);
	struct chart_task *task;

	if (!*at) {
		vec_push(&c->tasks, (struct chart_task){ .tid = tid, .first = time, .doing = CHART_KINDS });
		*at = (uint32_t)c->tasks.len;
	}
	task = &c->tasks.items[*at - 1];
	if (comm && *comm)
		snprintf(task->comm, sizeof(task->comm), "%s", comm);
	task->last = time;
	return task;
}

static uint32_t lane_of(const struct chart *c, const struct chart_task *t)
{
	return (uint32_t)(t - c->tasks.items) + 1;
}

/* Return the state of a CPU; NULL if the number is too large for a CPU. */
static struct chart_cpu *cpu_of(struct chart *c, uint32_t cpu)
{
	if (cpu >= SCHED_CPUS_MOST) {
		c->left_out++;
		return NULL;
	}
	while (c->cpus.len <= cpu)
		vec_push(&c->cpus, (struct chart_cpu){ 0 });
	c->cpus.items[cpu].seen = true;
	return &c->cpus.items[cpu];
}

/* End the present state of a task at this time. */
static void leave(struct chart *c, struct chart_task *task, uint64_t time)
{
	if (task->doing == CHART_KINDS || time <= task->since)
		return;
	vec_push(&c->spans, (struct chart_span){ .from = task->since,
						 .to = time,
						 .lane = lane_of(c, task),
						 .cpu = task->cpu,
						 .kind = task->doing });
	if (task->doing == CHART_RUNNING)
		task->ran += time - task->since;
}

static void enter(struct chart_task *task, uint32_t doing, uint64_t time, uint32_t cpu)
{
	task->doing = doing;
	task->since = time;
	task->cpu = cpu;
}

/* ---- events ---- */

/*
 * Correct our state before a switch, because we do not see all switches. If the task that leaves is not the one that we
 * saw coming, we know neither when that one left nor when this one came. But the first task that leaves a CPU has run
 * since the recording began.
 */
static void check_current(struct chart *c, struct chart_cpu *cpu, struct chart_task *prev, const struct trace_event *t)
{
	struct chart_task *believed = cpu->running ? &c->tasks.items[cpu->running - 1] : NULL;

	if (believed && believed != prev && believed->doing == CHART_RUNNING && believed->cpu == t->cpu)
		believed->doing = CHART_KINDS;
	if (!prev || prev->doing == CHART_RUNNING)
		return;
	if (cpu->switched)
		prev->doing = CHART_KINDS;
	else
		enter(prev, CHART_RUNNING, c->first, t->cpu);
}

static void switched(struct chart *c, const struct trace_event *t)
{
	struct chart_cpu *cpu = cpu_of(c, t->cpu);
	struct chart_task *task;
	struct sched_switch s;

	if (!cpu)
		return;
	sched_switch_read(t, &s);
	task = s.prev.tid ? task_of(c, s.prev.tid, s.prev.comm, t->time) : NULL;
	check_current(c, cpu, task, t);
	cpu->switched = true;
	cpu->running = 0;
	if (task) {
		leave(c, task, t->time);
		enter(task,
		      sched_is_runnable(s.state)          ? CHART_WAITING
		      : sched_is_uninterruptible(s.state) ? CHART_BLOCKED
							  : CHART_KINDS,
		      t->time, t->cpu);
	}
	if (s.next.tid) {
		task = task_of(c, s.next.tid, s.next.comm, t->time);
		leave(c, task, t->time);
		enter(task, CHART_RUNNING, t->time, t->cpu);
		cpu->running = lane_of(c, task);
	}
}

static void woken(struct chart *c, const struct trace_event *t)
{
	bool interrupt = trace_number(t, 2) & (FLAG_HARDIRQ | FLAG_SOFTIRQ);
	struct chart_wake wake = { .time = t->time };
	struct chart_task *task;
	char comm[SCHED_COMM];

	if (!sched_woke(t))
		return;
	trace_string(t, 1, comm, sizeof(comm));
	if (!interrupt && t->task.tid > 0)
		wake.from = lane_of(c, task_of(c, t->task.tid, NULL, t->time));
	task = task_of(c, (int32_t)trace_number(t, 0), comm, t->time);
	wake.to = lane_of(c, task);
	vec_push(&c->wakes, wake);
	if (task->doing == CHART_RUNNING || task->doing == CHART_WAITING)
		return;
	leave(c, task, t->time);
	enter(task, CHART_WAITING, t->time, t->cpu);
}

static void cpu_span(struct chart *c, uint32_t cpu, uint32_t kind, uint64_t since, uint64_t time, uint64_t value)
{
	if (value && time > since)
		vec_push(&c->spans,
			 (struct chart_span){
				 .from = since, .to = time, .lane = cpu, .cpu = cpu, .kind = kind, .value = value });
}

/* Take a change of a CPU's idle state. UINT32_MAX: the CPU is no longer idle. 0: it polls; perf shows this as C1. */
static void idle(struct chart *c, const struct trace_event *t)
{
	uint32_t number = (uint32_t)trace_number(t, 1), state = (uint32_t)trace_number(t, 0);
	struct chart_cpu *cpu = cpu_of(c, number);

	if (!cpu)
		return;
	cpu_span(c, number, CHART_IDLE, cpu->idle_since, t->time, cpu->state);
	cpu->state = state == UINT32_MAX ? 0 : MAX(state, 1u);
	cpu->idle_since = t->time;
}

static void frequency(struct chart *c, const struct trace_event *t)
{
	uint32_t number = (uint32_t)trace_number(t, 1);
	struct chart_cpu *cpu = cpu_of(c, number);

	if (!cpu)
		return;
	cpu_span(c, number, CHART_FREQ, cpu->freq_since, t->time, cpu->khz);
	cpu->khz = (uint32_t)trace_number(t, 0);
	cpu->freq_since = t->time;
}

/* Take the return of a call. Like perf, show a call that failed as an error. */
static void returned(struct chart *c, const struct trace_event *t, uint32_t call)
{
	int64_t ret = (int64_t)trace_number(t, 0);
	struct chart_span span = { .to = t->time, .cpu = t->cpu, .kind = timechart_calls[call].kind };
	char comm[SCHED_COMM];
	struct open_pair start;
	struct chart_task *task;

	if (!open_pairs_end(&c->calls, (uint32_t)t->task.tid, &start) || start.value != call ||
	    (c->opts->skip_eagain && ret == -EAGAIN))
		return;
	task = task_of(c, t->task.tid, session_comm(c->session, t->task.comm, comm), t->time);
	span.from = start.time;
	span.lane = lane_of(c, task);
	if (ret < 0)
		span.kind = CHART_ERROR;
	else if (span.kind == CHART_DISK || span.kind == CHART_NET)
		span.value = (uint64_t)ret;
	task->bytes += span.value;
	vec_push(&c->spans, span);
}

static void event(struct chart *c, const struct trace_event *t)
{
	c->first = c->first ? c->first : t->time;
	c->last = t->time;
	if (!cpu_of(c, t->cpu))
		return;
	switch (t->want) {
	case SWITCH: switched(c, t); return;
	case WAKEUP: woken(c, t); return;
	case IDLE: idle(c, t); return;
	case FREQ: frequency(c, t); return;
	}
	if ((t->want - FIXED) % 2)
		returned(c, t, (t->want - FIXED) / 2);
	else
		open_pairs_start(&c->calls, &(struct open_pair){ .key = (uint32_t)t->task.tid,
								 .time = t->time,
								 .value = (t->want - FIXED) / 2 });
}

/* End all states at the end of the recording. */
static void finish(struct chart *c)
{
	for (size_t i = 0; i < c->tasks.len; i++)
		leave(c, &c->tasks.items[i], c->last);
	for (uint32_t i = 0; i < c->cpus.len; i++) {
		struct chart_cpu *cpu = &c->cpus.items[i];

		cpu_span(c, i, CHART_IDLE, cpu->idle_since, c->last, cpu->state);
		cpu_span(c, i, CHART_FREQ, cpu->freq_since, c->last, cpu->khz);
	}
}

static int timechart_read(struct chart *c, struct live *l, struct err *e)
{
	struct chart_rows rows = { 0 };
	struct trace_event t;
	int what, rc;

	make_rows(&rows);
	c->session = live_session(l);
	c->events = (struct live_events){ .live = l, .rows = rows.wants, .n_rows = ROWS };
	while ((what = live_events_next(&c->events, &t, e)) > LIVE_END)
		if (what == LIVE_EVENT)
			event(c, &t);
	rc = what < 0 ? -1 : presets_need(&c->events, "tasks or CPUs", "timechart record", e);
	finish(c);
	live_events_release(&c->events);
	arena_release(&rows.names);
	return rc;
}

static void timechart_release(struct chart *c)
{
	u64map_free(&c->index);
	vec_free(&c->tasks);
	vec_free(&c->cpus);
	vec_free(&c->spans);
	vec_free(&c->wakes);
	open_pairs_free(&c->calls);
}

int timechart(struct live *l, const struct timechart_opts *opts, struct out *o, uint64_t *ns, struct err *e)
{
	struct chart c = { .opts = opts };
	int rc = timechart_read(&c, l, e);

	if (rc == 0)
		timechart_draw(&c, o);
	*ns = c.last - c.first;
	timechart_release(&c);
	return rc;
}
