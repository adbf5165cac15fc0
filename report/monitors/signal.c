/* Signals that are sent: the line's own task sends, the text names who gets it. */
#include "report/monitors/monitor.h"

/* The seed's filter is a pattern for the name of who gets it; anything else is the kernel's own. */
static int events(struct monitor_run *run, struct err *e)
{
	const char *filter = run->opts->filter;
	bool is_pattern = filter && !strpbrk(filter, "=<>&|~\"");
	autofree char *own = is_pattern ? xasprintf("comm~\"%s\"", filter) : NULL;

	return monitor_want(run, &(struct trace_want){ "signal:signal_generate" }, own ? own : filter, e);
}

const struct monitor monitor_signal = { .events = events, .sample = monitor_line, .ring_pages = 2 };
