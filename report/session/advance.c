#include "report/session/advance.h"

bool advance_needed(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_READ)
			return true;
	return false;
}

static uint64_t advance_of(struct advance *a, const struct file_event *event, uint64_t id, uint32_t tid, uint64_t value)
{
	bool is_new;
	uint32_t *at = u64map_put(&a->ids, event->attr.flags & ATTR_INHERIT ? hash_mix(id, tid) : id, &is_new);
	uint64_t before;

	if (is_new) {
		*at = (uint32_t)a->values.len;
		vec_push(&a->values, 0);
	}
	before = a->values.items[*at];
	a->values.items[*at] = value;
	return value - before;
}

bool advance_next(struct advance *a, const struct perfdata *pd, const struct sample *s, uint32_t own, uint64_t *i,
		  uint32_t *event, uint64_t *by, uint64_t *unknown_ids)
{
	while (*i < s->read.n) {
		uint64_t value, id, lost;
		int known;

		sample_read_value(s, (*i)++, &value, &id, &lost);
		known = id ? perfdata_event_by_id(pd, id) : (int)own;
		*unknown_ids += known < 0;
		*by = known < 0 ? 0 : advance_of(a, &pd->events[known], id, s->tid, value);
		*event = (uint32_t)known;
		if (*by)
			return true;
	}
	return false;
}

void advance_release(struct advance *a)
{
	u64map_free(&a->ids);
	vec_free(&a->values);
}
