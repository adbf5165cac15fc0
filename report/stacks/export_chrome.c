/*
 * Export the Trace Event Format. "chrome" puts stacks into "stackFrames" and "samples", with weights: for
 * chrome://tracing and speedscope. "perfetto" makes a processor profile in V8's form for each
 * thread: for Perfetto, the Performance panel of Chrome and the Firefox Profiler. It has times, but
 * no weights. Source: "Trace Event Format", https://chromium.googlesource.com/catapult; Chrome
 * DevTools Protocol, "Profiler".
 */
#include "report/session/delivery.h"
#include "report/stacks/export_priv.h"
#include "report/tracepoint/wants.h"

/* Print a time in microseconds. */
static void print_us(struct json *j, const char *key, uint64_t ns) { json_decimal(j, key, ns, 3); }

/* Begin an event. `kind`: the letter of "ph". */
static void print_event(struct json *j, const char *kind, const char *category, const char *name)
{
	json_newline(j);
	json_object(j, NULL);
	json_text(j, "ph", kind);
	if (category)
		json_text(j, "cat", category);
	json_text(j, "name", name);
}

static void print_task(struct json *j, int32_t pid, int32_t tid)
{
	json_number(j, "pid", pid);
	json_number(j, "tid", tid);
}

/* Print the name of a process or a thread. */
static void print_metadata(struct json *j, const char *what, int32_t pid, int32_t tid, const char *name)
{
	print_event(j, "M", NULL, what);
	print_task(j, pid, tid);
	json_number(j, "ts", 0);
	json_object(j, "args");
	json_text(j, "name", name);
	json_end(j, "}}");
}

static void print_threads(const struct stacks *st, struct json *j)
{
	const struct stack_frames *f = &st->frames;

	for (size_t i = 0; i < f->threads.len; i++) {
		const struct stack_thread *t = &f->threads.items[i];

		if (t->pid == t->tid)
			print_metadata(j, "process_name", t->pid, t->tid, t->comm);
		print_metadata(j, "thread_name", t->pid, t->tid, t->comm);
	}
}

/* ---- who ran when ---- */

/* When and where a thread was switched in. */
struct run_start {
	uint64_t time; /* 0: it does not run */
	uint32_t cpu;
};

static void print_slice(const struct run_start *from, uint32_t pid, uint32_t tid, uint64_t to, struct json *j)
{
	print_event(j, "X", "sched", "running");
	print_task(j, (int32_t)pid, (int32_t)tid);
	print_us(j, "ts", from->time);
	print_us(j, "dur", to - from->time);
	json_object(j, "args");
	json_number(j, "cpu", (int32_t)from->cpu);
	json_end(j, "}}");
}

/* The thread that got the CPU at its last switch. */
struct cpu_turn {
	struct run_start start;
	uint32_t tid; /* in the initial PID namespace, like the fields of the tracepoint */
};

/* The ids of a thread as the recording has them. */
struct task_ids {
	uint32_t pid, tid;
};

/* The state for slices from sched_switch. */
struct switches {
	VEC(struct cpu_turn) turns; /* by CPU */
	struct u64map by_tid;       /* tid of the tracepoint's fields -> index + 1 into tasks */
	VEC(struct task_ids) tasks;
};

enum { SWITCH_PREV, SWITCH_NEXT };

/*
 * Return the ids that the recording has for the thread that leaves its CPU. The sample of its last switch has none, so
 * use those of an earlier switch.
 */
static struct task_ids leaving_task(struct switches *sw, uint32_t tid, const struct sample *sample)
{
	uint32_t *known = u64map_put(&sw->by_tid, tid, NULL);

	if (!*known) {
		vec_push(&sw->tasks, (struct task_ids){ tid, tid });
		*known = (uint32_t)sw->tasks.len;
	}
	if (sample->tid != UINT32_MAX)
		sw->tasks.items[*known - 1] = (struct task_ids){ sample->pid, sample->tid };
	return sw->tasks.items[*known - 1];
}

/* Take a sample of sched_switch: print the slice of the thread that leaves the CPU. */
static void print_switch(struct switches *sw, const struct trace_event *t, struct json *j)
{
	uint32_t prev = (uint32_t)trace_number(t, SWITCH_PREV);
	struct task_ids task = leaving_task(sw, prev, &t->sample);
	struct cpu_turn *turn;

	if (sw->turns.len <= t->cpu)
		vec_add(&sw->turns, t->cpu + 1 - sw->turns.len);
	turn = &sw->turns.items[t->cpu];
	if (turn->start.time && turn->tid == prev && prev && t->time >= turn->start.time)
		print_slice(&turn->start, task.pid, task.tid, t->time, j);
	*turn = (struct cpu_turn){ { t->time, t->cpu }, (uint32_t)trace_number(t, SWITCH_NEXT) };
}

/* Print the slices from samples of the scheduler's tracepoint. */
static void print_switches(const struct session *s, struct json *j)
{
	static const struct trace_want rows[] = {
		{ "sched:sched_switch", { [SWITCH_PREV] = "prev_pid", [SWITCH_NEXT] = "next_pid" } },
	};
	enum { CPUS_MOST = 1 << 16 };
	struct trace_wants *wants = trace_wants_new((struct session *)(uintptr_t)s, rows, ARRAY_SIZE(rows));
	struct switches sw = { 0 };
	struct lookup lookup = { 0 };
	struct delivered in;
	struct record r;

	delivered_init(&in, s);
	while (trace_wants_has(wants, 0) && delivered_next(&in, &r)) {
		struct trace_event t;
		uint32_t moment;

		if (r.type != RECORD_SAMPLE)
			continue;
		moment = session_moment(s, &lookup, in.place->time, in.place->pos);
		if (trace_wants_take(wants, &r, moment, in.place->pos, &t) && t.cpu < CPUS_MOST)
			print_switch(&sw, &t, j);
	}
	delivered_release(&in);
	lookup_release(&lookup);
	vec_free(&sw.turns);
	vec_free(&sw.tasks);
	u64map_free(&sw.by_tid);
	trace_wants_free(wants);
}

/* Print a slice for each turn on a CPU, if context switches were recorded. */
static void print_slices(const struct session *s, struct json *j)
{
	VEC(struct run_start) starts = { 0 };
	struct u64map by_thread = { 0 }; /* index + 1 into starts */
	struct delivered in;
	struct record r;

	if (!s->types[RECORD_SWITCH] && !s->types[RECORD_SWITCH_CPU_WIDE]) {
		print_switches(s, j);
		return;
	}
	delivered_init(&in, s);
	while (delivered_next(&in, &r)) {
		struct run_start *start;
		struct trailer who;
		uint32_t *known;

		if ((r.type != RECORD_SWITCH && r.type != RECORD_SWITCH_CPU_WIDE) || !record_trailer(s->pd, &r, &who) ||
		    !who.tid || who.tid == UINT32_MAX || who.time == UINT64_MAX)
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
			print_slice(start, who.pid, who.tid, who.time, j);
			start->time = 0;
		}
	}
	delivered_release(&in);
	vec_free(&starts);
	u64map_free(&by_thread);
}

static void print_begin(const struct session *s, struct json *j)
{
	struct out command;

	out_init_mem(&command);
	export_command_line(s, &command);
	json_object(j, NULL);
	json_text(j, "displayTimeUnit", "ns");
	json_object(j, "otherData");
	json_text(j, "exporter", "strobe " STROBE_VERSION);
	json_text(j, "command", out_text(&command));
	json_end(j, "}");
	out_release(&command);
}

/* ---- chrome ---- */

/* Print the frames by number of the node. Nodes of threads are not frames. */
static void print_frames(const struct stacks *st, struct json *j)
{
	json_newline(j);
	json_object(j, "stackFrames");
	for (uint32_t i = 1; i < stack_tree_size(&st->tree); i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		const struct stack_name *name = &st->names.items[node->key];
		char number[16];

		if (!node->parent)
			continue;
		snprintf(number, sizeof(number), "%u", i);
		json_newline(j);
		json_object(j, number);
		json_text(j, "name", name->text);
		json_text(j, "category", name->object);
		if (st->tree.nodes.items[node->parent].parent)
			json_unsigned(j, "parent", node->parent);
		json_end(j, "}");
	}
	json_end(j, "}");
}

static void print_samples(const struct stacks *st, struct json *j)
{
	const struct stack_frames *f = &st->frames;

	json_newline(j);
	json_array(j, "samples");
	for (size_t i = 0; i < f->samples.len; i++) {
		const struct stack_sample *s = &f->samples.items[i];
		const struct stack_group *g = &f->groups.items[s->group];

		json_newline(j);
		json_object(j, NULL);
		if (s->cpu != UINT32_MAX)
			json_unsigned(j, "cpu", s->cpu);
		print_task(j, f->threads.items[g->thread].pid, f->threads.items[g->thread].tid);
		print_us(j, "ts", s->time);
		json_text(j, "name", f->events.items[g->event].name);
		json_unsigned(j, "sf", st->tree.nodes.items[g->node].parent ? g->node : 0);
		json_unsigned(j, "weight", s->weight);
		json_end(j, "}");
	}
	json_end(j, "]");
}

void export_chrome(const struct stacks *st, const struct session *s, struct out *o)
{
	struct json j = json_compact(o);

	print_begin(s, &j);
	print_frames(st, &j);
	print_samples(st, &j);
	json_newline(&j);
	json_array(&j, "traceEvents");
	print_threads(st, &j);
	print_slices(s, &j);
	json_end(&j, "]}");
	out_char(o, '\n');
}

/* ---- perfetto ---- */

enum { CHUNK = 10000 }; /* samples in an event */

static void print_head(const struct stack_thread *t, const char *name, uint64_t id, uint64_t time, struct json *j)
{
	print_event(j, "P", "disabled-by-default-v8.cpu_profiler", name);
	json_hex(j, "id", id);
	print_task(j, t->pid, t->tid);
	print_us(j, "ts", time);
	json_object(j, "args");
	json_object(j, "data");
}

/* Print all nodes of the thread; the first one stands for the thread itself, like V8's root. */
static void print_nodes(const struct stacks *st, const struct stack_thread *t, struct json *j)
{
	json_array(j, "nodes");
	for (uint32_t i = t->from; i < t->to; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		const struct stack_name *name = &st->names.items[node->key];

		json_newline(j);
		json_object(j, NULL);
		json_unsigned(j, "id", i - t->from + 1);
		json_object(j, "callFrame");
		json_number(j, "scriptId", 0);
		json_text(j, "functionName", i > t->from ? name->text : "(root)");
		if (i > t->from) {
			const struct stack_function *fn = &st->frames.functions.items[name->function];

			json_text(j, "url", *fn->file ? fn->file : st->frames.maps.items[fn->map].path);
			if (name->line)
				json_unsigned(j, "lineNumber", name->line - 1ull);
		}
		json_end(j, "}");
		if (i > t->from)
			json_unsigned(j, "parent", node->parent - t->from + 1);
		json_end(j, "}");
	}
	json_end(j, "]");
}

/*
 * Print a piece of a profile. Times ascend within a profile. The differences are between whole microseconds, so that
 * rounding errors do not add up.
 */
static void print_chunk(const struct stacks *st, uint32_t first, size_t from, size_t to, uint64_t *last_us,
			struct json *j)
{
	const struct stack_frames *f = &st->frames;

	json_array(j, "samples");
	for (size_t i = from; i < to; i++)
		json_unsigned(j, NULL, f->groups.items[f->samples.items[i].group].node - first + 1);
	json_end(j, "]}");
	json_array(j, "timeDeltas");
	for (size_t i = from; i < to; i++) {
		uint64_t us = f->samples.items[i].time / 1000;

		json_unsigned(j, NULL, us - *last_us);
		*last_us = us;
	}
	json_end(j, "]");
}

static void print_profile(const struct stacks *st, size_t from, size_t to, uint64_t id, struct json *j)
{
	const struct stack_frames *f = &st->frames;
	const struct stack_group *g = &f->groups.items[f->samples.items[from].group];
	const struct stack_thread *t = &f->threads.items[g->thread];
	uint64_t us = f->samples.items[from].time / 1000;

	print_head(t, "Profile", id, us * 1000, j);
	json_unsigned(j, "startTime", us);
	json_end(j, "}}}");
	for (size_t i = from; i < to; i += CHUNK) {
		print_head(t, "ProfileChunk", id, f->samples.items[i].time, j);
		json_object(j, "cpuProfile");
		if (i == from)
			print_nodes(st, t, j);
		print_chunk(st, t->from, i, MIN(i + CHUNK, to), &us, j);
		json_end(j, "}}}");
	}
}

void export_perfetto(const struct stacks *st, const struct session *s, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	struct json j = json_compact(o);
	uint64_t id = 0;

	print_begin(s, &j);
	json_newline(&j);
	json_array(&j, "traceEvents");
	print_threads(st, &j);
	print_slices(s, &j);
	for (size_t i = 0, end; i < f->samples.len; i = end) {
		end = export_stretch(f, i);
		print_profile(st, i, end, ++id, &j);
	}
	json_end(&j, "]}");
	out_char(o, '\n');
}
