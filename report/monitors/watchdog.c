/*
 * Find CPUs that are about to lock up. The kernel's own watchdog is a timer on each CPU, every 2/5 of
 * watchdog_thresh; each time it lets the CPU's task of highest priority, migration/N, run. If a task keeps the CPU,
 * migration/N must wait: a soft lockup. If the timer does not come either, interrupts are off: a hard
 * lockup. A PMU sees this on the CPU itself; without a PMU, the other CPUs see it afterwards. A cancelled
 * timer, because its CPU went offline, is not a lockup.
 * Source: the kernel's Documentation/admin-guide/lockup-watchdogs.rst.
 */
#include "base/file.h"
#include "report/monitors/monitor.h"
#include "symbols/name/kallsyms.h"

enum { EXPIRE, START, CANCEL, SWITCH, SAMPLE, CYCLES };
enum { TIMER, FUNCTION };
enum { NEXT_COMM };
static const char timer_function[] = "watchdog_timer_fn";
#define MARGIN_NS 200000000ull /* on a healthy system, the timer may be late by this much */
#define LOOK_NS   50000000ull  /* interval for checking the timers of other CPUs */

struct cpu_watch {
	uint64_t pointer;      /* of the timer */
	uint64_t timer, touch; /* when the timer and migration/N ran; 0 = not yet */
	bool soft, hard;       /* reported, and not over */
};

struct lockups {
	VEC(struct cpu_watch) cpus;
	uint64_t limit_ns;
	uint64_t function; /* address; 0 = any */
	uint64_t looked;   /* when we last checked all CPUs */
	bool pmu, noted;
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

/* Want the events of the timer. A worker, or the thread that takes the CPU offline, cancels the timer of that CPU. */
static int ask_timers(struct monitor_run *run, struct err *e)
{
	static const char cancels[] = "COMM ~ \"kworker/*\" || COMM ~ \"cpuhp/*\"";
	const struct lockups *s = run->state;
	autofree char *filter = s->function ? xasprintf("function==0x%llx", (unsigned long long)s->function) : NULL;

	if (monitor_want(run, &(struct trace_want){ "timer:hrtimer_expire_entry", { "hrtimer", "function" } }, filter,
			 e) < 0 ||
	    monitor_want(run, &(struct trace_want){ "timer:hrtimer_start", { "hrtimer", "function" } }, filter, e) < 0)
		return -1;
	return monitor_want(run, &(struct trace_want){ "timer:hrtimer_cancel", { "hrtimer" } }, cancels, e);
}

static int ask(struct monitor_run *run, struct err *e)
{
	struct lockups *s = run->state;
	unsigned long long freq = MAX(run->opts->freq, (uint64_t)1);
	autofree char *terms = s->pmu ? xasprintf("freq=%llu", freq) : xasprintf("period=%llu", 1000000000 / freq);

	if (ask_timers(run, e) < 0 || monitor_want(run, &(struct trace_want){ "sched:sched_switch", { "next_comm" } },
						   "next_comm~\"migration/*\"", e) < 0)
		return -1;
	if (run->opts->input)
		return monitor_want(run, &(struct trace_want){ "cpu-clock" }, NULL, e) < 0
			       ? -1
			       : monitor_want(run, &(struct trace_want){ "cycles" }, NULL, e);
	return run->opts->freq ? monitor_want_sampled(run, s->pmu ? "cycles" : "cpu-clock", terms, e) : 0;
}

/* Without a PMU, print what the monitor can and cannot do: once, as the first line. */
static void note(struct monitor_run *run, uint64_t time)
{
	static const char text[] = "no PMU: cannot predict hard lockups; soft lockups are watched";
	struct lockups *s = run->state;
	struct json j;

	if (s->pmu || s->noted || (run->objects && !run->session))
		return;
	s->noted = true;
	if (monitor_json(run, &j, "note", time)) {
		json_text(&j, "text", text);
		monitor_json_end(&j);
	}
	out_fmt(run->out, "# %s\n", text);
}

static int events(struct monitor_run *run, struct err *e)
{
	struct lockups *s = run->state;

	s->limit_ns = 10 * 400000000ull + MARGIN_NS;
	if (!run->opts->input && read_settings(run, e) < 0)
		return -1;
	if (run->opts->than && monitor_parse_time(&s->limit_ns, run->opts->than, 1000000, e) < 0)
		return -1;
	s->pmu = !run->opts->input && monitor_has_pmu() && run->opts->freq;
	if (!run->opts->input)
		note(run, 0);
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

/* Take a sample: print it if a lockup is near. With a PMU, samples come even while interrupts are off. */
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

/* Check whether the timers of the other CPUs have stopped. */
static void look_at_others(struct monitor_run *run, const struct trace_event *t)
{
	struct lockups *s = run->state;

	if (t->time - s->looked < LOOK_NS)
		return;
	s->looked = t->time;
	for (size_t i = 0; i < s->cpus.len; i++) {
		struct cpu_watch *cpu = &s->cpus.items[i];

		if (i == t->cpu || !cpu->timer || cpu->hard || t->time < cpu->timer + s->limit_ns)
			continue;
		tell(run, "hard lockup", i, t->time, cpu->timer);
		cpu->hard = true;
	}
}

static void cancel(struct lockups *s, uint64_t pointer)
{
	for (size_t i = 0; i < s->cpus.len; i++)
		if (pointer && s->cpus.items[i].pointer == pointer)
			s->cpus.items[i] = (struct cpu_watch){ 0 };
}

static bool is_ours(const struct lockups *s, const struct trace_event *t)
{
	return !s->function || trace_number(t, FUNCTION) == s->function;
}

/* Print the note. In a recording, the events show whether there was a PMU. */
static void note_recorded(struct monitor_run *run, uint64_t time)
{
	struct lockups *s = run->state;

	s->pmu |= run->opts->input && trace_wants_has(run->events.wants, CYCLES);
	note(run, time);
}

/* Print the note, so that it stays the first line if a loss comes before all events. */
static void lost(struct monitor_run *run) { note_recorded(run, run->now); }

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
	note_recorded(run, t->time);
	switch (t->want) {
	case EXPIRE:
	case START:
		if (!is_ours(s, t))
			break;
		cpu->pointer = trace_number(t, TIMER);
		if (t->want == EXPIRE)
			expire(run, cpu, t);
		cpu->timer = t->time;
		break;
	case CANCEL: cancel(s, trace_number(t, TIMER)); break;
	case SWITCH:
		trace_string(t, NEXT_COMM, comm, sizeof(comm));
		if (!strncmp(comm, "migration/", 10)) {
			cpu->touch = t->time;
			cpu->soft = false;
		}
		break;
	default: interrupted(run, cpu, t);
	}
	look_at_others(run, t);
}

static void release(struct monitor_run *run) { vec_free(&((struct lockups *)run->state)->cpus); }

const struct monitor monitor_watchdog = { .events = events,
					  .sample = sample,
					  .lost = lost,
					  .release = release,
					  .ring_pages = 16,
					  .state_size = sizeof(struct lockups) };
