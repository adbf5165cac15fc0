#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "events/events_priv.h"

int sys_perf_event_open(const void *attr, int32_t pid, int cpu, int group_fd, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

const char *sys_root(void) { return ""; }
