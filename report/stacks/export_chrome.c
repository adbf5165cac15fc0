/*
 * Trace Event Format. "chrome" puts stacks into "stackFrames" and "samples", with weights: for
 * chrome://tracing and speedscope. "perfetto" makes a processor profile in V8's form for each
 * thread: for Perfetto, the Performance panel of Chrome and the Firefox Profiler. It has times, but
 * no weights. Source: "Trace Event Format", https://chromium.googlesource.com/catapult; Chrome
 * DevTools Protocol, "Profiler".
 */
#include "report/session/delivery.h"
#include "report/stacks/export_priv.h"
#include "report/tracepoint/wants.h"

/* Microseconds. */
static void print_us(struct out *o, uint64_t ns)
{
	out_u64(o, ns / 1000);
	out_char(o, '.');
	out_digits(o, ns % 1000, 3);
}

/* Print a value of "args": the name of a process or a thread. */
static void print_metadata(struct out *o, const char *what, int32_t pid, int32_t tid, const char *name, bool *any)
{
	out_fmt(o, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":0,\"args\":{\"name\":",
		*any ? ",\n" : "\n", what, pid, tid);
	json_quote(o, name);
	out_str(o, "}}");
	*any = true;
}

static void print_threads(const struct stacks *st, struct out *o, bool *any)
{
	const struct stack_frames *f = &st->frames;

	for (size_t i = 0; i < f->threads.len; i++) {
		const struct stack_thread *t = &f->threads.items[i];

		if (t->pid == t->tid)
			print_metadata(o, "process_name", t->pid, t->tid, t->comm, any);
		print_metadata(o, "thread_name", t->pid, t->tid, t->comm, any);
	}
}

/* ---- who ran when ---- */

/* A thread that was switched in, until it is switched out. */
struct run_start {
	uint64_t time; /* 0: it does not run */
	uint32_t cpu;
};

static void print_slice(const struct run_start *from, uint32_t pid, uint32_t tid, uint64_t to, struct out *o, bool *any)
{
	out_fmt(o, "%s{\"ph\":\"X\",\"cat\":\"sched\",\"name\":\"running\",\"pid\":%d,\"tid\":%d,\"ts\":",
		*any ? ",\n" : "\n", (int32_t)pid, (int32_t)tid);
	print_us(o, from->time);
	out_str(o, ",\"dur\":");
	print_us(o, to - from->time);
	out_str(o, ",\"args\":{\"cpu\":");
	out_i64(o, (int32_t)from->cpu);
	out_str(o, "}}");
	*any = true;
}

/* Who got a CPU at the last switch there. */
struct cpu_turn {
	struct run_start start;
	uint32_t tid;
};

/* One sample of sched_switch: a thread leaves its CPU to another. */
static void print_switch(const struct trace_event *t, struct cpu_turn *turn, struct out *o, bool *any)
{
	if (turn->start.time && turn->tid == t->sample.tid && turn->tid && t->time >= turn->start.time)
		print_slice(&turn->start, t->sample.pid, t->sample.tid, t->time, o, any);
	*turn = (struct cpu_turn){ { t->time, t->cpu }, (uint32_t)trace_number(t, 0) };
}

/* The same slices, from samples of the scheduler's tracepoint. */
static void print_switches(const struct session *s, struct out *o, bool *any)
{
	static const struct trace_want rows[] = { { "sched:sched_switch", { "next_pid" } } };
	enum { CPUS_MOST = 1 << 16 };
	struct trace_wants *wants = trace_wants_new((struct session *)(uintptr_t)s, rows, ARRAY_SIZE(rows));
	VEC(struct cpu_turn) turns = { 0 };
	struct place_reader reader = { 0 };
	struct lookup lookup = { 0 };
	struct delivery d;

	delivery_init(&d, s, false);
	while (trace_wants_has(wants, 0) && delivery_next(&d)) {
		for (size_t i = 0; i < d.n; i++) {
			struct trace_event t;
			struct record r;
			uint32_t moment;

			if (!place_open(&reader, s, d.window[i].pos, &r) || r.type != RECORD_SAMPLE)
				continue;
			moment = session_moment(s, &lookup, d.window[i].time, d.window[i].pos);
			if (!trace_wants_take(wants, &r, moment, d.window[i].pos, &t) || t.cpu >= CPUS_MOST)
				continue;
			if (turns.len <= t.cpu)
				vec_add(&turns, t.cpu + 1 - turns.len);
			print_switch(&t, &turns.items[t.cpu], o, any);
		}
	}
	delivery_release(&d);
	place_reader_release(&reader);
	lookup_release(&lookup);
	vec_free(&turns);
	trace_wants_free(wants);
}

/* A slice for each turn on a CPU, where context switches were recorded. */
static void print_slices(const struct session *s, struct out *o, bool *any)
{
	VEC(struct run_start) starts = { 0 };
	struct u64map by_thread = { 0 }; /* index + 1 into starts */
	struct place_reader reader = { 0 };
	struct delivery d;

	if (!s->types[RECORD_SWITCH] && !s->types[RECORD_SWITCH_CPU_WIDE]) {
		print_switches(s, o, any);
		return;
	}
	delivery_init(&d, s, false);
	while (delivery_next(&d)) {
		for (size_t i = 0; i < d.n; i++) {
			struct run_start *start;
			struct trailer who;
			struct record r;
			uint32_t *known;

			if (!place_open(&reader, s, d.window[i].pos, &r) ||
			    (r.type != RECORD_SWITCH && r.type != RECORD_SWITCH_CPU_WIDE) ||
			    !record_trailer(s->pd, &r, &who) || !who.tid || who.tid == UINT32_MAX ||
			    who.time == UINT64_MAX)
				continue;
			known = u64map_put(&by_thread, (uint64_t)who.pid << 32 | who.tid, NULL);
			if (!*known) {
				vec_push(&starts, (struct run_start){ 0 });
				*known = (uint32_t)starts.len;
			}
			start = &starts.items[*known - 1];
			if (!(r.misc & MISC_SWITCH_OUT)) {
				*start = (struct run_start){ who.time, who.cpu };
			} else if (start->time && who.time >= start->time) {
				print_slice(start, who.pid, who.tid, who.time, o, any);
				start->time = 0;
			}
		}
	}
	delivery_release(&d);
	place_reader_release(&reader);
	vec_free(&starts);
	u64map_free(&by_thread);
}

static void print_begin(const struct session *s, struct out *o)
{
	struct out command;

	out_init_mem(&command);
	export_command_line(s, &command);
	out_str(o,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"strobe " STROBE_VERSION "\",\"command\":");
	json_quote(o, out_text(&command));
	out_str(o, "},\n");
	out_release(&command);
}

/* ---- chrome ---- */

/* By number of the node; nodes of threads are no frames. */
static void print_frames(const struct stacks *st, struct out *o)
{
	const char *separator = "";

	out_str(o, "\"stackFrames\":{");
	for (uint32_t i = 1; i < stack_tree_size(&st->tree); i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		const struct stack_name *name = &st->names.items[node->key];

		if (!node->parent)
			continue;
		out_fmt(o, "%s\n\"%u\":{\"name\":", separator, i);
		json_quote(o, name->text);
		out_str(o, ",\"category\":");
		json_quote(o, name->object);
		if (st->tree.nodes.items[node->parent].parent) {
			out_str(o, ",\"parent\":");
			out_u64(o, node->parent);
		}
		out_char(o, '}');
		separator = ",";
	}
	out_str(o, "},\n");
}

static void print_samples(const struct stacks *st, struct out *o)
{
	const struct stack_frames *f = &st->frames;

	out_str(o, "\"samples\":[");
	for (size_t i = 0; i < f->samples.len; i++) {
		const struct stack_sample *s = &f->samples.items[i];
		const struct stack_group *g = &f->groups.items[s->group];

		out_str(o, i ? ",\n{" : "\n{");
		if (s->cpu != UINT32_MAX) {
			out_str(o, "\"cpu\":");
			out_u64(o, s->cpu);
			out_char(o, ',');
		}
		out_str(o, "\"pid\":");
		out_i64(o, f->threads.items[g->thread].pid);
		out_str(o, ",\"tid\":");
		out_i64(o, f->threads.items[g->thread].tid);
		out_str(o, ",\"ts\":");
		print_us(o, s->time);
		out_str(o, ",\"name\":");
		json_quote(o, f->events.items[g->event].name);
		out_str(o, ",\"sf\":");
		out_u64(o, st->tree.nodes.items[g->node].parent ? g->node : 0);
		out_str(o, ",\"weight\":");
		out_u64(o, s->weight);
		out_char(o, '}');
	}
	out_str(o, "],\n");
}

void export_chrome(const struct stacks *st, const struct session *s, struct out *o)
{
	bool any = false;

	print_begin(s, o);
	print_frames(st, o);
	print_samples(st, o);
	out_str(o, "\"traceEvents\":[");
	print_threads(st, o, &any);
	print_slices(s, o, &any);
	out_str(o, "]}\n");
}

/* ---- perfetto ---- */

enum { CHUNK = 10000 }; /* samples in an event */

static void print_head(const struct stack_thread *t, const char *name, uint64_t id, uint64_t time, struct out *o)
{
	out_fmt(o, "{\"ph\":\"P\",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"name\":\"%s\",\"id\":\"0x%llx\"",
		name, (unsigned long long)id);
	out_fmt(o, ",\"pid\":%d,\"tid\":%d,\"ts\":", t->pid, t->tid);
	print_us(o, time);
	out_str(o, ",\"args\":{\"data\":{");
}

/* Print all nodes of the thread; the first one stands for the thread itself, like V8's root. */
static void print_nodes(const struct stacks *st, const struct stack_thread *t, struct out *o)
{
	out_str(o, "\"nodes\":[");
	for (uint32_t i = t->from; i < t->to; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		const struct stack_name *name = &st->names.items[node->key];

		out_str(o, i > t->from ? ",\n{\"id\":" : "\n{\"id\":");
		out_u64(o, i - t->from + 1);
		out_str(o, ",\"callFrame\":{\"scriptId\":0,\"functionName\":");
		json_quote(o, i > t->from ? name->text : "(root)");
		if (i > t->from) {
			const struct stack_function *fn = &st->frames.functions.items[name->function];

			out_str(o, ",\"url\":");
			json_quote(o, *fn->file ? fn->file : st->frames.maps.items[fn->map].path);
			if (name->line) {
				out_str(o, ",\"lineNumber\":");
				out_u64(o, name->line - 1ull);
			}
		}
		out_char(o, '}');
		if (i > t->from) {
			out_str(o, ",\"parent\":");
			out_u64(o, node->parent - t->from + 1);
		}
		out_char(o, '}');
	}
	out_char(o, ']');
}

/* Times ascend within a profile and are whole microseconds: rounding errors must not add up. */
static void print_chunk(const struct stacks *st, uint32_t first, size_t from, size_t to, uint64_t *last_us,
			struct out *o)
{
	const struct stack_frames *f = &st->frames;

	out_str(o, "\"samples\":[");
	for (size_t i = from; i < to; i++) {
		if (i > from)
			out_char(o, ',');
		out_u64(o, f->groups.items[f->samples.items[i].group].node - first + 1);
	}
	out_str(o, "]},\"timeDeltas\":[");
	for (size_t i = from; i < to; i++) {
		uint64_t us = f->samples.items[i].time / 1000;

		if (i > from)
			out_char(o, ',');
		out_u64(o, us - *last_us);
		*last_us = us;
	}
	out_str(o, "]}}}");
}

static void print_profile(const struct stacks *st, size_t from, size_t to, uint64_t id, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	const struct stack_group *g = &f->groups.items[f->samples.items[from].group];
	const struct stack_thread *t = &f->threads.items[g->thread];
	uint64_t us = f->samples.items[from].time / 1000;

	out_str(o, ",\n"); /* the threads' names stand before */
	print_head(t, "Profile", id, us * 1000, o);
	out_str(o, "\"startTime\":");
	out_u64(o, us);
	out_str(o, "}}}");
	for (size_t i = from; i < to; i += CHUNK) {
		out_str(o, ",\n");
		print_head(t, "ProfileChunk", id, f->samples.items[i].time, o);
		out_str(o, "\"cpuProfile\":{");
		if (i == from) {
			print_nodes(st, t, o);
			out_char(o, ',');
		}
		print_chunk(st, t->from, i, MIN(i + CHUNK, to), &us, o);
	}
}

void export_perfetto(const struct stacks *st, const struct session *s, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	uint64_t id = 0;
	bool any = false;

	print_begin(s, o);
	out_str(o, "\"traceEvents\":[");
	print_threads(st, o, &any);
	print_slices(s, o, &any);
	for (size_t i = 0, end; i < f->samples.len; i = end) {
		end = export_stretch(f, i);
		print_profile(st, i, end, ++id, o);
	}
	out_str(o, "]}\n");
}
