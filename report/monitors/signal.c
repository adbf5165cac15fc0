/* Print signals. The task of a line is the sender; the text names the receiver. */
#include "report/monitors/monitor.h"

/* Want signals. A filter without operators is a pattern for the receiver's name; the kernel checks any other filter. */
static int events(struct monitor_run *run, struct err *e)
{
	const char *filter = run->opts->filter;
	bool is_pattern = filter && !strpbrk(filter, "=<>&|~\"");
	autofree char *own = is_pattern ? xasprintf("comm~\"%s\"", filter) : NULL;

	return monitor_want(run, &(struct trace_want){ "signal:signal_generate" }, own ? own : filter, e);
}

const struct monitor monitor_signal = { .events = events, .sample = monitor_line, .ring_pages = 2 };
