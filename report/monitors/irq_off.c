/*
 * Find places where interrupts were off for too long. If the kernel has tracepoints for this, we use them. Otherwise a
 * clock interrupts each CPU at equal intervals; while interrupts are off, it comes late. The interrupted place is where
 * interrupts were switched on again. An idle CPU may get no clock either, so power:cpu_idle says when it is idle. With
 * --preempt we also watch preemption: the clock's timer event has the preemption count of the interrupted place. So
 * preemption is off from the first clock that finds it off to the first clock that finds it on.
 */
#include "report/monitors/monitor.h"

enum { CLOCK, IDLE, OFF, ON, PREEMPT_OFF, PREEMPT_ON, TIMER, SWITCH, KINDS };
enum { STATE };
enum { DEPTH };
#define LEAVES_IDLE UINT32_MAX
static const struct trace_want rows[KINDS] = {
	[CLOCK] = { "cpu-clock" },
	[IDLE] = { "power:cpu_idle", { "state" } },
	[OFF] = { "preemptirq:irq_disable" },
	[ON] = { "preemptirq:irq_enable" },
	[PREEMPT_OFF] = { "preemptirq:preempt_disable" },
	[PREEMPT_ON] = { "preemptirq:preempt_enable" },
	[TIMER] = { "timer:hrtimer_expire_entry", { "common_preempt_count" } },
	[SWITCH] = { "sched:sched_switch" },
};

struct cpu_clock {
	uint64_t base; /* the last time when interrupts were known to be on; 0 = unknown */
	bool idle;
	uint64_t off, preempt_off; /* since when interrupts, or preemption, are off; 0 = on, or unknown */
	struct {
		uint64_t first, last; /* when the clock first and last found preemption off; first = 0: it is on */
		uint32_t stack;
	} depth;
};

struct irqs_off {
	VEC(struct cpu_clock) cpus;
	uint64_t limit_ns, period_ns;
	uint64_t least_depth;  /* least seen so far, + 1; some kernels count the tracepoint itself */
	uint32_t kinds[KINDS]; /* by row of run->wants */
};

static int want(struct monitor_run *run, unsigned kind, struct err *e)
{
	struct irqs_off *s = run->state;
	autofree char *terms = xasprintf("period=%llu", (unsigned long long)s->period_ns);

	s->kinds[run->wants.len] = kind;
	return kind == CLOCK ? monitor_want_sampled(run, "cpu-clock", terms, e)
			     : monitor_want(run, &rows[kind], NULL, e);
}

static int want_all(struct monitor_run *run, unsigned kinds, struct err *e)
{
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (kinds & 1u << kind && want(run, kind, e) < 0)
			return -1;
	return 0;
}

static int want_events(struct monitor_run *run, struct err *e)
{
	enum {
		BY_CLOCK = 1u << CLOCK | 1u << IDLE,
		BY_EVENT = 1u << OFF | 1u << ON,
		PREEMPT_BY_CLOCK = 1u << CLOCK | 1u << IDLE | 1u << TIMER | 1u << SWITCH,
		PREEMPT_BY_EVENT = 1u << PREEMPT_OFF | 1u << PREEMPT_ON,
	};
	bool preempt = run->opts->preempt;

	if (run->opts->input)
		return want_all(run, BY_CLOCK | BY_EVENT | (preempt ? PREEMPT_BY_CLOCK | PREEMPT_BY_EVENT : 0), e);
	return want_all(run,
			(monitor_event_exists(rows[OFF].event) ? BY_EVENT : BY_CLOCK) |
				(!preempt                                        ? 0u
				 : monitor_event_exists(rows[PREEMPT_OFF].event) ? PREEMPT_BY_EVENT
										 : PREEMPT_BY_CLOCK),
			e);
}

static int events(struct monitor_run *run, struct err *e)
{
	struct irqs_off *s = run->state;
	uint64_t us = run->opts->latency_us;

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
	return want_events(run, e);
}

static void tell(struct monitor_run *run, const struct trace_event *t, const char *what, uint64_t ns, uint32_t stack)
{
	struct json j;

	if (monitor_json(run, &j, what, t->time)) {
		json_unsigned(&j, "ns", ns);
		monitor_json_task(run, &j, t);
		monitor_json_stack(run, &j, stack);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_fmt(run->out, "cpu %u pid %d tid %d %s %llu ns\n", t->cpu, t->task.pid, t->task.tid, what,
		(unsigned long long)ns);
	monitor_print_stack(run, stack);
}

/* Take a tracepoint that ends a region with interrupts or preemption off. */
static void take_end(struct monitor_run *run, const struct trace_event *t, const char *what, uint64_t *since)
{
	const struct irqs_off *s = run->state;

	if (*since && t->time > *since && t->time - *since > s->limit_ns)
		tell(run, t, what, t->time - *since, monitor_stack(run, t));
	*since = 0;
}

/*
 * Take a clock. Clocks are always late by some us, so the limit is a tenth of a period longer. Otherwise we would
 * report a single missing clock among punctual ones: it makes a gap of two periods, which is exactly the limit.
 */
static void take_clock(struct monitor_run *run, const struct trace_event *t, struct cpu_clock *cpu)
{
	const struct irqs_off *s = run->state;
	uint64_t limit = s->limit_ns + s->period_ns / 10;

	if (cpu->base && !cpu->idle && t->time > cpu->base && t->time - cpu->base > limit)
		tell(run, t, "irq-off", t->time - cpu->base, monitor_stack(run, t));
	cpu->base = t->time;
}

static void preemption_is_on(struct monitor_run *run, const struct trace_event *t, struct cpu_clock *cpu)
{
	const struct irqs_off *s = run->state;

	if (cpu->depth.first && cpu->depth.last - cpu->depth.first > s->limit_ns)
		tell(run, t, "preempt-off", cpu->depth.last - cpu->depth.first, cpu->depth.stack);
	cpu->depth.first = 0;
}

static void take_timer(struct monitor_run *run, const struct trace_event *t, struct cpu_clock *cpu)
{
	struct irqs_off *s = run->state;
	uint64_t depth = trace_number(t, DEPTH) & 0xf;

	s->least_depth = s->least_depth ? MIN(s->least_depth, depth + 1) : depth + 1;
	if (!t->task.tid || depth < s->least_depth) {
		preemption_is_on(run, t, cpu);
		return;
	}
	if (!cpu->depth.first)
		cpu->depth.first = t->time;
	cpu->depth.last = t->time;
	/* Keep the last chain before the time became too long: later chains may belong to other code. */
	if (cpu->depth.last - cpu->depth.first <= s->limit_ns)
		cpu->depth.stack = monitor_stack(run, t);
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct irqs_off *s = run->state;
	struct cpu_clock *cpu;

	if (t->cpu >= 1 << 16)
		return;
	while (s->cpus.len <= t->cpu)
		vec_push(&s->cpus, (struct cpu_clock){ 0 });
	cpu = &s->cpus.items[t->cpu];
	switch (s->kinds[t->want]) {
	case IDLE:
		cpu->idle = (uint32_t)trace_number(t, STATE) != LEAVES_IDLE;
		cpu->base = t->time;
		break;
	case CLOCK: take_clock(run, t, cpu); break;
	case OFF: cpu->off = t->time; break;
	case ON: take_end(run, t, "irq-off", &cpu->off); break;
	case PREEMPT_OFF: cpu->preempt_off = t->time; break;
	case PREEMPT_ON: take_end(run, t, "preempt-off", &cpu->preempt_off); break;
	case TIMER: take_timer(run, t, cpu); break;
	case SWITCH: preemption_is_on(run, t, cpu);
	}
}

static void lost(struct monitor_run *run) { vec_clear(&((struct irqs_off *)run->state)->cpus); }

static void release(struct monitor_run *run) { vec_free(&((struct irqs_off *)run->state)->cpus); }

const struct monitor monitor_irq_off = { .events = events,
					 .sample = sample,
					 .lost = lost,
					 .release = release,
					 .ring_pages = 64,
					 .state_size = sizeof(struct irqs_off) };
