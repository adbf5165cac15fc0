/* Split locks: atomic accesses that cross a cache line, and therefore stop the memory of all CPUs. */
#include "base/file.h"
#include "report/monitors/monitor.h"

static int refuse(struct err *e)
{
	err_set(e, "split locks cannot be counted here");
	err_why(e, "this system has no PMU for its CPUs, as many virtual machines");
	err_try(e, "the kernel's own detector (split_lock_detect in /proc/cpuinfo, sysctl kernel.split_lock_mitigate) "
		   "writes to the kernel log: dmesg | grep 'split lock'");
	return -1;
}

/*
 * Intel: event 0xf4, umask 0x10 (SQ_MISC.SPLIT_LOCK); AMD: event 0x25, umask 1 (locks that take the
 * bus). Source: the vendors' manuals of performance events.
 */
static const char *event_of_cpu(void)
{
	autofree char *cpu = file_read("/proc/cpuinfo", 16 << 20, NULL, NULL);

	return cpu && strstr(cpu, "AuthenticAMD") ? "event=0x25,umask=0x1" : "event=0xf4,umask=0x10";
}

static int events(struct monitor_run *run, struct err *e)
{
	uint64_t period = run->opts->trigger;
	autofree char *terms = xasprintf("%s,name=split-lock,period=%llu", event_of_cpu(), (unsigned long long)period);
	autofree char *counter = xasprintf("cpu/%s/%s", event_of_cpu(), run->opts->guest ? "G" : "");
	autofree char *sampler = xasprintf("cpu/%s/%s", terms, run->opts->guest ? "G" : "");

	if (run->opts->input) {
		monitor_want(run, &(struct trace_want){ "split-lock" }, NULL, e);
		monitor_want(run, &(struct trace_want){ "raw 0x10f4" }, NULL, e);
		return monitor_want(run, &(struct trace_want){ "raw 0x125" }, NULL, e);
	}
	if (!monitor_has_pmu())
		return refuse(e);
	monitor_count(run, arena_strdup(&run->arena, counter));
	if (!period)
		return 0;
	monitor_want(run, &(struct trace_want){ "split-lock" }, NULL, e);
	run->asked.items[0].text = arena_strdup(&run->arena, sampler);
	return 0;
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct json j;

	if (monitor_json(run, &j, "split-lock", t->time)) {
		json_unsigned(&j, "count", t->sample.period);
		monitor_json_event(run, &j, t);
		monitor_json_end(&j);
		return;
	}
	monitor_time(run, t->time);
	out_fmt(run->out, "cpu %u pid %d tid %d split-lock %llu\n", t->cpu, t->task.pid, t->task.tid,
		(unsigned long long)t->sample.period);
	monitor_chain(run, t);
}

static void print(struct monitor_run *run)
{
	struct json j;

	for (size_t cpu = 0; cpu < run->counts.n_cpus; cpu++)
		if (monitor_counted(run, cpu, 0)) {
			if (monitor_json(run, &j, "counts", run->now)) {
				json_unsigned(&j, "cpu", cpu);
				json_unsigned(&j, "split-lock", monitor_counted(run, cpu, 0));
				monitor_json_end(&j);
			}
			monitor_time(run, run->now);
			out_fmt(run->out, "cpu %zu split-lock %llu\n", cpu,
				(unsigned long long)monitor_counted(run, cpu, 0));
		}
}

const struct monitor monitor_split_lock = {
	.events = events, .sample = sample, .tick = print, .finish = print, .ring_pages = 1
};
