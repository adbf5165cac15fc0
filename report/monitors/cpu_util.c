/* How busy each CPU is, from the times that the kernel keeps in /proc/stat. Source: proc_stat(5). */
#include "base/file.h"
#include "report/monitors/monitor.h"

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, N_TIMES };
struct cpu_times {
	uint64_t ticks[N_TIMES];
};

struct cpu_busy {
	VEC(struct cpu_times) before; /* by CPU */
	struct cpuset cpus;           /* of -C; empty = all */
};

/* Read the line of a CPU. Return false if it is none. */
static bool parse(char *line, unsigned *cpu, struct cpu_times *now)
{
	char *at;

	if (strncmp(line, "cpu", 3) || line[3] < '0' || line[3] > '9')
		return false;
	*cpu = (unsigned)strtoul(line + 3, &at, 10);
	for (size_t i = 0; i < N_TIMES; i++)
		now->ticks[i] = strtoull(at, &at, 10);
	return *cpu < 1 << 16;
}

static void json_percent(struct json *j, const char *key, double value)
{
	json_key(j, key);
	out_fmt(j->o, "%.2f", value);
}

static void print_cpu(struct monitor_run *run, unsigned cpu, const struct cpu_times *now,
		      const struct cpu_times *before)
{
	static const struct {
		const char *name;
		int time;
	} parts[] = { { "nice", NICE },     { "sys", SYSTEM },  { "irq", IRQ },     { "softirq", SOFTIRQ },
		      { "iowait", IOWAIT }, { "steal", STEAL }, { "guest", GUEST }, { "guest-nice", GUEST_NICE },
		      { "idle", IDLE } };
	double part[N_TIMES], all = 0;
	struct json j;

	for (size_t i = 0; i < N_TIMES; i++)
		part[i] = now->ticks[i] > before->ticks[i] ? (double)(now->ticks[i] - before->ticks[i]) : 0;
	/* The times of guests are parts of user and nice. */
	part[USER] -= MIN(part[GUEST], part[USER]);
	part[NICE] -= MIN(part[GUEST_NICE], part[NICE]);
	for (size_t i = 0; i < N_TIMES; i++)
		all += part[i];
	if (all <= 0)
		return;
	if (monitor_json(run, &j, "cpu", run->now)) {
		json_unsigned(&j, "cpu", cpu);
		json_percent(&j, "busy", 100 * (all - part[IDLE] - part[IOWAIT] - part[STEAL]) / all);
		json_percent(&j, "usr", 100 * part[USER] / all);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			json_percent(&j, parts[i].name, 100 * part[parts[i].time] / all);
		json_text(&j, "source", "/proc/stat");
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, run->now);
	out_fmt(run->out, "cpu %u %6.2f%% = usr %.2f", cpu, 100 * (all - part[IDLE] - part[IOWAIT] - part[STEAL]) / all,
		100 * part[USER] / all);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
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
		if (print)
			print_cpu(run, cpu, &now, &s->before.items[cpu]);
		s->before.items[cpu] = now;
	}
	return 0;
}

static int events(struct monitor_run *run, struct err *e)
{
	const struct monitor_opts *o = run->opts;
	struct cpu_busy *s = run->state;

	if (o->input || o->pids || o->tids || o->chains) {
		err_set(e, "cpu-util watches the CPUs of the running system");
		err_why(e, "it reads /proc/stat, which has neither threads nor a past");
		err_try(e, "'profile' shows the shares in a recording");
		return err_exit(e, EXIT_BAD_USAGE);
	}
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
					  .tick = tick,
					  .finish = tick,
					  .release = release,
					  .interval_ms = 1000,
					  .ring_pages = 1,
					  .state_size = sizeof(struct cpu_busy) };
