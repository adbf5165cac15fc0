/* Keys from the sample itself: task, CPU, time, cgroup, and texts made from them. */
#include "report/rows/keys_priv.h"
#include "report/tracepoint/trace_text.h"

/* ---- comm, pid, tgid ---- */

static uint64_t comm_value(const struct sample_context *c, const struct profile_opts *o) { return c->task->first_comm; }
static uint64_t pid_value(const struct sample_context *c, const struct profile_opts *o)
{
	return (uint32_t)c->task->tid;
}
static uint64_t tgid_value(const struct sample_context *c, const struct profile_opts *o)
{
	return (uint32_t)c->task->pid;
}

const char *row_comm(const struct view *v, const struct row *r, char buf[16])
{
	return session_comm(v->fold->profile->session, (uint32_t)view_value(v, r, comm_value), buf);
}

static int comm_compare(const struct view *v, const struct row *a, const struct row *b)
{
	char x[16], y[16];

	if (a->outer == b->outer)
		return 0; /* most rows are of one command: one number tells it without comparing names */
	return strcmp(row_comm(v, a, x), row_comm(v, b, y));
}

static void comm_text(const struct view *v, const struct row *r, struct out *o)
{
	char buf[16];

	out_name(o, row_comm(v, r, buf));
}

/* Return the width of the threads' last names. Earlier names that do not fit are cut, as in perf ("perf-ex"). */
static int comm_width(const struct view *v, const struct row *r)
{
	const struct session *s = v->fold->profile->session;
	char buf[16];

	if (!r->first_thread)
		return out_name_width(row_comm(v, r, buf));
	return out_name_width(session_comm(s, thread_last_comm(s, r->first_thread, 0), buf));
}

static int pid_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int32_t x = (int32_t)view_value(v, a, pid_value), y = (int32_t)view_value(v, b, pid_value);

	return (x > y) - (x < y);
}

static int tgid_compare(const struct view *v, const struct row *a, const struct row *b)
{
	int32_t x = (int32_t)view_value(v, a, tgid_value), y = (int32_t)view_value(v, b, tgid_value);

	return (x > y) - (x < y);
}

/* Print the thread's id, and the last name of the row's thread. */
static void pid_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct session *s = v->fold->profile->session;
	int32_t tid = (int32_t)view_value(v, r, pid_value);
	char buf[16];

	out_fmt(o, "%7d:", tid);
	out_name(o, session_comm(s, thread_last_comm(s, r->first_thread, tid), buf));
}

static void tgid_text(const struct view *v, const struct row *r, struct out *o)
{
	const struct session *s = v->fold->profile->session;
	int32_t pid = (int32_t)view_value(v, r, tgid_value);
	uint32_t leader = session_last_thread(s, pid);
	char buf[16];

	out_fmt(o, "%7d:", pid);
	if (leader)
		out_name(o, session_comm(s, thread_last_comm(s, leader, pid), buf));
}

static int pid_width(const struct view *v, const struct row *r)
{
	struct out o;
	int width;

	out_init_mem(&o);
	pid_text(v, r, &o);
	width = out_name_width(out_text(&o));
	out_release(&o);
	return width;
}

/* ---- texts made from samples ---- */

/* Replace each number in the name by "<N>": all workers of a pool are one row. */
static uint64_t comm_nodigit_value(const struct sample_context *c, const struct profile_opts *o)
{
	char buf[16];
	const char *s = session_comm(c->session, c->task->first_comm, buf);

	c->scratch->len = 0;
	while (*s) {
		size_t digits = strspn(s, "0123456789");

		if (digits)
			out_str(c->scratch, "<N>");
		else
			out_char(c->scratch, *s);
		s += digits ? digits : 1;
	}
	return texts_number(c->texts, out_text(c->scratch));
}

static uint64_t trace_value(const struct sample_context *c, const struct profile_opts *o)
{
	const struct sample *s = c->sample;

	c->scratch->len = 0;
	if (c->event->attr.type != ATTR_TYPE_TRACEPOINT ||
	    !(o->raw_trace ? trace_text_fields(c->trace, c->event_number, s->raw, s->raw_size, c->scratch)
			   : trace_text_print(c->trace, c->event_number, s->cpu, s->raw, s->raw_size, c->scratch)))
		return texts_number(c->texts, "N/A");
	return texts_number(c->texts, out_text(c->scratch));
}

#define BY_TEXT(what) \
	static const char *row_##what(const struct view *v, const struct row *r) \
	{ \
		return texts_get(&v->fold->profile->texts, view_value(v, r, what##_value)); \
	} \
	static int what##_compare(const struct view *v, const struct row *a, const struct row *b) \
	{ \
		return strcmp(row_##what(v, a), row_##what(v, b)); \
	} \
	static void what##_text(const struct view *v, const struct row *r, struct out *o) \
	{ \
		out_name(o, row_##what(v, r)); \
	}
BY_TEXT(comm_nodigit)
BY_TEXT(trace)

/* ---- numbers of samples ---- */

static uint64_t cpu_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->cpu; }
static uint64_t time_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->sample->time / o->time_quantum * o->time_quantum;
}
static uint64_t cgroup_value(const struct sample_context *c, const struct profile_opts *o) { return c->sample->cgroup; }

static uint64_t socket_value(const struct sample_context *c, const struct profile_opts *o)
{
	const struct features *f = &c->session->pd->features;

	return c->sample->cpu < f->n_cpus ? f->cpus[c->sample->cpu].socket_id : UINT32_MAX;
}

static uint64_t parallelism_value(const struct sample_context *c, const struct profile_opts *o)
{
	return c->parallelism;
}

/* Print "DEV INODE" in hex with fixed width, so that texts sort as the numbers do. */
static uint64_t cgroup_id_value(const struct sample_context *c, const struct profile_opts *o)
{
	const struct cgroup_change *now = session_cgroup_namespace(c->session, c->task->thread, c->moment);

	c->scratch->len = 0;
	out_fmt(c->scratch, "%016llx %016llx", now ? (unsigned long long)now->dev : 0,
		now ? (unsigned long long)now->ino : 0);
	return texts_number(c->texts, out_text(c->scratch));
}

static const char *row_cgroup_id(const struct view *v, const struct row *r)
{
	return texts_get(&v->fold->profile->texts, view_value(v, r, cgroup_id_value));
}

static int cgroup_id_compare(const struct view *v, const struct row *a, const struct row *b)
{
	return strcmp(row_cgroup_id(v, a), row_cgroup_id(v, b));
}

static void cgroup_id_text(const struct view *v, const struct row *r, struct out *o)
{
	char *end;
	unsigned long long dev = strtoull(row_cgroup_id(v, r), &end, 16);

	out_fmt(o, "%llu/0x%llx", dev, strtoull(end, NULL, 16));
}

/* This is always empty: only hardware traces report vector units, and we do not decode them. */
static uint64_t simd_value(const struct sample_context *c, const struct profile_opts *o) { return 0; }
static void simd_text(const struct view *v, const struct row *r, struct out *o) {}

ASCENDING(cpu_compare, cpu_value)
ASCENDING(parallelism_compare, parallelism_value)
ASCENDING(socket_compare, socket_value)
ASCENDING(time_compare, time_value)
ASCENDING(cgroup_compare, cgroup_value)

static void cpu_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "%.3d", (int)view_value(v, r, cpu_value));
}
static void socket_text(const struct view *v, const struct row *r, struct out *o)
{
	out_fmt(o, "%.3d", (int)view_value(v, r, socket_value));
}

static void parallelism_text(const struct view *v, const struct row *r, struct out *o)
{
	out_u64(o, view_value(v, r, parallelism_value));
}

/* Return a width that is enough for an uptime of less than a day. As in perf, longer times exceed the column. */
static int time_width(const struct view *v, const struct row *r) { return v->opts->nanoseconds ? 16 : 12; }

static void time_text(const struct view *v, const struct row *r, struct out *o)
{
	uint64_t t = view_value(v, r, time_value);

	if (v->opts->nanoseconds)
		out_fmt(o, "%llu.%09llu", (unsigned long long)(t / 1000000000), (unsigned long long)(t % 1000000000));
	else
		out_fmt(o, "%llu.%06llu", (unsigned long long)(t / 1000000000),
			(unsigned long long)(t / 1000 % 1000000));
}

static void cgroup_text(const struct view *v, const struct row *r, struct out *o)
{
	const char *path = session_cgroup(v->fold->profile->session, view_value(v, r, cgroup_value));

	out_name(o, path ? path : view_value(v, r, cgroup_value) ? "unknown" : "N/A");
}

/* ---- the table ---- */

const struct key keys_sample[] = { { .name = "pid",
				     .title = "    Pid:Command",
				     .from = KEY_SAMPLE,
				     .rank = 14,
				     .sample = { pid_value, .of_task = true },
				     .compare = pid_compare,
				     .text = pid_text,
				     .text_width = pid_width },
				   { .name = "tgid",
				     .title = "   Tgid:Command",
				     .from = KEY_SAMPLE,
				     .rank = 15,
				     .sample = { tgid_value, .of_task = true },
				     .compare = tgid_compare,
				     .text = tgid_text,
				     .fixed = true,
				     .cut = true },
				   { .name = "comm",
				     .title = "Command",
				     .from = KEY_SAMPLE,
				     .rank = 16,
				     .regrouped = true,
				     .sample = { comm_value, .of_task = true, .is_comm = true },
				     .compare = comm_compare,
				     .text = comm_text,
				     .text_width = comm_width,
				     .cut = true },
				   { .name = "cpu",
				     .title = "CPU",
				     .from = KEY_SAMPLE,
				     .rank = 22,
				     .width = 3,
				     .sample = { cpu_value },
				     .compare = cpu_compare,
				     .text = cpu_text,
				     .right = true,
				     .fixed = true },
				   { .name = "socket",
				     .title = "Socket",
				     .from = KEY_SAMPLE,
				     .rank = 23,
				     .width = 6,
				     .sample = { socket_value },
				     .compare = socket_compare,
				     .text = socket_text,
				     .right = true,
				     .fixed = true },
				   { .name = "parallelism",
				     .title = "Parallelism",
				     .from = KEY_SAMPLE,
				     .rank = 24,
				     .width = 11,
				     .sample = { parallelism_value },
				     .compare = parallelism_compare,
				     .text = parallelism_text,
				     .right = true,
				     .needs = NEEDS_PARALLELISM },
				   { .name = "time",
				     .title = "Time",
				     .from = KEY_SAMPLE,
				     .rank = 38,
				     .width = 12,
				     .sample = { time_value },
				     .compare = time_compare,
				     .text = time_text,
				     .text_width = time_width,
				     .ragged = true },
				   { .name = "comm_nodigit",
				     .title = "CommandNoDigit",
				     .from = KEY_SAMPLE,
				     .rank = 39,
				     .regrouped = true,
				     .sample = { comm_nodigit_value, .of_task = true },
				     .compare = comm_nodigit_compare,
				     .text = comm_nodigit_text },
				   { .name = "trace",
				     .title = "Trace output",
				     .from = KEY_SAMPLE,
				     .rank = 40,
				     .sample = { trace_value },
				     .compare = trace_compare,
				     .text = trace_text,
				     .needs = NEEDS_TRACE,
				     .ragged = true },
				   { .name = "cgroup",
				     .title = "Cgroup",
				     .from = KEY_SAMPLE,
				     .rank = 41,
				     .width = 6,
				     .sample = { cgroup_value },
				     .compare = cgroup_compare,
				     .text = cgroup_text,
				     .ragged = true },
				   { .name = "cgroup_id",
				     .title = "cgroup id (dev/inode)",
				     .from = KEY_SAMPLE,
				     .rank = 42,
				     .width = 20,
				     .sample = { cgroup_id_value },
				     .compare = cgroup_id_compare,
				     .text = cgroup_id_text,
				     .ragged = true },
				   { .name = "simd",
				     .title = "Simd",
				     .from = KEY_SAMPLE,
				     .rank = 44,
				     .width = 7,
				     .sample = { simd_value },
				     .text = simd_text,
				     .ragged = true },
				   { 0 } };
