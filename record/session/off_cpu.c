/*
 * Record where threads sleep, and how long (--off-cpu). When a thread goes to sleep, the
 * tracepoint sched:sched_switch gives its stack; the SWITCH record of its return ends the
 * sleep. These records stay out of the output. Instead we write samples of an event
 * "offcpu-time", whose period is the time in ns: one for each long sleep; shorter ones are
 * summed by thread and stack in each sweep. Each sample has the time of a return to the CPU,
 * when readers still know the thread's maps. Source: perf-record(1), "--off-cpu";
 * perf_event_open(2), PERF_RECORD_SWITCH.
 */
#include <ctype.h>

#include "base/hash.h"
#include "base/out.h"
#include "format/reader.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

/* TASK_INTERRUPTIBLE, TASK_UNINTERRUPTIBLE; as many frames as fit a record */
enum { SLEEPING = 1 | 2, DEPTH_MAX = 8000 };

static const uint64_t sample_type =
	SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_CALLCHAIN;

struct off_cpu_stack {
	uint64_t n;
	const uint64_t *ips;
};
/* All sleeps of one thread with one stack. */
struct total {
	uint32_t pid, tid, stack;
	uint64_t ns;
	uint64_t woke_ns; /* end of the last sleep */
};

struct sleeper {
	uint32_t pid, stack;
	/*
	 * 0 = unknown. Rings of two CPUs are read one after the other, so we may see the return
	 * first.
	 */
	uint64_t slept_ns, woke_ns;
};

/* One record of the rings: a sample (goes: the thread leaves the CPU) or a return. */
struct turn {
	uint64_t time_ns;
	uint32_t pid, tid;
	bool goes, sleeps;
	struct off_cpu_stack stack;
};

struct off_cpu {
	struct event_list events;
	struct rings rings;
	struct arena arena;
	long state_at;      /* offset of prev_state in the tracepoint's data */
	struct out records; /* of one sweep */
	VEC(struct turn) turns;
	VEC(struct sleeper) sleepers;
	struct u64map by_tid; /* -> index + 1 */
	VEC(struct off_cpu_stack) stacks;
	struct idtable by_stack;
	VEC(struct total) totals;
	struct idtable by_total;
};

void off_cpu_free(struct off_cpu *o)
{
	if (!o)
		return;
	event_list_close(&o->events);
	rings_release(&o->rings);
	event_list_release(&o->events);
	out_release(&o->records);
	vec_free(&o->turns);
	vec_free(&o->sleepers);
	u64map_free(&o->by_tid);
	vec_free(&o->stacks);
	idtable_free(&o->by_stack);
	vec_free(&o->totals);
	idtable_free(&o->by_total);
	arena_release(&o->arena);
	free(o);
}

/* ---- opening ---- */

int off_cpu_add_event(struct recorder *r, struct err *e)
{
	r->o.identifier = true; /* its samples have their own layout */
	return event_list_parse(&r->events, "bpf-output/name=" OFF_CPU_EVENT ",no-inherit/", e);
}

static struct event *own_event(struct recorder *r)
{
	for (size_t i = 0; i < r->events.events.len; i++) {
		struct event *event = &r->events.events.items[i];

		if (event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
		    !strcmp(event->name, OFF_CPU_EVENT))
			return event;
	}
	return NULL;
}

void off_cpu_config_event(struct recorder *r)
{
	struct event *event = own_event(r);

	if (event)
		event->attr.sample_type = sample_type;
}

static int find_state(struct off_cpu *o, struct err *e)
{
	size_t len;
	autofree char *format = tracepoint_format("sched", "sched_switch", &len, e);
	const char *field = format ? strstr(format, " prev_state;") : NULL,
		   *offset = field ? strstr(field, "offset:") : NULL;

	if (!format)
		return -1;
	if (!offset || !isdigit((unsigned char)offset[7]))
		return err_set(e, "the format of sched:sched_switch has no field prev_state");
	o->state_at = strtol(offset + 7, NULL, 10);
	return 0;
}

static void config(const struct recorder *r, struct perf_event_attr *a)
{
	bool by_exec = target_is_workload(&r->target) && !r->o.n_delays && !r->o.stay_disabled;

	a->sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_CALLCHAIN | SAMPLE_RAW;
	a->sample_period = 1;
	a->sample_id_all = 1;
	a->read_format = PERF_FORMAT_ID;
	a->context_switch = 1;
	a->exclude_callchain_kernel = 1;
	a->sample_max_stack = (uint16_t)r->o.chain_depth;
	a->disabled = 1;
	a->enable_on_exec = by_exec;
	a->inherit = r->events.events.items[0].attr.inherit;
	a->use_clockid = r->o.use_clockid;
	a->clockid = r->o.clockid;
}

int recorder_open_off_cpu(struct recorder *r, struct err *e)
{
	struct off_cpu *o = xcalloc(1, sizeof(*o));
	struct open_notes notes = { 0 };
	struct open_opts opts = { .no_fallback = true };
	bool shrunk;
	int result;

	r->off_cpu = o;
	o->rings.epoll = -1;
	out_init_mem(&o->records);
	if (event_list_parse(&o->events, "sched:sched_switch", e) < 0 || find_state(o, e) < 0)
		return err_in(e, "--off-cpu");
	config(r, &o->events.events.items[0].attr);
	result = event_list_open(&o->events, &r->target, &opts, &notes, e);
	vec_free(&notes.texts);
	if (result < 0 || rings_map(&o->rings, &o->events, &r->target, r->o.ring_pages, &shrunk, e) < 0)
		return err_in(e, "--off-cpu");
	return rings_watch(&r->rings, o->rings.epoll, e);
}

int off_cpu_enable(struct off_cpu *o, bool on, struct err *e)
{
	if (!o)
		return 0;
	return on ? event_list_enable(&o->events, e) : event_list_disable(&o->events, e);
}

/* ---- records of the rings ---- */

/* Read a sample with the layout of config(): ip, pid, tid, time, cpu, chain, raw data. */
static bool sample_turn(const struct off_cpu *o, const uint8_t *body, size_t size, struct turn *t)
{
	const uint64_t *words = (const uint64_t *)(const void *)body;
	const uint8_t *raw;
	uint64_t state;
	uint32_t raw_size;

	if (size < 48 || words[4] > (size - 48) / 8 || words[4] > DEPTH_MAX)
		return false;
	*t = (struct turn){ .goes = true, .time_ns = words[2], .stack = { words[4], words + 5 } };
	memcpy(&t->pid, body + 8, 4);
	memcpy(&t->tid, body + 12, 4);
	raw = body + 40 + 8 * words[4];
	memcpy(&raw_size, raw, 4);
	if (raw_size > size - 44 - 8 * words[4] || o->state_at < 0 || o->state_at + 8 > (long)raw_size)
		return false;
	memcpy(&state, raw + 4 + o->state_at, 8);
	t->sleeps = state & SLEEPING;
	return true;
}

/*
 * Read a return. The trailer is pid, tid, time, cpu. Ignore switches out: the samples report
 * those.
 */
static bool switch_turn(uint16_t misc, const uint8_t *body, size_t size, struct turn *t)
{
	if (size < 24 || misc & MISC_SWITCH_OUT)
		return false;
	*t = (struct turn){ .goes = false };
	memcpy(&t->pid, body + size - 24, 4);
	memcpy(&t->tid, body + size - 20, 4);
	memcpy(&t->time_ns, body + size - 16, 8);
	return true;
}

static void read_turns(struct off_cpu *o)
{
	const uint8_t *at = (const uint8_t *)o->records.buf, *end = at + o->records.len;
	struct perf_event_header h;
	struct turn t;

	vec_clear(&o->turns);
	for (; end - at >= 8; at += h.size) {
		bool known = false;

		memcpy(&h, at, sizeof(h));
		if (h.size < 8 || h.size > end - at)
			break;
		if (h.type == RECORD_SAMPLE)
			known = sample_turn(o, at + 8, h.size - 8u, &t);
		else if (h.type == RECORD_SWITCH || h.type == RECORD_SWITCH_CPU_WIDE)
			known = switch_turn(h.misc, at + 8, h.size - 8u, &t);
		if (known && t.tid) /* skip the idle task */
			vec_push(&o->turns, t);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* ---- sums ---- */

static uint32_t intern_stack(struct off_cpu *o, const struct off_cpu_stack *s)
{
	uint64_t hash = hash_bytes(s->ips, s->n * 8, 0);
	struct idtable_probe p = idtable_probe(&o->by_stack, hash);
	uint32_t id;

	while ((id = idtable_next(&o->by_stack, &p))) {
		const struct off_cpu_stack *known = &o->stacks.items[id - 1];

		if (known->n == s->n && !memcmp(known->ips, s->ips, s->n * 8))
			return id;
	}
	vec_push(&o->stacks, (struct off_cpu_stack){ s->n, arena_memdup(&o->arena, s->ips, s->n * 8) });
	idtable_add(&o->by_stack, hash, (uint32_t)o->stacks.len);
	return (uint32_t)o->stacks.len;
}

static void add(struct off_cpu *o, const struct total *sleep)
{
	uint64_t hash = hash_mix(hash_mix(sleep->pid, sleep->tid), sleep->stack);
	struct idtable_probe p = idtable_probe(&o->by_total, hash);
	uint32_t id;

	while ((id = idtable_next(&o->by_total, &p))) {
		struct total *t = &o->totals.items[id - 1];

		if (t->pid != sleep->pid || t->tid != sleep->tid || t->stack != sleep->stack)
			continue;
		t->ns += sleep->ns;
		t->woke_ns = sleep->woke_ns;
		return;
	}
	vec_push(&o->totals, *sleep);
	idtable_add(&o->by_total, hash, (uint32_t)o->totals.len);
}

static int write_sample(struct recorder *r, const struct total *t, struct err *e)
{
	const struct off_cpu_stack *s = &r->off_cpu->stacks.items[t->stack - 1];
	const struct event *event = own_event(r);
	uint64_t head[7] = { 0 }, n = s->n;
	struct perf_event_header h = { .type = RECORD_SAMPLE,
				       .misc = CPUMODE_USER,
				       .size = (uint16_t)(8 + sizeof(head) + 8 * n) };
	uint32_t ids[2] = { t->pid, t->tid };
	struct out o;
	int result;

	head[0] = event && event->ids ? event->ids[0] : 0;
	head[1] = s->ips[1]; /* [0] marks the user part */
	memcpy(&head[2], ids, 8);
	head[3] = t->woke_ns;
	head[5] = t->ns; /* [4], the CPU, stays 0 */
	head[6] = n;
	out_init_mem(&o);
	out_mem(&o, (const char *)&h, sizeof(h));
	out_mem(&o, (const char *)head, sizeof(head));
	out_mem(&o, (const char *)s->ips, 8 * n);
	result = writer_record(r->writer, o.buf, o.len, e);
	out_release(&o);
	return result;
}

static int has_slept(struct recorder *r, struct sleeper *s, uint32_t tid, struct err *e)
{
	struct total t = { s->pid, tid, s->stack, s->woke_ns - s->slept_ns, s->woke_ns };

	s->slept_ns = s->woke_ns = 0;
	if (t.ns >= r->o.off_cpu_ns)
		return write_sample(r, &t, e);
	add(r->off_cpu, &t);
	return 0;
}

static int take(struct recorder *r, const struct turn *t, struct err *e)
{
	struct off_cpu *o = r->off_cpu;
	bool is_new;
	uint32_t *index = u64map_put(&o->by_tid, t->tid, &is_new);
	struct sleeper *s;

	if (is_new) {
		vec_push(&o->sleepers, (struct sleeper){ 0 });
		*index = (uint32_t)o->sleepers.len - 1;
	}
	s = &o->sleepers.items[*index];
	if (!t->goes) {
		s->woke_ns = t->time_ns;
	} else if (t->sleeps && t->stack.n > 1) { /* kernel threads have no user part */
		s->pid = t->pid;
		s->stack = intern_stack(o, &t->stack);
		s->slept_ns = t->time_ns;
	} else {
		s->slept_ns = 0;
	}
	return s->slept_ns && s->woke_ns > s->slept_ns ? has_slept(r, s, t->tid, e) : 0;
}

static int write_totals(struct recorder *r, struct err *e)
{
	struct off_cpu *o = r->off_cpu;

	for (size_t i = 0; i < o->totals.len; i++)
		if (write_sample(r, &o->totals.items[i], e) < 0)
			return -1;
	vec_clear(&o->totals);
	idtable_free(&o->by_total);
	return 0;
}

int recorder_sweep_off_cpu(struct recorder *r, struct err *e)
{
	struct off_cpu *o = r->off_cpu;
	bool cut;

	if (!o)
		return 0;
	rings_wait(&o->rings, 0, NULL); /* stop watching ended tasks, which would stay ready */
	o->records.len = 0;
	do {
		rings_collect(&o->rings, 1, UINT64_MAX, &cut);
		for (size_t i = 0; i < o->rings.iov.len; i++)
			out_mem(&o->records, o->rings.iov.items[i].iov_base, o->rings.iov.items[i].iov_len);
		rings_advance(&o->rings);
	} while (!rings_round_is_over(&o->rings));
	read_turns(o);
	if (o->turns.len)
		qsort(o->turns.items, o->turns.len, sizeof(*o->turns.items), by_time);
	for (size_t i = 0; i < o->turns.len; i++)
		if (take(r, &o->turns.items[i], e) < 0)
			return -1;
	return write_totals(r, e);
}
