/* Which functions are annotated. */
#include "cmd/annotate/annotate_priv.h"

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == len && !strncmp(p, name, len))
			return true;
	return false;
}

bool annotate_wants_dso(const struct annotate_run *r, uint32_t dso)
{
	struct symbols *s = r->session->symbols;

	return !r->o->dsos || is_listed(r->o->dsos, dso_name(s, dso)) || is_listed(r->o->dsos, dso_short_name(s, dso));
}

bool annotate_wants_name(struct annotate_run *r, uint32_t function)
{
	bool any = !r->n_names;

	for (size_t i = 0; i < r->n_names; i++)
		if (hot_is_named(r->hot, function, r->names[i]))
			any = r->found[i] = true;
	return any;
}

static bool is_wanted(struct annotate_run *r, uint32_t function, uint32_t event)
{
	const struct event_total *all = &r->hot->totals[event], *own = hot_sum(r->hot, function, event);

	if (!annotate_wants_dso(r, r->hot->functions.items[function].dso) || !annotate_wants_name(r, function))
		return false;
	return !all->period || 100.0 * (double)own->period / (double)all->period >= r->o->percent_limit;
}

uint32_t *annotate_list(struct annotate_run *r, uint32_t event, size_t *n)
{
	size_t n_all;
	uint32_t *order = hot_order(r->hot, event, &n_all);

	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (is_wanted(r, order[i], event))
			order[(*n)++] = order[i];
	return order;
}

char *annotate_event_names(const struct annotate_run *r, const uint32_t *events, size_t n)
{
	struct out name;

	out_init_mem(&name);
	header_print_event_names(r->session->pd, events, n, &name);
	out_text(&name);
	return name.buf;
}

size_t annotate_members(const struct annotate_run *r, uint32_t i, bool all_together, uint32_t *events)
{
	const struct perfdata *pd = r->session->pd;
	size_t n = 0, members = r->o->group == 0 ? 1 : !all_together ? pd->events[i].n_members : i ? 0 : pd->n_events;

	for (uint32_t k = i; k < i + members; k++)
		if (k == i || !r->o->skip_empty || r->hot->totals[k].samples)
			events[n++] = k;
	return n;
}
