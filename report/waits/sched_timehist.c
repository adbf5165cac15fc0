/* Print a line each time a task leaves its CPU: how long it had slept, waited for the CPU, and run. */
#include "report/waits/calls.h"
#include "report/waits/sched.h"
#include "report/waits/sched_timehist_priv.h"

enum { COMM_WIDTH = 30 };

/* The values of a line, for a task's time on the CPU and before. */
struct slice {
	uint64_t wait, delay, before_migration, run;
};

static struct hist_task *task_of(struct timehist *h, uint64_t key, int32_t tid)
{
	bool is_new;
	uint32_t *at = u64map_put(&h->index, key, &is_new);

	if (is_new) {
		vec_push(&h->tasks, (struct hist_task){ .tid = tid, .prio = -1 });
		*at = (uint32_t)h->tasks.len;
	}
	return &h->tasks.items[*at - 1];
}

/* Return a task. Each CPU has its own idle task; all of them have the id 0. */
static struct hist_task *task_at(struct timehist *h, int32_t tid, uint32_t cpu)
{
	return task_of(h, tid ? (uint32_t)tid : 1ull << 32 | cpu, tid);
}

static struct hist_cpu *cpu_at(struct timehist *h, uint32_t cpu)
{
	while (h->cpus.len <= cpu)
		vec_push(&h->cpus, (struct hist_cpu){ 0 });
	return &h->cpus.items[cpu];
}

/* ---- selection ---- */

static bool wants_task(struct timehist *h, const struct trace_event *t, int32_t tid, int32_t prio)
{
	const struct sched_timehist_opts *o = h->opts;
	struct task task;

	if (o->prios && (prio < 0 || !cpuset_has(o->prios, prio)))
		return false;
	if (!o->filter)
		return true;
	session_task(h->session, &h->names.lookup, -1, tid, t->moment, &task);
	task.tid = tid;
	return sample_filter_wants_task(o->filter, h->session, &task);
}

static bool wants_cpu(const struct timehist *h, uint32_t cpu)
{
	return !h->opts->filter || sample_filter_wants_cpu(h->opts->filter, cpu);
}

/* ---- columns ---- */

static void print_start(struct timehist *h, const struct trace_event *t, char mark, struct out *o)
{
	out_fmt(o, "%8llu.%06llu [%04u] ", (unsigned long long)(t->time / 1000000000),
		(unsigned long long)(t->time / 1000 % 1000000), t->cpu);
	if (!h->opts->cpu_visual)
		return;
	out_char(o, ' ');
	for (uint32_t cpu = 0; cpu < h->n_cpus; cpu++)
		out_char(o, cpu == t->cpu ? mark : ' ');
	out_char(o, ' ');
}

static int name_text(struct timehist *h, const struct trace_event *t, int32_t tid, struct out *o)
{
	char buf[SCHED_COMM], id[32];
	struct task task;
	const char *comm;

	if (!tid) {
		out_str(o, "<idle>");
		return 6;
	}
	comm = sched_names_now(&h->names, t, tid, buf);
	out_name(o, comm);
	session_task(h->session, &h->names.lookup, -1, tid, t->moment, &task);
	if (task.pid > 0 && task.pid != tid)
		snprintf(id, sizeof(id), "[%d/%d]", tid, task.pid);
	else
		snprintf(id, sizeof(id), "[%d]", tid);
	out_str(o, id);
	return out_name_width(comm) + (int)strlen(id);
}

static void print_name(struct timehist *h, const struct trace_event *t, int32_t tid, struct out *o)
{
	out_char(o, ' ');
	out_pad(o, ' ', COMM_WIDTH - name_text(h, t, tid, o));
}

/* Print three decimals, truncated as in perf. */
static void print_ms(uint64_t ns, struct out *o)
{
	out_fmt(o, "  %5llu.%03llu", (unsigned long long)(ns / 1000000), (unsigned long long)(ns / 1000 % 1000));
}

/* Print blanks as wide as the columns of times, for lines without times. */
static void print_gap(const struct timehist *h, struct out *o)
{
	out_pad(o, ' ',
		3 * 11 + (h->opts->show_prio ? 10 : 0) + (h->opts->pre_migrations ? 11 : 0) + (h->opts->state ? 7 : 0) +
			2);
}

static bool is_scheduler(const char *name)
{
	return name && (!strcmp(name, "__schedule") || !strcmp(name, "schedule") || !strcmp(name, "preempt_schedule"));
}

/* Print "a <- b <- c": the innermost frames, without those of the scheduler (two in most stacks). */
static bool chain_text(struct timehist *h, const struct trace_event *t, size_t most, struct out *o)
{
	size_t n = calls_of(&h->calls, h->session, t, most + 2, true), shown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct call *f = &h->calls.items[i];

		if (is_scheduler(f->name))
			continue;
		if (shown++)
			out_str(o, " <- ");
		if (f->name)
			out_name(o, f->name);
		else
			out_str(o, "[unknown]");
		if (f->inlined)
			out_str(o, " (inlined)");
	}
	return shown;
}

static void print_prio(const struct hist_task *task, int32_t prio, struct out *o)
{
	char text[32];

	if (task->prio >= 0 && task->prio != prio)
		snprintf(text, sizeof(text), "%d->%d", task->prio, prio);
	else
		snprintf(text, sizeof(text), "%d", prio);
	out_fmt(o, "  %-8s", text);
}

static void print_switch(struct timehist *h, const struct trace_event *t, const struct sched_switch *s,
			 const struct hist_task *task, const struct slice *slice)
{
	const struct sched_timehist_opts *opts = h->opts;
	struct out *o = h->out;
	char next[64];

	print_start(h, t, s->prev.tid ? 's' : 'i', o);
	print_name(h, t, s->prev.tid, o);
	if (opts->show_prio)
		print_prio(task, s->prev.prio, o);
	print_ms(slice->wait, o);
	print_ms(slice->delay, o);
	print_ms(slice->run, o);
	if (opts->pre_migrations)
		print_ms(slice->before_migration, o);
	if (opts->state)
		out_fmt(o, "  %5c", s->prev.tid ? sched_state_letter(s->state) : 'I');
	out_char(o, ' ');
	if (opts->next) {
		snprintf(next, sizeof(next), "next: %s[%d]", s->next.comm, s->next.tid);
		out_char(o, ' ');
		out_name_pad(o, next, -COMM_WIDTH);
	} else if (opts->wakeups) {
		out_pad(o, ' ', 2 + COMM_WIDTH);
	}
	if (opts->chains && s->prev.tid && t->sample.n_chain) {
		out_str(o, "   ");
		chain_text(h, t, opts->max_stack, o);
	}
	out_char(o, '\n');
}

static void rule(struct out *o, const char *before, int width)
{
	out_str(o, before);
	out_pad(o, '-', width);
}

static void print_head(struct timehist *h, struct out *o)
{
	const struct sched_timehist_opts *opts = h->opts;

	out_str(o, "           time    cpu");
	if (opts->cpu_visual) {
		out_str(o, "  ");
		for (uint32_t i = 0; i < h->n_cpus; i++)
			out_hex(o, i & 0xf);
	}
	out_fmt(o, "  %-*s%s  wait time  sch delay   run time%s%s\n", COMM_WIDTH, "task name",
		opts->show_prio ? "  prio    " : "", opts->pre_migrations ? "  pre-mig time" : "",
		opts->state ? "  state" : "");
	out_pad(o, ' ', 22 + (opts->cpu_visual ? (int)h->n_cpus + 2 : 0));
	out_fmt(o, "  %-*s%s     (msec)     (msec)     (msec)%s\n", COMM_WIDTH, "[tid/pid]",
		opts->show_prio ? "          " : "", opts->pre_migrations ? "     (msec)" : "");
	rule(o, "", 15);
	rule(o, " ", 6);
	if (opts->cpu_visual)
		rule(o, "  ", (int)h->n_cpus);
	rule(o, "  ", COMM_WIDTH);
	if (opts->show_prio)
		rule(o, "  ", 8);
	for (int i = 0; i < 3 + opts->pre_migrations; i++)
		rule(o, "  ", 9);
	if (opts->state)
		rule(o, "  ", 5);
	out_char(o, '\n');
}

/* ---- sums ---- */

static void sum_add(struct time_sum *s, uint64_t ns)
{
	spread_add(&s->spread, (double)ns);
	s->min = s->n && s->min < ns ? s->min : ns;
	s->max = MAX(s->max, ns);
	s->total += ns;
	s->n++;
}

/*
 * Compute the times of a time slice. It starts at the previous switch on the CPU; the first slice of each CPU has no
 * known start.
 */
static struct slice slice_of(const struct hist_task *t, uint64_t came, uint64_t left)
{
	struct slice s = { 0 };

	if (!came)
		return s;
	/* In damaged recordings and after lost rounds, time may go backwards. */
	s.run = left > came ? left - came : 0;
	if (t->ready && t->ready <= came) {
		s.delay = came - t->ready;
		if (t->migrated > t->ready && t->migrated < came)
			s.before_migration = t->migrated - t->ready;
	}
	if (t->left && t->left <= came)
		s.wait = came - t->left;
	return s;
}

static void sum_slice(struct hist_task *t, const struct slice *s)
{
	sum_add(&t->run, s->run);
	t->delay += s->delay;
	if (!t->left)
		return;
	if (sched_is_runnable(t->state))
		t->preempted += s->wait;
	else if (sched_is_uninterruptible(t->state))
		t->io += s->wait;
	else
		t->sleep += s->wait;
}

/* Charge idle time to the task that ran before it, and to the stack with which that task left. */
static void charge_idle(struct timehist *h, const struct trace_event *t, struct hist_cpu *cpu, uint64_t idle)
{
	struct hist_task *by = cpu->before ? task_at(h, cpu->before, t->cpu) : NULL;
	struct idle_why *why;
	uint32_t *at;
	bool is_new;

	if (!by)
		return;
	sum_add(&by->idle, idle);
	if (!cpu->why)
		return;
	at = u64map_put(&h->idle_index, (uint64_t)t->cpu << 32 | cpu->why, &is_new);
	if (is_new) {
		vec_push(&h->idles, (struct idle_why){ .cpu = t->cpu, .why = cpu->why });
		*at = (uint32_t)h->idles.len;
	}
	why = &h->idles.items[*at - 1];
	why->ns += idle;
	why->n++;
}

/* ---- events ---- */

/* Clip [came, left] to the wanted time; false: nothing is left. */
static bool clip(const struct timehist *h, uint64_t *came, uint64_t *left)
{
	const struct time_span *w = h->opts->window;

	if (!w)
		return true;
	if (*left < w->from || (*came && *came > w->to))
		return false;
	if (*came && *came < w->from)
		*came = w->from;
	*left = MIN(*left, w->to);
	return true;
}

static void remember_why(struct timehist *h, const struct trace_event *t, struct hist_cpu *cpu, int32_t tid)
{
	struct out text;

	cpu->before = tid;
	cpu->why = 0;
	if (!t->sample.n_chain)
		return;
	out_init_mem(&text);
	if (chain_text(h, t, h->opts->max_stack, &text))
		cpu->why = strtab_intern(&h->whys, out_text(&text));
	out_release(&text);
}

static void take_slice(struct timehist *h, const struct trace_event *t, const struct sched_switch *s,
		       struct hist_cpu *cpu)
{
	uint64_t came = cpu->switched, left = t->time;
	struct hist_task *task = task_at(h, s->prev.tid, t->cpu);
	struct slice slice;

	if (!clip(h, &came, &left) || !wants_cpu(h, t->cpu) || !wants_task(h, t, s->prev.tid, s->prev.prio))
		return;
	slice = slice_of(task, came, left);
	sum_slice(task, &slice);
	if (!s->prev.tid) {
		cpu->idle += slice.run;
		if (h->opts->idle)
			charge_idle(h, t, cpu, slice.run);
	}
	h->first = h->first ? h->first : left;
	h->last = MAX(h->last, left);
	if (!h->opts->summary_only && (!h->opts->idle || !s->prev.tid))
		print_switch(h, t, s, task, &slice);
}

static void take_switch(struct timehist *h, const struct trace_event *t)
{
	struct hist_cpu *cpu = cpu_at(h, t->cpu);
	struct sched_switch s;
	struct hist_task *task;

	sched_switch_read(t, &s);
	sched_names_tell(&h->names, s.prev.tid, s.prev.comm);
	sched_names_tell(&h->names, s.next.tid, s.next.comm);
	take_slice(h, t, &s, cpu);
	task = task_at(h, s.prev.tid, t->cpu);
	task->left = t->time;
	task->state = s.state;
	task->ready = sched_is_runnable(s.state) ? t->time : 0;
	task->migrated = 0;
	task->prio = s.prev.prio;
	cpu->switched = t->time;
	if (h->opts->idle && s.prev.tid && !s.next.tid)
		remember_why(h, t, cpu, s.prev.tid);
}

/* Print a line about an action on another task. */
static void print_about(struct timehist *h, const struct trace_event *t, char mark, const char *what, int32_t tid)
{
	struct out *o = h->out;

	if (h->opts->summary_only || h->opts->idle || !wants_cpu(h, t->cpu) ||
	    (h->opts->window && (t->time < h->opts->window->from || t->time > h->opts->window->to)))
		return;
	if (!wants_task(h, t, t->task.tid, -1) && !wants_task(h, t, tid, -1))
		return;
	print_start(h, t, mark, o);
	print_name(h, t, t->task.tid, o);
	print_gap(h, o);
	out_str(o, what);
	name_text(h, t, tid, o);
	if (mark == 'm')
		out_fmt(o, " cpu %d => %d", sched_from_cpu(t), sched_to_cpu(t));
	out_char(o, '\n');
}

static void take_wake(struct timehist *h, const struct trace_event *t)
{
	struct sched_side side;
	struct hist_task *task;

	if (!sched_woke(t))
		return;
	sched_side_read(t, &side);
	sched_names_tell(&h->names, side.tid, side.comm);
	task = task_at(h, side.tid, t->cpu);
	if (!task->ready)
		task->ready = t->time;
	if (h->opts->wakeups)
		print_about(h, t, ' ', "awakened: ", side.tid);
}

static void take_migration(struct timehist *h, const struct trace_event *t)
{
	struct sched_side side;
	struct hist_task *task;

	sched_side_read(t, &side);
	task = task_at(h, side.tid, t->cpu);
	task->migrations++;
	if (!task->migrated)
		task->migrated = t->time;
	if (h->opts->migrations)
		print_about(h, t, 'm', "migrated: ", side.tid);
}

static void take(struct timehist *h, const struct trace_event *t)
{
	if (t->cpu >= SCHED_CPUS_MOST) {
		h->left_out++;
		return;
	}
	switch (t->want) {
	case SCHED_SWITCH: take_switch(h, t); break;
	case SCHED_WAKEUP: /* comes after its WAKING */
		if (trace_wants_has(h->events.wants, SCHED_WAKING))
			break;
		/* fall through */
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW: take_wake(h, t); break;
	case SCHED_MIGRATE: take_migration(h, t); break;
	}
}

static void timehist_release(struct timehist *h)
{
	live_events_release(&h->events);
	sched_names_release(&h->names);
	calls_release(&h->calls);
	strtab_free(&h->whys);
	u64map_free(&h->index);
	vec_free(&h->tasks);
	vec_free(&h->cpus);
	vec_free(&h->idles);
	u64map_free(&h->idle_index);
}

int sched_timehist(struct live *live, const struct sched_timehist_opts *opts, struct out *o, struct err *e)
{
	struct timehist h = { .session = live_session(live), .opts = opts, .out = o };
	bool begun = opts->summary_only;
	struct trace_event event;
	int rc;

	h.events = (struct live_events){ .live = live, .rows = sched_wants, .n_rows = SCHED_KINDS };
	sched_names_init(&h.names, h.session);
	while ((rc = live_events_next(&h.events, &event, e)) > LIVE_END && !o->error) {
		if (rc != LIVE_EVENT)
			continue;
		h.n_cpus = MIN(MAX(h.session->pd->features.cpus_available, 1u), (uint32_t)SCHED_CPUS_MOST);
		if (!begun)
			print_head(&h, o);
		begun = true;
		take(&h, &event);
	}
	if (!rc)
		rc = sched_events_check(&h.events, e);
	if (!rc && opts->summary)
		sched_timehist_summary(&h);
	if (!rc)
		rc = sched_cpus_check(&h.events, h.left_out, e);
	timehist_release(&h);
	return MIN(rc, 0);
}
