/*
 * Print for -v and -vv what the recording will do: sizes and counts, then each attr and
 * descriptor, in perf's form.
 */
#include "base/out.h"
#include "format/attr.h"
#include "record/attr/attr_config.h"
#include "record/attr/aux_kind.h"
#include "record/session/recorder_priv.h"

static void tell_event(const struct recorder *r, const struct event *event, struct out *o)
{
	struct attr attr;

	attr_of_event(&attr, event);
	attr_print_lines(&attr, event->system ? event->name : NULL, o);
	event_tell_descriptors(&r->events, event, &r->target, o);
}

static void tell_rings(const struct recorder *r, struct out *o)
{
	for (size_t i = 0; i < r->rings.rings.len; i++) {
		const struct ring *ring = &r->rings.rings.items[i];

		out_fmt(o, "ring[%zu]: cpu %d, tid %d, event_fd=%d%s\n", i, ring->cpu, ring->tid, ring->fd,
			ring->backward ? ", backward" : "");
	}
}

void recorder_talk(const struct recorder *r)
{
	const struct record_opts *ro = &r->o;
	size_t n_fds = r->rings.ids.len, page = (size_t)sysconf(_SC_PAGESIZE);
	struct out o;

	if (!tells(&ro->tell, 1))
		return;
	out_init_mem(&o);
	out_fmt(&o, "mmap flush: %llu\ncomp level: %d\n", (unsigned long long)ro->flush_bytes, ro->zstd_level);
	if (r->target.is_task)
		out_fmt(&o, "target: %zu threads\n", r->target.threads.len);
	else
		out_fmt(&o, "target: all tasks of %zu CPUs\n", r->target.cpu_list.len);
	for (size_t i = 0; i < r->events.events.len && tells(&ro->tell, 2); i++)
		tell_event(r, &r->events.events.items[i], &o);
	if (r->aux.plan.mode != AUX_OFF)
		out_fmt(&o, "AUX area mmap length %llu\n", (unsigned long long)(r->aux.plan.pages * page));
	if (r->aux.plan.mode == AUX_SNAPSHOT)
		out_fmt(&o, "%s snapshot size: %llu\n", r->aux.plan.kind->title,
			(unsigned long long)r->aux.plan.snapshot_bytes);
	out_fmt(&o, "mmap size %lluB\n", (unsigned long long)(r->rings.pages + 1) * page);
	out_fmt(&o, "%zu events, %zu descriptors, %zu rings\n", r->events.events.len, n_fds, r->rings.rings.len);
	if (tells(&ro->tell, 2))
		tell_rings(r, &o);
	if (r->control.fd < 0)
		out_str(&o, "Control descriptor is not initialized\n");
	tell_more(&ro->tell, 1, "%.*s", (int)o.len - 1, o.buf);
	out_release(&o);
}
