#include "events/events_priv.h"

struct event *event_list_add(struct event_list *l)
{
	struct event *event = vec_add(&l->events, 1);

	event->attr.size = sizeof(event->attr);
	event->name = event->modifiers = "";
	event->leader = (uint32_t)(l->events.len - 1);
	event->n_members = 1;
	event->scale = 1;
	event->term_time = event->term_max_stack = event->term_stack_size = event->term_inherit = TERM_DEFAULT;
	event->term_overwrite = event->term_nr = event->term_aux_output = event->term_aux_sample_size = TERM_DEFAULT;
	return event;
}

void event_list_truncate(struct event_list *l, size_t from)
{
	for (size_t i = from; i < l->events.len; i++)
		cpuset_free(&l->events.items[i].cpus);
	l->events.len = from;
}

void event_list_release(struct event_list *l)
{
	event_list_close(l);
	event_list_truncate(l, 0);
	vec_free(&l->events);
	arena_release(&l->arena);
	l->n_cgroups = l->last_parsed = 0;
}

static void add_cycles(struct event_list *l, const struct pmu *pmu, bool extended_type)
{
	struct event *event = event_list_add(l);

	event->attr.type = PERF_TYPE_HARDWARE;
	event->attr.config = PERF_COUNT_HW_CPU_CYCLES;
	event->attr.precise_ip = 3;
	event->precise_max = event->is_default = true;
	event->modifiers = "P";
	if (!pmu) {
		event->name = "cycles:P";
		return;
	}
	if (extended_type)
		event->attr.config |= (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
	event->pmu = arena_strdup(&l->arena, pmu->name);
	event->name = arena_printf(&l->arena, "%s/cycles/P", pmu->name);
	if (extended_type)
		pmu_cpus(pmu, &event->cpus, NULL);
}

void event_list_add_default(struct event_list *l)
{
	struct pmu_list pmus = { 0 };
	size_t n_core = 0;

	pmu_list_read(&pmus);
	while (n_core < pmus.pmus.len && pmus.pmus.items[n_core].is_core)
		n_core++;
	for (size_t i = 0; i < n_core; i++)
		add_cycles(l, &pmus.pmus.items[i], n_core > 1);
	if (!n_core)
		add_cycles(l, NULL, false);
	pmu_list_release(&pmus);
}

uint32_t event_list_add_dummy(struct event_list *l)
{
	struct event *event = event_list_add(l);

	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.sample_period = 1;
	event->attr.exclude_kernel = event->attr.exclude_hv = event->attr.exclude_guest = 1;
	event->name = "dummy:u";
	event->modifiers = "u";
	event->is_dummy = event->user_modifiers = true;
	return event->leader;
}

/* Keep the order within the group and among the other events. */
void event_list_to_front(struct event_list *l, uint32_t index)
{
	autofree struct event *old = xcalloc(l->events.len + 1, sizeof(*old));
	autofree uint32_t *place = xcalloc(l->events.len + 1, sizeof(*place));
	uint32_t leader = l->events.items[index].leader, n = 0;

	memcpy(old, l->events.items, l->events.len * sizeof(*old));
	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < l->events.len; i++)
			if ((old[i].leader == leader) == first)
				place[i] = n++;
	for (size_t i = 0; i < l->events.len; i++) {
		l->events.items[place[i]] = old[i];
		l->events.items[place[i]].leader = place[old[i].leader];
	}
}

void event_add_filter(struct event_list *l, struct event *event, const char *filter)
{
	if (event->filter)
		event->filter = arena_printf(&l->arena, "(%s) && (%s)", event->filter, filter);
	else
		event->filter = arena_strdup(&l->arena, filter);
}

int event_list_filter(struct event_list *l, const char *filter, struct err *e)
{
	for (size_t i = l->last_parsed; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		if (event->system || (event->pmu && pmu_has_address_filters(event->pmu)))
			continue;
		err_set(e, "--filter option should follow a -e tracepoint or HW tracer option");
		err_why(e, "the kernel filters tracepoints by their fields; '%s' has none", event->name);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (l->last_parsed >= l->events.len) {
		err_set(e, "--filter option should follow a -e tracepoint or HW tracer option");
		err_why(e, "no event was given before '%s'", filter);
		err_try(e, "-e EVENT --filter '%s'", filter);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	for (size_t i = l->last_parsed; i < l->events.len; i++)
		event_add_filter(l, &l->events.items[i], filter);
	return 0;
}

void event_list_drop_failed(struct event_list *l)
{
	autofree uint32_t *place = xcalloc(l->events.len + 1, sizeof(*place));
	size_t n = 0;

	for (size_t i = 0; i < l->events.len; i++) {
		place[i] = (uint32_t)n;
		if (l->events.items[i].open_failed)
			cpuset_free(&l->events.items[i].cpus);
		else
			l->events.items[n++] = l->events.items[i];
	}
	l->events.len = n;
	/* Update the leaders' indices. An event that is left out leads only itself. */
	for (size_t i = 0; i < n; i++)
		l->events.items[i].leader = place[l->events.items[i].leader];
}
