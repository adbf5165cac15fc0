/* Read the facts about the running system, and what it allows this process. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "events/events_priv.h"

char *sys_path(const char *fmt, ...)
{
	autofree char *path = NULL;
	va_list ap;

	va_start(ap, fmt);
	path = xvasprintf(fmt, ap);
	va_end(ap);
	return xasprintf("%s%s", sys_root(), path);
}

int64_t sys_number(const char *path, int64_t otherwise)
{
	autofree char *whole = sys_path("%s", path);
	char line[32], *end;
	long long n;

	if (file_read_line(whole, line, sizeof(line)) <= 0)
		return otherwise;
	n = strtoll(line, &end, 10);
	return end == line ? otherwise : n;
}

int paranoid_level(void) { return (int)sys_number("/proc/sys/kernel/perf_event_paranoid", 2); }

uint64_t max_sample_rate(void) { return (uint64_t)sys_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000); }

uint64_t mlock_limit_kb(void) { return (uint64_t)sys_number("/proc/sys/kernel/perf_event_mlock_kb", 516); }

/* ---- what this process may do ---- */

/*
 * Return the value of "Key:\tvalue" in a procfs text, in base `base`; `otherwise` when there is no
 * such line.
 */
static uint64_t status_value(const char *text, const char *key, int base, uint64_t otherwise)
{
	const char *line = text ? strstr(text, key) : NULL;

	return line ? strtoull(line + strlen(key), NULL, base) : otherwise;
}

/*
 * Return true outside of the first user namespace, which maps all users to themselves. In other
 * namespaces perf events ignore capabilities.
 */
static bool in_user_namespace(void)
{
	autofree char *path = sys_path("/proc/self/uid_map");
	unsigned long long inside, outside, count;
	char line[128];

	return file_read_line(path, line, sizeof(line)) > 0 &&
	       sscanf(line, "%llu %llu %llu", &inside, &outside, &count) == 3 &&
	       !(inside == 0 && outside == 0 && count == UINT32_MAX);
}

static uint64_t capabilities(const char *status)
{
	return in_user_namespace() ? 0 : status_value(status, "\nCapEff:", 16, 0);
}

bool facts_privileged(const struct facts *f)
{
	return f->caps & (1ull << FACT_CAP_PERFMON | 1ull << FACT_CAP_SYS_ADMIN);
}

bool event_privileged(void)
{
	autofree char *path = sys_path("/proc/self/status");
	autofree char *status = file_read(path, 1 << 16, NULL, NULL);
	struct facts f = { .caps = capabilities(status) };

	return facts_privileged(&f);
}

bool event_may_lock(void)
{
	autofree char *path = sys_path("/proc/self/status");
	autofree char *status = file_read(path, 1 << 16, NULL, NULL);

	return capabilities(status) >> FACT_CAP_IPC_LOCK & 1;
}

static bool exists(const char *path)
{
	autofree char *whole = sys_path("%s", path);

	return access(whole, F_OK) == 0;
}

/*
 * Return true in a container that restricts us. The usual marks of a container also exist in
 * privileged containers, and on machines installed from an image. A restricted container does not
 * let its root set sysctls, or limits our capabilities.
 */
static bool in_container(uint64_t caps_allowed)
{
	autofree char *sysctls = sys_path("/proc/sys");
	bool marked = exists("/.dockerenv") || exists("/run/.containerenv") || exists("/run/systemd/container") ||
		      exists("/var/run/secrets/kubernetes.io");
	struct statvfs fs;

	return marked &&
	       (!(caps_allowed >> FACT_CAP_PERFMON & 1) || (statvfs(sysctls, &fs) == 0 && fs.f_flag & ST_RDONLY));
}

static bool file_says(const char *path, const char *words)
{
	autofree char *whole = sys_path("%s", path);
	autofree char *text = file_read(whole, 16 << 20, NULL, NULL);

	return text && strstr(text, words);
}

/*
 * Test for a filter. The kernel refuses unknown flags with EINVAL before any other check. Any other
 * answer comes from something before the kernel: a seccomp filter, or a sandbox that emulates a
 * kernel.
 */
static int filter_answer(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY };
	autoclose int fd = sys_perf_event_open(&attr, 0, -1, -1, ~0ul);

	return fd >= 0 || errno == EINVAL ? 0 : errno;
}

/* Try the most harmless event. */
static bool own_events(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY };
	autoclose int fd = -1;

	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	return fd >= 0;
}

static bool has_core_pmu(void)
{
	struct pmu_list pmus = { 0 };
	bool has;

	pmu_list_read(&pmus);
	has = pmus.pmus.len && pmus.pmus.items[0].is_core;
	pmu_list_release(&pmus);
	return has;
}

void facts_read(struct facts *f)
{
	autofree char *path = sys_path("/proc/self/status");
	autofree char *status = file_read(path, 1 << 16, NULL, NULL);
	uint64_t caps_allowed = status_value(status, "\nCapBnd:", 16, UINT64_MAX);
	struct rlimit nofile = { 0 }, memlock = { 0 };

	getrlimit(RLIMIT_NOFILE, &nofile);
	getrlimit(RLIMIT_MEMLOCK, &memlock);
	*f = (struct facts){
		.has_events = exists("/proc/sys/kernel/perf_event_paranoid"),
		.level = paranoid_level(),
		.caps = capabilities(status),
		.caps_allowed = caps_allowed,
		.has_cap_perfmon = sys_number("/proc/sys/kernel/cap_last_cap", 40) >= FACT_CAP_PERFMON,
		.uid = geteuid(),
		.gid = getegid(),
		.user_namespace = in_user_namespace(),
		.no_new_privs = status_value(status, "\nNoNewPrivs:", 10, 0) != 0,
		.container = in_container(caps_allowed),
		.filter = filter_answer(),
		.own_events = own_events(),
		.selinux = sys_number("/sys/fs/selinux/enforce", 0) == 1,
		.lockdown = file_says("/sys/kernel/security/lockdown", "[confidentiality]"),
		.core_pmu = has_core_pmu(),
		.virtual = file_says("/proc/cpuinfo", " hypervisor") || exists("/sys/hypervisor/type") ||
			   exists("/proc/device-tree/hypervisor"),
		.kptr_restrict = (int)sys_number("/proc/sys/kernel/kptr_restrict", 0),
		.bpf_disabled = (int)sys_number("/proc/sys/kernel/unprivileged_bpf_disabled", 2),
		.mlock_kb = mlock_limit_kb(),
		.cpus = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L),
		.nofile = nofile.rlim_cur,
		.nofile_max = nofile.rlim_max,
		.memlock = memlock.rlim_cur,
	};
}
