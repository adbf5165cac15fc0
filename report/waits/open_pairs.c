#include "report/waits/open_pairs.h"

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return the time up to which to drop starts. This drops the oldest eighth at once, so it is seldom necessary. */
static uint64_t time_to_drop(const struct open_pairs *o)
{
	autofree uint64_t *times = xcalloc(o->n, sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; i < o->len; i++)
		if (o->items[i].open)
			times[n++] = o->items[i].time;
	qsort(times, n, sizeof(*times), by_time);
	return times[n / 8];
}

/* Rebuild the index from the open starts, because it cannot forget single keys. */
static void index_again(struct open_pairs *o)
{
	u64map_free(&o->index);
	for (size_t i = 0; i < o->len; i++)
		if (o->items[i].open && !o->items[i].covered)
			*u64map_put(&o->index, o->items[i].key, NULL) = (uint32_t)i + 1;
}

static void drop_oldest(struct open_pairs *o)
{
	uint64_t before = time_to_drop(o);

	for (size_t i = 0; i < o->len; i++)
		if (o->items[i].open && o->items[i].time <= before) {
			o->items[i].open = false;
			vec_push(&o->unused, (uint32_t)i);
			o->n--;
			o->dropped++;
		}
	for (size_t i = 0; i < o->len; i++)
		if (o->items[i].below && !o->items[o->items[i].below - 1].open)
			o->items[i].below = 0;
	index_again(o);
}

static size_t most(const struct open_pairs *o) { return o->most ? o->most : OPEN_PAIRS_MOST; }

static void put(struct open_pairs *o, uint32_t slot, const struct open_pair *start)
{
	o->items[slot] = *start;
	o->items[slot].open = true;
	o->items[slot].slot = slot;
}

/* Replace the open start with the same key, if pairs are not nested. Return whether this was done. */
static bool replace(struct open_pairs *o, uint32_t slot, const struct open_pair *start)
{
	if (!slot || o->nested)
		return false;
	o->replaced++;
	put(o, slot - 1, start);
	return true;
}

uint32_t open_pairs_start(struct open_pairs *o, const struct open_pair *start)
{
	const uint32_t *at = u64map_find(&o->index, start->key);
	uint32_t slot, *top;

	if (at && replace(o, *at, start))
		return *at - 1;
	if (o->n >= most(o))
		drop_oldest(o);
	else if (o->index.len > 4 * most(o))
		index_again(o);
	if (o->unused.len) {
		slot = o->unused.items[--o->unused.len];
	} else {
		vec_push(o, (struct open_pair){ 0 });
		slot = (uint32_t)o->len - 1;
	}
	top = u64map_put(&o->index, start->key, NULL);
	put(o, slot, start);
	o->items[slot].below = *top;
	if (*top)
		o->items[*top - 1].covered = true;
	*top = slot + 1;
	o->n++;
	return slot;
}

bool open_pairs_end(struct open_pairs *o, uint64_t key, struct open_pair *start)
{
	uint32_t *at = u64map_find(&o->index, key);
	struct open_pair *p;

	if (!at || !*at) {
		o->unmatched++;
		return false;
	}
	p = &o->items[*at - 1];
	*start = *p;
	p->open = false;
	vec_push(&o->unused, *at - 1);
	*at = p->below;
	if (p->below)
		o->items[p->below - 1].covered = false;
	p->below = 0;
	o->n--;
	return true;
}

size_t open_pairs_forget(struct open_pairs *o)
{
	size_t n = o->n;

	u64map_free(&o->index);
	vec_clear(&o->unused);
	vec_clear(o);
	o->n = 0;
	return n;
}

void open_pairs_free(struct open_pairs *o)
{
	u64map_free(&o->index);
	vec_free(&o->unused);
	vec_free(o);
}
