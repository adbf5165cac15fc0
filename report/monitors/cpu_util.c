/* Show how busy each CPU is, from the kernel's times in /proc/stat. Source: proc_stat(5). */
#include "base/file.h"
#include "report/monitors/monitor.h"

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, N_TIMES };
struct cpu_times {
	bool known; /* a CPU that comes online has no times before */
	uint64_t ticks[N_TIMES];
};

struct cpu_busy {
	VEC(struct cpu_times) before; /* by CPU */
	struct cpuset cpus;           /* of -C; empty = all */
	unsigned left_out;            /* PART_* */
	double than;                  /* --than, in percent */
};

enum { PART_PROGRAM = 1, PART_KERNEL = 2, PART_GUEST = 4, PART_IDLE = 8 };
static const struct {
	const char *name;
	int time;
	unsigned kind;
} parts[] = {
	{ "usr", USER, PART_PROGRAM }, { "nice", NICE, PART_PROGRAM },      { "sys", SYSTEM, PART_KERNEL },
	{ "irq", IRQ, PART_KERNEL },   { "softirq", SOFTIRQ, PART_KERNEL }, { "iowait", IOWAIT, PART_IDLE },
	{ "steal", STEAL, PART_IDLE }, { "guest", GUEST, PART_GUEST },      { "guest-nice", GUEST_NICE, PART_GUEST },
	{ "idle", IDLE, PART_IDLE }
};

/* Return whose times count: those of the host, of guests, or of both. */
static const char *scope(const struct cpu_busy *s)
{
	return s->left_out & PART_GUEST                                  ? "host"
	       : s->left_out & PART_PROGRAM && s->left_out & PART_KERNEL ? "guest"
									 : "host,guest";
}

static const char *mode(const struct monitor_opts *o) { return o->no_user ? "sys" : o->no_kernel ? "usr" : "all"; }

/* Read the line of a CPU. Return false for other lines. */
static bool parse(char *line, unsigned *cpu, struct cpu_times *now)
{
	char *at;

	if (strncmp(line, "cpu", 3) || line[3] < '0' || line[3] > '9')
		return false;
	*cpu = (unsigned)strtoul(line + 3, &at, 10);
	for (size_t i = 0; i < N_TIMES; i++)
		now->ticks[i] = strtoull(at, &at, 10);
	now->known = true;
	return *cpu < 1 << 16;
}

static void json_percent(struct json *j, const char *key, double value)
{
	json_key(j, key);
	out_fmt(j->o, "%.2f", value);
}

/* Compute the times between two readings, and return their sum. Take the times of guests out of user and nice. */
static double times_between(double part[N_TIMES], const struct cpu_times *now, const struct cpu_times *before)
{
	double all = 0;

	for (size_t i = 0; i < N_TIMES; i++)
		part[i] = now->ticks[i] > before->ticks[i] ? (double)(now->ticks[i] - before->ticks[i]) : 0;
	part[USER] -= MIN(part[GUEST], part[USER]);
	part[NICE] -= MIN(part[GUEST_NICE], part[NICE]);
	for (size_t i = 0; i < N_TIMES; i++)
		all += part[i];
	return all;
}

static void print_cpu(struct monitor_run *run, unsigned cpu, const struct cpu_times *now,
		      const struct cpu_times *before)
{
	const struct cpu_busy *s = run->state;
	double part[N_TIMES], all = times_between(part, now, before), busy = 0;
	struct json j;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!(parts[i].kind & (s->left_out | PART_IDLE)))
			busy += 100 * part[parts[i].time] / MAX(all, 1.0);
	if (all <= 0 || busy < s->than)
		return;
	if (monitor_json(run, &j, "cpu", run->now)) {
		json_unsigned(&j, "cpu", cpu);
		json_text(&j, "scope", scope(s));
		json_text(&j, "mode", mode(run->opts));
		json_percent(&j, "busy", busy);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			if (!(parts[i].kind & s->left_out))
				json_percent(&j, parts[i].name, 100 * part[parts[i].time] / all);
		json_text(&j, "source", "/proc/stat");
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, run->now);
	out_fmt(run->out, "cpu %u [%s] %.2f%% [%s]", cpu, scope(s), busy, mode(run->opts));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!(parts[i].kind & s->left_out))
			out_fmt(run->out, " %s %.2f", parts[i].name, 100 * part[parts[i].time] / all);
	out_str(run->out, " source: /proc/stat\n");
}

static int look(struct monitor_run *run, bool print, struct err *e)
{
	struct cpu_busy *s = run->state;
	autofree char *text = file_read("/proc/stat", 16 << 20, NULL, e);
	char *rest = NULL;

	if (!text)
		return -1;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct cpu_times now;
		unsigned cpu;

		if (!parse(line, &cpu, &now) || (s->cpus.len && !cpuset_has(&s->cpus, (int)cpu)))
			continue;
		while (s->before.len <= cpu)
			vec_push(&s->before, (struct cpu_times){ 0 });
		if (print && s->before.items[cpu].known)
			print_cpu(run, cpu, &now, &s->before.items[cpu]);
		s->before.items[cpu] = now;
	}
	return 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct cpu_busy *s = run->state;

	if (monitor_check_excludes(o, e) < 0 || (o->than && monitor_parse_percent(&s->than, o->than, e) < 0))
		return -1;
	if (o->guest && (o->no_user || o->no_kernel)) {
		err_set(e, "-G cannot be divided");
		err_why(e, "/proc/stat does not separate the programs of a guest from its kernel");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	/* For the same reason, leave out guests if only programs or only the kernel count. */
	s->left_out = (o->guest || o->no_user ? PART_PROGRAM : 0u) | (o->guest || o->no_kernel ? PART_KERNEL : 0u) |
		      (o->no_guest || o->no_user || o->no_kernel ? PART_GUEST : 0u);
	if (o->cpus && cpuset_parse(&s->cpus, o->cpus, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	return look(run, false, e);
}

static void tick(struct monitor_run *run)
{
	struct err e = { 0 };

	look(run, true, &e);
}

static void release(struct monitor_run *run)
{
	struct cpu_busy *s = run->state;

	vec_free(&s->before);
	cpuset_free(&s->cpus);
}

const struct monitor monitor_cpu_util = { .events = events,
					  .by_clock = true,
					  .tick = tick,
					  .finish = tick,
					  .release = release,
					  .interval_ms = 1000,
					  .ring_pages = 1,
					  .state_size = sizeof(struct cpu_busy) };
