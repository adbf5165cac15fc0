/* Print what -vv shows about opened events. */
#include "base/out.h"
#include "events/events.h"

void event_tell_descriptors(const struct event_list *l, const struct event *event, const struct target *t,
			    struct out *o)
{
	const struct event *leader = &l->events.items[event->leader];
	bool all_tasks = !t->is_task || event->system_wide;

	for (size_t c = 0; c < event->n_cpus; c++)
		for (size_t i = 0; i < event->n_threads; i++) {
			int fd = event_fd(event, c, i);

			if (fd >= 0)
				out_fmt(o, "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags 0x8 = %d\n",
					all_tasks ? -1 : t->threads.items[i], event->open_cpus[c],
					leader == event ? -1 : event_fd(leader, c, i), fd);
		}
}
