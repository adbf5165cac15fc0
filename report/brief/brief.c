/* Make a brief of a session, and compare two. */
#include "report/brief/brief_priv.h"

static bool is_tracepoint(const struct session *s, uint32_t event)
{
	return s->pd->events[event].attr.type == ATTR_TYPE_TRACEPOINT;
}

/* Return the event with the most samples. Use tracepoints only if there is nothing else: their samples are not time. */
static uint32_t main_event(const struct profile *p)
{
	const struct session *s = p->session;
	autofree uint64_t *samples = xcalloc(s->pd->n_events + 1, sizeof(*samples));
	uint32_t best = 0;

	for (unsigned k = 0; k < p->n_parts; k++)
		for (size_t i = 0; i < p->parts[k].entries.len; i++)
			samples[p->parts[k].entries.items[i].event] += p->parts[k].entries.items[i].samples;
	for (uint32_t i = 1; i < s->pd->n_events; i++) {
		bool better = samples[i] > samples[best];

		if (samples[i] && samples[best] && is_tracepoint(s, i) != is_tracepoint(s, best))
			better = is_tracepoint(s, best);
		if (better)
			best = i;
	}
	return best;
}

/* Count samples of the event by CPU mode; those of tracepoints would all be in the kernel. */
static void count_modes(struct brief *b)
{
	for (unsigned k = 0; k < b->profile->n_parts; k++)
		for (size_t i = 0; i < b->profile->parts[k].entries.len; i++) {
			const struct entry *x = &b->profile->parts[k].entries.items[i];
			unsigned mode = b->profile->sites.items[x->self].mode;

			if (x->event == b->event && mode < ARRAY_SIZE(b->modes))
				b->modes[mode] += x->samples;
		}
}

struct profile *brief_profile(const struct brief *b, const struct profile_filter *filter, bool again)
{
	struct profile *p = profile_new(b->session, again ? &b->again : &b->opts, filter);

	profile_decode(p);
	profile_name(p);
	return p;
}

struct brief *brief_new(struct session *s, const struct profile_filter *filter, const struct brief_waits *waits)
{
	struct brief *b = xcalloc(1, sizeof(*b));

	b->session = s;
	if (waits)
		b->waits = *waits;
	b->seconds = (double)(s->last_time - s->first_time) / 1e9;
	b->filter = filter;
	b->opts = (struct profile_opts){
		.kind = PROFILE_SAMPLES, .chains = true, .max_stack = 127, .want_names = true, .keep_places = true
	};
	b->again = b->opts;
	b->again.no_notes = b->again.no_quality = true;
	b->again.keep_places = false;
	b->profile = brief_profile(b, filter, false);
	b->event = main_event(b->profile);
	count_modes(b);
	brief_sum_functions(b);
	brief_sum_lines(b);
	brief_find_loops(b);
	brief_apply_rules(b);
	return b;
}

void brief_free(struct brief *b)
{
	if (!b)
		return;
	profile_free(b->profile);
	vec_free(&b->functions);
	vec_free(&b->lines);
	vec_free(&b->loops);
	vec_free(&b->changes);
	vec_free(&b->findings);
	free(b->of_site);
	free(b->by_self);
	free(b->by_total);
	arena_release(&b->arena);
	free(b);
}

/* ---- comparison ---- */

static double size_of(const struct brief_change *c)
{
	return c->after > c->before ? c->after - c->before : c->before - c->after;
}

static int larger_change(const void *a, const void *b)
{
	const struct brief_change *x = a, *y = b;

	if (size_of(x) != size_of(y))
		return size_of(x) > size_of(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Return the self share of all functions with this name. */
static double share_of_name(const struct brief *b, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->functions.len; i++)
		if (!strcmp(b->functions.items[i].name, name))
			sum += b->functions.items[i].self;
	return brief_share(b, sum);
}

static void add_changes(struct brief *b, const struct brief *from, const struct brief *old)
{
	enum { LOOKED_AT = 200 };

	for (size_t i = 0; i < MIN(from->functions.len, LOOKED_AT); i++) {
		const char *name = from->functions.items[from->by_self[i]].name;
		struct brief_change c = { name, share_of_name(old, name), share_of_name(b, name) };
		bool known = false;

		for (size_t k = 0; k < b->changes.len && !known; k++)
			known = !strcmp(b->changes.items[k].name, name);
		if (!known && size_of(&c) >= 1) {
			c.name = arena_strdup(&b->arena, name);
			vec_push(&b->changes, c);
		}
	}
}

void brief_compare(struct brief *b, const struct brief *old)
{
	add_changes(b, b, old);
	add_changes(b, old, old);
	if (b->changes.len)
		qsort(b->changes.items, b->changes.len, sizeof(*b->changes.items), larger_change);
	b->compared = true;
}
