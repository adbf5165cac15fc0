/*
 * Handle words that make events on several PMUs: devices of a kind, kinds of cores. Source:
 * perf-stat(1), --no-merge, --hybrid-merge.
 */
#include "stat/stat_priv.h"

static const struct pmu *find(const struct pmu_list *l, const char *name)
{
	for (size_t i = 0; i < l->pmus.len; i++)
		if (!strcmp(l->pmus.items[i].name, name))
			return &l->pmus.items[i];
	return NULL;
}

static bool has_core(const struct pmu_list *pmus)
{
	for (size_t i = 0; i < pmus->pmus.len; i++)
		if (pmus->pmus.items[i].is_core)
			return true;
	return false;
}

/*
 * Choose the PMU of a kind of cores, by the kind or by the PMU's name. "cpu" is valid on a machine
 * with one kind of cores; if it has no counters, the events count as not supported.
 */
static int choose_core(struct counting *s, const struct pmu_list *pmus, struct err *e)
{
	const struct pmu *pmu = pmu_list_cores(pmus, s->o->cpu_type);

	if (pmu || (!has_core(pmus) && !strcmp(s->o->cpu_type, "cpu"))) {
		s->events.only_pmu = pmu ? arena_strdup(&s->arena, pmu->name) : "cpu";
		return 0;
	}
	err_set(e, "--cputype %s is not supported!", s->o->cpu_type);
	err_why(e, "this machine has no PMU 'cpu_%s'", s->o->cpu_type);
	err_try(e, "without --cputype, which is for machines with several kinds of cores");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int choose_device(struct counting *s, const struct pmu_list *pmus, struct err *e)
{
	s->events.only_pmu = s->o->pmu_filter;
	if (find(pmus, s->o->pmu_filter))
		return 0;
	err_set(e, "--pmu-filter: there is no PMU '%s'", s->o->pmu_filter);
	err_try(e, "one of those that ls /sys/bus/event_source/devices shows");
	return err_exit(e, EXIT_BAD_USAGE);
}

int choose_pmu(struct counting *s, struct err *e)
{
	const struct stat_opts *o = s->o;
	struct pmu_list pmus = { 0 };
	int result = 0;

	if (!o->cpu_type && !o->pmu_filter)
		return 0;
	if (o->cpu_type && o->pmu_filter) {
		err_set(e, "cannot use both --cputype and --pmu-filter");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	pmu_list_read(&pmus);
	result = o->cpu_type ? choose_core(s, &pmus, e) : choose_device(s, &pmus, e);
	pmu_list_release(&pmus);
	return result;
}

/*
 * Events printed as one line get the word as their name; the others get names of their own, formed
 * as in perf.
 */
void name_devices(struct counting *s)
{
	const struct table_opts *o = &s->o->table;
	struct pmu_list pmus = { 0 };

	for (size_t i = 0; i < s->events.events.len; i++) {
		struct event *event = &s->events.events.items[i];
		const struct pmu *pmu;
		bool is_core;

		if (!event->shared_name)
			continue;
		if (!pmus.pmus.len)
			pmu_list_read(&pmus);
		pmu = find(&pmus, event->pmu);
		is_core = pmu && pmu->is_core;
		if (!o->no_merge && (!is_core || o->hybrid_merge))
			event->name = event->shared_name;
		else if (!is_core && !strchr(event->shared_name, '/'))
			event->name = arena_printf(&s->events.arena, "%s [%s]", event->shared_name, event->pmu);
	}
	pmu_list_release(&pmus);
}

static bool same_cpus(const struct cpuset *a, const struct cpuset *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->items, b->items, a->len * sizeof(*a->items)));
}

void part_groups(struct counting *s)
{
	struct event_list *l = &s->events;

	for (uint32_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i], *leader = &l->events.items[event->leader];

		if (event->leader == i || same_cpus(&event->cpus, &leader->cpus))
			continue;
		tell(&s->o->tell, "WARNING: grouped events cpus do not match: '%s' leaves the group of '%s'",
		     event->name, leader->name);
		leader->n_members--;
		event->leader = i;
		event->n_members = 1;
	}
}
