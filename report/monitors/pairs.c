/* The time from one event to another that has the same key: from issue to completion, from allocation to free. */
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"

enum { FROM, TO };
enum { KEY_FIELD, KEY_CPU, KEY_TID };

struct paired {
	struct open_pairs open;
	struct durations durations;
	uint64_t than_ns, above;
	int key; /* KEY_* */
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

static void release(struct monitor_run *run)
{
	struct paired *s = run->state;

	durations_free(&s->durations);
	open_pairs_free(&s->open);
}

const struct monitor monitor_pairs = { .events = events,
				       .sample = sample,
				       .tick = print,
				       .finish = print,
				       .release = release,
				       .ring_pages = 128,
				       .state_size = sizeof(struct paired) };
