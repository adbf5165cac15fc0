/* Find the descendants of processes. */
#include "record/proc/synthesize_priv.h"

static struct synth_process *parent_of(struct synth_processes *all, const struct u64map *places,
				       const struct synth_process *p)
{
	const uint32_t *place = u64map_find(places, (uint64_t)p->ppid);

	return place ? &all->items[*place] : NULL;
}

/*
 * Walk up from each process to the first that is wanted or visited, then pass its answer down the same way: each
 * process is walked over once. We read the parents one after the other, and a number may be given again meanwhile, so
 * parents may form a circle: the walk ends where it began.
 */
void synth_want_descendants(struct synth_processes *all)
{
	struct u64map places = { 0 };

	for (size_t i = 0; i < all->len; i++)
		*u64map_put(&places, (uint64_t)all->items[i].pid, NULL) = (uint32_t)i;
	for (size_t i = 0; i < all->len; i++) {
		struct synth_process *from = &all->items[i], *to = from;

		for (; to && !to->wanted && !to->visited; to = parent_of(all, &places, to))
			to->visited = true;
		if (to && to->wanted)
			for (; from != to; from = parent_of(all, &places, from))
				from->wanted = true;
	}
	u64map_free(&places);
}
