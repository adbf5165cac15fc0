#include "report/session/parallelism.h"

#include "base/hash.h"
#include "base/search.h"
#include "report/session/order_priv.h"

/* How many threads run from this time on. */
struct running_count {
	uint64_t time;
	uint32_t n;
};

/*
 * From a time on, a thread runs or not: as the pos of a place, so that order_sort() keeps events of the same time in
 * the order of the input.
 */
static uint64_t event_of(uint64_t number, uint32_t tid, bool runs) { return number << 33 | (uint64_t)tid << 1 | runs; }

void parallelism_see(struct parallelism *p, const struct perfdata *pd, const struct record *r, uint64_t time)
{
	bool runs = false;
	uint32_t tid = 0;
	struct record_task task;
	struct record_comm comm;
	struct trailer who;

	switch (r->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		p->whole_cpus |= r->type == RECORD_SWITCH_CPU_WIDE;
		if (!record_trailer(pd, r, &who))
			return;
		tid = who.tid;
		runs = !(r->misc & MISC_SWITCH_OUT);
		break;
	case RECORD_EXIT:
		if (record_task(r, &task) < 0)
			return;
		tid = (uint32_t)task.tid;
		break;
	case RECORD_COMM:
		if (record_comm(pd, r, &comm) < 0 || !comm.exec)
			return;
		tid = (uint32_t)comm.tid;
		runs = true;
		break;
	default: return;
	}
	if (tid && tid != UINT32_MAX)
		vec_push(&p->events, (struct session_place){ time, event_of(p->events.len, tid, runs) });
}

void parallelism_count(struct parallelism *p, const struct perfdata *pd)
{
	struct u64map runs = { 0 }; /* tid -> 1 while the thread runs */
	uint32_t n = 0;

	if (!parallelism_known(pd))
		vec_clear(&p->events);
	p->most = pd->features.cpus_available;
	order_sort(p->events.items, p->events.len);
	for (size_t i = 0; i < p->events.len; i++) {
		const struct session_place *e = &p->events.items[i];
		uint32_t *now = u64map_put(&runs, (uint32_t)(e->pos >> 1), NULL);

		if (*now == (e->pos & 1))
			continue;
		*now = e->pos & 1;
		n += *now ? 1 : -1u;
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
