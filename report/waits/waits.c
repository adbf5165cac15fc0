/* Turn switches and wakeups into times of threads and into rows of which thread made which wait. */
#include "report/waits/waits_priv.h"

enum { SWITCH, WAKING, WAKEUP_NEW, KINDS };
enum { ROWS_MOST = 1 << 17 }; /* with more rows, cut stacks to the functions of the kernel */
enum { TWICE_NS = 100000 };
enum { CPUS_MOST = 1 << 16 }; /* with a higher number, the record is damaged, or has no CPU */
static const char interrupt_name[] = "[interrupt]";

/*
 * The last field of WAKING says whether an interrupt woke the thread. Source: enum trace_flag_type,
 * linux/trace_events.h. If the field before it is NOT_KNOWN, only the stack can show this (record/bpf/picks.h).
 */
enum { PREEMPT_FIELD = 6, FLAGS_FIELD = 7, FLAG_HARDIRQ = 8, FLAG_SOFTIRQ = 16, NOT_KNOWN = 255 };
static const struct trace_want wanted[KINDS] = {
	[SWITCH] = { "sched:sched_switch",
		     { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm", "next_prio" } },
	[WAKING] = { "sched:sched_waking",
		     { "pid", "comm", NULL, NULL, NULL, "prio", "common_preempt_count", "common_flags" } },
	[WAKEUP_NEW] = { "sched:sched_wakeup_new", { "pid", "comm", NULL, NULL, NULL, "prio", NULL, "common_flags" } },
};

/* ---- threads ---- */

bool waits_wants_task(const struct waits *w, const struct task *task)
{
	const struct sample_filter *f = w->opts->filter;

	if (f && sample_filter_by_task(f))
		return sample_filter_wants_task(f, w->session, task);
	return w->opts->everybody || session_is_about(w->session, task->thread, task->tid);
}

bool waits_wants(const struct waits *w, uint32_t thread) { return w->threads.items[thread].wanted; }

/* Return the index of an unused thread, plus 1. */
static uint32_t new_thread(struct waits *w)
{
	if (w->unused_threads.len)
		return w->unused_threads.items[--w->unused_threads.len] + 1;
	vec_push(&w->threads, (struct wait_thread){ 0 });
	return (uint32_t)w->threads.len;
}

/* Return the thread with this number; add it, or update its name, if needed. */
static struct wait_thread *thread_at(struct waits *w, uint64_t time, uint32_t moment, int32_t tid, const char *comm)
{
	bool is_new;
	uint32_t *at = u64map_put(&w->thread_index, (uint32_t)tid, &is_new);
	struct wait_thread *th;
	struct task task;

	is_new |= !*at;
	if (is_new) {
		*at = new_thread(w);
		w->threads.items[*at - 1] =
			(struct wait_thread){ .tid = tid, .first = time, .since = time, .seen_kind = WAIT_OTHER };
	}
	th = &w->threads.items[*at - 1];
	if (!is_new && !strcmp(th->comm, comm))
		return th;
	snprintf(th->comm, sizeof(th->comm), "%s", comm);
	sched_names_tell(&w->tasks, tid, comm);
	session_task(w->session, &w->tasks.lookup, -1, tid, moment, &task);
	th->pid = task.pid;
	task.tid = tid;
	/* A wanted thread stays wanted, because its earlier waits are in the rows. */
	th->wanted |= tid && waits_wants_task(w, &task);
	return th;
}

static struct wait_thread *thread_of(struct waits *w, const struct trace_event *t, int32_t tid, const char *comm)
{
	return thread_at(w, t->time, t->moment, tid, comm);
}

static void tell(struct waits *w, const struct wait_thread *th, uint64_t now)
{
	const struct waits_watch *watch = w->opts->watch;
	bool ended = th->state == STATE_BLOCKED && w->ended.waker, unseen = th->kind == WAIT_UNSEEN;

	if (watch && now > th->since)
		watch->span(watch->ctx,
			    &(struct wait_span){ .thread = (uint32_t)(th - w->threads.items),
						 .pid = th->pid,
						 .tid = th->tid,
						 .comm = th->comm,
						 .state = th->state,
						 .kind = unseen ? th->seen_kind : th->kind,
						 .from = th->since,
						 .to = now,
						 .stack = unseen ? th->seen_stack : th->stack,
						 .waker = ended ? strtab_get(&w->names, w->ended.waker) : NULL,
						 .waker_stack = ended ? w->ended.waker_stack : 0,
						 .waker_tid = ended ? w->ended_by : -1 });
	w->ended = (struct wait_row){ 0 };
	w->ended_by = -1;
}

/* Add the time since the last event to the thread's state. */
static void settle(struct waits *w, struct wait_thread *th, uint64_t now)
{
	uint64_t ns = now > th->since ? now - th->since : 0;

	tell(w, th, now);
	switch (th->state) {
	case STATE_RUNNING: th->running += ns; break;
	case STATE_RUNNABLE: th->runnable += ns; break;
	case STATE_BLOCKED: *(th->kind == WAIT_UNSEEN ? &th->unseen : &th->blocked[th->kind]) += ns; break;
	case STATE_UNKNOWN: th->unknown += ns; break;
	}
	th->since = now;
	th->last = now;
}

/* Was the event recorded without a chain, because there were too many? See record/session/turns.c. */
static bool has_no_chain(const struct waits *w, const struct trace_event *t)
{
	const struct perfdata *pd = w->session->pd;
	const struct file_event *event = &pd->events[t->event];

	if (event->attr.sample_type & SAMPLE_CALLCHAIN)
		return false;
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_CALLCHAIN && event->name && pd->events[i].name &&
		    !strcmp(pd->events[i].name, event->name))
			return true;
	return false;
}

/* ---- who made whom wait ---- */

static uint64_t row_hash(const struct wait_row *key)
{
	return hash_mix(hash_mix(key->comm, key->stack), hash_mix(key->waker, key->waker_stack)) + key->idle +
	       2 * key->unwanted;
}

static struct wait_row *row_of(struct waits *w, const struct wait_row *key)
{
	struct wait_row cut = *key;
	uint32_t *at;
	bool is_new;

	if (w->rows.len >= ROWS_MOST && !u64map_find(&w->row_index, row_hash(key))) {
		cut.stack = wait_stack_cut(w, key->stack);
		cut.waker_stack = wait_stack_cut(w, key->waker_stack);
		key = &cut;
	}
	at = u64map_put(&w->row_index, row_hash(key), &is_new);
	if (is_new) {
		vec_push(&w->rows, (struct wait_row){ .comm = key->comm,
						      .stack = key->stack,
						      .waker = key->waker,
						      .waker_stack = key->waker_stack,
						      .idle = key->idle,
						      .unwanted = key->unwanted,
						      .unseen = key->unseen });
		*at = (uint32_t)w->rows.len;
	}
	return &w->rows.items[*at - 1];
}

static struct wait_row *add_wait(struct waits *w, const struct wait_row *key, uint64_t ns)
{
	struct wait_row *r = row_of(w, key);

	durations_add(&r->waits, ns);
	return r;
}

/* Remember what this thread waited for: threads that waited for it in this time waited for the same. */
static void remember(const struct waits *w, struct wait_thread *th, uint64_t from, uint64_t to, uint32_t row)
{
	if (!w->opts->follow)
		return;
	if (!th->past)
		th->past = xcalloc(PAST_SPANS, sizeof(*th->past));
	th->past[th->n_past++ % PAST_SPANS] = (struct wait_past){ .from = from, .to = to, .row = row };
}

/* Find what the waker waited for in [from, to), the newest first. Return the number of spans. */
static uint32_t waits_of(const struct wait_thread *waker, uint64_t from, uint64_t to, struct wait_past *spans)
{
	uint32_t n = 0, all = MIN(waker->n_past, (uint32_t)PAST_SPANS);

	for (uint32_t i = 1; i <= all; i++) {
		const struct wait_past *p = &waker->past[(waker->n_past - i) % PAST_SPANS];

		if (p->to <= from)
			break;
		if (p->from < to)
			spans[n++] = (struct wait_past){ MAX(p->from, from), MIN(p->to, to), p->row };
	}
	return n;
}

/* Add a part of a wait of this thread, or all of it. */
static void add_part(struct waits *w, uint32_t thread, struct wait_row key, uint64_t from, uint64_t to)
{
	struct wait_row *r;

	if (to <= from)
		return;
	key.unwanted = !w->threads.items[thread].wanted; /* another program may have threads of the same name */
	r = add_wait(w, &key, to - from);
	remember(w, &w->threads.items[thread], from, to, (uint32_t)(r - w->rows.items) + 1);
}

/* Set the cause of a wait. A thread that a timer or a device woke is the cause itself, at the place where it slept. */
static void blame(const struct waits *w, struct wait_row *key, uint32_t row)
{
	const struct wait_row *cause = &w->rows.items[row - 1];
	bool interrupt = !strcmp(strtab_get(&w->names, cause->waker), interrupt_name);

	key->waker = interrupt ? cause->comm : cause->waker;
	key->waker_stack = interrupt ? cause->stack : cause->waker_stack;
	key->unseen &= UNSEEN_VICTIM;
	if (cause->unseen & (interrupt ? UNSEEN_VICTIM : UNSEEN_WAKER))
		key->unseen |= UNSEEN_WAKER;
}

/*
 * Divide a wait by time. While the waker itself waited, the cause is what it waited for; the waker is the cause of
 * the rest, when it ran or could run.
 */
static void divide(struct waits *w, uint32_t thread, const struct wait_thread *waker, const struct wait_row *direct,
		   uint64_t to)
{
	struct wait_past spans[PAST_SPANS];
	uint64_t at = w->threads.items[thread].since;
	uint32_t n = waits_of(waker, at, to, spans);

	while (n--) {
		struct wait_row key = *direct;

		add_part(w, thread, *direct, at, spans[n].from);
		at = MAX(at, spans[n].from);
		blame(w, &key, spans[n].row); /* use the row's number, because add_part() moves the rows */
		add_part(w, thread, key, at, spans[n].to);
		at = MAX(at, spans[n].to);
	}
	add_part(w, thread, *direct, at, to);
}

/* ---- events ---- */

static enum wait_context context_of(const struct trace_event *t)
{
	uint64_t flags = trace_number(t, FLAGS_FIELD);

	if (!flags && trace_number(t, PREEMPT_FIELD) == NOT_KNOWN)
		return CONTEXT_BY_STACK;
	return flags & FLAG_HARDIRQ ? CONTEXT_HARDIRQ : flags & FLAG_SOFTIRQ ? CONTEXT_SOFTIRQ : CONTEXT_THREAD;
}

/*
 * Did an interrupt wake this thread? A thread that sends to another one on this machine runs the receiving side itself,
 * in a softirq, so it is the waker. If the recorder took no stack, we assume that the context is that of the last time.
 */
static bool by_interrupt(const struct waits *w, struct wait_thread *th, const struct trace_event *t, uint32_t stack)
{
	enum wait_context context = context_of(t);

	if (stack)
		context = w->stacks.items[stack - 1].context;
	if (context != CONTEXT_SOFTIRQ)
		return context == CONTEXT_HARDIRQ || (context == CONTEXT_BY_STACK && !t->task.tid);
	if (stack)
		th->local_sender = w->stacks.items[stack - 1].sends;
	return !th->local_sender || !t->task.tid;
}

static uint32_t waker_name(struct waits *w, const struct trace_event *t, bool interrupt)
{
	char buf[SCHED_COMM];

	if (interrupt)
		return strtab_intern(&w->names, interrupt_name);
	return strtab_intern(&w->names, sched_names_now(&w->tasks, t, t->task.tid, buf));
}

/*
 * Is the thread in a pool? Several threads of one process that wait at the same place are one. A single thread that
 * waits for a lock may be stuck.
 */
static bool is_in_pool(struct waits *w, struct wait_thread *th)
{
	size_t n = 0;

	for (size_t i = 0; i < w->threads.len && !th->in_pool; i++) {
		const struct wait_thread *o = &w->threads.items[i];

		n += o->state == STATE_BLOCKED && o->pid == th->pid && o->stack == th->stack;
	}
	for (size_t i = 0; i < w->threads.len && n > 1; i++) {
		struct wait_thread *o = &w->threads.items[i];

		o->in_pool |= o->state == STATE_BLOCKED && o->pid == th->pid && o->stack == th->stack;
	}
	return th->in_pool;
}

/* Find out whether the thread was idle: it waited for work until a timeout, or until the process ended. */
static void find_idle(struct waits *w, struct wait_thread *th, enum wait_end end)
{
	if (end == WAIT_END_ORDINARY || (th->kind != WAIT_POLL && th->kind != WAIT_LOCK))
		return;
	if (end == WAIT_END_CLOCK || th->kind == WAIT_POLL || is_in_pool(w, th))
		th->kind = WAIT_IDLE;
}

static uint8_t unseen_of(const struct wait_thread *th) { return th->kind == WAIT_UNSEEN ? UNSEEN_VICTIM : 0; }

/* End the wait: the thread that runs at `t` woke it. */
static void end_wait(struct waits *w, const struct trace_event *t, uint32_t thread)
{
	struct wait_thread *th = &w->threads.items[thread];
	struct wait_row key = { .comm = strtab_intern(&w->names, th->comm), .stack = th->stack };
	const uint32_t *waker = u64map_find(&w->thread_index, (uint32_t)t->task.tid);
	bool interrupt;

	if (!th->wanted && !w->opts->follow)
		return;
	key.waker_stack = wait_stack_of(w, t, context_of(t));
	interrupt = by_interrupt(w, th, t, key.waker_stack);
	key.waker = waker_name(w, t, interrupt);
	key.unseen = unseen_of(th) | (has_no_chain(w, t) ? UNSEEN_WAKER : 0);
	*(key.unseen ? &w->without : &w->with_stack) += 1;
	find_idle(w, th, key.waker_stack ? w->stacks.items[key.waker_stack - 1].end : WAIT_END_ORDINARY);
	key.idle = th->kind == WAIT_IDLE;
	w->ended = key;
	w->ended_by = interrupt ? -1 : t->task.tid;
	if (w->opts->follow && waker && *waker && *waker != thread + 1 && !interrupt)
		divide(w, thread, &w->threads.items[*waker - 1], &key, t->time);
	else
		add_part(w, thread, key, th->since, t->time);
}

/* End a wait without a waker; print `why` instead. */
static void end_unseen(struct waits *w, const struct wait_thread *th, const char *why, uint64_t now)
{
	struct wait_row key = { .comm = strtab_intern(&w->names, th->comm), .stack = th->stack };

	if (!th->wanted)
		return;
	key.waker = strtab_intern(&w->names, why);
	key.unseen = unseen_of(th);
	key.idle = th->kind == WAIT_IDLE;
	w->ended = key;
	add_part(w, (uint32_t)(th - w->threads.items), key, th->since, now);
}

static void miss_wakeup(struct waits *w, const struct wait_thread *th, uint64_t now)
{
	end_unseen(w, th, "[wakeup not seen]", now);
}

static struct wait_thread *known_thread(struct waits *w, int32_t tid)
{
	const uint32_t *at = u64map_find(&w->thread_index, (uint32_t)tid);

	return at && *at ? &w->threads.items[*at - 1] : NULL;
}

/*
 * Correct the states after a missed switch: the CPU leaves another thread than the one that it went to last. Records
 * get lost, and some virtual machines show no event of certain threads, such as the idle threads of all CPUs but the
 * first. We do not know when the missed switch was. But a ready thread does not wait for an idle CPU: then it has run
 * since its wakeup or the last switch, whichever was later.
 */
static void miss_switch(struct waits *w, const struct wait_cpu *cpu, int32_t leaves)
{
	struct wait_thread *gone = known_thread(w, cpu->tid), *came = known_thread(w, leaves);

	if (gone && gone->state == STATE_RUNNING && gone->since == cpu->since)
		gone->state = STATE_UNKNOWN;
	if (!came || came->state != STATE_RUNNABLE)
		return;
	settle(w, came, MAX(came->since, cpu->since));
	came->state = cpu->tid ? STATE_UNKNOWN : STATE_RUNNING;
}

/* Remember what the CPU runs from now on, and find out whether we missed a switch. */
static void follow_cpu(struct waits *w, const struct trace_event *t, const struct sched_switch *s)
{
	struct wait_cpu *cpu;
	bool again;

	if (t->cpu >= CPUS_MOST)
		return;
	while (w->cpus.len <= t->cpu)
		vec_push(&w->cpus, (struct wait_cpu){ .tid = -1 });
	cpu = &w->cpus.items[t->cpu];
	/* Two events may record the same switch: see record/session/turns.c. */
	again = cpu->before == s->prev.tid && cpu->tid == s->next.tid && t->time - cpu->since < TWICE_NS;
	if (cpu->tid >= 0 && cpu->tid != s->prev.tid && !again)
		miss_switch(w, cpu, s->prev.tid);
	*cpu = (struct wait_cpu){ .before = s->prev.tid, .tid = s->next.tid, .since = t->time };
}

static void take_wake(struct waits *w, const struct trace_event *t)
{
	struct wait_thread *th;
	struct sched_side side;

	sched_side_read(t, &side);
	th = thread_of(w, t, side.tid, side.comm);
	w->wakes++;
	if (th->state != STATE_BLOCKED && th->state != STATE_UNKNOWN)
		return;
	if (th->state == STATE_BLOCKED)
		end_wait(w, t, (uint32_t)(th - w->threads.items));
	settle(w, th, t->time);
	th->state = STATE_RUNNABLE;
}

static void leave(struct waits *w, const struct trace_event *t, const struct sched_switch *s)
{
	struct wait_thread *th = thread_of(w, t, s->prev.tid, s->prev.comm);
	bool runnable = sched_is_runnable(s->state);

	th->switches++;
	w->others_switches += !th->wanted;
	if (th->state == STATE_BLOCKED) /* we did not see its arrival either */
		miss_wakeup(w, th, t->time);
	settle(w, th, t->time);
	if (w->opts->watch && w->opts->watch->left)
		w->opts->watch->left(w->opts->watch->ctx, (uint32_t)(th - w->threads.items), t);
	if (s->state & (SCHED_DEAD | SCHED_ZOMBIE)) {
		wait_thread_ended(w, (uint32_t)(th - w->threads.items));
		return;
	}
	th->state = runnable ? STATE_RUNNABLE : STATE_BLOCKED;
	th->in_pool = false;
	if (runnable)
		return;
	th->stack = wait_stack_of(w, t, CONTEXT_THREAD);
	th->kind = th->stack                            ? w->stacks.items[th->stack - 1].kind
		   : has_no_chain(w, t)                 ? WAIT_UNSEEN
		   : sched_is_uninterruptible(s->state) ? WAIT_IO
							: WAIT_OTHER;
	if (th->kind == WAIT_UNSEEN)
		return;
	th->seen_kind = th->kind;
	th->seen_stack = th->stack;
}

static void come(struct waits *w, const struct trace_event *t, const struct sched_side *side)
{
	struct wait_thread *th = thread_of(w, t, side->tid, side->comm);

	if (th->state == STATE_BLOCKED)
		miss_wakeup(w, th, t->time);
	settle(w, th, t->time);
	th->state = STATE_RUNNING;
}

static void take_switch(struct waits *w, const struct trace_event *t)
{
	struct sched_switch s;

	sched_switch_read(t, &s);
	w->switches++;
	follow_cpu(w, t, &s);
	if (s.prev.tid)
		leave(w, t, &s);
	if (s.next.tid)
		come(w, t, &s.next);
}

/* ---- the reduced form ---- */

/*
 * Take a record of a switch. To record these, a user needs only the right to watch the program. They say when a thread
 * came and left, and whether it could have continued, but not which thread woke it or when.
 */
static void take_record(struct waits *w, const struct live_record *r)
{
	bool out = r->record.misc & MISC_SWITCH_OUT;
	struct wait_thread *th;
	char comm[SCHED_COMM];
	struct trailer who;
	struct task task;

	if (!record_trailer(w->session->pd, &r->record, &who) || !who.tid || who.tid == UINT32_MAX)
		return;
	session_task(w->session, &w->tasks.lookup, (int32_t)who.pid, (int32_t)who.tid, r->moment, &task);
	th = thread_at(w, r->time, r->moment, (int32_t)who.tid, session_comm(w->session, task.comm, comm));
	w->reduced = true;
	w->switches++;
	settle(w, th, r->time);
	th->kind = WAIT_OTHER;
	th->state = !out ? STATE_RUNNING : r->record.misc & MISC_SWITCH_PREEMPT ? STATE_RUNNABLE : STATE_BLOCKED;
}

static void take_exit(struct waits *w, const struct live_record *r)
{
	struct record_task task;
	const uint32_t *at =
		record_task(&r->record, &task) < 0 ? NULL : u64map_find(&w->thread_index, (uint32_t)task.tid);

	if (!at || !*at)
		return;
	settle(w, &w->threads.items[*at - 1], r->time);
	w->threads.items[*at - 1].state = STATE_UNKNOWN;
}

static void on_other(void *ctx, struct live_record *r)
{
	struct waits *w = ctx;
	const struct waits_watch *watch = w->opts->watch;
	bool is_switch = r->record.type == RECORD_SWITCH || r->record.type == RECORD_SWITCH_CPU_WIDE;

	if (is_switch && !trace_wants_has(w->events.wants, SWITCH))
		take_record(w, r);
	else if (w->reduced && r->record.type == RECORD_EXIT)
		take_exit(w, r);
	if (watch && watch->other)
		watch->other(watch->ctx, r);
}

static int check_events(const struct waits *w, struct err *e)
{
	if (w->reduced && !w->opts->watch)
		return 0;
	if (w->events.wants && trace_wants_has(w->events.wants, SWITCH) && trace_wants_has(w->events.wants, WAKING))
		return 0;
	err_set(e, "'%s' does not contain wakeups", w->session->pd->path);
	err_why(e, "it has no samples of sched:sched_switch and sched:sched_waking");
	err_try(e, "%s record --waits, and then this again", tool_name());
	return trace_wants_say_cut(w->session, e);
}

struct waits *waits_new(struct live *live, const struct waits_opts *opts)
{
	struct waits *w = xcalloc(1, sizeof(*w));

	w->live = live;
	w->opts = opts;
	w->session = live_session(live);
	w->events = (struct live_events){ .live = live, .rows = wanted, .n_rows = KINDS, .other = on_other, .ctx = w };
	sched_names_init(&w->tasks, w->session);
	w->ended_by = -1;
	return w;
}

enum wait_state waits_state(const struct waits *w, int32_t tid, uint32_t *thread)
{
	const uint32_t *at = u64map_find(&w->thread_index, (uint32_t)tid);

	*thread = at && *at ? *at - 1 : 0;
	return at && *at ? w->threads.items[*thread].state : STATE_UNKNOWN;
}

const char *waits_frame(const struct waits *w, uint32_t stack, uint32_t i)
{
	const struct wait_stack *s = stack ? &w->stacks.items[stack - 1] : NULL;

	return s && i < s->n ? strtab_get(&w->names, w->frames.items[s->from + i]) : NULL;
}

/* End a thread's last state. A wait that has not ended is also a row, without a waker. */
static void end_thread(struct waits *w, struct wait_thread *th, uint64_t now)
{
	if (th->state == STATE_UNKNOWN)
		return;
	if (th->state == STATE_BLOCKED && !w->reduced)
		end_unseen(w, th, "[not woken yet]", now);
	settle(w, th, now);
}

int waits_read(struct waits *w, struct err *e)
{
	uint64_t last = 0;
	struct trace_event t;
	int what;

	if (w->opts->kinds_file && wait_kinds_read(w, w->opts->kinds_file, e) < 0)
		return -1;
	while ((what = live_events_next(&w->events, &t, e)) > LIVE_END) {
		if (what != LIVE_EVENT) {
			if (live_events_tidy(&w->events))
				u64map_free(&w->stack_index);
			continue;
		}
		last = t.time;
		if (t.want == SWITCH)
			take_switch(w, &t);
		else
			take_wake(w, &t);
	}
	if (what < 0)
		return -1;
	for (size_t i = 0; i < w->threads.len; i++)
		if (w->threads.items[i].state == STATE_BLOCKED)
			find_idle(w, &w->threads.items[i], WAIT_END_DEATH);
	for (size_t i = 0; i < w->threads.len; i++)
		end_thread(w, &w->threads.items[i], last);
	waits_estimate(w);
	return check_events(w, e);
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->rows.len; i++)
		durations_free(&w->rows.items[i].waits);
	for (size_t i = 0; i < w->threads.len; i++)
		free(w->threads.items[i].past);
	live_events_release(&w->events);
	calls_release(&w->calls);
	sched_names_release(&w->tasks);
	strtab_free(&w->names);
	u64map_free(&w->thread_index);
	u64map_free(&w->ended_index);
	u64map_free(&w->stack_index);
	u64map_free(&w->stack_names);
	u64map_free(&w->row_index);
	vec_free(&w->cpus);
	vec_free(&w->kinds);
	vec_free(&w->unused_threads);
	vec_free(&w->threads);
	vec_free(&w->frames);
	vec_free(&w->stacks);
	vec_free(&w->rows);
	free(w);
}
