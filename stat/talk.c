/* Print for -vv each attr and descriptor of opened counters, in perf's form. */
#include "base/out.h"
#include "format/attr.h"
#include "stat/stat_priv.h"

static void tell_attr(const struct event *event, struct out *o)
{
	struct attr attr;

	attr_of_kernel(&attr, &event->attr);
	attr.config3 = event->config3;
	attr.config4 = event->config4;
	attr_print_lines(&attr, event->system ? event->name : NULL, o);
}

void counting_talk(const struct counting *s)
{
	struct out o;

	if (!tells(&s->o->tell, 2))
		return;
	out_init_mem(&o);
	for (size_t i = 0; i < s->events.events.len; i++) {
		tell_attr(&s->events.events.items[i], &o);
		event_tell_descriptors(&s->events, &s->events.events.items[i], &s->target, &o);
	}
	if (o.len)
		tell_more(&s->o->tell, 2, "%.*s", (int)o.len - 1, o.buf);
	out_release(&o);
}
