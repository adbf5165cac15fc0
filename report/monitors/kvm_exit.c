/*
 * Measure how long the host takes for each exit of a guest: from kvm_exit to the next kvm_entry of the same thread.
 */
#include "base/sort/sort.h"
#include "report/monitors/heat_priv.h"
#include "report/monitors/monitor.h"
#include "report/monitors/page_priv.h"
#include "report/waits/kvm_names.h"
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
	struct u64map by_number, by_name; /* the event's number, and its text -> reasons + 1 */
	uint64_t than_ns, n_lost;
	struct heat_slots slots; /* of all reasons except HLT */
	struct heat heat;        /* likewise, with --heatmap or --html */
	bool vmx;                /* the CPU is Intel's: its names of reasons are at most 20 wide */
};

static int events(struct monitor_run *run, struct err *e)
{
	struct exits *s = run->state;
	const struct monitor_opts *o = run->opts;

	if (o->than && monitor_parse_time(&s->than_ns, o->than, 1000, e) < 0)
		return -1;
	run->open = &s->open;
	run->keeps_lines = o->than;
	if (o->heatmap || o->html) {
		heat_init(&s->heat);
		run->tick_ms = o->interval_ms == MONITOR_UNSET ? 1000 : o->interval_ms;
	}
	if (monitor_want(run, &(struct trace_want){ "kvm:kvm_exit", { "exit_reason", "isa", "ret", "esr_ec" } },
			 o->filter, e) < 0)
		return -1;
	return monitor_want(run, &(struct trace_want){ "kvm:kvm_entry" }, NULL, e);
}

enum { ARM_TRAP = 2 };

/*
 * Write the name of the reason. Usually it is in the event's own text: "vcpu 0 reason HLT rip 0x...", or "reason: HLT".
 * Otherwise, as on arm64, get it from the number of the reason.
 */
static void reason_text(const struct trace_event *t, char *name, size_t size)
{
	uint64_t trap = trace_number(t, TRAP_CLASS), ret = trace_number(t, RET);
	struct out o;
	const char *at;

	if (trace_event_has(t, RET)) {
		snprintf(name, size, "%s",
			 ret == ARM_TRAP ? kvm_reason_name(KVM_ARM64_TRAP, trap) : kvm_reason_name(KVM_ARM64, ret));
		return;
	}
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

/*
 * Return the row of a name. A damaged recording may have any number of names. After more names than any real CPU has,
 * all others share one row.
 */
static uint32_t named(struct exits *s, const char *name, uint32_t cpu)
{
	enum { REASONS_MOST = 4096 };
	uint64_t hash = hash_bytes(name, strlen(name), cpu);
	uint32_t *at = u64map_find(&s->by_name, hash);

	if (at)
		return *at;
	if (s->reasons.len >= REASONS_MOST) {
		name = "(other)";
		hash = hash_bytes(name, strlen(name), cpu = 0);
	}
	at = u64map_put(&s->by_name, hash, NULL);
	if (!*at) {
		vec_push(&s->reasons, (struct exit_reason){ .cpu = cpu });
		*at = (uint32_t)s->reasons.len;
		snprintf(s->reasons.items[*at - 1].name, sizeof(s->reasons.items[0].name), "%s", name);
	}
	return *at;
}

/* Return the row of an exit's reason. Make the text only once for each reason, because this takes long. */
static uint32_t reason_of(struct exits *s, const struct trace_event *t, bool percpu)
{
	enum { NUMBERS_MOST = 65536 };
	uint32_t cpu = percpu ? t->cpu : 0;
	uint64_t x86 = hash_mix(trace_number(t, REASON), trace_number(t, ISA));
	uint64_t arm = hash_mix(trace_number(t, RET), trace_number(t, TRAP_CLASS));
	uint64_t hash = hash_mix(hash_mix(x86, arm), cpu);
	const uint32_t *known = u64map_find(&s->by_number, hash);
	char name[32];
	uint32_t reason;

	if (known)
		return *known;
	if (s->by_number.len >= NUMBERS_MOST)
		u64map_free(&s->by_number);
	s->vmx |= trace_number(t, ISA) == KVM_VMX;
	reason_text(t, name, sizeof(name));
	reason = named(s, name, cpu);
	*u64map_put(&s->by_number, hash, NULL) = reason;
	return reason;
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
	if (kvm_is_halt(r->name))
		return;
	slots_add(&s->slots, ns);
	if (heat_is_on(&s->heat))
		heat_add(&s->heat, ns);
	if (!run->opts->than || ns <= s->than_ns)
		return;
	if (monitor_json(run, &j, "slow", t->time)) {
		json_text(&j, "reason", r->name);
		json_unsigned(&j, "ns", ns);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_start_line(run, &exit);
	monitor_line(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct exits *s = run->state;

	if (t->want == ENTRY)
		entry(run, t);
	else
		monitor_start(run, t, (uint32_t)t->task.tid, reason_of(s, t, run->opts->percpu));
}

static void lost(struct monitor_run *run)
{
	struct exits *s = run->state;

	s->n_lost += open_pairs_forget(&s->open);
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

static void print_reason(struct monitor_run *run, struct exit_reason *r, int width)
{
	struct durations *d = &r->durations;
	struct json j;

	if (!d->count)
		return;
	if (monitor_json(run, &j, "exits", run->now)) {
		if (run->opts->percpu)
			json_unsigned(&j, "cpu", r->cpu);
		json_text(&j, "reason", r->name);
		monitor_json_durations(&j, d);
		monitor_json_end(&j);
	}
	if (run->opts->percpu)
		out_fmt(run->out, "[%03u] ", r->cpu);
	out_name_pad(run->out, r->name, -width);
	out_fmt(run->out, " %8llu %16.3f %9.3f %9.3f %12.3f %9.3f\n", (unsigned long long)d->count,
		(double)d->total / 1e3, (double)d->min / 1e3, (double)durations_average(d) / 1e3, (double)d->max / 1e3,
		(double)durations_percentile(d, 99) / 1e3);
	durations_clear(d);
}

static void print_rule(struct out *o, int width)
{
	out_pad(o, '-', width);
	out_str(o, " -------- ---------------- --------- --------- ------------ ---------\n");
}

static void print_reasons(struct monitor_run *run, struct exits *s)
{
	struct out *o = run->out;
	VEC(uint32_t) order = { 0 }; /* open exits refer to reasons by index, so reasons never move */
	int width = s->vmx ? 20 : 32;

	for (uint32_t i = 0; i < s->reasons.len; i++)
		vec_push(&order, i);
	vec_sort_r(&order, by_total, s->reasons.items);
	out_str(o, run->opts->percpu ? "CPU   " : "");
	out_name_pad(o, "exit_reason", -width);
	out_str(o, "    calls        total(us)   min(us)   avg(us)      max(us)   p99(us)\n");
	out_str(o, run->opts->percpu ? "----- " : "");
	print_rule(o, width);
	for (size_t i = 0; i < order.len; i++)
		print_reason(run, &s->reasons.items[order.items[i]], width);
	vec_free(&order);
}

static void print(struct monitor_run *run)
{
	struct exits *s = run->state;

	monitor_time(run, run->now);
	out_char(run->out, '\n');
	slots_print(&s->slots, "kvm-exit latency(ns)", run->out);
	monitor_json_slots(run, "kvm:kvm_exit", &s->slots);
	s->slots = (struct heat_slots){ 0 };
	print_reasons(run, s);
	if (s->open.dropped || s->n_lost)
		out_fmt(run->out,
			"# exits dropped, because too many threads were outside of their guests: %llu, because events "
			"were lost: "
			"%llu\n",
			(unsigned long long)s->open.dropped, (unsigned long long)s->n_lost);
}

/* End an interval. With a heat map, it becomes a column and prints nothing. */
static void tick(struct monitor_run *run)
{
	struct exits *s = run->state;

	if (heat_is_on(&s->heat))
		heat_tick(&s->heat);
	else
		print(run);
}

static void skip(struct monitor_run *run, uint64_t n) { heat_skip(&((struct exits *)run->state)->heat, n); }

static void finish(struct monitor_run *run)
{
	struct exits *s = run->state;

	print(run);
	if (run->opts->heatmap) {
		heat_print(&s->heat, run->out);
		monitor_json_heat(run, "kvm:kvm_exit", &s->heat);
	}
	if (run->opts->html)
		monitor_page(run, "How long the host takes for exits of guests, without halts",
			     &(struct page_series){ "kvm:kvm_exit => kvm:kvm_entry", &s->heat }, 1);
}

static void release(struct monitor_run *run)
{
	struct exits *s = run->state;

	for (size_t i = 0; i < s->reasons.len; i++)
		durations_free(&s->reasons.items[i].durations);
	vec_free(&s->reasons);
	u64map_free(&s->by_number);
	u64map_free(&s->by_name);
	heat_release(&s->heat);
	open_pairs_free(&s->open);
}

const struct monitor monitor_kvm_exit = { .events = events,
					  .sample = sample,
					  .lost = lost,
					  .tick = tick,
					  .skip = skip,
					  .finish = finish,
					  .release = release,
					  .ring_pages = 64,
					  .state_size = sizeof(struct exits) };
