/*
 * Interrupts that were off for too long. A clock interrupts each CPU at equal times; with interrupts
 * off it cannot, and comes late. Where it then comes is where interrupts came on again. An idle CPU
 * may get no clock either, so power:cpu_idle says when it is idle.
 */
#include "report/monitors/monitor.h"

enum { CLOCK, IDLE };
enum { STATE };
#define LEAVES_IDLE UINT32_MAX

struct cpu_clock {
	uint64_t base; /* interrupts were on then; 0 = unknown */
	bool idle;
};

struct irqs_off {
	VEC(struct cpu_clock) cpus;
	uint64_t limit_ns, period_ns;
};

static int events(struct monitor_run *run, struct err *e)
{
	struct irqs_off *s = run->state;
	uint64_t us = run->opts->latency_us;
	autofree char *terms = NULL;

	if (run->opts->than && monitor_parse_time(&s->limit_ns, run->opts->than, 1000, e) < 0)
		return -1;
	us = run->opts->than ? s->limit_ns / 1000 : us;
	if (us < 100 || us > 1000000000) {
		err_set(e, "a limit of %llu us is out of range", (unsigned long long)us);
		err_why(e, "a clock cannot interrupt often enough for less than 100 us");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	s->limit_ns = us * 1000;
	s->period_ns = s->limit_ns / (run->opts->precise ? 10 : 2);
	terms = xasprintf("period=%llu", (unsigned long long)s->period_ns);
	if (monitor_want_sampled(run, "cpu-clock", terms, e) < 0)
		return -1;
	return monitor_want(run, &(struct trace_want){ "power:cpu_idle", { "state" } }, NULL, e);
}

static void tell(struct monitor_run *run, const struct trace_event *t, uint64_t ns)
{
	struct json j;

	if (monitor_json(run, &j, "irq-off", t->time)) {
		json_unsigned(&j, "ns", ns);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_fmt(run->out, "cpu %u pid %d tid %d irq-off %llu ns\n", t->cpu, t->task.pid, t->task.tid,
		(unsigned long long)ns);
	monitor_chain(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct irqs_off *s = run->state;
	/* The clock itself is late by some us: one that is missing among punctual ones is not told. */
	uint64_t limit = s->limit_ns + s->period_ns / 10;
	struct cpu_clock *cpu;

	if (t->cpu >= 1 << 16)
		return;
	while (s->cpus.len <= t->cpu)
		vec_push(&s->cpus, (struct cpu_clock){ 0 });
	cpu = &s->cpus.items[t->cpu];
	if (t->want == IDLE)
		cpu->idle = (uint32_t)trace_number(t, STATE) != LEAVES_IDLE;
	else if (cpu->base && !cpu->idle && t->time > cpu->base && t->time - cpu->base > limit)
		tell(run, t, t->time - cpu->base);
	cpu->base = t->time;
}

static void release(struct monitor_run *run) { vec_free(&((struct irqs_off *)run->state)->cpus); }

const struct monitor monitor_irq_off = {
	.events = events, .sample = sample, .release = release, .ring_pages = 64, .state_size = sizeof(struct irqs_off)
};
