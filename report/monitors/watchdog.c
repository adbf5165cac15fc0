/*
 * CPUs that are about to lock up. The kernel's own watchdog is a timer on each CPU, every 2/5 of
 * watchdog_thresh; each time it lets the CPU's highest task, migration/N, run. A task that keeps the
 * CPU keeps migration/N waiting: a soft lockup. When the timer does not come either, interrupts are
 * off: a hard lockup. Source: the kernel's Documentation/admin-guide/lockup-watchdogs.rst.
 */
#include "base/file.h"
#include "report/monitors/monitor.h"
#include "symbols/name/kallsyms.h"

enum { EXPIRE, SWITCH, SAMPLE };
enum { FUNCTION };
enum { NEXT_COMM };
static const char timer_function[] = "watchdog_timer_fn";
#define MARGIN_NS  200000000ull /* the timer is late by this much on a healthy system */
#define ARRIVES_NS 500000000ull /* events reach us this much later */

struct cpu_watch {
	uint64_t timer, touch; /* when the timer and migration/N ran; 0 = not yet */
	bool soft, hard;       /* told, and not over */
};

struct lockups {
	VEC(struct cpu_watch) cpus;
	uint64_t limit_ns;
	uint64_t function; /* address; 0 = any */
	bool pmu;
	char mask[256];
};

static int is_off(const char *file, struct err *e)
{
	err_set(e, "the kernel's watchdog is off");
	err_why(e, "%s is 0, or there is no such file: its timer never runs", file);
	err_try(e, "sysctl kernel.watchdog=1 kernel.soft_watchdog=1");
	return -1;
}

static int read_settings(struct monitor_run *run, struct err *e)
{
	static const char *const switches[] = { "/proc/sys/kernel/watchdog", "/proc/sys/kernel/soft_watchdog" };
	struct lockups *s = run->state;
	char text[32] = "";

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (file_read_line(switches[i], text, sizeof(text)) < 0 || !strcmp(text, "0"))
			return is_off(switches[i], e);
	if (file_read_line("/proc/sys/kernel/watchdog_thresh", text, sizeof(text)) < 0 || !atoi(text))
		return is_off("/proc/sys/kernel/watchdog_thresh", e);
	s->limit_ns = (uint64_t)atoi(text) * 400000000 + MARGIN_NS;
	if (file_read_line("/proc/sys/kernel/watchdog_cpumask", s->mask, sizeof(s->mask)) > 0)
		run->cpus = s->mask;
	s->function = kallsyms_address("/proc/kallsyms", timer_function);
	if (!s->function) {
		err_set(e, "the watchdog's timer is unknown");
		err_why(e, "/proc/kallsyms has no address for '%s'", timer_function);
		err_try(e, "as root, or sysctl kernel.kptr_restrict=0");
		return -1;
	}
	return 0;
}

static int ask(struct monitor_run *run, struct err *e)
{
	struct lockups *s = run->state;
	autofree char *filter = xasprintf("function==0x%llx", (unsigned long long)s->function);
	unsigned long long freq = MAX(run->opts->freq, (uint64_t)1);
	autofree char *terms = s->pmu ? xasprintf("freq=%llu", freq) : xasprintf("period=%llu", 1000000000 / freq);

	if (monitor_want(run, &(struct trace_want){ "timer:hrtimer_expire_entry", { "function" } },
			 s->function ? filter : NULL, e) < 0 ||
	    monitor_want(run, &(struct trace_want){ "sched:sched_switch", { "next_comm" } },
			 "next_comm~\"migration/*\"", e) < 0)
		return -1;
	return run->opts->freq ? monitor_want_sampled(run, s->pmu ? "cycles" : "cpu-clock", terms, e) : 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	struct lockups *s = run->state;

	s->limit_ns = 10 * 400000000ull + MARGIN_NS;
	if (!run->opts->input && read_settings(run, e) < 0)
		return -1;
	if (run->opts->than && monitor_parse_time(&s->limit_ns, run->opts->than, 1000000, e) < 0)
		return -1;
	s->pmu = !run->opts->input && monitor_has_pmu();
	if (!run->opts->input && (!s->pmu || !run->opts->freq))
		out_str(run->out, "# no PMU: hard lockups cannot be foreseen; soft lockups are watched\n");
	run->tick_ms = 500;
	return ask(run, e);
}

static void tell(struct monitor_run *run, const char *kind, size_t cpu, uint64_t now, uint64_t last)
{
	const struct lockups *s = run->state;
	struct json j;

	if (monitor_json(run, &j, kind, now)) {
		json_unsigned(&j, "cpu", cpu);
		json_unsigned(&j, "last_ns", last);
		json_unsigned(&j, "limit_ns", s->limit_ns);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, now);
	out_fmt(run->out, "WILL: %s - CPU#%zu [%llu.%09llu - %llu.%09llu > %.3f s]\n", kind, cpu,
		(unsigned long long)(now / 1000000000), (unsigned long long)(now % 1000000000),
		(unsigned long long)(last / 1000000000), (unsigned long long)(last % 1000000000),
		(double)s->limit_ns / 1e9);
}

static void expire(struct monitor_run *run, struct cpu_watch *cpu, const struct trace_event *t)
{
	const struct lockups *s = run->state;

	if (!cpu->touch)
		cpu->touch = t->time;
	cpu->timer = t->time;
	cpu->hard = false;
	if (t->time <= cpu->touch || t->time - cpu->touch <= s->limit_ns)
		return;
	tell(run, "soft lockup", t->cpu, t->time, cpu->touch);
	monitor_line(run, t);
	cpu->soft = true;
}

/* A PMU interrupts even where interrupts are off. While a lockup is near, say what runs. */
static void interrupted(struct monitor_run *run, struct cpu_watch *cpu, const struct trace_event *t)
{
	const struct lockups *s = run->state;

	if (s->pmu && cpu->timer && !cpu->hard && t->time > cpu->timer && t->time - cpu->timer > s->limit_ns) {
		tell(run, "hard lockup", t->cpu, t->time, cpu->timer);
		cpu->hard = true;
	}
	if (cpu->soft || cpu->hard)
		monitor_line(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct lockups *s = run->state;
	struct cpu_watch *cpu;
	char comm[16];

	if (t->cpu >= 1 << 16)
		return;
	while (s->cpus.len <= t->cpu)
		vec_push(&s->cpus, (struct cpu_watch){ 0 });
	cpu = &s->cpus.items[t->cpu];
	switch (t->want) {
	case EXPIRE:
		if (!s->function || trace_number(t, FUNCTION) == s->function)
			expire(run, cpu, t);
		break;
	case SWITCH:
		trace_string(t, NEXT_COMM, comm, sizeof(comm));
		if (!strncmp(comm, "migration/", 10)) {
			cpu->touch = t->time;
			cpu->soft = false;
		}
		break;
	case SAMPLE: interrupted(run, cpu, t);
	}
}

/* Seen from another CPU: the timer of one does not come. */
static void tick(struct monitor_run *run)
{
	struct lockups *s = run->state;

	for (size_t i = 0; i < s->cpus.len && !run->opts->input; i++) {
		struct cpu_watch *cpu = &s->cpus.items[i];

		if (!cpu->timer || cpu->hard || run->now < cpu->timer + s->limit_ns + ARRIVES_NS)
			continue;
		tell(run, "hard lockup", i, run->now, cpu->timer);
		cpu->hard = true;
	}
}

static void release(struct monitor_run *run) { vec_free(&((struct lockups *)run->state)->cpus); }

const struct monitor monitor_watchdog = { .events = events,
					  .sample = sample,
					  .tick = tick,
					  .release = release,
					  .ring_pages = 16,
					  .state_size = sizeof(struct lockups) };
