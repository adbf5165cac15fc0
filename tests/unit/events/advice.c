/*
 * Test every row of the table of advice with invented facts, so no row needs a special machine. The
 * test fails if no case reaches a row, or if a case reaches another row.
 */
#include "tests/unit/events/fake.h"
#include <cmocka.h>

enum {
	PERFMON = 1 << 0,
	USER_NS = 1 << 1,
	CONTAINER = 1 << 2,
	NO_NEW_PRIVS = 1 << 3,
	SELINUX = 1 << 4,
	LOCKDOWN = 1 << 5,
	CORE_PMU = 1 << 6,
	VIRTUAL = 1 << 7,
	NOT_EVEN_OWN = 1 << 8,
	NO_EVENTS = 1 << 9,
	OLD_CAPS = 1 << 10,
	ALL = 1 << 11,
	FOREIGN = 1 << 12,
	KPTR_1 = 1 << 13,
	KPTR_2 = 1 << 14,
	FILTER = 1 << 15,
	UNBOUNDED = 1 << 16,
	PTRACE = 1 << 17
};

static struct event_list list;

static int begin(void **state)
{
	int failed = fake_begin(state);

	fake_filter = 0;
	fake_judge = NULL;
	fake_pmus();
	return failed;
}

static int end(void **state)
{
	event_list_release(&list);
	return fake_end(state);
}

static struct facts facts_of(unsigned is, int level, int sys)
{
	return (struct facts){
		.has_events = !(is & NO_EVENTS),
		.level = level,
		.caps = (is & PERFMON ? 1ull << FACT_CAP_PERFMON : 0) | (is & PTRACE ? 1ull << FACT_CAP_SYS_PTRACE : 0),
		.caps_allowed = is & UNBOUNDED ? 0 : UINT64_MAX,
		.has_cap_perfmon = !(is & OLD_CAPS),
		.uid = 1000,
		.gid = 77,
		.user_namespace = is & USER_NS,
		.container = is & CONTAINER,
		.no_new_privs = is & NO_NEW_PRIVS,
		.filter = is & FILTER ? sys : 0,
		.own_events = !(is & NOT_EVEN_OWN),
		.selinux = is & SELINUX,
		.lockdown = is & LOCKDOWN,
		.core_pmu = is & CORE_PMU,
		.virtual = is & VIRTUAL,
		.kptr_restrict = is & KPTR_2   ? 2
				 : is & KPTR_1 ? 1
					       : 0,
		.bpf_disabled = 2,
		.mlock_kb = 516,
		.cpus = 2,
		.nofile = 1024,
		.nofile_max = 4096,
		.memlock = 8 << 20,
	};
}

struct kase {
	enum refused_call call;
	const char *event; /* NULL: no event is involved */
	int sys;
	unsigned is;
	int level;
	/* parts of the texts; "" = any text, NULL = must be empty */
	const char *cause, *what, *why, *fix;
	void (*set)(struct event *event);
};

static void raw(struct event *event) { event->attr.sample_type |= PERF_SAMPLE_RAW; }
static void sampled(struct event *event) { event->attr.sample_period = 1000; }
static void branches(struct event *event) { event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK; }
static void aux(struct event *event) { event->attr.sample_type |= PERF_SAMPLE_AUX; }
static void physical(struct event *event) { event->attr.sample_type |= PERF_SAMPLE_PHYS_ADDR; }
static void registers(struct event *event) { event->attr.sample_type |= PERF_SAMPLE_REGS_INTR; }
static void namespaces(struct event *event) { event->attr.namespaces = 1; }
static void realtime(struct event *event) { event->attr.use_clockid = 1, event->attr.clockid = 0; }
static void fast(struct event *event) { event->attr.freq = 1, event->attr.sample_freq = 1u << 30; }
static void config3(struct event *event) { event->config3 = 1; }
static void grouped(struct event *event) { event->n_members = 2; }
static void probe(struct event *event) { event->pmu = "uprobe", event->attr.type = 8; }

#define OPEN   REFUSED_OPEN
#define SETCAP "as root: setcap cap_perfmon+ep /"

static const struct kase cases[] = {
	/* filters */
	{ OPEN, "cs", EPERM, FILTER | CONTAINER, 2, "seccomp", "a seccomp filter refuses",
	  "container's filter answers EPERM", "--security-opt seccomp=unconfined" },
	{ OPEN, "cs", ENOSYS, FILTER, 2, "seccomp", "a seccomp filter refuses", "around this process answers ENOSYS",
	  "SystemCallFilter" },
	{ OPEN, "cs", EACCES, FILTER | USER_NS, 4, "seccomp", "a seccomp filter refuses", "", "" },
	{ OPEN, "cs", ENOSYS, NO_EVENTS | FILTER, 2, "kernel", "no perf events", "CONFIG_PERF_EVENTS",
	  "a kernel with" },
	/* levels, from the greatest request to the smallest */
	{ OPEN, "2:1", EACCES, 0, 2, "paranoid", "tracepoints are not allowed",
	  "is 2; what tracepoints record needs -1", "or: sysctl kernel.perf_event_paranoid=-1", raw },
	{ OPEN, "2:1", EPERM, 0, 1, "paranoid", "tracepoints are not allowed", "is 1", SETCAP, raw },
	{ OPEN, "2:1", EACCES, 0, 2, "paranoid", "kernel profiling", "",
	  "perf_event_paranoid=1" }, /* only counted: needs less */
	{ OPEN, "cs", EACCES, NOT_EVEN_OWN, 3, "paranoid", "measuring is not allowed",
	  "is 3, which leaves users nothing", "perf_event_paranoid=1" },
	{ OPEN, "cs:u", EACCES, NOT_EVEN_OWN, 4, "paranoid", "measuring is not allowed", "is 4",
	  "perf_event_paranoid=2" },
	{ OPEN, "cs:u", EACCES, NOT_EVEN_OWN, 3, "paranoid", "measuring is not allowed", "is 3",
	  "as root: sysctl kernel.perf_event_paranoid=2" },
	{ OPEN, "cs:u", EACCES, NOT_EVEN_OWN | PERFMON, 3, "paranoid", "measuring is not allowed",
	  "not even CAP_PERFMON", "perf_event_paranoid=2" },
	{ OPEN, "cs", EACCES, ALL, 2, "paranoid", "the whole system is not allowed", "users their own processes",
	  "or as root: setcap" },
	{ OPEN, "cs", EACCES, ALL, 1, "paranoid", "the whole system is not allowed", "is 1", "perf_event_paranoid=0" },
	{ OPEN, "cs:k", EACCES, 0, 2, "paranoid", "kernel profiling", "is 2, which leaves user space only",
	  "-e cs:u, or as root: setcap cap_perfmon+ep /" },
	{ OPEN, "cs", EACCES, 0, 3, "paranoid", "kernel profiling", "is 3, which", "-e cs:u" },
	{ OPEN, "cs:u", EACCES, 0, 2, "paranoid", "physical addresses", "is 2",
	  "without --phys-data, or as root: setcap", physical },
	/* the same where one kind of grant has no effect */
	{ OPEN, "cs", EACCES, ALL | USER_NS, 2, "paranoid", "whole system", "root of a user namespace is a user",
	  "or as root outside of the user namespace: sysctl" },
	{ OPEN, "cs", EACCES, ALL | NO_NEW_PRIVS, 2, "paranoid", "whole system", "",
	  "-p PID, or as root: sysctl kernel.perf_event_paranoid=0" },
	{ OPEN, "cs", EACCES, ALL | UNBOUNDED | CONTAINER, 2, "paranoid", "whole system", "",
	  "--cap-add PERFMON, or: as root on the host: sysctl" },
	{ OPEN, "cs:k", EACCES, OLD_CAPS, 2, "paranoid", "kernel profiling", "", "setcap cap_sys_admin+ep /" },
	/* capabilities, other users, policies */
	{ OPEN, "cs", EACCES, 0, -1, "capability", "probes by uprobe", "CAP_PERFMON is missing", SETCAP, probe },
	{ OPEN, "cs", EACCES, 0, -1, "capability", "records of namespaces", "CAP_PERFMON",
	  "without --namespaces, or " SETCAP, namespaces },
	{ OPEN, "cs:u", EACCES, FOREIGN, 2, "other-user", "process 500 belongs to another user", "right to trace",
	  "setcap cap_perfmon,cap_sys_ptrace+ep /" },
	{ OPEN, "cs:u", EPERM, FOREIGN, 2, "other-user", "process 500 belongs to another user", "", "as that user" },
	{ OPEN, "cs:u", EACCES, SELINUX, 1, "security-module", "security policy", "SELinux is enforcing", "ausearch" },
	{ OPEN, "cs:u", EPERM, SELINUX, 1, "security-module", "security policy", "SELinux is enforcing", "ausearch" },
	{ OPEN, "cs:u", EACCES, 0, 0, "capability", "not allowed for this user", "CAP_PERFMON or CAP_SYS_PTRACE",
	  SETCAP },
	{ OPEN, "cs:u", EACCES, NO_NEW_PRIVS, 0, "capability", "not allowed for this user", "", "as root" },
	{ OPEN, "cs:u", EPERM, 0, 0, "security-module", "the system refuses it", "no filter and no level", SETCAP },
	{ OPEN, "cs", EPERM, LOCKDOWN | PERFMON, 2, "lockdown", "registers at the interrupt", "locked down",
	  "without --intr-regs", registers },
	{ OPEN, "2:1", EPERM, PERFMON, 2, "kernel", "nobody sample this tracepoint", "way of every sample",
	  "stat -e 2:1", raw },
	{ OPEN, "mem:0xffffffff81000000", EACCES, 0, 2, "capability", "breakpoints on the kernel", "CAP_SYS_ADMIN",
	  "as root" },
	{ OPEN, "mem:0xffffffff81000000", EPERM, 0, 1, "capability", "breakpoints on the kernel", "CAP_SYS_ADMIN",
	  "as root" },
	/* missing */
	{ OPEN, "cycles", ENOENT, VIRTUAL, 2, "virtual-machine", "not supported",
	  "this virtual machine shows no hardware counters", "-e task-clock" },
	{ OPEN, "cycles", ENOENT, VIRTUAL | ALL, 2, "virtual-machine", "not supported", "", "-e cpu-clock" },
	{ OPEN, "LLC-loads", ENOENT, 0, 2, "no-pmu", "not supported", "this machine shows no hardware counters",
	  "-e page-faults" },
	{ OPEN, "LLC-loads", ENOENT, CORE_PMU | VIRTUAL, 2, "pmu", "not supported", "the CPU has no counter for it",
	  "list hw" },
	{ OPEN, "cycles", ENOENT, VIRTUAL, 2, "no-pmu", "branch records are not supported here",
	  "this machine shows none", "without -b", branches },
	{ OPEN, "1:99", ENOENT, 0, 2, "kernel", "not supported", "this kernel does not know it", "list sw" },
	{ OPEN, "2:1", ENOENT, 0, 2, "gone", "the tracepoint is not there", "removed", "list 2:1" },
	{ OPEN, "99:1", ENOENT, 0, 2, "pmu", "not supported", "no PMU of this machine", "list" },
	{ OPEN, "99:1", ENXIO, 0, 2, "pmu", "not supported", "no PMU of this machine", "list" },
	{ OPEN, "cs:ppp", EOPNOTSUPP, CORE_PMU, 2, "pmu", "branch records", "no branch stack", "--call-graph lbr",
	  branches },
	{ OPEN, "instructions:pp", EOPNOTSUPP, CORE_PMU, 2, "pmu", "precise sampling", "PMU lacks it",
	  "-e instructions without" },
	{ OPEN, "instructions", EOPNOTSUPP, CORE_PMU, 2, "pmu", "no trace to sample", "first event", "intel_pt", aux },
	{ OPEN, "instructions", EOPNOTSUPP, CORE_PMU, 2, "pmu", "cannot sample it", "no overflow interrupt",
	  "stat -e instructions", sampled },
	{ OPEN, "instructions", EOPNOTSUPP, CORE_PMU, 2, "pmu", "not supported", "PMU lacks it", "list" },
	/* in a wrong way */
	{ OPEN, "cs", EINVAL, 0, 2, "kernel", "config3 and config4", "Linux 6.3", "without the terms", config3 },
	{ OPEN, "cs", E2BIG, 0, 2, "kernel", "config3 and config4", "Linux 6.3", "without the terms" },
	{ OPEN, "mem:0x1/3", EINVAL, 0, 2, "usage", "no such breakpoint", "1, 2, 4 or 8 bytes", "mem:ADDRESS" },
	{ OPEN, "uncore_imc_0/event=1/", EINVAL, 0, 2, "usage", "per-thread mode", "counts for whole CPUs", "with -a" },
	{ OPEN, "uncore_imc_0/event=1/", EINVAL, ALL, 2, "pmu", "cannot sample it", "PMU 'uncore_imc_0'",
	  "stat -a -e uncore_imc_0/event=1/", sampled },
	{ OPEN, "cs", EINVAL, 0, 2, "usage", "perf_event_max_sample_rate", NULL, "-F max", fast },
	{ OPEN, "cycles", EINVAL, 0, 2, "usage", "this clock", "interrupts the kernel", "--clockid mono", realtime },
	{ OPEN, "2:1", EINVAL, 0, 2, "gone", "refuses the tracepoint", "removed", "list" },
	{ OPEN, "cs", EINVAL, 0, 2, "pmu", "in this group", "fit the counters", "modifier W", grouped },
	{ OPEN, "cs", EINVAL, 0, 2, "kernel", "combination of settings", "Invalid argument", "dmesg" },
	{ OPEN, "cs", ESRCH, 0, 2, "gone", "process 500 has ended", NULL, "pgrep" },
	{ OPEN, "cs", ENODEV, 0, 2, "pmu", "cannot be measured on CPU 1", "offline", "-C" },
	{ OPEN, "cs", EOVERFLOW, 0, 2, "usage", "perf_event_max_stack", NULL, "smaller max-stack" },
	{ OPEN, "cs", ENODATA, 0, 2, "pmu", "auxiliary event", NULL, "{cpu/mem-loads-aux/,cs}" },
	/* no room */
	{ OPEN, "cs", EBUSY, 0, 2, "busy", "another user has the counters", "NMI watchdog", "nmi_watchdog=0" },
	{ OPEN, "mem:0x1", ENOSPC, 0, 2, "busy", "all hardware breakpoints", "for all users", "fewer mem:" },
	{ OPEN, "cs", ENOSPC, 0, 2, "pmu", "no room", "larger", "fewer events" },
	{ OPEN, "cs", EMFILE, 0, 2, "descriptors", "too many open files",
	  "want 5000 descriptors, one per CPU and thread; the hard limit is 4096", "--nofile=5000" },
	{ OPEN, "cs", ENFILE, 0, 2, "descriptors", "in the system", "fs.file-max", "fs.file-max" },
	{ OPEN, "cs", ENOMEM, 0, 2, "memory", "no memory", NULL, "perf_event_max_stack" },
	/* rings */
	{ REFUSED_RING, NULL, EPERM, 0, 2, "locked-memory", "cannot map ring buffers of 2052 KB",
	  "perf_event_mlock_kb is 516 per CPU, ulimit -l is 8192 KB",
	  "sysctl kernel.perf_event_mlock_kb=8724" }, /* (8 * 2052 + 2 * 516) / 2 */
	{ REFUSED_RING, NULL, ENOMEM, 0, 2, "memory", "cannot map ring buffers", "no memory", "smaller -m" },
	{ REFUSED_RING, NULL, EINVAL, 0, 2, "kernel", "cannot map ring buffers", NULL, "smaller -m" },
	/* tracefs */
	{ REFUSED_TRACEFS, NULL, ENODEV, 0, 2, "kernel", "can't access trace events", "CONFIG_FTRACE",
	  "a kernel with" },
	{ REFUSED_TRACEFS, NULL, ENOENT, CONTAINER, 2, "tracefs-mount", "can't access trace events",
	  "in this container", "-v /sys/kernel/tracing" },
	{ REFUSED_TRACEFS, NULL, ENOENT, USER_NS, 2, "tracefs-mount", "can't access trace events", "namespace cannot",
	  "outside" },
	{ REFUSED_TRACEFS, NULL, ENOENT, 0, 2, "tracefs-mount", "can't access trace events", "not mounted",
	  "'sudo mount -t tracefs none /sys/kernel/tracing'" },
	{ REFUSED_TRACEFS, NULL, EPERM, LOCKDOWN, 2, "lockdown", "can't access trace events", "locked down",
	  "lockdown=integrity" },
	{ REFUSED_TRACEFS, NULL, EACCES, USER_NS, 2, "tracefs-mode", "can't access trace events",
	  "root of a user namespace", "outside" },
	{ REFUSED_TRACEFS, NULL, EACCES, 0, 2, "tracefs-mode", "can't access trace events",
	  "No permissions to read /t/events/x/id", "'sudo mount -o remount,mode=750,gid=77 /t'" },
	{ REFUSED_PROBES, NULL, ENOENT, 0, 2, "kernel", "cannot be defined", "there is no /t/events/x/id",
	  "CONFIG_KPROBE_EVENTS" },
	{ REFUSED_PROBES, NULL, EROFS, 0, 2, "tracefs-mount", "cannot be defined", "read-only", "remount,rw" },
	{ REFUSED_PROBES, NULL, EPERM, LOCKDOWN, 2, "lockdown", "cannot be defined", "locked down", "integrity" },
	{ REFUSED_PROBES, NULL, EACCES, 0, 2, "tracefs-mode", "not allowed", "No permissions to write",
	  "let root define" },
	/* kernel symbols */
	{ REFUSED_KALLSYMS, NULL, ENOENT, 0, 2, "kernel", "not there", "CONFIG_KALLSYMS", "--vmlinux" },
	{ REFUSED_KALLSYMS, NULL, EACCES, KPTR_2, 2, "kptr", "hidden", "kptr_restrict is 2", "kptr_restrict=1" },
	{ REFUSED_KALLSYMS, NULL, EACCES, KPTR_1, 2, "kptr", "hidden", "kptr_restrict is 1",
	  "setcap cap_syslog,cap_perfmon+ep /" },
	{ REFUSED_KALLSYMS, NULL, EACCES, 0, 2, "paranoid", "hidden", "perf_event_paranoid is 2",
	  "or: sysctl kernel.perf_event_paranoid=1" },
	/* BPF */
	{ REFUSED_BPF, NULL, ENOSYS, 0, 2, "kernel", "not available", "CONFIG_BPF_SYSCALL", "a kernel with" },
	{ REFUSED_BPF, NULL, EPERM, LOCKDOWN, 2, "lockdown", "look into the kernel", "locked down", "integrity" },
	{ REFUSED_BPF, NULL, EPERM, 0, 2, "capability", "not allowed", "unprivileged_bpf_disabled is 2",
	  "setcap cap_bpf,cap_perfmon+ep /" },
	/* maps */
	{ REFUSED_MAPS, NULL, EACCES, 0, 2, "other-user", "maps of process 500 cannot be read", "right to trace it",
	  "setcap cap_perfmon,cap_sys_ptrace+ep /" },
	{ REFUSED_MAPS, NULL, EACCES, PTRACE | PERFMON, 2, "security-module", "maps of process 500 cannot be read",
	  "hides them", NULL },
};

static bool fits(const char *text, const char *want) { return want ? strstr(text, want) != NULL : !*text; }

static const struct advice *try_case(const struct kase *c)
{
	struct facts facts = facts_of(c->is, c->level, c->sys);
	struct refusal r = {
		.call = c->call,
		.sys = c->sys,
		.facts = &facts,
		.is_task = !(c->is & ALL),
		.cpu = 1,
		.pid = c->is & ALL ? -1 : 500,
		.foreign = c->is & FOREIGN,
		.descriptors = 5000,
		.ring_bytes = 2052 << 10,
		.rings_wanted = 8,
		.path = "/t/events/x/id",
	};
	struct err e = { 0 };

	event_list_release(&list);
	if (c->event) {
		assert_int_equal(event_list_parse(&list, c->event, &e), 0);
		r.event = &list.events.items[0];
		if (c->set)
			c->set(&list.events.items[0]);
	}
	assert_int_equal(advice_raise(&r, &e), -1);
	if (!fits(e.what, c->what) || !fits(e.why, c->why) || !fits(e.fix, c->fix) || e.sys != c->sys ||
	    strcmp(e.cause, c->cause))
		fail_msg("case %zu: %s / %s / %s (%s)", (size_t)(c - cases), e.what, e.why, e.fix, e.cause);
	if (strpbrk(e.what, "%") || strpbrk(e.why, "%") || strpbrk(e.fix, "%"))
		fail_msg("case %zu leaves a place unfilled: %s / %s / %s", (size_t)(c - cases), e.what, e.why, e.fix);
	return advice_find(&r);
}

static void every_row_is_met_by_the_facts_it_names(void **state)
{
	bool met[256] = { 0 };
	size_t n = 0;

	while (advice_row(n))
		n++;
	assert_true(n < ARRAY_SIZE(met));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct advice *hit = try_case(&cases[i]);

		for (size_t j = 0; j < n; j++)
			met[j] |= advice_row(j) == hit;
	}
	for (size_t j = 0; j < n; j++)
		if (!met[j])
			fail_msg("row %zu (%s) is reached by no case", j, advice_text(advice_row(j)));
}

static void unknown_errors_keep_their_name(void **state)
{
	struct target t = { .is_task = true };
	struct err e = { 0 };

	assert_int_equal(event_list_parse(&list, "cs", &e), 0);
	assert_int_equal(advice_open(&list, &list.events.items[0], &t, 1, 500, EFAULT, &e), -1);
	assert_string_equal(e.what, "cannot open event 'cs'");
	assert_string_equal(e.why, "Bad address");
	assert_null(e.cause);
}

/* ---- the facts ---- */

static int nothing_for_users(const struct fake_call *call) { return EACCES; }

static void a_filter_is_told_from_the_level(void **state)
{
	struct facts f;

	facts_read(&f);
	assert_true(f.has_events && f.own_events && f.level == 2 && !f.filter);
	fake_judge = nothing_for_users;
	facts_read(&f);
	assert_int_equal(f.filter, 0);
	assert_false(f.own_events);
	fake_filter = EPERM;
	facts_read(&f);
	assert_int_equal(f.filter, EPERM);
}

static void capabilities_of_a_user_namespace_do_not_count(void **state)
{
	struct facts f;

	fake_file("/proc/self/status",
		  "Name:\tx\nCapEff:\t000001ffffffffff\nCapBnd:\t0000000000000400\nNoNewPrivs:\t1\nSeccomp:\t0\n");
	fake_file("/proc/self/uid_map", "         0          0 4294967295\n");
	fake_file("/proc/sys/kernel/cap_last_cap", "37\n");
	facts_read(&f);
	assert_true(facts_privileged(&f) && event_privileged() && f.no_new_privs && !f.user_namespace &&
		    !f.has_cap_perfmon);
	assert_int_equal(f.caps_allowed, 0x400);
	fake_file("/proc/self/uid_map", "         0       1000          1\n");
	facts_read(&f);
	assert_true(f.user_namespace);
	assert_false(facts_privileged(&f) || event_privileged());
}

static void the_surroundings_are_known(void **state)
{
	struct facts f;

	facts_read(&f);
	assert_true(f.core_pmu && !f.container && !f.virtual && !f.lockdown && !f.selinux && !f.user_namespace &&
		    !f.no_new_privs);
	fake_file("/run/.containerenv", "");
	facts_read(&f);
	assert_false(f.container); /* a privileged container does not restrict us */
	fake_file("/proc/self/status", "Name:\tx\nCapEff:\t0\nCapBnd:\t00000000a80425fb\n");
	fake_file("/proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
	fake_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	fake_file("/sys/fs/selinux/enforce", "1");
	fake_file("/proc/sys/kernel/kptr_restrict", "1\n");
	facts_read(&f);
	assert_true(f.container && f.virtual && f.lockdown && f.selinux && f.kptr_restrict == 1);
	fake_file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	facts_read(&f);
	assert_false(f.lockdown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_row_is_met_by_the_facts_it_names, begin, end),
		cmocka_unit_test_setup_teardown(unknown_errors_keep_their_name, begin, end),
		cmocka_unit_test_setup_teardown(a_filter_is_told_from_the_level, begin, end),
		cmocka_unit_test_setup_teardown(capabilities_of_a_user_namespace_do_not_count, begin, end),
		cmocka_unit_test_setup_teardown(the_surroundings_are_known, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
