/* Print any tracepoints, one line for each event. */
#include "report/monitors/monitor.h"

static int events(struct monitor_run *run, struct err *e)
{
	if (!run->opts->events.len && !run->opts->input) {
		err_set(e, "there is no event to watch");
		err_try(e, "-e GROUP:NAME, as 'list tracepoint' shows them");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = 0; i < run->opts->events.len; i++)
		if (monitor_want_listed(run, run->opts->events.items[i], run->opts->filter, e) < 0)
			return -1;
	return 0;
}

const struct monitor monitor_trace = { .events = events, .sample = monitor_line, .ring_pages = 64 };
