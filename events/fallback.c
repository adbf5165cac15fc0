/*
 * Replace events that the kernel refused. Rename them as perf does: the stored name must say what
 * was measured.
 */
#include <errno.h>

#include "events/events_priv.h"

void open_note(struct event_list *l, struct open_notes *notes, const char *fmt, ...)
{
	autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	/* Add a note once, not for every event. */
	for (size_t i = 0; notes && i < notes->texts.len; i++)
		if (!strcmp(notes->texts.items[i], text))
			notes = NULL;
	if (notes)
		vec_push(&notes->texts, arena_strdup(&l->arena, text));
}

/* Add a modifier: "cycles" -> "cycles:u", "cpu/cycles/P" -> "cpu/cycles/Pu". */
static void add_modifier(struct event_list *l, struct event *event, const char *letter)
{
	event->name = arena_printf(&l->arena, "%s%s%s", event->name, strpbrk(event->name, "/:") ? "" : ":", letter);
	event->modifiers = arena_printf(&l->arena, "%s%s", event->modifiers, letter);
}

static bool is_cycles(const struct event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE && (uint32_t)event->attr.config == PERF_COUNT_HW_CPU_CYCLES;
}

static void cycles_to_clock(struct event_list *l, struct event *event, const struct target *t)
{
	const char *clock = t->is_task ? "task-clock" : "cpu-clock";
	const char *modifiers = event->modifiers;

	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = t->is_task ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
	/*
	 * If we chose the name or resolved "P", show the attr's modifiers; otherwise keep what the
	 * user typed.
	 */
	if (event->is_default || event->precise_max)
		modifiers = arena_printf(&l->arena, "%s%.*s", event->attr.exclude_kernel ? "u" : "",
					 (int)event->attr.precise_ip, "ppp");
	event->name = arena_printf(&l->arena, "%s%s%s", clock, *modifiers ? ":" : "", modifiers);
	event->modifiers = modifiers;
	event->pmu = NULL;
	cpuset_free(&event->cpus);
}

bool fallback_apply(struct event_list *l, struct event *event, const struct target *t, int sys, bool counting,
		    struct open_notes *notes)
{
	struct perf_event_attr *attr = &event->attr;

	/*
	 * Level 2 allows users their own processes in user space. The meaning of higher levels
	 * depends on the distribution: try :u.
	 */
	if (sys == EACCES && t->is_task && !event_is_kernel_breakpoint(attr) && !attr->exclude_kernel &&
	    !attr->exclude_user && attr->type != PERF_TYPE_TRACEPOINT && paranoid_level() >= 2) {
		attr->exclude_kernel = attr->exclude_hv = 1;
		add_modifier(l, event, "u");
		open_note(l, notes, "kernel.perf_event_paranoid is %d: only user space is measured (:u)",
			  paranoid_level());
		return true;
	}
	/*
	 * A clock cannot record branches, so do not replace an event that should: the error names
	 * what the user asked for.
	 */
	if (!counting && (sys == ENOENT || sys == ENODEV || sys == ENXIO || sys == EOPNOTSUPP) && is_cycles(event) &&
	    !(attr->sample_type & PERF_SAMPLE_BRANCH_STACK)) {
		cycles_to_clock(l, event, t);
		open_note(l, notes, "no hardware counter for cycles here: sampling by %s instead",
			  t->is_task ? "task-clock" : "cpu-clock");
		return true;
	}
	if (sys == EOPNOTSUPP && attr->precise_ip && !attr->exclude_guest && !attr->exclude_host) {
		attr->exclude_guest = 1;
		add_modifier(l, event, "H");
		open_note(l, notes, "precise events count the host only here (:H)");
		return true;
	}
	return false;
}
