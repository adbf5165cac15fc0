#include <stdarg.h>
#include <stdlib.h>

#include "base/file.h"
#include "events/events_priv.h"

char *sys_path(const char *fmt, ...)
{
	char *path = NULL, *whole;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&path, fmt, ap) < 0)
		path = xstrdup("");
	va_end(ap);
	whole = xasprintf("%s%s", sys_root(), path);
	free(path);
	return whole;
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

int paranoid_level(void)
{
	return (int)sys_number("/proc/sys/kernel/perf_event_paranoid", 2);
}

uint64_t max_sample_rate(void)
{
	return (uint64_t)sys_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
}

uint64_t mlock_limit_kb(void)
{
	return (uint64_t)sys_number("/proc/sys/kernel/perf_event_mlock_kb", 516);
}

bool event_privileged(void)
{
	autofree char *path = sys_path("/proc/self/status");
	autofree char *text = file_read(path, 1 << 16, NULL, NULL);
	const char *line = text ? strstr(text, "\nCapEff:") : NULL;
	uint64_t caps = line ? strtoull(line + 8, NULL, 16) : 0;

	return caps >> 38 & 1 || caps >> 21 & 1;	/* CAP_PERFMON, CAP_SYS_ADMIN: linux/capability.h */
}
