#include "report/session/parallelism.h"

#include "base/hash.h"
#include "base/search.h"

/* Whether the thread runs from this time on. */
struct running_event {
	uint64_t time, pos;
	uint32_t tid;
	bool runs;
};

/* How many threads run from this time on. */
struct running_count {
	uint64_t time;
	uint32_t n;
};

void parallelism_see(struct parallelism *p, const struct perfdata *pd, const struct record *r, uint64_t time,
		     uint64_t pos)
{
	struct running_event e = { .time = time, .pos = pos };
	struct record_task task;
	struct record_comm comm;
	struct trailer who;

	switch (r->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		p->whole_cpus |= r->type == RECORD_SWITCH_CPU_WIDE;
		if (!record_trailer(pd, r, &who))
			return;
		e.tid = who.tid;
		e.runs = !(r->misc & MISC_SWITCH_OUT);
		break;
	case RECORD_EXIT:
		if (record_task(r, &task) < 0)
			return;
		e.tid = (uint32_t)task.tid;
		break;
	case RECORD_COMM:
		if (record_comm(pd, r, &comm) < 0 || !comm.exec)
			return;
		e.tid = (uint32_t)comm.tid;
		e.runs = true;
		break;
	default: return;
	}
	if (e.tid && e.tid != UINT32_MAX)
		vec_push(&p->events, e);
}

static int event_compare(const void *a, const void *b)
{
	const struct running_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->pos > y->pos) - (x->pos < y->pos);
}

void parallelism_count(struct parallelism *p, const struct perfdata *pd)
{
	struct u64map runs = { 0 }; /* tid -> 1 while the thread runs */
	uint32_t n = 0;

	if (!parallelism_known(pd))
		vec_clear(&p->events);
	p->most = pd->features.cpus_available;
	if (p->events.len)
		qsort(p->events.items, p->events.len, sizeof(*p->events.items), event_compare);
	for (size_t i = 0; i < p->events.len; i++) {
		const struct running_event *e = &p->events.items[i];
		uint32_t *now = u64map_put(&runs, e->tid, NULL);

		if (*now == e->runs)
			continue;
		*now = e->runs;
		n += e->runs ? 1 : -1u;
		if (p->counts.len && p->counts.items[p->counts.len - 1].time == e->time)
			p->counts.items[p->counts.len - 1].n = n;
		else
			vec_push(&p->counts, (struct running_count){ .time = e->time, .n = n });
	}
	u64map_free(&runs);
	vec_free(&p->events);
}

void parallelism_free(struct parallelism *p)
{
	vec_free(&p->events);
	vec_free(&p->counts);
}

uint32_t parallelism_at(const struct parallelism *p, uint64_t time, size_t *hint)
{
	const struct running_count *c = p->counts.items;
	size_t n_counts = p->counts.len, at = *hint, low;
	uint32_t n;

	if (at < n_counts && c[at].time <= time && (at + 1 == n_counts || time < c[at + 1].time)) {
		n = c[at].n;
	} else {
		low = search_count(i, n_counts, c[i].time <= time);
		*hint = low ? low - 1 : 0;
		n = low ? c[low - 1].n : 0;
	}
	n = p->most ? MIN(n, p->most) : n;
	return MAX(n, 1u);
}

bool parallelism_known(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.flags & ATTR_CONTEXT_SWITCH)
			return true;
	return false;
}
