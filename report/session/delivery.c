#include "report/session/delivery.h"

#include "base/parallel.h"
#include "base/search.h"
#include "base/vec_edit.h"
#include "report/session/order_priv.h"

enum {
	FIRST_STEP = 4, /* chunks */
	WINDOW_BYTES = 16 << 20,
	WINDOW_LEAST = 256, /* places */
	COPY_MOST = 16 << 20,
};

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
	*d = (struct delivery){ .session = s,
				.as_they_lie = as_they_lie,
				.chunks = xcalloc(s->chunks.len + 1, sizeof(*d->chunks)) };
	for (uint32_t i = 0; i < s->chunks.len; i++)
		d->chunks[i] = i;
	if (!as_they_lie)
		qsort_r(d->chunks, s->chunks.len, sizeof(*d->chunks), compare_chunks, (void *)s);
}

/* ---- reading ---- */

static void rest_chunk(const struct delivery *d, uint32_t number)
{
	const struct session_chunk *c = &d->session->chunks.items[number];

	stream_rest(d->session->pd, c->stream, c->from, c->to);
}

static void add_place(const struct delivery *d, const struct record *r, struct delivery_part *part)
{
	struct session_place place = { .pos = session_pos(r->stream, r->pos) };

	if (!d->as_they_lie) {
		if (r->type == RECORD_FINISHED_ROUND)
			return;
		place = session_place_of(d->session, r);
	}
	vec_push(&part->places, place);
	if (before(&part->chunk.last, &place))
		part->chunk.last = place;
}

/* Add the samples that come next, as long as they have a time. Nearly all records are such samples. */
static void add_samples(const struct delivery *d, struct chunk *c, size_t stream, struct delivery_part *part)
{
	const struct perfdata *pd = d->session->pd;
	const uint8_t *at;
	size_t time_at = 8 + (size_t)pd->sample_time;
	uint16_t size;

	if (d->as_they_lie || !d->session->sorted || pd->sample_time < 0)
		return;
	while ((at = chunk_sample(c, &size)) && size >= time_at + 8) {
		struct session_place place = { load_u64(at + time_at), session_pos(stream, chunk_pos(c)) };

		if (!place.time || place.time == UINT64_MAX)
			return;
		vec_push(&part->places, place);
		if (place.time >= part->chunk.last.time)
			part->chunk.last = place;
		chunk_fetch_header(at);
		chunk_pass_sample(c, size);
	}
}

/* Add a chunk to the range of the copy. Return false if it cannot be there. */
static bool add_to_copy(const struct delivery *d, uint32_t number, size_t *stream, uint64_t *from, uint64_t *to)
{
	const struct session_chunk *c = &d->session->chunks.items[number];

	if (*from == UINT64_MAX)
		*stream = c->stream;
	*from = MIN(*from, c->from);
	*to = MAX(*to, c->to);
	return c->stream == *stream && session_chunk_is_dense(c);
}

/* Make room for the copies of the open chunks and of the next n. If they lie far apart, the copy is empty. */
static void make_copy_room(struct delivery *d, size_t n)
{
	uint64_t from = UINT64_MAX, to = 0;
	size_t stream = 0;
	bool can = true;

	for (size_t i = 0; i < d->open.len; i++) {
		can = can && add_to_copy(d, d->open.items[i].number, &stream, &from, &to);
		can = can && stream == d->copy.stream && from >= d->copy.from && to <= d->copy.to;
	}
	for (size_t i = 0; i < n; i++)
		can = can && add_to_copy(d, d->chunks[d->next + i], &stream, &from, &to);
	if (!can || to - from > COPY_MOST)
		to = from;
	records_copy_begin(&d->copy, d->session->pd, stream, from, to);
	d->copy_failed = false;
}

static void open_copied(struct delivery *d, uint32_t number, struct chunk *c)
{
	const struct session_chunk *k = &d->session->chunks.items[number];

	perfdata_chunk(d->session->pd, k->stream, k->from, k->to, NULL, c);
	if (d->copy.from == d->copy.to) {
		if (session_chunk_is_dense(k))
			stream_fetch(d->session->pd, k->stream, k->from, k->to);
		return;
	}
	if (records_copy_fill(&d->copy, d->session->pd, k->from, k->to))
		chunk_use(c, &d->copy);
	else
		__atomic_store_n(&d->copy_failed, true, __ATOMIC_RELAXED);
}

static void read_chunk(void *ctx, size_t item, unsigned worker)
{
	struct delivery *d = ctx;
	struct delivery_part *part = &d->parts.items[item];
	const struct session_chunk *whole = &d->session->chunks.items[d->chunks[d->next + item]];
	struct chunk c;
	struct record r;
	int got;

	(void)worker;
	vec_clear(&part->places);
	part->chunk = (struct delivery_chunk){ .number = d->chunks[d->next + item] };
	open_copied(d, part->chunk.number, &c);
	vec_reserve(&part->places, whole->records);
	for (;;) {
		add_samples(d, &c, whole->stream, part);
		got = chunk_next(&c, &r, NULL);
		if (got > 0)
			add_place(d, &r, part);
		else if (!got || !chunk_skip(&c))
			break;
	}
	chunk_release(&c);
}

/* Read the next n chunks. Use the memory of earlier parts again: to free it would take longer than the reading. */
static void read_chunks(struct delivery *d, size_t n)
{
	size_t more = 0;

	if (d->parts.len < n)
		vec_add(&d->parts, n - d->parts.len);
	make_copy_room(d, n);
	parallel_for(n, parallel_threads(), read_chunk, d);
	if (d->copy_failed)
		d->copy.from = d->copy.to = 0;
	for (size_t i = 0; i < n; i++)
		more += d->parts.items[i].places.len;
	vec_reserve(&d->places, d->places.len + more);
	for (size_t i = 0; i < n; i++) {
		const struct delivery_part *part = &d->parts.items[i];
		const struct session_chunk *c = &d->session->chunks.items[part->chunk.number];

		vec_append(&d->places, part->places.items, part->places.len);
		vec_push(&d->open, part->chunk);
		d->bytes_read += c->to - c->from;
	}
	d->next += n;
}

/* Count the sorted places that come before everything not yet read. */
static size_t count_due(const struct delivery *d)
{
	const struct session_place *limit = d->as_they_lie || d->next == d->session->chunks.len
						    ? NULL
						    : &d->session->chunks.items[d->chunks[d->next]].first;

	return limit ? search_count(i, d->places.len, before(&d->places.items[i], limit)) : d->places.len;
}

/*
 * Read chunks until some places are due. We sort the waiting places again together with the new ones, so read at least
 * half as many new ones. After the first chunks, release the pages of the others until their turn.
 */
static void read_on(struct delivery *d)
{
	size_t n_chunks = d->session->chunks.len;

	while (!d->due && d->next < n_chunks) {
		size_t waiting = d->places.len;

		read_chunks(d, MIN(n_chunks - d->next, (size_t)FIRST_STEP));
		while (d->next < n_chunks && d->places.len - waiting < waiting / 2) {
			read_chunks(d, 1);
			rest_chunk(d, d->chunks[d->next - 1]);
		}
		d->places_read += d->places.len - waiting;
		order_sort(d->places.items, d->places.len);
		d->due = count_due(d);
	}
}

/* ---- windows ---- */

/*
 * Release the pages of a used window's chunks. If many chunks are open, also release chunks that are not done; their
 * pages fault in again.
 */
static void put_away(struct delivery *d)
{
	const struct session_place *next = d->from + d->n < d->places.len ? &d->places.items[d->from + d->n] : NULL;
	bool many = d->open.len > 2 * FIRST_STEP;
	size_t kept = 0;

	for (size_t i = 0; i < d->open.len; i++) {
		bool done = !next || before(&d->open.items[i].last, next);

		if (done || many)
			rest_chunk(d, d->open.items[i].number);
		if (!done)
			d->open.items[kept++] = d->open.items[i];
	}
	d->open.len = kept;
	d->from += d->n;
	d->due -= d->n;
	d->n = 0;
}

static void close_up(struct delivery *d)
{
	vec_remove(&d->places, 0, d->from);
	d->from = 0;
}

/* Return the number of records that take about WINDOW_BYTES. */
static size_t window_most(const struct delivery *d)
{
	return d->bytes_read > WINDOW_BYTES
		       ? MAX((size_t)((double)WINDOW_BYTES * (double)d->places_read / (double)d->bytes_read),
			     (size_t)WINDOW_LEAST)
		       : SIZE_MAX;
}

bool delivery_next(struct delivery *d)
{
	put_away(d);
	if (!d->due) {
		close_up(d);
		read_on(d);
	}
	d->window = d->due ? d->places.items + d->from : NULL;
	d->n = MIN(d->due, window_most(d));
	return d->n;
}

void delivery_release(struct delivery *d)
{
	put_away(d);
	vec_free(&d->places);
	vec_free(&d->open);
	for (size_t i = 0; i < d->parts.len; i++)
		vec_free(&d->parts.items[i].places);
	free(d->copy.room);
	vec_free(&d->parts);
	free(d->chunks);
}

/* ---- records of places ---- */

bool place_open(struct place_reader *p, const struct session *s, uint64_t pos, struct record *r)
{
	size_t stream = session_pos_stream(pos);
	uint64_t offset = session_pos_offset(pos);

	if (p->open && p->stream == stream) {
		chunk_seek(&p->chunk, offset);
		return chunk_next(&p->chunk, r, NULL) > 0;
	}
	place_reader_release(p);
	if (p->copy && records_copy_has(p->copy, stream, offset)) {
		perfdata_chunk(s->pd, stream, offset, p->copy->to, NULL, &p->chunk);
		chunk_use(&p->chunk, p->copy);
	} else {
		perfdata_chunk(s->pd, stream, offset, stream_size(s->pd, stream), NULL, &p->chunk);
	}
	p->open = true;
	p->stream = stream;
	return chunk_next(&p->chunk, r, NULL) > 0;
}

void place_reader_release(struct place_reader *p)
{
	if (p->open)
		chunk_release(&p->chunk);
	p->open = false;
}

/* ---- one by one ---- */

void delivered_init(struct delivered *d, const struct session *s)
{
	*d = (struct delivered){ 0 };
	delivery_init(&d->delivery, s, false);
	d->reader.copy = &d->delivery.copy;
}

bool delivered_next(struct delivered *d, struct record *r)
{
	for (;;) {
		while (d->next < d->delivery.n) {
			d->place = &d->delivery.window[d->next++];
			if (place_open(&d->reader, d->delivery.session, d->place->pos, r))
				return true;
		}
		place_reader_release(&d->reader);
		if (!delivery_next(&d->delivery))
			return false;
		d->next = 0;
	}
}

void delivered_release(struct delivered *d)
{
	place_reader_release(&d->reader);
	delivery_release(&d->delivery);
}
