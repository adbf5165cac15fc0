/*
 * Count split locks: atomic accesses that cross the border between cache lines. They stop the memory accesses of all
 * CPUs.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/file.h"
#include "report/monitors/monitor.h"

struct splits {
	pthread_t thread; /* of --test */
	bool runs;
	atomic_bool over;
};

/* Add to a number that lies in two cache lines, again and again. */
static void *split(void *state)
{
#if defined(__x86_64__)
	enum { PAGE = 4096, BEFORE_THE_END_OF_A_LINE = 62 };
	struct splits *s = state;
	char *page = aligned_alloc(PAGE, PAGE);

	while (page && !s->over)
		__asm__ volatile("lock; addq $1, %0" : "+m"(*(uint64_t *)(page + BEFORE_THE_END_OF_A_LINE)));
	free(page);
#endif
	return NULL;
}

static int start_test(struct monitor_run *run, struct err *e)
{
	struct splits *s = run->state;

#if !defined(__x86_64__)
	err_set(e, "--test: this CPU has no split locks");
	return err_exit(e, EXIT_BAD_USAGE);
#endif
	if (run->opts->input) {
		err_set(e, "--test causes split locks on the running system, so it cannot read a recording");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!monitor_has_pmu())
		return 0;
	s->runs = !pthread_create(&s->thread, NULL, split, s);
	return s->runs ? 0 : err_set(e, "--test: cannot start a thread");
}

static void release(struct monitor_run *run)
{
	struct splits *s = run->state;

	s->over = true;
	if (s->runs)
		pthread_join(s->thread, NULL);
}

static int refuse(struct err *e)
{
	err_set(e, "this system cannot count split locks");
	err_why(e, "it has no PMU for its CPUs, like many virtual machines");
	err_try(e, "the kernel's own detector (split_lock_detect in /proc/cpuinfo, sysctl kernel.split_lock_mitigate) "
		   "writes to the kernel log: dmesg | grep 'split lock'");
	return -1;
}

/*
 * Return the terms of the event. Intel: event 0xf4, umask 0x10 (SQ_MISC.SPLIT_LOCK); AMD: event 0x25, umask 1 (locks
 * that take the bus). Source: the vendors' manuals of performance events.
 */
static const char *event_of_cpu(void)
{
	autofree char *cpu = file_read("/proc/cpuinfo", 16 << 20, NULL, NULL);

	return cpu && strstr(cpu, "AuthenticAMD") ? "event=0x25,umask=0x1" : "event=0xf4,umask=0x10";
}

static int nothing_to_keep(struct err *e)
{
	err_set(e, "-T 0 takes no samples, so --record has nothing to keep");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int events(struct monitor_run *run, struct err *e)
{
	uint64_t period = run->opts->trigger;
	autofree char *terms = xasprintf("%s,name=split-lock,period=%llu", event_of_cpu(), (unsigned long long)period);
	autofree char *counter = xasprintf("cpu/%s/%s", event_of_cpu(), run->opts->guest ? "G" : "");
	autofree char *sampler = xasprintf("cpu/%s/%s", terms, run->opts->guest ? "G" : "");

	if (run->opts->test && start_test(run, e) < 0)
		return -1;
	if (run->opts->input) {
		monitor_count_samples(run, "split-lock");
		monitor_want(run, &(struct trace_want){ "split-lock" }, NULL, e);
		monitor_want(run, &(struct trace_want){ "raw 0x10f4" }, NULL, e);
		return monitor_want(run, &(struct trace_want){ "raw 0x125" }, NULL, e);
	}
	if (!monitor_has_pmu())
		return refuse(e);
	if (run->opts->record)
		monitor_count_samples(run, "split-lock");
	else
		monitor_count(run, arena_strdup(&run->arena, counter));
	if (!period)
		return run->opts->record ? nothing_to_keep(e) : 0;
	monitor_want(run, &(struct trace_want){ "split-lock" }, NULL, e);
	run->asked.items[0].text = arena_strdup(&run->arena, sampler);
	return 0;
}

static void sample(struct monitor_run *run, const struct trace_event *t)
{
	struct json j;

	if (run->opts->input || run->opts->record)
		monitor_counts_add(run, t);
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

const struct monitor monitor_split_lock = { .events = events,
					    .sample = sample,
					    .tick = print,
					    .finish = print,
					    .release = release,
					    .ring_pages = 1,
					    .state_size = sizeof(struct splits) };
