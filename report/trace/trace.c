/* Read events in a loop, join entries with their exits, print lines and sums. */
#include "report/trace/trace.h"

#include "base/signal.h"
#include "report/trace/line_priv.h"

enum source_kind { SOURCE_OTHER, SOURCE_ENTER, SOURCE_EXIT, SOURCE_CALL, SOURCE_RUNTIME, SOURCE_MAJOR, SOURCE_MINOR };
/* An event of the input. */
struct trace_source {
	enum source_kind kind;
	const struct trace_format *format; /* NULL: no tracepoint */
	const struct trace_field *first;   /* number of the call; runtime */
	const struct trace_field *second;  /* arguments; result */
	bool on, off;                      /* it is the event of --switch-on, --switch-off */
	uint64_t limit, n;                 /* lines at most, 0 = all; lines so far */
};

/* ---- events of the input ---- */

static const struct trace_field *field_of(const struct trace_format *f, const char *name)
{
	for (size_t i = 0; i < f->fields.len; i++)
		if (!strcmp(f->fields.items[i].name, name))
			return &f->fields.items[i];
	return NULL;
}

static void set_tracepoint(struct trace_source *s, const struct trace_format *f, bool sched)
{
	bool raw = !strcmp(f->system, "raw_syscalls");

	s->format = f;
	if (raw && !strcmp(f->name, "sys_enter")) {
		s->kind = SOURCE_ENTER;
		s->first = field_of(f, "id");
		s->second = field_of(f, "args");
	} else if (raw && !strcmp(f->name, "sys_exit")) {
		s->kind = SOURCE_EXIT;
		s->first = field_of(f, "id");
		s->second = field_of(f, "ret");
	} else if (!strcmp(f->system, "syscalls") && !strncmp(f->name, "sys_enter_", 10)) {
		s->kind = SOURCE_CALL;
		s->first = field_of(f, "__syscall_nr");
	} else if (sched && !strcmp(f->name, "sched_stat_runtime")) {
		s->kind = SOURCE_RUNTIME;
		s->first = field_of(f, "runtime");
	}
}

static void set_software(struct trace_source *s, const struct attr *a)
{
	enum { TYPE_SOFTWARE = 1, FAULTS_MIN = 5, FAULTS_MAJ = 6 }; /* linux/perf_event.h */

	if (a->type == TYPE_SOFTWARE && a->config == FAULTS_MAJ)
		s->kind = SOURCE_MAJOR;
	if (a->type == TYPE_SOFTWARE && a->config == FAULTS_MIN)
		s->kind = SOURCE_MINOR;
}

static bool is_named(const struct file_event *event, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return name && event->name && !strncmp(event->name, name, len) &&
	       (!event->name[len] || event->name[len] == '/');
}

static uint64_t limit_of(const struct trace *t, const struct file_event *event)
{
	for (size_t i = 0; i < t->opts->n_limits; i++)
		if (event->name && !strcmp(event->name, t->opts->limits[i].event))
			return t->opts->limits[i].lines;
	return 0;
}

static void find_sources(struct trace *t)
{
	const struct perfdata *pd = t->session->pd;

	t->formats = trace_text_new(t->session);
	t->machine = pd->features.arch;
	t->names = syscall_names_of(t->machine);
	t->own_shapes = t->opts->shapes ? NULL : call_shapes_new(t->names);
	t->shapes = t->opts->shapes ? t->opts->shapes : t->own_shapes;
	t->sources = xcalloc(pd->n_events + 1, sizeof(*t->sources));
	for (uint32_t i = 0; i < pd->n_events; i++) {
		const struct trace_format *f = trace_text_format(t->formats, i);

		if (f)
			set_tracepoint(&t->sources[i], f, t->opts->sched);
		else
			set_software(&t->sources[i], &pd->events[i].attr);
		t->sources[i].limit = limit_of(t, &pd->events[i]);
		t->sources[i].on = is_named(&pd->events[i], t->opts->on);
		t->sources[i].off = is_named(&pd->events[i], t->opts->off);
		t->has_calls |= t->sources[i].kind == SOURCE_ENTER || t->sources[i].kind == SOURCE_EXIT;
	}
}

/* ---- threads ---- */

static void set_comm(const struct trace *t, struct traced_thread *thread, uint32_t comm)
{
	char buf[16];

	if (thread->comm_id == comm && thread->comm[0])
		return;
	thread->comm_id = comm;
	snprintf(buf, sizeof(buf), ":%d", thread->tid);
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm ? session_comm(t->session, comm, buf) : buf);
}

static struct traced_thread *thread_of(struct trace *t, const struct task *task)
{
	uint32_t *at = u64map_put(&t->thread_of, (uint32_t)task->tid, NULL);
	struct traced_thread *thread;

	if (!*at) {
		thread = xcalloc(1, sizeof(*thread));
		thread->coming_number = -1;
		vec_push(&t->threads, thread);
		*at = (uint32_t)t->threads.len;
	}
	thread = t->threads.items[*at - 1];
	thread->tid = task->tid;
	thread->pid = task->pid;
	set_comm(t, thread, task->comm ? task->comm : task->first_comm);
	return thread;
}

struct traced_thread *trace_thread(struct trace *t, int32_t tid)
{
	uint32_t last = session_last_thread(t->session, tid);
	struct task task = { .tid = tid, .pid = tid, .comm = last ? thread_last_comm(t->session, last, tid) : 0 };

	struct traced_thread *thread = thread_of(t, &task);
	char buf[SCHED_COMM];

	if (thread->comm[0] == ':')
		snprintf(thread->comm, sizeof(thread->comm), "%s", sched_names_last(&t->gone, tid, buf));
	return thread;
}

static void clear_thread(struct traced_thread *thread)
{
	call_sums_release(&thread->sums);
	free(thread->coming);
	free(thread);
}

/* Forget an ended thread if there are no sums; move the last thread to its place. */
static void forget_thread(struct trace *t, int32_t pid, int32_t tid)
{
	uint32_t *at = u64map_find(&t->thread_of, (uint32_t)tid);

	if (at && *at && !t->opts->sums) {
		struct traced_thread *gone = t->threads.items[*at - 1], *last = t->threads.items[t->threads.len - 1];

		t->threads.items[*at - 1] = last;
		*u64map_put(&t->thread_of, (uint32_t)last->tid, NULL) = *at;
		*u64map_put(&t->thread_of, (uint32_t)tid, NULL) = 0;
		t->threads.len--;
		if (t->cut == gone)
			t->cut = NULL;
		clear_thread(gone);
	}
	if (pid == tid)
		trace_files_forget(t, pid);
}

/* ---- calls ---- */

static uint64_t number_of(const struct trace *t, const struct trace_field *f, const struct trace_sample *s)
{
	struct trace_value v = { 0 };

	if (f)
		trace_text_value(t->formats, f, s->record.sample.raw, s->record.sample.raw_size, &v);
	return v.number;
}

static void take_arguments(const struct trace *t, const struct trace_field *f, const struct trace_sample *s,
			   struct call_state *call)
{
	const struct sample *sample = &s->record.sample;
	unsigned size = f && f->element_size == 4 ? 4 : 8;
	struct bytes b;

	if (!f || f->offset + ARGS_MOST * size > sample->raw_size)
		return;
	b = bytes_of(sample->raw + f->offset, ARGS_MOST * size, t->session->pd->swap);
	for (unsigned i = 0; i < ARGS_MOST; i++)
		call->args[i] = size == 4 ? bytes_u32(&b) : bytes_u64(&b);
}

static bool is_wanted(const struct trace *t, int64_t number)
{
	return !t->opts->no_calls &&
	       (!t->opts->calls || (number >= 0 && number < SYSCALLS_MOST && t->opts->calls[number]));
}

/* Do we start lines at the entry? Not if they depend on the exit. */
static bool begins_lines(const struct trace *t)
{
	return t->opts->lines && !t->opts->json && !t->opts->failed && t->opts->least_ms < 0 && !t->opts->min_stack;
}

static void print_cut(struct trace *t)
{
	struct traced_thread *thread = t->cut;

	t->cut = NULL;
	if (!thread || !thread->call.open || thread->call.printed || !begins_lines(t))
		return;
	thread->call.printed = true;
	line_call(t, thread, LINE_CUT, 0, NULL);
}

static bool never_returns(const struct call_shape *shape)
{
	return !strcmp(shape->name, "exit") || !strcmp(shape->name, "exit_group");
}

static void enter(struct trace *t, const struct trace_source *source, struct trace_sample *s)
{
	int64_t number = (int64_t)number_of(t, source->first, s);
	struct traced_thread *thread = s->thread;
	const struct call_shape *shape;

	if (!is_wanted(t, number))
		return;
	shape = call_shape(t->shapes, number);
	print_cut(t);
	call_begin(&thread->call, number);
	thread->call.entered = s->record.time;
	thread->call.open = true;
	take_arguments(t, source->second, s, &thread->call);
	pointed_enter(t, s, &thread->call);
	thread->call.cpu = s->record.sample.cpu;
	if (!never_returns(shape)) {
		t->cut = thread;
		return;
	}
	if (begins_lines(t) || (t->opts->json && t->opts->lines && !t->opts->failed && t->opts->least_ms < 0))
		line_call(t, thread, LINE_NO_RETURN, 0, NULL);
	thread->call.open = false;
}

static bool is_shown(struct trace *t, const struct traced_thread *thread, double ms, int64_t result,
		     const struct trace_sample *s)
{
	const struct trace_opts *o = t->opts;

	if (!o->lines || (o->failed && !(result < 0 && result >= -4095)) ||
	    (o->least_ms >= 0 && (!thread->call.open || ms < o->least_ms)))
		return false;
	return !o->min_stack || line_chain_length(t, s) >= o->min_stack;
}

static void leave(struct trace *t, const struct trace_source *source, struct trace_sample *s)
{
	int64_t number = (int64_t)number_of(t, source->first, s), result = (int64_t)number_of(t, source->second, s);
	struct traced_thread *thread = s->thread;
	struct call_state *call = &thread->call;
	double ms;

	/* After sigreturn the kernel no longer knows the number. */
	if (number < 0 && call->open)
		number = call->number;
	if (number < 0 || !is_wanted(t, number))
		return;
	if (t->cut != thread)
		print_cut(t);
	if (!call->open || call->number != number)
		call_begin(call, number);
	ms = call->open ? (double)(s->record.time - call->entered) / 1e6 : 0;
	if (t->opts->sums)
		trace_sum_call(t, thread, s->record.sample.cgroup, ms, result);
	call->result_cpu = s->record.sample.cpu;
	call->left = s->record.time;
	if (is_shown(t, thread, ms, result, s)) {
		pointed_leave(t, s, call, result);
		line_call(t, thread, call->open ? (call->printed ? LINE_CONTINUED : LINE_WHOLE) : LINE_NO_ENTRY, result,
			  s);
	} else if (t->opts->lines) {
		trace_files_follow(t, s, call, call_shape(t->shapes, number)->name, result);
	}
	call->open = false;
	thread->coming_number = -1; /* its entry was lost */
	if (t->cut == thread)
		t->cut = NULL;
}

/* Take the separate event of a call: with raw_syscalls it has the text; alone it is a line. */
static void call_event(struct trace *t, const struct trace_source *source, uint32_t event, struct trace_sample *s)
{
	if (t->has_calls)
		pointed_told(t, s, source->format, (int64_t)number_of(t, source->first, s));
	else
		line_event(t, event, source->format, s);
}

/* ---- one event ---- */

/* Print a page fault. As in perf, it does not cut the line of a call. */
static void fault(struct trace *t, struct trace_sample *s, bool major)
{
	if (major)
		s->thread->major_faults++;
	else
		s->thread->minor_faults++;
	if (t->opts->lines)
		line_fault(t, s, major);
}

static void other(struct trace *t, uint32_t event, struct trace_source *source, struct trace_sample *s)
{
	if (source->limit && source->n++ >= source->limit)
		return;
	print_cut(t);
	if (t->opts->lines)
		line_event(t, event, source->format, s);
}

/* Do --switch-on and --switch-off let it pass? */
static bool is_on(struct trace *t, const struct trace_source *source)
{
	if (source->on && !t->on) {
		t->on = true;
		return t->opts->show_on_off;
	}
	if (source->off && t->on) {
		t->on = t->opts->on ? false : t->on;
		t->ended = !t->opts->on;
		return t->opts->show_on_off;
	}
	return t->on && !t->ended;
}

static bool is_wanted_task(const struct trace *t, const struct trace_sample *s)
{
	const struct sample_filter *f = t->opts->tasks, *not = t->opts->not_tasks;

	return (!f || (sample_filter_wants_task(f, t->session, &s->task) &&
		       sample_filter_wants_cpu(f, s->record.sample.cpu))) &&
	       (!not || !sample_filter_wants_task(not, t->session, &s->task));
}

static void take_sample(struct trace *t, struct trace_sample *s)
{
	struct trace_source *source = &t->sources[s->record.event];

	if (!is_wanted_task(t, s) || !is_on(t, source))
		return;
	if (!t->begun) {
		t->begun = true;
		t->first = s->record.time;
	}
	s->thread = thread_of(t, &s->task);
	if (source->kind != SOURCE_RUNTIME && source->kind != SOURCE_CALL)
		trace_sum_event(t, s->thread, s->record.sample.cgroup);
	switch (source->kind) {
	case SOURCE_ENTER: enter(t, source, s); break;
	case SOURCE_EXIT: leave(t, source, s); break;
	case SOURCE_CALL: call_event(t, source, s->record.event, s); break;
	case SOURCE_RUNTIME: s->thread->runtime_ms += (double)number_of(t, source->first, s) / 1e6; break;
	case SOURCE_MAJOR: fault(t, s, true); break;
	case SOURCE_MINOR: fault(t, s, false); break;
	case SOURCE_OTHER: other(t, s->record.event, source, s); break;
	}
	s->thread->last = s->record.time;
}

/* Forget the thread when it ends; we need no other events of its life. */
static void take_exit(struct trace *t, const struct record *r)
{
	int32_t pid, tid;

	if (r->size < 16)
		return;
	pid = (int32_t)load_u32(r->body);
	tid = (int32_t)load_u32(r->body + 8);
	if (!t->session->pd->swap)
		forget_thread(t, pid, tid);
}

static bool is_over(const struct trace *t)
{
	return t->out->error || (t->opts->max_events && t->shown >= t->opts->max_events);
}

static void take_round(struct trace *t)
{
	struct trace_sample s;

	while (!is_over(t) && live_record(t->live, &s.record))
		if (s.record.record.type == RECORD_EXIT)
			take_exit(t, &s.record.record);
		else if (live_sample(t->live, &s.record, &s.task))
			take_sample(t, &s);
}

static void release(struct trace *t)
{
	for (size_t i = 0; i < t->threads.len; i++)
		clear_thread(t->threads.items[i]);
	vec_free(&t->threads);
	u64map_free(&t->thread_of);
	sched_names_release(&t->gone);
	trace_release_sums(t);
	vec_free(&t->enums);
	trace_files_release(t);
	trace_memory_release(t);
	trace_text_free(t->formats);
	calls_release(&t->chain);
	call_shapes_free(t->own_shapes);
	free(t->sources);
}

/* The kernel's sums of a thread may come long after its end. */
static void remember_names(struct trace *t)
{
	char buf[SCHED_COMM];

	for (uint32_t id = 1; id < t->session->threads.len; id++) {
		int32_t tid = t->session->threads.items[id].tid;
		uint32_t comm = tid > 0 ? thread_last_comm(t->session, id, tid) : 0;

		if (comm)
			sched_names_tell(&t->gone, tid, session_comm(t->session, comm, buf));
	}
}

/* Forget old data. After this, ids of names and objects may have a new meaning. */
static void tidy(struct trace *t)
{
	if (live_is_file(t->live) || !session_has_grown(t->session))
		return;
	if (t->opts->counts)
		remember_names(t);
	trace_memory_release(t);
	for (size_t i = 0; i < t->threads.len; i++)
		t->threads.items[i]->comm_id = 0;
	live_tidy_now(t->live, NULL, 0, NULL, 0);
}

int trace_calls(struct live *live, const struct trace_opts *opts, struct out *out, struct err *e)
{
	struct trace t = { .live = live, .session = live_session(live), .opts = opts, .out = out, .on = !opts->on };
	int what = LIVE_ROUND;

	sched_names_init(&t.gone, t.session);
	while (!is_over(&t) && (what = live_next(live, e)) > LIVE_END) {
		if (!t.sources)
			find_sources(&t);
		take_round(&t);
		trace_files_tidy(&t);
		if (opts->counts)
			opts->counts(opts->counter, &t, false);
		tidy(&t);
		if (!live_is_file(live))
			out_flush(out);
	}
	if (t.sources && !is_over(&t))
		print_cut(&t);
	if (t.sources && opts->counts)
		opts->counts(opts->counter, &t, true);
	if (t.sources && opts->sums && !out->error)
		trace_print_sums(&t);
	if (opts->shown)
		*opts->shown = t.shown;
	release(&t);
	return MIN(what, 0);
}
