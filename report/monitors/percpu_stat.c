/* Print how often things happen on each CPU: a table for each interval. */
#include "report/monitors/monitor.h"

/* To add a column: its title and its event. */
static const struct {
	const char *title, *event;
	bool syscalls; /* only with --syscalls: it is frequent */
} columns[] = {
	{ "csw", "context-switches" },
	{ "cpu-mig", "cpu-migrations" },
	{ "minflt", "minor-faults" },
	{ "majflt", "major-faults" },
	{ "syscalls", "raw_syscalls:sys_enter", true },
	{ "hardirq", "irq:irq_handler_entry" },
	{ "softirq", "irq:softirq_entry" },
	{ "timer", "timer:timer_expire_entry" },
	{ "hrtimer", "timer:hrtimer_expire_entry" },
	{ "work", "workqueue:workqueue_execute_start" },
	{ "recv", "net:netif_receive_skb" },
	{ "xmit", "net:net_dev_xmit" },
	{ "gro", "net:napi_gro_receive_entry" },
	{ "alloc", "kmem:mm_page_alloc" },
	{ "compact", "compaction:mm_compaction_migratepages" },
	{ "reclaim", "vmscan:mm_vmscan_direct_reclaim_begin" },
	{ "migrate", "migrate:mm_migrate_pages" },
	{ "kvm-exit", "kvm:kvm_exit" },
};

static bool shown(const struct monitor_run *run, size_t i) { return !columns[i].syscalls || run->opts->syscalls; }

static int events(struct monitor_run *run, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (shown(run, i))
			monitor_count(run, columns[i].event);
	return 0;
}

/* Print the counts as JSON; false without -j. Events that cannot be counted have no member. */
static bool print_json(struct monitor_run *run, size_t cpu)
{
	struct json j;
	size_t at = 0;

	if (!monitor_json(run, &j, "counts", run->now))
		return false;
	json_unsigned(&j, "cpu", cpu);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!shown(run, i))
			continue;
		if (!run->counts.missing[at])
			json_unsigned(&j, columns[i].title, monitor_counted(run, cpu, at));
		at++;
	}
	monitor_json_end(&j);
	return true;
}

static void print_cpu(struct monitor_run *run, size_t cpu)
{
	if (print_json(run, cpu))
		return;
	out_fmt(run->out, "[%03zu]", cpu);
	for (size_t i = 0; i < run->counts.n; i++)
		if (run->counts.missing[i])
			out_fmt(run->out, " %8s", "-");
		else
			out_fmt(run->out, " %8llu", (unsigned long long)monitor_counted(run, cpu, i));
	out_char(run->out, '\n');
}

static bool any(const struct monitor_run *run, size_t cpu)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < run->counts.n; i++)
		sum |= monitor_counted(run, cpu, i);
	return sum;
}

static void print(struct monitor_run *run)
{
	monitor_time(run, run->now);
	out_str(run->out, "\n  cpu");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (shown(run, i))
			out_fmt(run->out, " %8s", columns[i].title);
	out_char(run->out, '\n');
	for (size_t cpu = 0; cpu < run->counts.n_cpus; cpu++)
		if (any(run, cpu))
			print_cpu(run, cpu);
}

const struct monitor monitor_percpu_stat = {
	.events = events, .tick = print, .finish = print, .interval_ms = 1000, .ring_pages = 1
};
