/*
 * Events that stand in for those the kernel refused. The name follows perf: what is stored must say what was measured.
 */
#include <errno.h>

#include "events/events_priv.h"

void open_note(struct event_list *l, struct open_notes *notes, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup("");
	va_end(ap);
	/* Said once, however many events it befalls. */
	for (size_t i = 0; notes && i < notes->texts.len; i++)
		if (!strcmp(notes->texts.items[i], text))
			notes = NULL;
	if (notes)
		vec_push(&notes->texts, arena_strdup(&l->arena, text));
	free(text);
}

/* "cycles" -> "cycles:u", "cpu/cycles/P" -> "cpu/cycles/Pu". */
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
	/* Where we named it, or took "P" as we could, the name tells the attr; else what the user typed is kept. */
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

	/* Level 2 leaves users their own processes in user space; what higher ones mean is the distribution's: :u is
	 * tried. */
	if (sys == EACCES && t->is_task && !event_is_kernel_breakpoint(attr) && !attr->exclude_kernel &&
	    !attr->exclude_user && attr->type != PERF_TYPE_TRACEPOINT && paranoid_level() >= 2) {
		attr->exclude_kernel = attr->exclude_hv = 1;
		add_modifier(l, event, "u");
		open_note(l, notes, "kernel.perf_event_paranoid is %d: only user space is measured (:u)",
			  paranoid_level());
		return true;
	}
	/* What cannot record branches is no help to who wants them: the error names what was asked for. */
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
