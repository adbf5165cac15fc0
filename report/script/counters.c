/*
 * Compute how much counters advanced between samples that read them: each sample is printed once per counter, with this
 * as its period. It depends on the order of delivery, so we compute it for a whole window of records before printing
 * any of them.
 */
#include "report/script/print_priv.h"

struct print_counters {
	/* The last value of each counter; if threads are counted separately, of each counter and thread. */
	struct u64map index;
	VEC(uint64_t) values;
	/* For the window: periods[from[place] ..] are the advances of a record's values. */
	VEC(uint32_t) from;
	VEC(uint64_t) periods;
};

static uint64_t advance(struct print_counters *c, const struct attr *a, uint64_t id, uint32_t tid, uint64_t value)
{
	bool is_new;
	uint32_t *at = u64map_put(&c->index, a->flags & ATTR_INHERIT ? hash_mix(id, tid) : id, &is_new);
	uint64_t before;

	if (is_new) {
		*at = (uint32_t)c->values.len;
		vec_push(&c->values, 0);
	}
	before = c->values.items[*at];
	c->values.items[*at] = value;
	return value - before;
}

static void count_sample(const struct perfdata *pd, struct print_counters *c, const struct sample *s)
{
	for (uint64_t i = 0; i < s->read.n; i++) {
		uint64_t value, id, lost;
		int event;

		sample_read_value(s, i, &value, &id, &lost);
		event = id ? perfdata_event_by_id(pd, id) : (int)s->event;
		vec_push(&c->periods, event < 0 ? 0 : advance(c, &pd->events[event].attr, id, s->tid, value));
	}
}

void print_counters_init(struct printer *p)
{
	const struct perfdata *pd = p->session->pd;
	bool needed = false;

	print_counters_free(p);
	for (size_t i = 0; i < pd->n_events; i++)
		needed |= pd->events[i].attr.sample_type & SAMPLE_READ;
	if (needed)
		p->counters = xcalloc(1, sizeof(*p->counters));
}

void print_counters_read(struct printer *p)
{
	const struct perfdata *pd = p->session->pd;
	struct print_counters *c = p->counters;
	struct record r;
	struct sample sample;

	if (!c)
		return;
	vec_clear(&c->from);
	vec_clear(&c->periods);
	for (size_t i = 0; i < p->n_window; i++) {
		int event;

		vec_push(&c->from, (uint32_t)c->periods.len);
		if (!place_open(&p->workers[0].reader, p->session, p->window[i].pos, &r) || r.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(pd, &r);
		if (event >= 0 && pd->events[event].attr.sample_type & SAMPLE_READ &&
		    !sample_decode(pd, &r, (uint32_t)event, &sample, NULL))
			count_sample(pd, c, &sample);
	}
}

uint64_t print_counters_advance(const struct printer *p, size_t place, size_t value)
{
	return p->counters->periods.items[p->counters->from.items[place] + value];
}

void print_counters_free(struct printer *p)
{
	if (!p->counters)
		return;
	u64map_free(&p->counters->index);
	vec_free(&p->counters->values);
	vec_free(&p->counters->from);
	vec_free(&p->counters->periods);
	free(p->counters);
	p->counters = NULL;
}
