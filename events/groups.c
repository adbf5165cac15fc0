/*
 * Make groups that the kernel can schedule. Counters of different PMUs cannot be in one group. So
 * if names in a group mean events of several PMUs (both kinds of cores, all instances of a memory
 * controller), make one group per PMU. Software events can join any group. Source:
 * perf_event_open(2), "group_fd"; perf-list(1), modifier X.
 */
#include "events/events_priv.h"

/* Return true for events that the kernel schedules as software: they use no counter. */
static bool goes_anywhere(const struct event *event)
{
	static const char *const software[] = { "msr", "kprobe", "uprobe" };

	for (size_t i = 0; event->pmu && i < ARRAY_SIZE(software); i++)
		if (!strcmp(event->pmu, software[i]))
			return true;
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT ||
	       event->attr.type == PERF_TYPE_BREAKPOINT;
}

/*
 * Return the type of the PMU that counts the event. All generic events share one number if there is
 * one kind of core.
 */
static uint64_t pmu_of(const struct event *event)
{
	bool generic = event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE;
	uint64_t extended = generic ? event->attr.config >> PERF_PMU_TYPE_SHIFT : 0;

	return extended ? extended : generic ? PERF_TYPE_RAW : event->attr.type;
}

/* Assign each event to a part of the group. Return the number of parts. */
static size_t divide(const struct event *events, size_t n, uint32_t *part)
{
	VEC(uint64_t) pmus = { 0 };
	uint32_t last = 0;
	size_t n_parts;

	for (size_t i = 0; i < n; i++) {
		size_t p = 0;

		if (goes_anywhere(&events[i])) {
			part[i] = last;
			continue;
		}
		while (p < pmus.len && pmus.items[p] != pmu_of(&events[i]))
			p++;
		if (p == pmus.len)
			vec_push(&pmus, pmu_of(&events[i]));
		part[i] = last = (uint32_t)p;
	}
	n_parts = MAX(pmus.len, (size_t)1);
	vec_free(&pmus);
	return n_parts;
}

void groups_form(struct event_list *l, size_t first)
{
	size_t n = l->events.len - first, at = first, n_parts = 1;
	autofree uint32_t *part = xcalloc(n + 1, sizeof(*part));
	autofree struct event *old = xcalloc(n + 1, sizeof(*old));
	bool keep = event_is_aux(&l->events.items[first]);

	memcpy(old, &l->events.items[first], n * sizeof(*old));
	for (size_t i = 0; i < n; i++)
		keep |= old[i].no_regroup;
	if (!keep)
		n_parts = divide(old, n, part);
	for (uint32_t p = 0; p < n_parts; p++) {
		size_t leader = at;

		for (size_t i = 0; i < n; i++) {
			if (part[i] != p)
				continue;
			l->events.items[at] = old[i];
			l->events.items[at].leader = (uint32_t)leader;
			l->events.items[at++].n_members = 0;
		}
		l->events.items[leader].n_members = (uint32_t)(at - leader);
	}
}
