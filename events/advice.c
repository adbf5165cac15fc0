/*
 * Advice for a user when the kernel refuses something: what failed, why, and what to try. One table
 * covers perf_event_open, rings, tracefs, kallsyms and BPF. Its tests only look at facts
 * (events/facts.c), so every row can be tested on any machine.
 *
 * To add advice: a row above the more general rows of the same call and errno, and a case in
 * tests/unit/events/advice.c. The texts can contain:
 *
 *	%e the event, %b it without modifiers, %m its PMU, %s a software event to use instead
 *	%p the process, %c the CPU, %t the name we were called by
 *	%l the level of perf_event_paranoid, %u a remark on user namespaces, %f a filter's answer
 *	%g the smallest grants for this event, %a only the capability
 *	%S and %B the same for kernel symbols and for BPF, %d unprivileged_bpf_disabled
 *	%r size of a ring, %k perf_event_mlock_kb, %K its necessary value,
 *	%L limit of locked memory (all in KB), %o a remark on other sessions
 *	%N hard limit of descriptors, %w how many we need
 *	%P a path, %D the mount point of tracefs, %G our group
 *
 * Source: perf_event_open(2), "ERRORS"; Documentation/admin-guide/perf-security.rst and
 * sysctl/kernel.rst of the kernel.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/out.h"
#include "events/events_priv.h"

enum { LEVEL_ANY_TRACE = -1, LEVEL_SYSTEM = 0, LEVEL_KERNEL = 1, LEVEL_USER = 2 };

/* ---- tests: what the user asks for ---- */

static const struct perf_event_attr *attr_of(const struct refusal *r) { return &r->event->attr; }
static bool has_type(const struct refusal *r, uint32_t type) { return attr_of(r)->type == type; }
static bool is_pmu(const struct refusal *r, const char *name) { return r->event->pmu && !strcmp(r->event->pmu, name); }

static bool is_software(const struct refusal *r) { return has_type(r, PERF_TYPE_SOFTWARE); }
static bool is_tracepoint(const struct refusal *r) { return has_type(r, PERF_TYPE_TRACEPOINT); }
static bool is_breakpoint(const struct refusal *r) { return has_type(r, PERF_TYPE_BREAKPOINT); }
static bool is_hardware(const struct refusal *r)
{
	return has_type(r, PERF_TYPE_HARDWARE) || has_type(r, PERF_TYPE_HW_CACHE) || has_type(r, PERF_TYPE_RAW);
}
static bool is_probe_pmu(const struct refusal *r) { return is_pmu(r, "kprobe") || is_pmu(r, "uprobe"); }
static bool is_precise(const struct refusal *r) { return attr_of(r)->precise_ip; }
static bool samples(const struct refusal *r) { return attr_of(r)->sample_period; }
static bool wants(const struct refusal *r, uint64_t sample_type) { return attr_of(r)->sample_type & sample_type; }
static bool wants_branches(const struct refusal *r) { return wants(r, PERF_SAMPLE_BRANCH_STACK); }
static bool wants_aux(const struct refusal *r) { return wants(r, PERF_SAMPLE_AUX); }
static bool wants_namespaces(const struct refusal *r) { return attr_of(r)->namespaces; }
static bool has_newer_config(const struct refusal *r) { return r->event->config3 || r->event->config4; }
static bool in_group(const struct refusal *r) { return r->event->n_members != 1; }
static bool has_pmu(const struct refusal *r) { return r->event->pmu && attr_of(r)->type > PERF_TYPE_BREAKPOINT; }
static bool pmu_on_task(const struct refusal *r) { return has_pmu(r) && r->is_task; }
static bool pmu_sampled(const struct refusal *r) { return has_pmu(r) && samples(r); }
static bool too_fast(const struct refusal *r)
{
	return attr_of(r)->freq && attr_of(r)->sample_freq > max_sample_rate();
}

/*
 * Return true for a clock that cannot be read in every context: all but CLOCK_MONOTONIC and
 * CLOCK_MONOTONIC_RAW.
 */
static bool unsafe_clock(const struct refusal *r)
{
	return attr_of(r)->use_clockid && attr_of(r)->clockid != 1 && attr_of(r)->clockid != 4 && !is_software(r);
}

/* Kernel addresses are the upper half on all 64-bit machines. */
bool event_is_kernel_breakpoint(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr >> 63;
}

/* Return true if a tracepoint reveals kernel data: always, unless it is only counted. */
static bool wants_trace(const struct refusal *r)
{
	return is_tracepoint(r) && (samples(r) || wants(r, PERF_SAMPLE_RAW));
}

/* ---- tests: what is allowed ---- */

static bool filtered(const struct refusal *r) { return r->facts->filter == r->sys && r->facts->has_events; }
static bool filtered_in_container(const struct refusal *r) { return filtered(r) && r->facts->container; }
static bool trace_refused(const struct refusal *r)
{
	return wants_trace(r) && r->facts->level > -1 && !facts_privileged(r->facts);
}
/*
 * Some tracepoints are part of taking a sample and can only be counted. Privileged users can sample
 * all others.
 */
static bool only_counts(const struct refusal *r) { return is_tracepoint(r) && facts_privileged(r->facts); }
static bool unprivileged(const struct refusal *r) { return !facts_privileged(r->facts); }
static bool level_forbids_all(const struct refusal *r)
{
	return unprivileged(r) && r->facts->level > LEVEL_USER && !r->facts->own_events;
}
/* Return true if capabilities do not help: Debian's levels above 2 ask for CAP_SYS_ADMIN. */
static bool level_beats_capability(const struct refusal *r)
{
	return !unprivileged(r) && r->facts->level > LEVEL_USER && !r->facts->own_events;
}
static bool level_forbids_cpus(const struct refusal *r)
{
	return unprivileged(r) && r->pid == -1 && r->facts->level > LEVEL_SYSTEM;
}
static bool level_forbids_kernel(const struct refusal *r)
{
	return unprivileged(r) && r->facts->level > LEVEL_KERNEL && !attr_of(r)->exclude_kernel;
}
static bool level_forbids_physical(const struct refusal *r)
{
	return unprivileged(r) && r->facts->level > LEVEL_KERNEL && wants(r, PERF_SAMPLE_PHYS_ADDR);
}
static bool of_other_user(const struct refusal *r) { return r->foreign; }
static bool of_root_namespace(const struct refusal *r) { return unprivileged(r) && is_probe_pmu(r); }
static bool namespaces_refused(const struct refusal *r) { return unprivileged(r) && wants_namespaces(r); }
static bool kernel_breakpoint_refused(const struct refusal *r) { return event_is_kernel_breakpoint(attr_of(r)); }
static bool may_trace(const struct refusal *r) { return r->facts->caps >> FACT_CAP_SYS_PTRACE & 1; }
static bool selinux(const struct refusal *r) { return r->facts->selinux; }
static bool locked_down(const struct refusal *r) { return r->facts->lockdown; }
static bool registers_locked_down(const struct refusal *r)
{
	return r->facts->lockdown && wants(r, PERF_SAMPLE_REGS_INTR);
}

/* ---- tests: what the machine has ---- */

static bool no_counters_in_vm(const struct refusal *r)
{
	return is_hardware(r) && !r->facts->core_pmu && r->facts->virtual;
}
static bool no_counters(const struct refusal *r) { return is_hardware(r) && !r->facts->core_pmu; }
static bool branches_without_counters(const struct refusal *r) { return no_counters(r) && wants_branches(r); }
static bool in_container(const struct refusal *r) { return r->facts->container; }
static bool in_user_namespace(const struct refusal *r) { return r->facts->user_namespace; }
static bool hidden_from_all(const struct refusal *r) { return r->facts->kptr_restrict > 1; }
static bool hidden_by_kptr(const struct refusal *r) { return r->facts->kptr_restrict == 1; }

/* ---- the table ---- */

#define WITHOUT_MODIFIER "-e %b without the modifier p"
#define REMOUNT          "'sudo mount -o remount,mode=750,gid=%G %D'"

static const struct advice {
	enum refused_call call;
	int sys;                               /* 0: any */
	bool (*test)(const struct refusal *r); /* NULL: always */
	const char *cause, *what, *why, *fix;
} advices[] = {
	/* refused before the kernel */
	{ REFUSED_OPEN, 0, filtered_in_container, "seccomp", "a seccomp filter refuses perf_event_open",
	  "the container's filter answers %f before the kernel is asked",
	  "start the container with --cap-add PERFMON; where that is not enough also with --security-opt "
	  "seccomp=unconfined" },
	{ REFUSED_OPEN, 0, filtered, "seccomp", "a seccomp filter refuses perf_event_open",
	  "a filter around this process answers %f before the kernel is asked",
	  "outside of the sandbox; in a systemd service: SystemCallFilter=perf_event_open" },

	/* not allowed */
	{ REFUSED_OPEN, EACCES, of_root_namespace, "capability", "probes by %m are not allowed for this user",
	  "capability CAP_PERFMON is missing%u", "%a" },
	{ REFUSED_OPEN, EACCES, trace_refused, "paranoid", "tracepoints are not allowed for this user",
	  "perf_event_paranoid is %l; what tracepoints record needs -1%u", "%g" },
	{ REFUSED_OPEN, EACCES, level_forbids_all, "paranoid", "measuring is not allowed for this user",
	  "perf_event_paranoid is %l, which leaves users nothing%u", "%g" },
	{ REFUSED_OPEN, EACCES, level_beats_capability, "paranoid", "measuring is not allowed for this user",
	  "perf_event_paranoid is %l, which on this kernel not even CAP_PERFMON lifts",
	  "as root: sysctl kernel.perf_event_paranoid=2" },
	{ REFUSED_OPEN, EACCES, of_other_user, "other-user",
	  "process %p belongs to another user, or hides from its own user",
	  "measuring it needs the right to trace it%u", "as that user, or %a" },
	{ REFUSED_OPEN, EACCES, level_forbids_cpus, "paranoid",
	  "measuring the whole system is not allowed for this user",
	  "perf_event_paranoid is %l, which leaves users their own processes%u", "name a command or -p PID, or %g" },
	{ REFUSED_OPEN, EACCES, kernel_breakpoint_refused, "capability",
	  "breakpoints on the kernel are not allowed for this user", "capability CAP_SYS_ADMIN is missing%u",
	  "as root" },
	{ REFUSED_OPEN, EACCES, level_forbids_kernel, "paranoid", "kernel profiling is not allowed for this user",
	  "perf_event_paranoid is %l, which leaves user space only%u", "-e %b:u, or %g" },
	{ REFUSED_OPEN, EACCES, level_forbids_physical, "paranoid", "physical addresses are not allowed for this user",
	  "perf_event_paranoid is %l, which keeps what is the kernel's%u", "without --phys-data, or %g" },
	{ REFUSED_OPEN, EACCES, namespaces_refused, "capability", "records of namespaces are not allowed for this user",
	  "capability CAP_PERFMON is missing%u", "without --namespaces, or %a" },
	{ REFUSED_OPEN, EACCES, selinux, "security-module", "the system's security policy refuses it",
	  "SELinux is enforcing", "as root: ausearch -m avc -c %t" },
	{ REFUSED_OPEN, EACCES, NULL, "capability", "it is not allowed for this user",
	  "perf_event_paranoid is %l; capability CAP_PERFMON or CAP_SYS_PTRACE is missing%u", "%a" },

	{ REFUSED_OPEN, EPERM, registers_locked_down, "lockdown", "registers at the interrupt are not allowed",
	  "the kernel is locked down (confidentiality)", "without --intr-regs, or boot with lockdown=integrity" },
	{ REFUSED_OPEN, EPERM, only_counts, "kernel", "the kernel lets nobody sample this tracepoint",
	  "it lies on the way of every sample", "%t stat -e %e" },
	{ REFUSED_OPEN, EPERM, trace_refused, "paranoid", "tracepoints are not allowed for this user",
	  "perf_event_paranoid is %l; what tracepoints record needs -1%u", "%g" },
	{ REFUSED_OPEN, EPERM, kernel_breakpoint_refused, "capability",
	  "breakpoints on the kernel are not allowed for this user", "capability CAP_SYS_ADMIN is missing%u",
	  "as root" },
	{ REFUSED_OPEN, EPERM, of_other_user, "other-user",
	  "process %p belongs to another user, or hides from its own user",
	  "measuring it needs the right to trace it%u", "as that user, or %a" },
	{ REFUSED_OPEN, EPERM, selinux, "security-module", "the system's security policy refuses it",
	  "SELinux is enforcing", "as root: ausearch -m avc -c %t" },
	{ REFUSED_OPEN, EPERM, NULL, "security-module", "the system refuses it",
	  "no filter and no level does (perf_event_paranoid is %l): a security module, or a missing capability%u",
	  "%a" },

	/* missing */
	{ REFUSED_OPEN, ENOENT, branches_without_counters, "no-pmu", "branch records are not supported here",
	  "they come from the CPU's PMU, and this machine shows none (virtual machines often have none)",
	  "without -b, -j and --call-graph lbr; -g records call graphs without a PMU" },
	{ REFUSED_OPEN, ENOENT, no_counters_in_vm, "virtual-machine", "the event is not supported",
	  "this virtual machine shows no hardware counters",
	  "-e %s, which needs none, or give the machine a virtual PMU (QEMU: -cpu host,pmu=on)" },
	{ REFUSED_OPEN, ENOENT, no_counters, "no-pmu", "the event is not supported",
	  "this machine shows no hardware counters (virtual machines often have none)", "-e %s, which needs none" },
	{ REFUSED_OPEN, ENOENT, is_hardware, "pmu", "the event is not supported", "the CPU has no counter for it",
	  "-e %s, or what %t list hw shows" },
	{ REFUSED_OPEN, ENOENT, is_software, "kernel", "the event is not supported", "this kernel does not know it",
	  "what %t list sw shows" },
	{ REFUSED_OPEN, ENOENT, is_tracepoint, "gone", "the tracepoint is not there",
	  "it may have been removed meanwhile", "%t list %e" },
	{ REFUSED_OPEN, ENOENT, NULL, "pmu", "the event is not supported",
	  "no PMU of this machine answers to its type and config", "%t list" },
	{ REFUSED_OPEN, ENXIO, NULL, "pmu", "the event is not supported",
	  "no PMU of this machine answers to its type and config", "%t list" },
	{ REFUSED_OPEN, EOPNOTSUPP, wants_branches, "pmu", "branch records are not supported for it",
	  "the PMU has no branch stack, or is none of the CPU's", "without -b, -j and --call-graph lbr" },
	{ REFUSED_OPEN, EOPNOTSUPP, is_precise, "pmu", "precise sampling is not supported for it", "the PMU lacks it",
	  WITHOUT_MODIFIER },
	{ REFUSED_OPEN, EOPNOTSUPP, wants_aux, "pmu", "it has no trace to sample",
	  "its group's first event is none with a trace", "a tracer first: '{intel_pt//,%e}'" },
	{ REFUSED_OPEN, EOPNOTSUPP, samples, "pmu", "the PMU cannot sample it", "it has no overflow interrupt",
	  "%t stat -e %e" },
	{ REFUSED_OPEN, EOPNOTSUPP, NULL, "pmu", "the event is not supported", "the PMU lacks it", "%t list" },
	{ REFUSED_OPEN, ENOSYS, NULL, "kernel", "this kernel has no perf events",
	  "it was built without CONFIG_PERF_EVENTS", "a kernel with CONFIG_PERF_EVENTS" },

	/* used in a wrong way */
	{ REFUSED_OPEN, EINVAL, has_newer_config, "kernel", "this kernel does not know config3 and config4",
	  "they came with Linux 6.3 and later", "without the terms that set them, or a newer kernel" },
	{ REFUSED_OPEN, E2BIG, NULL, "kernel", "this kernel does not know config3 and config4",
	  "they came with Linux 6.3 and later", "without the terms that set them, or a newer kernel" },
	{ REFUSED_OPEN, EINVAL, is_breakpoint, "usage", "no such breakpoint on this CPU",
	  "length and address must suit: 1, 2, 4 or 8 bytes at a multiple of that", "mem:ADDRESS/LENGTH:rw" },
	{ REFUSED_OPEN, EINVAL, pmu_on_task, "usage", "invalid event in per-thread mode",
	  "PMU '%m' counts for whole CPUs or packages only", "with -a" },
	{ REFUSED_OPEN, EINVAL, pmu_sampled, "pmu", "the PMU cannot sample it", "PMU '%m' can count only",
	  "%t stat -a -e %e" },
	{ REFUSED_OPEN, EINVAL, too_fast, "usage", "the frequency is above kernel.perf_event_max_sample_rate", NULL,
	  "a lower -F, or -F max" },
	{ REFUSED_OPEN, EINVAL, unsafe_clock, "usage", "it cannot be timed by this clock",
	  "the clock cannot be read where the event interrupts the kernel", "--clockid mono or mono_raw" },
	{ REFUSED_OPEN, EINVAL, is_tracepoint, "gone", "the kernel refuses the tracepoint",
	  "it may have been removed meanwhile", "%t list %e" },
	{ REFUSED_OPEN, EINVAL, in_group, "pmu", "the kernel refuses it in this group",
	  "members of a group must fit the counters together", "the modifier W, or without braces" },
	{ REFUSED_OPEN, EINVAL, NULL, "kernel", "the kernel refuses this combination of settings", "Invalid argument",
	  "fewer options; dmesg may tell more" },
	{ REFUSED_OPEN, ESRCH, NULL, "gone", "process %p has ended", NULL,
	  "a process that runs: pgrep NAME prints its number" },
	{ REFUSED_OPEN, ENODEV, NULL, "pmu", "it cannot be measured on CPU %c",
	  "the CPU is offline, or none that PMU '%m' counts on", "another -C" },
	{ REFUSED_OPEN, EOVERFLOW, NULL, "usage", "the call chain is deeper than kernel.perf_event_max_stack", NULL,
	  "a smaller max-stack" },
	{ REFUSED_OPEN, ENODATA, NULL, "pmu", "memory loads need an auxiliary event first on this CPU", NULL,
	  "{cpu/mem-loads-aux/,%b}" },

	/* no room */
	{ REFUSED_OPEN, EBUSY, NULL, "busy", "another user has the counters",
	  "the PMU is held exclusively, by another profiler or the NMI watchdog",
	  "end the other profiler, or as root: sysctl kernel.nmi_watchdog=0" },
	{ REFUSED_OPEN, ENOSPC, is_breakpoint, "busy", "all hardware breakpoints are in use",
	  "the CPU has four or fewer, for all users together", "fewer mem: events" },
	{ REFUSED_OPEN, ENOSPC, NULL, "pmu", "no room for it on the PMU",
	  "its group is larger than the PMU has counters", "fewer events in the group" },
	{ REFUSED_OPEN, EMFILE, NULL, "descriptors", "too many open files",
	  "the events want %w descriptors, one per CPU and thread; the hard limit is %N",
	  "fewer events or threads, or: sudo prlimit --pid $$ --nofile=%w" },
	{ REFUSED_OPEN, ENFILE, NULL, "descriptors", "too many open files in the system", "fs.file-max is reached",
	  "as root: sysctl fs.file-max with more" },
	{ REFUSED_OPEN, ENOMEM, NULL, "memory", "the kernel has no memory for it", NULL,
	  "fewer events; as root: sysctl kernel.perf_event_max_stack with less" },

	{ REFUSED_RING, EPERM, NULL, "locked-memory", "cannot map ring buffers of %r KB",
	  "more memory would be locked than this user may: perf_event_mlock_kb is %k per CPU, ulimit -l is %L KB%o",
	  "a smaller -m, or as root: sysctl kernel.perf_event_mlock_kb=%K" },
	{ REFUSED_RING, ENOMEM, NULL, "memory", "cannot map ring buffers of %r KB", "the kernel has no memory for them",
	  "a smaller -m" },
	{ REFUSED_RING, 0, NULL, "kernel", "cannot map ring buffers of %r KB", NULL, "a smaller -m" },

	{ REFUSED_TRACEFS, ENODEV, NULL, "kernel", "can't access trace events",
	  "this kernel was built without tracing (CONFIG_FTRACE)", "a kernel with CONFIG_FTRACE" },
	{ REFUSED_TRACEFS, ENOENT, in_container, "tracefs-mount", "can't access trace events",
	  "tracefs is not mounted in this container",
	  "start the container with -v /sys/kernel/tracing:/sys/kernel/tracing:ro" },
	{ REFUSED_TRACEFS, ENOENT, in_user_namespace, "tracefs-mount", "can't access trace events",
	  "tracefs is not mounted, and root of a user namespace cannot",
	  "outside of the namespace: 'sudo mount -t tracefs none /sys/kernel/tracing'" },
	{ REFUSED_TRACEFS, ENOENT, NULL, "tracefs-mount", "can't access trace events", "tracefs is not mounted",
	  "'sudo mount -t tracefs none /sys/kernel/tracing'" },
	{ REFUSED_TRACEFS, EPERM, locked_down, "lockdown", "can't access trace events",
	  "the kernel is locked down (confidentiality) and shows %P to nobody", "boot with lockdown=integrity" },
	{ REFUSED_TRACEFS, 0, in_user_namespace, "tracefs-mode", "can't access trace events",
	  "No permissions to read %P%u", "outside of the namespace: " REMOUNT },
	{ REFUSED_TRACEFS, 0, NULL, "tracefs-mode", "can't access trace events", "No permissions to read %P", REMOUNT },

	{ REFUSED_PROBES, ENOENT, NULL, "kernel", "probes cannot be defined",
	  "this kernel was built without them: there is no %P",
	  "a kernel with CONFIG_KPROBE_EVENTS and CONFIG_UPROBE_EVENTS; probes in programs (-x) take the latter "
	  "alone" },
	{ REFUSED_PROBES, EROFS, NULL, "tracefs-mount", "probes cannot be defined",
	  "tracefs is mounted read-only here: %P",
	  "'sudo mount -o remount,rw /sys/kernel/tracing', in a container without ':ro' at its mount" },
	{ REFUSED_PROBES, EPERM, locked_down, "lockdown", "probes cannot be defined",
	  "the kernel is locked down (confidentiality)", "boot with lockdown=integrity" },
	{ REFUSED_PROBES, 0, NULL, "tracefs-mode", "defining probes is not allowed for this user",
	  "No permissions to write %P", "let root define them; recording them takes what other tracepoints take" },

	{ REFUSED_KALLSYMS, ENOENT, NULL, "kernel", "kernel symbols are not there",
	  "this kernel was built without CONFIG_KALLSYMS", "a kernel with CONFIG_KALLSYMS, or its image (--vmlinux)" },
	{ REFUSED_KALLSYMS, 0, hidden_from_all, "kptr", "kernel symbols are hidden",
	  "kptr_restrict is 2, which hides them from everybody", "as root: sysctl kernel.kptr_restrict=1" },
	{ REFUSED_KALLSYMS, 0, hidden_by_kptr, "kptr", "kernel symbols are hidden",
	  "kptr_restrict is 1, which hides them without capability CAP_SYSLOG%u",
	  "%S, or: sysctl kernel.kptr_restrict=0" },
	{ REFUSED_KALLSYMS, 0, NULL, "paranoid", "kernel symbols are hidden",
	  "perf_event_paranoid is %l, which hides them without capability CAP_SYSLOG%u",
	  "%S, or: sysctl kernel.perf_event_paranoid=1" },

	{ REFUSED_BPF, ENOSYS, NULL, "kernel", "BPF programs are not available",
	  "this kernel was built without CONFIG_BPF_SYSCALL", "a kernel with CONFIG_BPF_SYSCALL" },
	{ REFUSED_BPF, 0, locked_down, "lockdown", "BPF programs are not allowed to look into the kernel",
	  "the kernel is locked down (confidentiality)", "boot with lockdown=integrity" },
	{ REFUSED_BPF, 0, NULL, "capability", "BPF programs are not allowed for this user",
	  "capabilities CAP_BPF and CAP_PERFMON are missing (unprivileged_bpf_disabled is %d)%u", "%B" },
	{ REFUSED_MAPS, 0, may_trace, "security-module", "the maps of process %p cannot be read",
	  "the system hides them even from users who may trace all processes", NULL },
	{ REFUSED_MAPS, 0, NULL, "other-user", "the maps of process %p cannot be read",
	  "it belongs to another user, or hides from its own user; reading them needs the right to trace it%u",
	  "as that user, or %T" },
};

const struct advice *advice_row(size_t i) { return i < ARRAY_SIZE(advices) ? &advices[i] : NULL; }
const char *advice_text(const struct advice *a) { return a->what; }

const struct advice *advice_find(const struct refusal *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(advices); i++) {
		const struct advice *a = &advices[i];

		if (a->call == r->call && (!a->sys || a->sys == r->sys) && (!a->test || a->test(r)))
			return a;
	}
	return NULL;
}

/* ---- texts ---- */

static void put_grant(struct out *o, struct grant grant, const char *between)
{
	if (!grant.text)
		return;
	out_str(o, between);
	out_str(o, grant.is_command && !*between ? "as root: " : "");
	out_str(o, grant.text);
	free(grant.text);
}

/* Write the permission that this event lacks. `by_level`: a paranoid level would allow it. */
static void put_permission(struct out *o, const struct refusal *r, bool by_level)
{
	struct permission want = {
		.system = r->pid == -1,
		.kernel = !attr_of(r)->exclude_kernel || wants(r, PERF_SAMPLE_PHYS_ADDR),
		.trace = wants_trace(r),
		.others = r->foreign,
		.needs_capability = !by_level,
	};

	put_grant(o, permission_grant(r->facts, &want, 0), "");
	put_grant(o, permission_grant(r->facts, &want, 1), ", or: ");
}

/* Write the event's name without modifiers: "cycles" of "cycles:k". */
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

	return !clock ? "page-faults" : r->is_task ? "task-clock" : "cpu-clock";
}

static void put_mount_point(struct out *o, const char *path)
{
	const char *end = strstr(path, "/events");

	out_mem(o, path, end ? (size_t)(end - path) : strlen(path));
}

static void put_event(struct out *o, char letter, const struct refusal *r)
{
	switch (letter) {
	case 'e': out_str(o, r->event->name); break;
	case 'b': put_base(o, r->event); break;
	case 'p': out_i64(o, r->pid); break;
	case 'c': out_i64(o, r->cpu); break;
	case 'm': out_str(o, r->event->pmu ? r->event->pmu : "cpu"); break;
	case 's': out_str(o, software_instead(r)); break;
	case 'g': put_permission(o, r, true); break;
	default: /* 'a' */ put_permission(o, r, false);
	}
}

/*
 * Return true if other sessions of this user have locked memory. The kernel has one limit per user and does not show
 * how much is in use. So compute how many rings the limit permits: if we mapped fewer, other sessions use the rest.
 * Source: perf_mmap() charges user_struct.locked_vm up to perf_event_mlock_kb for each CPU online, and then the
 * process.
 */
static bool others_lock(const struct refusal *r)
{
	const struct facts *f = r->facts;

	return r->rings_mapped < (f->mlock_kb * f->cpus + f->memlock / 1024) / (r->ring_bytes / 1024);
}

/* Return a limit that is enough for all our rings, if other sessions use all memory that we could not get. */
static uint64_t mlock_kb_wanted(const struct refusal *r)
{
	const struct facts *f = r->facts;
	uint64_t ring_kb = r->ring_bytes / 1024, limit_kb = f->mlock_kb * f->cpus,
		 mapped_kb = r->rings_mapped * ring_kb;
	uint64_t others_kb = MIN(limit_kb, limit_kb + f->memlock / 1024 - MIN(mapped_kb, limit_kb + f->memlock / 1024));

	return MAX((r->rings_wanted * ring_kb + others_kb + f->cpus - 1) / f->cpus, f->mlock_kb + 1);
}

static void put_number(struct out *o, char letter, const struct refusal *r)
{
	const struct facts *f = r->facts;

	switch (letter) {
	case 'l': out_i64(o, f->level); break;
	case 'd': out_i64(o, f->bpf_disabled); break;
	case 'r': out_u64(o, r->ring_bytes / 1024); break;
	case 'k': out_u64(o, f->mlock_kb); break;
	case 'K': out_u64(o, mlock_kb_wanted(r)); break;
	case 'L': out_u64(o, f->memlock / 1024); break;
	case 'N': out_u64(o, f->nofile_max); break;
	case 'w': out_u64(o, r->descriptors); break;
	default: /* 'G' */ out_u64(o, f->gid);
	}
}

static void put(struct out *o, char letter, const struct refusal *r)
{
	switch (letter) {
	case 't': out_str(o, tool_name()); break;
	case 'u': out_str(o, r->facts->user_namespace ? "; root of a user namespace is a user like others" : ""); break;
	case 'f':
		out_str(o, r->facts->filter == EPERM    ? "EPERM"
			   : r->facts->filter == ENOSYS ? "ENOSYS"
							: strerror(r->facts->filter));
		break;
	case 'o': out_str(o, others_lock(r) ? "; another session of this user holds some of it" : ""); break;
	case 'P': out_str(o, r->path); break;
	case 'D': put_mount_point(o, r->path); break;
	case 'S':
		put_grant(o, capability_grant(r->facts, "cap_syslog,cap_perfmon", 1ull << FACT_CAP_SYSLOG), "");
		break;
	case 'T':
		put_grant(o, capability_grant(r->facts, "cap_perfmon,cap_sys_ptrace", 1ull << FACT_CAP_SYS_PTRACE), "");
		break;
	case 'B': put_grant(o, capability_grant(r->facts, "cap_bpf,cap_perfmon", 1ull << FACT_CAP_BPF), ""); break;
	default:
		if (strchr("ebpcmsga", letter))
			put_event(o, letter, r);
		else
			put_number(o, letter, r);
	}
}

static const char *expand(struct out *o, const char *text, const struct refusal *r)
{
	for (; *text; text++) {
		if (*text == '%')
			put(o, *++text, r);
		else
			out_char(o, *text);
	}
	return out_text(o);
}

int advice_raise(const struct refusal *r, struct err *e)
{
	const struct advice *a = advice_find(r);
	struct out what, why, fix;

	if (!a) {
		errno = r->sys;
		return err_sys(e, "cannot open event '%s'", r->event ? r->event->name : "?");
	}
	out_init_mem(&what);
	out_init_mem(&why);
	out_init_mem(&fix);
	expand(&what, a->what, r);
	if (r->event)
		err_set(e, "cannot open event '%s': %s", r->event->name, out_text(&what));
	else
		err_set(e, "%s", out_text(&what));
	if (a->why)
		err_why(e, "%s", expand(&why, a->why, r));
	if (a->fix)
		err_try(e, "%s", expand(&fix, a->fix, r));
	if (e) {
		e->sys = r->sys;
		e->cause = a->cause;
	}
	out_release(&what);
	out_release(&why);
	out_release(&fix);
	return -1;
}

/* ---- with the facts of the running system ---- */

/*
 * Return true if we may not trace the process. proc(5): root owns the files of a process that may
 * not be inspected, whoever runs it.
 */
static bool is_foreign(int32_t pid)
{
	autofree char *path = sys_path("/proc/%d", pid);
	struct stat st;

	return pid > 0 && stat(path, &st) == 0 && st.st_uid != geteuid();
}

/* Return how many descriptors a list needs, and some for everything else. */
static size_t descriptors(const struct event_list *l, const struct target *t)
{
	return l->events.len * MAX(t->threads.len, (size_t)1) * MAX(t->cpu_list.len, (size_t)1) + 64;
}

int advice_open(const struct event_list *l, const struct event *event, const struct target *t, int cpu, int32_t pid,
		int sys, struct err *e)
{
	struct facts facts;
	struct refusal r = { .call = REFUSED_OPEN,
			     .sys = sys,
			     .facts = &facts,
			     .event = event,
			     .is_task = t->is_task,
			     .cpu = cpu,
			     .pid = pid };

	facts_read(&facts);
	r.foreign = is_foreign(pid);
	r.descriptors = descriptors(l, t);
	return advice_raise(&r, e);
}

static int raise_of(struct refusal r, struct err *e)
{
	struct facts facts;

	facts_read(&facts);
	r.facts = &facts;
	return advice_raise(&r, e);
}

int advice_tracefs(const char *path, int sys, struct err *e)
{
	return raise_of((struct refusal){ .call = REFUSED_TRACEFS, .sys = sys, .path = path }, e);
}

int advice_probes(const char *path, int sys, struct err *e)
{
	return raise_of((struct refusal){ .call = REFUSED_PROBES, .sys = sys, .path = path }, e);
}

int advice_ring(uint64_t bytes, size_t mapped, size_t wanted, int sys, struct err *e)
{
	return raise_of((struct refusal){ .call = REFUSED_RING,
					  .sys = sys,
					  .ring_bytes = bytes,
					  .rings_mapped = mapped,
					  .rings_wanted = wanted },
			e);
}

int advice_kallsyms(int sys, struct err *e)
{
	return raise_of((struct refusal){ .call = REFUSED_KALLSYMS, .sys = sys }, e);
}

int advice_bpf(int sys, struct err *e) { return raise_of((struct refusal){ .call = REFUSED_BPF, .sys = sys }, e); }

int advice_maps(int32_t pid, int sys, struct err *e)
{
	return raise_of((struct refusal){ .call = REFUSED_MAPS, .sys = sys, .pid = pid }, e);
}
