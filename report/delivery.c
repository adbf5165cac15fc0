#include "report/delivery.h"

#include "report/order.h"

/* Of 4 MB, as session_walk makes them. Where windows overlap by more than half, more are read at a time, or sorting would begin again for every few of them. */
enum { FIRST_STEP = 4 };

static bool before(const struct session_place *a, const struct session_place *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

static int compare_chunks(const void *a, const void *b, void *ctx)
{
	const struct session_chunk *chunks = ((const struct session *)ctx)->chunks.items;
	const struct session_place *x = &chunks[*(const uint32_t *)a].first, *y = &chunks[*(const uint32_t *)b].first;

	return before(x, y) ? -1 : before(y, x);
}

void delivery_init(struct delivery *d, const struct session *s, bool as_they_lie)
{
	*d = (struct delivery){ .session = s, .as_they_lie = as_they_lie, .step = FIRST_STEP, .chunks = xcalloc(s->chunks.len + 1, sizeof(*d->chunks)) };
	for (uint32_t i = 0; i < s->chunks.len; i++)
		d->chunks[i] = i;
	if (!as_they_lie)
		qsort_r(d->chunks, s->chunks.len, sizeof(*d->chunks), compare_chunks, (void *)s);
}

static void read_places(struct delivery *d, uint32_t number)
{
	struct chunk c;
	struct record r;
	int got;

	session_chunk_open(d->session, number, NULL, &c);
	while ((got = chunk_next(&c, &r, NULL))) {
		if (got < 0) {
			if (!chunk_skip(&c))
				break;
			continue;
		}
		if (d->as_they_lie)
			vec_push(&d->places, (struct session_place){ .pos = session_pos(r.stream, r.pos) });
		else if (r.type != RECORD_FINISHED_ROUND)
			vec_push(&d->places, session_place_of(d->session, &r));
	}
	chunk_release(&c);
}

static void rest(struct delivery *d)
{
	const struct session *s = d->session;

	for (; d->rested < d->next; d->rested++) {
		const struct session_chunk *c = &s->chunks.items[d->chunks[d->rested]];

		stream_rest(s->pd, c->stream, c->from, c->to);
	}
}

/* How many of the sorted places come before all that has not been read. */
static size_t count_due(const struct delivery *d)
{
	const struct session_place *limit = d->as_they_lie || d->next == d->session->chunks.len ? NULL : &d->session->chunks.items[d->chunks[d->next]].first;
	size_t low = 0, high = d->places.len;

	while (limit && low < high) {
		size_t middle = (low + high) / 2;

		if (before(&d->places.items[middle], limit))
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

bool delivery_next(struct delivery *d)
{
	size_t n_chunks = d->session->chunks.len;

	rest(d);
	d->places.len -= d->n;
	if (d->places.len)
		memmove(d->places.items, d->places.items + d->n, d->places.len * sizeof(*d->places.items));
	d->n = 0;
	while (!d->n && d->next < n_chunks) {
		for (size_t i = 0; i < d->step && d->next < n_chunks; i++)
			read_places(d, d->chunks[d->next++]);
		order_sort(d->places.items, d->places.len);
		d->n = count_due(d);
		if (d->n < d->places.len / 2)
			d->step *= 2;
	}
	return d->n;
}

void delivery_release(struct delivery *d)
{
	rest(d);
	vec_free(&d->places);
	free(d->chunks);
}
