/* How long the host takes for each exit of a guest: from kvm_exit to the kvm_entry of the same thread. */
#include "base/sort/sort.h"
#include "report/monitors/monitor.h"
#include "report/waits/open_pairs.h"

enum { EXIT, ENTRY };
enum { REASON, ISA, RET, TRAP_CLASS };

struct exit_reason {
	char name[32]; /* foreign text */
	uint32_t cpu;  /* with --percpu */
	struct durations durations;
};

struct exits {
	struct open_pairs open; /* by thread; value: reasons + 1 */
	VEC(struct exit_reason) reasons;
	struct u64map by_number, by_name; /* what the event says, and its text -> reasons + 1 */
	uint64_t than_ns;
	uint64_t slots[64]; /* of all but HLT, by the power of two of their ns */
};

static int events(struct monitor_run *run, struct err *e)
{
	struct exits *s = run->state;
	const struct monitor_opts *o = run->opts;

	if (o->than && monitor_parse_time(&s->than_ns, o->than, 1000, e) < 0)
		return -1;
	if (monitor_want(run, &(struct trace_want){ "kvm:kvm_exit", { "exit_reason", "isa", "ret", "esr_ec" } },
			 o->filter, e) < 0)
		return -1;
	return monitor_want(run, &(struct trace_want){ "kvm:kvm_entry" }, NULL, e);
}

/* The event's own text names the reason: "vcpu 0 reason HLT rip 0x...", or "reason: HLT". */
static void reason_text(const struct trace_event *t, char *name, size_t size)
{
	struct out o;
	const char *at;

	out_init_mem(&o);
	trace_event_text(t, &o);
	at = strstr(out_text(&o), "reason");
	at = at ? at + 6 : NULL;
	at = at ? at + strspn(at, ": ") : NULL;
	if (at && *at)
		snprintf(name, size, "%.*s", (int)MIN(strcspn(at, " "), size - 1), at);
	else
		snprintf(name, size, "%llu", (unsigned long long)trace_number(t, REASON));
	out_release(&o);
}

static uint32_t named(struct exits *s, const char *name, uint32_t cpu)
{
	uint32_t *at = u64map_put(&s->by_name, hash_bytes(name, strlen(name), cpu), NULL);

	if (!*at) {
		vec_push(&s->reasons, (struct exit_reason){ .cpu = cpu });
		*at = (uint32_t)s->reasons.len;
		snprintf(s->reasons.items[*at - 1].name, sizeof(s->reasons.items[0].name), "%s", name);
	}
	return *at;
}

/* The text is made once for each reason: it takes long. */
static uint32_t reason_of(struct exits *s, const struct trace_event *t, bool percpu)
{
	uint32_t cpu = percpu ? t->cpu : 0;
	uint64_t x86 = hash_mix(trace_number(t, REASON), trace_number(t, ISA));
	uint64_t arm = hash_mix(trace_number(t, RET), trace_number(t, TRAP_CLASS));
	uint32_t *at = u64map_put(&s->by_number, hash_mix(hash_mix(x86, arm), cpu), NULL);
	char name[32];

	if (!*at) {
		reason_text(t, name, sizeof(name));
		*at = named(s, name, cpu);
	}
	return *at;
}

/* A guest that halts waits for its own sake. */
static bool is_halt(const char *name)
{
	return !strcasecmp(name, "HLT") || !strcmp(name, "EXIT_HLT") || !strcmp(name, "WFx");
}

static void entry(struct monitor_run *run, const struct trace_event *t)
{
	struct exits *s = run->state;
	struct open_pair exit;
	struct exit_reason *r;
	struct json j;
	uint64_t ns;

	if (!open_pairs_end(&s->open, (uint32_t)t->task.tid, &exit))
		return;
	r = &s->reasons.items[exit.value - 1];
	ns = t->time > exit.time ? t->time - exit.time : 0;
	durations_add(&r->durations, ns);
	if (is_halt(r->name))
		return;
	s->slots[ns ? 63 - __builtin_clzll(ns) : 0]++;
	if (!s->than_ns || ns <= s->than_ns)
		return;
	if (monitor_json(run, &j, "slow", t->time)) {
		json_text(&j, "reason", r->name);
		json_unsigned(&j, "ns", ns);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_str(run->out, "== ");
	out_name(run->out, r->name);
	out_fmt(run->out, " %.3f us\n", (double)ns / 1e3);
	monitor_print_stack(run, exit.stack);
	monitor_line(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct exits *s = run->state;

	if (t->want == ENTRY)
		entry(run, t);
	else
		open_pairs_start(&s->open, &(struct open_pair){ .key = (uint32_t)t->task.tid,
								.time = t->time,
								.tid = t->task.tid,
								.cpu = t->cpu,
								.value = reason_of(s, t, run->opts->percpu),
								.stack = monitor_stack(run, t) });
}

static int by_total(const void *a, const void *b, void *ctx)
{
	const struct exit_reason *all = ctx, *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->durations.total != y->durations.total)
		return x->durations.total > y->durations.total ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void print_reasons(struct monitor_run *run, struct exits *s)
{
	struct out *o = run->out;
	VEC(uint32_t) order = { 0 }; /* open exits name reasons by place, so these stay where they are */
	struct json j;

	for (uint32_t i = 0; i < s->reasons.len; i++)
		vec_push(&order, i);
	vec_sort_r(&order, by_total, s->reasons.items);
	out_str(o, run->opts->percpu ? "CPU   " : "");
	out_str(o,
		"exit_reason                               calls        total(us)   min(us)   avg(us)      max(us)   "
		"p99(us)\n");
	out_str(o, run->opts->percpu ? "----- " : "");
	out_str(o, "-------------------------------- ------------ ---------------- --------- --------- ------------ "
		   "---------\n");
	for (size_t i = 0; i < order.len; i++) {
		const char *name = s->reasons.items[order.items[i]].name;
		struct durations *d = &s->reasons.items[order.items[i]].durations;

		if (!d->count)
			continue;
		if (monitor_json(run, &j, "exits", run->now)) {
			if (run->opts->percpu)
				json_unsigned(&j, "cpu", s->reasons.items[order.items[i]].cpu);
			json_text(&j, "reason", name);
			monitor_json_durations(&j, d);
			monitor_json_end(&j);
		}
		if (run->opts->percpu)
			out_fmt(o, "[%03u] ", s->reasons.items[order.items[i]].cpu);
		out_name_pad(o, name, -32);
		out_fmt(o, " %12llu %16.3f %9.3f %9.3f %12.3f %9.3f\n", (unsigned long long)d->count,
			(double)d->total / 1e3, (double)d->min / 1e3, (double)durations_average(d) / 1e3,
			(double)d->max / 1e3, (double)durations_percentile(d, 99) / 1e3);
		durations_clear(d);
	}
	vec_free(&order);
}

/* A row for each power of two; those before the first that has any are one row. */
static void print_slots(struct monitor_run *run, struct exits *s)
{
	enum { BAR = 40 };
	struct out *o = run->out;
	int first = 0, last = 63;
	uint64_t most = 0;

	for (int i = 0; i < 64; i++)
		most = MAX(most, s->slots[i]);
	if (!most)
		return;
	while (!s->slots[first])
		first++;
	while (!s->slots[last])
		last--;
	out_str(o, "             ns                  :  count    distribution\n");
	for (int i = first; i <= last; i++) {
		int stars = (int)(BAR * s->slots[i] / most);

		out_fmt(o, "%12llu -> %-16llu : %-8llu |", i == first ? 0ull : 1ull << i, (2ull << i) - 1,
			(unsigned long long)s->slots[i]);
		out_pad(o, '*', stars);
		out_pad(o, ' ', BAR - stars);
		out_str(o, "|\n");
	}
	memset(s->slots, 0, sizeof(s->slots));
}

static void print(struct monitor_run *run)
{
	struct exits *s = run->state;

	monitor_time(run, run->now);
	out_char(run->out, '\n');
	print_slots(run, s);
	print_reasons(run, s);
	if (s->open.dropped)
		out_fmt(run->out, "# exits dropped, as too many threads were outside of their guests: %llu\n",
			(unsigned long long)s->open.dropped);
}

static void release(struct monitor_run *run)
{
	struct exits *s = run->state;

	for (size_t i = 0; i < s->reasons.len; i++)
		durations_free(&s->reasons.items[i].durations);
	vec_free(&s->reasons);
	u64map_free(&s->by_number);
	u64map_free(&s->by_name);
	open_pairs_free(&s->open);
}

const struct monitor monitor_kvm_exit = { .events = events,
					  .sample = sample,
					  .tick = print,
					  .finish = print,
					  .release = release,
					  .ring_pages = 64,
					  .state_size = sizeof(struct exits) };
