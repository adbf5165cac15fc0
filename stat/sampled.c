#include "stat/sampled.h"

#include "stat/derived_priv.h"
#include "stat/recorded_priv.h"

struct sampled {
	const struct perfdata *pd;
	VEC(uint32_t) events; /* the group for which the table was made */
	struct measured *measured;
	struct count *counts, *zeros;
	struct table table;
	struct topology topology; /* empty */
};

struct sampled *sampled_new(const struct perfdata *pd)
{
	struct sampled *s = xcalloc(1, sizeof(*s));

	s->pd = pd;
	return s;
}

static void forget_group(struct sampled *s)
{
	table_release(&s->table);
	s->table = (struct table){ 0 };
	free(s->measured);
	free(s->counts);
	free(s->zeros);
	vec_clear(&s->events);
}

void sampled_free(struct sampled *s)
{
	if (!s)
		return;
	forget_group(s);
	vec_free(&s->events);
	free(s);
}

static bool is_group(const struct sampled *s, const struct sampled_count *counts, size_t n)
{
	bool same = s->events.len == n;

	for (size_t i = 0; same && i < n; i++)
		same = s->events.items[i] == counts[i].event;
	return same;
}

/* Store one reading per event, all at one place. */
static void take_group(struct sampled *s, const struct sampled_count *counts, size_t n)
{
	static const int any_cpu = -1;

	forget_group(s);
	s->measured = xcalloc(n, sizeof(*s->measured));
	s->counts = xcalloc(n, sizeof(*s->counts));
	s->zeros = xcalloc(n, sizeof(*s->zeros));
	for (size_t i = 0; i < n; i++) {
		struct measured *m = &s->measured[i];

		vec_push(&s->events, counts[i].event);
		*m = recorded_event(s->pd, &s->pd->events[counts[i].event]);
		m->supported = true;
		m->n_cpus = m->n_threads = 1;
		m->cpus = &any_cpu;
		m->now = &s->counts[i];
		m->before = &s->zeros[i];
	}
	table_layout(&s->table, s->measured, n, &s->topology,
		     &(struct table_opts){ .per = PER_ALL, .no_scale = true, .no_merge = true });
}

void sampled_metrics(struct sampled *s, const struct sampled_count *counts, size_t n, struct out *o)
{
	if (!is_group(s, counts, n))
		take_group(s, counts, n);
	for (size_t i = 0; i < n; i++)
		s->counts[i] = (struct count){ .value = counts[i].value, .enabled = 1, .running = 1 };
	table_clear(&s->table);
	table_add(&s->table, 0, true); /* the elapsed time is unknown, so there is no "CPUs utilized" */
	for (size_t i = 0; i < s->table.counters.len; i++) {
		struct derived d[DERIVED_MAX];
		size_t n_derived = derived_find(&s->table, i, 0, d);

		for (size_t k = 0; k < n_derived; k++) {
			out_fmt(o, d[k].format, d[k].value);
			out_char(o, ' ');
			out_str(o, d[k].unit);
			out_char(o, '\n');
		}
	}
}
