/* Take samples at equal intervals: show what runs, and how much of each CPU's time is in the kernel and outside. */
#include "report/monitors/monitor.h"

enum { CLOCK, TASK_CLOCK, CYCLES, REF_CYCLES };

struct cpu_share {
	uint64_t kernel_ns, user_ns, guest_ns; /* in this interval */
	uint64_t window, in_window;            /* for --than: its start, and samples since then */
};

struct shares {
	VEC(struct cpu_share) cpus;
	uint64_t limit; /* print if a second has at least this many samples; 0 = always */
	uint64_t freq, began;
};

static int parse_limit(struct monitor_run *run, struct err *e)
{
	struct shares *s = run->state;
	double percent;

	if (!run->opts->than)
		return 0;
	if (monitor_parse_percent(&percent, run->opts->than, e) < 0)
		return -1;
	s->limit = (uint64_t)((double)s->freq * percent / 100 + 0.999999);
	return 0;
}

/*
 * Does the CPU have ref-cycles? They run at the rate of the time stamp counter, but not while the CPU halts. So the
 * number of their samples says which share of a second the CPU was not idle. Without them we use a clock, and leave
 * out the samples of the idle task.
 */
static bool has_ref_cycles(uint64_t *hz)
{
	struct event_list list = { 0 };
	struct err why = { 0 };
	bool opens = monitor_has_pmu() && event_list_parse(&list, "ref-cycles", &why) == 0 &&
		     event_opens(&list.events.items[0], -1, 0);

	event_list_release(&list);
	*hz = opens ? monitor_tsc_hz() : 0;
	return *hz != 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	static const char *const names[] = { "cpu-clock", "task-clock", "cycles", "ref-cycles" };
	struct shares *s = run->state;
	autofree char *terms = NULL;
	uint64_t hz = 0;
	bool cycles;

	/* Without -F we print only the table, but it needs samples too. */
	s->freq = run->opts->freq ? MIN(run->opts->freq, (uint64_t)100000) : 100;
	if (parse_limit(run, e) < 0)
		return -1;
	cycles = !run->opts->input && has_ref_cycles(&hz);
	terms = xasprintf("period=%llu", (unsigned long long)((cycles ? hz : 1000000000) / s->freq));
	if (!run->opts->input)
		return monitor_want_sampled(run, names[cycles ? REF_CYCLES : CLOCK], terms, e);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (monitor_want_sampled(run, names[i], terms, e) < 0)
			return -1;
	return 0;
}

/* Return the time that a sample stands for. Clocks have a period in ns; other events have `freq` samples a second. */
static uint64_t time_of(const struct monitor_run *run, const struct trace_event *t)
{
	const struct shares *s = run->state;
	const char *name = run->wants.items[t->want].event;

	return strstr(name, "clock") ? t->sample.period : 1000000000 / s->freq;
}

/*
 * Has the CPU reached the limit in the present window? A window begins with its first sample and lasts one second. We
 * print the sample that reaches the limit, and those after it.
 */
static bool is_over(const struct shares *s, struct cpu_share *cpu, uint64_t time)
{
	if (!cpu->window || time - cpu->window > 1000000000) {
		cpu->window = time;
		cpu->in_window = 0;
	}
	return ++cpu->in_window >= s->limit;
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct shares *s = run->state;
	struct cpu_share *cpu;

	if (t->cpu >= 1 << 16 || !monitor_allows(run->opts, &t->sample))
		return;
	if (!s->began)
		s->began = t->time;
	while (s->cpus.len <= t->cpu)
		vec_push(&s->cpus, (struct cpu_share){ 0 });
	cpu = &s->cpus.items[t->cpu];
	switch (t->sample.misc & MISC_CPUMODE) {
	case CPUMODE_KERNEL:
		if (t->task.tid) /* not the idle task */
			cpu->kernel_ns += time_of(run, t);
		break;
	case CPUMODE_USER: cpu->user_ns += time_of(run, t); break;
	default: cpu->guest_ns += time_of(run, t);
	}
	if (t->task.tid && is_over(s, cpu, t->time) && run->opts->freq)
		monitor_line(run, t);
}

/* Print the shares of an interval. Samples arrive after its end, so measure it by their own times. */
static void print(struct monitor_run *run)
{
	struct shares *s = run->state;
	double all = (double)(run->newest - s->began);
	struct json j;

	for (size_t i = 0; i < s->cpus.len && run->newest > s->began; i++) {
		struct cpu_share *c = &s->cpus.items[i];

		if (c->kernel_ns + c->user_ns + c->guest_ns && monitor_json(run, &j, "cpu", run->newest)) {
			json_unsigned(&j, "cpu", i);
			json_unsigned(&j, "all_ns", (uint64_t)all);
			json_unsigned(&j, "sys_ns", c->kernel_ns);
			json_unsigned(&j, "usr_ns", c->user_ns);
			json_unsigned(&j, "guest_ns", c->guest_ns);
			monitor_json_end(&j);
		} else if (c->kernel_ns + c->user_ns + c->guest_ns) {
			monitor_time(run, run->newest);
			out_fmt(run->out, "cpu %zu %%sys %.2f %%usr %.2f %%guest %.2f\n", i,
				100 * (double)c->kernel_ns / all, 100 * (double)c->user_ns / all,
				100 * (double)c->guest_ns / all);
		}
		c->kernel_ns = c->user_ns = c->guest_ns = 0;
	}
	s->began = run->newest;
}

static void release(struct monitor_run *run) { vec_free(&((struct shares *)run->state)->cpus); }

const struct monitor monitor_profile = { .events = events,
					 .sample = sample,
					 .tick = print,
					 .finish = print,
					 .release = release,
					 .ring_pages = 64,
					 .state_size = sizeof(struct shares) };
