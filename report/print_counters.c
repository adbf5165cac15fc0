/*
 * Samples that carry the values of counters: each stands for one sample per counter, whose period is how far the counter got since the last
 * one. That depends on the order of delivery, so it is found out before anything is printed.
 */
#include "report/print_priv.h"

/* Values as last seen, by counter; by counter and thread where threads count apart. */
struct counters { struct u64map index; VEC(uint64_t) values; };

static uint64_t advance(struct counters *c, const struct attr *a, uint64_t id, uint32_t tid, uint64_t value)
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

static void count_sample(struct printer *p, struct counters *c, const struct sample *s)
{
	const struct perfdata *pd = p->session->pd;

	for (uint64_t i = 0; i < s->read.n; i++) {
		uint64_t value, id, lost;
		int event;

		sample_read_value(s, i, &value, &id, &lost);
		event = id ? perfdata_event_by_id(pd, id) : (int)s->event;
		vec_push(&p->periods, event < 0 ? 0 : advance(c, &pd->events[event].attr, id, s->tid, value));
	}
}

void print_counters_init(struct printer *p)
{
	const struct session *s = p->session;
	struct counters c = { 0 };
	bool needed = false;
	struct record r;
	struct sample sample;

	for (size_t i = 0; i < s->pd->n_events; i++)
		needed |= s->pd->events[i].attr.sample_type & SAMPLE_READ;
	if (!needed)
		return;
	p->period_from = xcalloc(p->n_order + 1, sizeof(*p->period_from));
	for (size_t i = 0; i < p->n_order; i++) {
		int event;

		p->period_from[i] = (uint32_t)p->periods.len;
		if (!print_open_record(p, &p->workers[0], p->order[i].pos, &r) || r.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(s->pd, &r);
		if (event >= 0 && s->pd->events[event].attr.sample_type & SAMPLE_READ && !sample_decode(s->pd, &r, (uint32_t)event, &sample, NULL))
			count_sample(p, &c, &sample);
	}
	u64map_free(&c.index);
	vec_free(&c.values);
}
