#ifndef TESTS_UNIT_EVENTS_FAKE_H
#define TESTS_UNIT_EVENTS_FAKE_H

/*
 * A machine of our own: a tree of files in place of /sys and /proc, and a kernel that opens what the test lets it. It
 * takes the place of events/sys.c in the program that includes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>

#include "events/events_priv.h"
#include "tests/lib/fake_root.h"

/* An empty machine with two CPUs. */
static inline int fake_begin(void **state)
{
	if (fake_root_begin(state) < 0)
		return -1;
	fake_file("/sys/devices/system/cpu/online", "0-1\n");
	fake_file("/proc/sys/kernel/perf_event_paranoid", "2\n");
	fake_file("/proc/mounts", "none /sys/kernel/tracing tracefs rw,relatime 0 0\n");
	return 0;
}

static inline int fake_end(void **state) { return fake_root_end(state); }

#define FAKE_PMU     "/sys/bus/event_source/devices/"
#define FAKE_TRACING "/sys/kernel/tracing/events/"

/* A core PMU like a small x86's, an uncore one in two instances, and the software PMU. */
static inline void fake_pmus(void)
{
	fake_file(FAKE_PMU "cpu/type", "4\n");
	fake_file(FAKE_PMU "cpu/format/event", "config:0-7\n");
	fake_file(FAKE_PMU "cpu/format/umask", "config:8-15\n");
	fake_file(FAKE_PMU "cpu/format/inv", "config:23\n");
	fake_file(FAKE_PMU "cpu/format/wide", "config:32-35,60-63\n");
	fake_file(FAKE_PMU "cpu/format/ldlat", "config1:0-15\n");
	fake_file(FAKE_PMU "cpu/format/deep", "config3:0-63\n");
	fake_file(FAKE_PMU "cpu/format/odd", "banana\n");
	fake_file(FAKE_PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fake_file(FAKE_PMU "cpu/events/param", "event=0x10,umask=?\n");
	fake_file(FAKE_PMU "cpu/events/broken", "nosuch=1\n");
	fake_file(FAKE_PMU "software/type", "1\n");
	for (int i = 0; i < 2; i++) {
		autofree char *dir = xasprintf(FAKE_PMU "uncore_imc_%d", i);
		const struct {
			const char *file, *text;
		} files[] = {
			{ "type", i ? "21\n" : "20\n" },
			{ "cpumask", "0\n" },
			{ "format/event", "config:0-7\n" },
			{ "events/cas_count_read", "event=0x04\n" },
			{ "events/cas_count_read.scale", "6.103515625e-5\n" },
			{ "events/cas_count_read.unit", "MiB\n" },
			{ "events/cas_count_read.per-pkg", "1\n" },
		};

		for (size_t j = 0; j < ARRAY_SIZE(files); j++) {
			autofree char *path = xasprintf("%s/%s", dir, files[j].file);

			fake_file(path, files[j].text);
		}
	}
}

/* Two kinds of cores, as on hybrid machines. */
static inline void fake_hybrid(void)
{
	fake_file(FAKE_PMU "cpu_core/type", "4\n");
	fake_file(FAKE_PMU "cpu_core/cpus", "0\n");
	fake_file(FAKE_PMU "cpu_core/format/event", "config:0-7\n");
	fake_file(FAKE_PMU "cpu_atom/type", "10\n");
	fake_file(FAKE_PMU "cpu_atom/cpus", "1\n");
	fake_file(FAKE_PMU "cpu_atom/format/event", "config:0-7\n");
}

static inline void fake_tracepoints(void)
{
	fake_file(FAKE_TRACING "sched/sched_switch/id", "316\n");
	fake_file(FAKE_TRACING "sched/sched_switch/format",
		  "name: sched_switch\nID: 316\nformat:\n\tfield:unsigned short "
		  "common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t "
		  "prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"
		  "print fmt: \"x\"\n");
	fake_file(FAKE_TRACING "sched/sched_wakeup/id", "318\n");
	fake_file(FAKE_TRACING "sched/enable", "0\n");
	fake_file(FAKE_TRACING "u/only/id", "400\n");
	fake_file(FAKE_TRACING "syscalls/sys_enter_read/id", "700\n");
	fake_file(FAKE_TRACING "syscalls/sys_enter_openat/id", "701\n");
	fake_file(FAKE_TRACING "ftrace/function/format", "name: function\n");
}

/* ---- the kernel ---- */

struct fake_call {
	struct perf_event_attr attr;
	int32_t pid;
	int cpu, group_fd;
	unsigned long flags;
	int fd;
};
/* Decides: 0, or the errno to fail with. NULL: everything opens. */
static int (*fake_judge)(const struct fake_call *call);
/* Gives the descriptor of what opens; NULL: one of /dev/null. */
static int (*fake_open)(const struct fake_call *call);
static struct fake_call fake_calls[256];
static size_t n_fake_calls;
/* Answer of a filter in front of the kernel to every call; 0: there is none. */
static int fake_filter;

int sys_perf_event_open(const void *attr, int32_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct fake_call call = { .pid = pid, .cpu = cpu, .group_fd = group_fd, .flags = flags, .fd = -1 };
	int sys;

	memcpy(&call.attr, attr, sizeof(call.attr));
	if (fake_filter || flags == ~0ul) { /* no kernel knows such flags */
		errno = fake_filter ? fake_filter : EINVAL;
		return -1;
	}
	sys = fake_judge ? fake_judge(&call) : 0;
	if (!sys)
		call.fd = fake_open ? fake_open(&call) : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (n_fake_calls < ARRAY_SIZE(fake_calls))
		fake_calls[n_fake_calls++] = call;
	errno = sys;
	return call.fd;
}

const char *sys_root(void) { return fake_root; }

#endif
