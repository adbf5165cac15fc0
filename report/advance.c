#include "report/advance.h"

bool advance_needed(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_READ)
			return true;
	return false;
}

uint64_t advance_of(struct advance *a, const struct file_event *event, uint64_t id, uint32_t tid, uint64_t value)
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

void advance_release(struct advance *a)
{
	u64map_free(&a->ids);
	vec_free(&a->values);
}
