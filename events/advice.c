/*
 * What to tell a user whose event the kernel refused: what failed, why, and what can be done about it.
 *
 * To add advice: a row in front of the more general rows of the same errno. In its texts %e is the event, %l the level of
 * perf_event_paranoid that was found, %p the process, %c the CPU, %m the PMU, %s a software event to use instead, %t how we were called.
 * Source: perf_event_open(2), "ERRORS"; Documentation/admin-guide/perf-security.rst and sysctl/kernel.rst of the kernel.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/out.h"
#include "events/events_priv.h"

struct refusal {
	const struct event *event;
	const struct target *t;
	int cpu, level;
	int32_t pid;
};

/* ---- tests ---- */

static bool is_refused(const struct refusal *r)
{
	return r->event->attr.type == PERF_TYPE_TRACEPOINT && r->level > -1;
}

/* Some tracepoints lie on the way of a sample itself and can only be counted; all others are open to the privileged. */
static bool only_counts(const struct refusal *r)
{
	return r->event->attr.type == PERF_TYPE_TRACEPOINT && event_privileged();
}

static bool level_forbids_all(const struct refusal *r)
{
	return r->level > 2;
}

static bool level_forbids_cpus(const struct refusal *r)
{
	return r->pid == -1 && r->level > 0;
}

static bool level_forbids_kernel(const struct refusal *r)
{
	return r->level > 1 && !r->event->attr.exclude_kernel;
}

static bool of_other_user(const struct refusal *r)
{
	autofree char *path = sys_path("/proc/%d", r->pid);
	struct stat st;

	return r->pid > 0 && stat(path, &st) == 0 && st.st_uid != geteuid();
}

static bool selinux(const struct refusal *r)
{
	return sys_number("/sys/fs/selinux/enforce", 0) == 1;
}

/* Mode 2 is a filter program: what containers put around their processes. */
static bool seccomp(const struct refusal *r)
{
	autofree char *path = sys_path("/proc/self/status");
	autofree char *text = file_read(path, 1 << 16, NULL, NULL);
	const char *line = text ? strstr(text, "\nSeccomp:") : NULL;

	return line && strtol(line + 9, NULL, 10) == 2;
}

static bool is_hardware(const struct refusal *r)
{
	uint32_t type = r->event->attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static bool lacks_core_pmu(const struct refusal *r)
{
	struct pmu_list pmus = { 0 };
	bool lacks;

	pmu_list_read(&pmus);
	lacks = !pmus.pmus.len || !pmus.pmus.items[0].is_core;
	pmu_list_release(&pmus);
	return lacks && is_hardware(r);
}

static bool is_software(const struct refusal *r) { return r->event->attr.type == PERF_TYPE_SOFTWARE; }
static bool is_tracepoint(const struct refusal *r) { return r->event->attr.type == PERF_TYPE_TRACEPOINT; }
static bool is_breakpoint(const struct refusal *r) { return r->event->attr.type == PERF_TYPE_BREAKPOINT; }
static bool is_precise(const struct refusal *r) { return r->event->attr.precise_ip; }
static bool wants_branches(const struct refusal *r) { return r->event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK; }
static bool samples(const struct refusal *r) { return r->event->attr.sample_period; }
static bool has_newer_config(const struct refusal *r) { return r->event->config3 || r->event->config4; }
static bool in_group(const struct refusal *r) { return r->event->n_members != 1; }
static bool has_pmu(const struct refusal *r) { return r->event->pmu && r->event->attr.type > PERF_TYPE_BREAKPOINT; }
static bool pmu_on_task(const struct refusal *r) { return has_pmu(r) && r->t->is_task; }
static bool pmu_sampled(const struct refusal *r) { return has_pmu(r) && samples(r); }
static bool too_fast(const struct refusal *r)
{
	return r->event->attr.freq && r->event->attr.sample_freq > max_sample_rate();
}

/* ---- texts ---- */

static const struct advice {
	int sys;
	bool (*test)(const struct refusal *r);	/* NULL: any */
	const char *what, *why, *fix;
} advices[] = {
	{ EACCES, is_refused, "tracepoints are not allowed for this user",
		"perf_event_paranoid is %l; what tracepoints record needs -1",
		"as root, or as root: sysctl kernel.perf_event_paranoid=-1" },
	{ EACCES, level_forbids_all, "measuring is not allowed for this user",
		"perf_event_paranoid is %l, which leaves users nothing",
		"as root: sysctl kernel.perf_event_paranoid=2, or run as root" },
	{ EACCES, level_forbids_cpus, "measuring the whole system is not allowed for this user",
		"perf_event_paranoid is %l, which leaves users their own processes",
		"name a command or -p PID, or as root: sysctl kernel.perf_event_paranoid=0" },
	{ EACCES, level_forbids_kernel, "kernel profiling is not allowed for this user",
		"perf_event_paranoid is %l, which leaves user space only",
		"-e %b:u, or as root: sysctl kernel.perf_event_paranoid=1" },
	{ EACCES, of_other_user, "process %p belongs to another user",
		"measuring it needs the right to trace it", "as that user, or as root" },
	{ EACCES, selinux, "the system's security policy refuses it", "SELinux is enforcing",
		"as root: ausearch -m avc -c %t" },
	{ EACCES, NULL, "it is not allowed for this user",
		"perf_event_paranoid is %l; capability CAP_PERFMON or CAP_SYS_PTRACE is missing",
		"as root, or as root: setcap cap_perfmon,cap_sys_ptrace+ep on the program" },

	{ EPERM, only_counts, "the kernel lets nobody sample this tracepoint", "it lies on the way of every sample",
		"%t stat -e %e" },
	{ EPERM, is_refused, "tracepoints are not allowed for this user",
		"perf_event_paranoid is %l; what tracepoints record needs -1",
		"as root, or as root: sysctl kernel.perf_event_paranoid=-1" },
	{ EPERM, seccomp, "a seccomp filter refuses perf_event_open", "this process runs in a container or sandbox",
		"start the container with --cap-add PERFMON --security-opt seccomp=unconfined" },
	{ EPERM, of_other_user, "process %p belongs to another user",
		"measuring it needs the right to trace it", "as that user, or as root" },
	{ EPERM, selinux, "the system's security policy refuses it", "SELinux is enforcing",
		"as root: ausearch -m avc -c %t" },
	{ EPERM, NULL, "the system refuses it", "a security module or missing capability CAP_PERFMON (perf_event_paranoid is %l)",
		"as root; in a container also --cap-add PERFMON" },

	{ ENOENT, lacks_core_pmu, "the event is not supported",
		"this machine shows no hardware counters (virtual machines often have none)", "-e %s, which needs none" },
	{ ENOENT, is_hardware, "the event is not supported", "the CPU has no counter for it",
		"-e %s, or what %t list hw shows" },
	{ ENOENT, is_software, "the event is not supported", "this kernel does not know it", NULL },
	{ ENOENT, NULL, "the event is not supported", "no PMU of this machine answers to its type and config", "%t list" },

	{ EOPNOTSUPP, wants_branches, "branch records are not supported for it",
		"the PMU has no branch stack, or is none of the CPU's",
		"without -b, -j and --call-graph lbr" },
	{ EOPNOTSUPP, is_precise, "precise sampling is not supported for it", "the PMU lacks it",
		"-e %b without the modifier p" },
	{ EOPNOTSUPP, samples, "the PMU cannot sample it", "it has no overflow interrupt", "%t stat -e %e" },
	{ EOPNOTSUPP, NULL, "the event is not supported", NULL, "%t list" },

	{ EINVAL, has_newer_config, "this kernel does not know config3 and config4", NULL, NULL },
	{ EINVAL, is_breakpoint, "no such breakpoint on this CPU",
		"length and address must suit: 1, 2, 4 or 8 bytes at a multiple of that",
		NULL },
	{ EINVAL, pmu_on_task, "invalid event in per-thread mode", "PMU '%m' counts for whole CPUs or packages only", "with -a" },
	{ EINVAL, pmu_sampled, "the PMU cannot sample it", "PMU '%m' can count only", "%t stat -a -e %e" },
	{ EINVAL, too_fast, "the frequency is above kernel.perf_event_max_sample_rate", NULL, "a lower -F, or -F max" },
	{ EINVAL, is_tracepoint, "the kernel refuses the tracepoint", "it may have been removed meanwhile", "%t list %e" },
	{ EINVAL, in_group, "the kernel refuses it in this group", "members of a group must fit the counters together",
		"the modifier W, or without braces" },
	{ EINVAL, NULL, "the kernel refuses this combination of settings", "Invalid argument",
		"fewer options; dmesg may tell more" },

	{ E2BIG, NULL, "this kernel does not know config3 and config4", NULL, NULL },
	{ ESRCH, NULL, "process %p has ended", NULL, NULL },
	{ ENODEV, NULL, "it cannot be measured on CPU %c", "the CPU is offline, or none that PMU '%m' counts on", "another -C" },
	{ ENXIO, NULL, "the event is not supported", NULL, "%t list" },
	{ EBUSY, NULL, "another user has the counters", "the PMU is held exclusively, by another profiler or the NMI watchdog",
		"end the other profiler, or as root: sysctl kernel.nmi_watchdog=0" },
	{ ENOSPC, is_breakpoint, "all hardware breakpoints are in use", "the CPU has four or fewer, for all users together",
		"fewer mem: events" },
	{ ENOSPC, NULL, "no room for it on the PMU", NULL, "fewer events in the group" },
	{ EMFILE, NULL, "too many open files", "every event needs a descriptor per CPU and thread",
		"raise it with ulimit -n, or measure fewer events or threads" },
	{ ENFILE, NULL, "too many open files in the system", NULL, "as root: sysctl fs.file-max with more" },
	{ ENOMEM, NULL, "the kernel has no memory for it", NULL,
		"as root: sysctl kernel.perf_event_max_stack with less; fewer events" },
	{ EOVERFLOW, NULL, "the call chain is deeper than kernel.perf_event_max_stack", NULL, "a smaller max-stack" },
	{ ENODATA, NULL, "memory loads need an auxiliary event first on this CPU", NULL, "{cpu/mem-loads-aux/,%b}" },
	{ ENOSYS, NULL, "this kernel has no perf events", "it was built without CONFIG_PERF_EVENTS", NULL },
};

/* The event's name without modifiers: "cycles" of "cycles:k". */
static void put_base(struct out *o, const struct event *event)
{
	size_t len = strlen(event->name), tail = strlen(event->modifiers);

	if (len > tail && !strcmp(event->name + len - tail, event->modifiers))
		len -= tail;
	if (len && tail && event->name[len - 1] == ':')
		len--;
	out_mem(o, event->name, len);
}

static const char *software_instead(const struct refusal *r)
{
	bool clock = r->event->attr.type == PERF_TYPE_HARDWARE || r->event->attr.type == PERF_TYPE_RAW;

	return !clock ? "page-faults" : r->t->is_task ? "task-clock" : "cpu-clock";
}

static const char *expand(struct out *o, const char *text, const struct refusal *r)
{
	for (; *text; text++) {
		if (*text != '%') {
			out_char(o, *text);
			continue;
		}
		switch (*++text) {
		case 'e':
			out_str(o, r->event->name);
			break;
		case 'b':
			put_base(o, r->event);
			break;
		case 'l':
			out_i64(o, r->level);
			break;
		case 'p':
			out_i64(o, r->pid);
			break;
		case 'c':
			out_i64(o, r->cpu);
			break;
		case 't':
			out_str(o, tool_name);
			break;
		case 'm':
			out_str(o, r->event->pmu ? r->event->pmu : "cpu");
			break;
		default:
			out_str(o, software_instead(r));
		}
	}
	return out_text(o);
}

int advice_open(const struct event *event, const struct target *t, int cpu, int32_t pid, int sys, struct err *e)
{
	struct refusal r = { .event = event, .t = t, .cpu = cpu, .pid = pid, .level = paranoid_level() };

	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		const struct advice *a = &advices[i];
		struct out what, why, fix;

		if (a->sys != sys || (a->test && !a->test(&r)))
			continue;
		out_init_mem(&what);
		out_init_mem(&why);
		out_init_mem(&fix);
		err_set(e, "cannot open event '%s': %s", event->name, expand(&what, a->what, &r));
		if (a->why)
			err_why(e, "%s", expand(&why, a->why, &r));
		if (a->fix)
			err_try(e, "%s", expand(&fix, a->fix, &r));
		out_release(&what);
		out_release(&why);
		out_release(&fix);
		if (e)
			e->sys = sys;
		return -1;
	}
	errno = sys;
	return err_sys(e, "cannot open event '%s'", event->name);
}
