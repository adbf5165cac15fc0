/* The time from one event to another that has the same key: from issue to completion, from allocation to free. */
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"

enum { FROM, TO };
enum { KEY_FIELD, KEY_CPU, KEY_TID };

/* How many pairs were how long in one interval: by the power of two of their ns. */
struct heat {
	uint64_t slots[64];
};

struct paired {
	struct open_pairs open;
	struct durations durations;
	uint64_t than_ns, above;
	int key;               /* KEY_* */
	VEC(struct heat) heat; /* by `span` intervals; the last one goes on */
	uint64_t span, ticks;  /* ticks: since the last one began */
};

/* "FIELD", or "FIELD,FIELD" for events that name it differently. */
static void use_key(struct monitor_run *run, const char *key)
{
	size_t len = strcspn(key, ",");

	run->wants.items[FROM].fields[0] = arena_strndup(&run->arena, key, len);
	run->wants.items[TO].fields[0] = key[len] ? key + len + 1 : run->wants.items[FROM].fields[0];
}

static int want_two(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;

	for (size_t i = 0; i < o->events.len; i++)
		if (monitor_want_listed(run, o->events.items[i], o->filter, e) < 0)
			return -1;
	if (run->wants.len != 2) {
		err_set(e, "two events make a pair, not %zu", run->wants.len);
		err_try(e, "-e block:block_rq_issue,block:block_rq_complete --key sector");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (((struct paired *)run->state)->key == KEY_FIELD)
		use_key(run, o->key);
	return 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	struct paired *s = run->state;
	const char *key = run->opts->key;

	s->key = !key || !strcmp(key, "tid") ? KEY_TID : !strcmp(key, "cpu") ? KEY_CPU : KEY_FIELD;
	if (want_two(run, e) < 0)
		return -1;
	if (run->opts->heatmap) {
		vec_push(&s->heat, (struct heat){ 0 });
		s->span = 1;
		run->tick_ms = run->opts->interval_ms == MONITOR_UNSET ? 1000 : run->opts->interval_ms;
	}
	return run->opts->than ? monitor_parse_time(&s->than_ns, run->opts->than, 1000, e) : 0;
}

static uint64_t key_of(const struct paired *s, const struct trace_event *t)
{
	switch (s->key) {
	case KEY_CPU: return t->cpu;
	case KEY_TID: return (uint32_t)t->task.tid;
	}
	return trace_number(t, 0);
}

static void end(struct monitor_run *run, const struct trace_event *t)
{
	struct paired *s = run->state;
	struct open_pair start;
	struct json j;
	uint64_t ns;

	if (!open_pairs_end(&s->open, key_of(s, t), &start))
		return;
	ns = t->time > start.time ? t->time - start.time : 0;
	durations_add(&s->durations, ns);
	if (s->heat.len)
		s->heat.items[s->heat.len - 1].slots[ns ? 63 - __builtin_clzll(ns) : 0]++;
	if (!s->than_ns || ns <= s->than_ns)
		return;
	s->above++;
	if (monitor_json(run, &j, "slow", t->time)) {
		json_unsigned(&j, "ns", ns);
		json_number(&j, "from_tid", start.tid);
		json_unsigned(&j, "from_cpu", start.cpu);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_fmt(run->out, "== %.3f us since the start in thread %d on CPU %u\n", (double)ns / 1e3, start.tid,
		start.cpu);
	monitor_print_stack(run, start.stack);
	monitor_line(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct paired *s = run->state;

	if (t->want == TO)
		end(run, t);
	else
		open_pairs_start(&s->open, &(struct open_pair){ .key = key_of(s, t),
								.time = t->time,
								.tid = t->task.tid,
								.cpu = t->cpu,
								.stack = monitor_stack(run, t) });
}

static void print_json(struct monitor_run *run)
{
	const struct paired *s = run->state;
	struct json j;

	if (!monitor_json(run, &j, "delay", run->now))
		return;
	json_text(&j, "from", run->wants.items[FROM].event);
	json_text(&j, "to", run->wants.items[TO].event);
	monitor_json_durations(&j, &s->durations);
	json_unsigned(&j, "above", s->above);
	json_unsigned(&j, "open", s->open.n);
	json_unsigned(&j, "unmatched", s->open.unmatched);
	json_unsigned(&j, "replaced", s->open.replaced);
	json_unsigned(&j, "dropped", s->open.dropped);
	monitor_json_end(&j);
}

static void print(struct monitor_run *run)
{
	struct paired *s = run->state;
	struct out *o = run->out;

	print_json(run);
	monitor_time(run, run->now);
	out_char(o, '\n');
	monitor_durations_head(run, "                     from => to");
	if (s->durations.count) {
		out_name_pad(o, run->wants.items[FROM].event, 25);
		out_str(o, " => ");
		out_name_pad(o, run->wants.items[TO].event, -24);
		monitor_durations_row(run, &s->durations);
	}
	if (s->than_ns)
		out_fmt(o, "# %llu above the limit\n", (unsigned long long)s->above);
	if (s->open.n || s->open.unmatched || s->open.replaced || s->open.dropped)
		out_fmt(o,
			"# starts without an end %zu, ends without a start %llu, starts replaced %llu, dropped %llu\n",
			s->open.n, (unsigned long long)s->open.unmatched, (unsigned long long)s->open.replaced,
			(unsigned long long)s->open.dropped);
	durations_clear(&s->durations);
	s->above = 0;
}

/* So that a long watch fits on a line, two intervals become one. */
static void halve(struct paired *s)
{
	for (size_t i = 0; i < s->heat.len; i++)
		for (int slot = 0; slot < 64; slot++)
			if (i % 2)
				s->heat.items[i / 2].slots[slot] += s->heat.items[i].slots[slot];
			else
				s->heat.items[i / 2].slots[slot] = s->heat.items[i].slots[slot];
	s->heat.len = (s->heat.len + 1) / 2;
}

static void print_heat_row(struct monitor_run *run, int slot, uint64_t most)
{
	static const char shades[] = " .:-=+*#%@";
	const struct paired *s = run->state;
	uint64_t sum = 0;

	out_fmt(run->out, "%14.3f us |", (double)(slot ? 1ull << slot : 0) / 1e3);
	for (size_t i = 0; i < s->heat.len; i++) {
		uint64_t n = s->heat.items[i].slots[slot];

		sum += n;
		out_char(run->out, shades[n ? 1 + (n * 8 + most - 1) / most - (n < most) : 0]);
	}
	out_fmt(run->out, "| %llu\n", (unsigned long long)sum);
}

static void json_heat_row(struct monitor_run *run, int slot)
{
	const struct paired *s = run->state;
	struct json j;

	if (!monitor_json(run, &j, "heat", run->now))
		return;
	json_unsigned(&j, "from_ns", slot ? 1ull << slot : 0);
	json_key(&j, "counts");
	for (size_t i = 0; i < s->heat.len; i++)
		out_fmt(j.o, "%c%llu", i ? ',' : '[', (unsigned long long)s->heat.items[i].slots[slot]);
	out_char(j.o, ']');
	monitor_json_end(&j);
}

/* A row for each power of two between the shortest and the longest pair, a column for each interval. */
static void print_heat(struct monitor_run *run)
{
	const struct paired *s = run->state;
	int first = 64, last = -1;
	uint64_t most = 0;

	for (size_t i = 0; i < s->heat.len; i++)
		for (int slot = 0; slot < 64; slot++) {
			uint64_t n = s->heat.items[i].slots[slot];

			first = n ? MIN(first, slot) : first;
			last = n ? MAX(last, slot) : last;
			most = MAX(most, n);
		}
	for (int slot = last; slot >= first; slot--) {
		print_heat_row(run, slot, most);
		json_heat_row(run, slot);
	}
}

/* With a heat map, intervals are its columns. */
static void tick(struct monitor_run *run)
{
	enum { COLUMNS_MOST = 100 };
	struct paired *s = run->state;

	if (!s->heat.len) {
		print(run);
		return;
	}
	if (++s->ticks < s->span)
		return;
	s->ticks = 0;
	if (s->heat.len == COLUMNS_MOST) {
		halve(s);
		s->span *= 2;
	}
	vec_push(&s->heat, (struct heat){ 0 });
}

static void finish(struct monitor_run *run)
{
	print(run);
	print_heat(run);
}

static void release(struct monitor_run *run)
{
	struct paired *s = run->state;

	durations_free(&s->durations);
	vec_free(&s->heat);
	open_pairs_free(&s->open);
}

const struct monitor monitor_pairs = { .events = events,
				       .sample = sample,
				       .tick = tick,
				       .finish = finish,
				       .release = release,
				       .ring_pages = 128,
				       .state_size = sizeof(struct paired) };
