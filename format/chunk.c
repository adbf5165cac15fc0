#include <sys/mman.h>
#include "base/search.h"
#include "format/reader_priv.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

uint64_t stream_size(const struct perfdata *pd, size_t stream) { return pd->streams[stream].size; }

#ifndef MADV_POPULATE_READ /* since Linux 5.14 */
#define MADV_POPULATE_READ 22
#endif

void stream_fetch(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to)
{
	const struct stream *s = &pd->streams[stream];
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), a = ((uintptr_t)s->data + from) / page * page;

	if (s->map.data && !s->spool.data && from < MIN(to, s->size))
		madvise((void *)a, (uintptr_t)s->data + MIN(to, s->size) - a, MADV_POPULATE_READ);
}

static void rest_part(const struct stream *s, uint64_t from, uint64_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t a = ROUND_UP((uintptr_t)s->data + from, page),
		  b = ((uintptr_t)s->data + MIN(to, s->size)) / page * page;

	if (s->spool.data)
		spool_rest(&s->spool, from, MIN(to, s->size));
	else if (s->map.data && a < b)
		madvise((void *)a, b - a, MADV_DONTNEED);
}

void stream_rest(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to)
{
	rest_part(&pd->streams[stream], from, to);
}

void stream_rest_behind(const struct stream *s, uint64_t pos, uint64_t *rested)
{
	if (pos - *rested < REST_SIZE)
		return;
	rest_part(s, *rested, pos);
	*rested = pos;
}

/* Return the segment of a position: the last one that begins at or before it. */
static size_t stream_segment(const struct stream *s, uint64_t pos)
{
	size_t n = search_count(i, s->n_segments, s->segments[i].pos <= pos);

	return n ? n - 1 : 0;
}

/* Extend the chunk to the end of the segment. */
static void enter_segment(struct chunk *c, size_t i)
{
	const struct stream *s = c->stream;
	const struct stream_part *g = &s->segments[i];
	const uint8_t *end = i + 1 < s->n_segments ? s->data + s->segments[i + 1].pos : s->data + s->size;

	c->end = MIN(end, c->to);
	c->expanded = g->expanded;
	c->offset = g->expanded ? g->offset : g->offset - g->pos;
	c->offset_mask = g->expanded ? 0 : ~0ull;
	c->segment = i + 1;
}

static void chunk_init(struct chunk *c, const struct perfdata *pd, const struct stream *s, uint64_t from, uint64_t to,
		       struct format_notes *notes)
{
	to = MIN(to, s->size);
	from = MIN(from, to);
	*c = (struct chunk){
		.pd = pd, .notes = notes, .stream = s, .start = s->data, .at = s->data + from, .to = s->data + to
	};
	c->end = c->to;
	c->plain = !pd->swap && !s->n_segments;
	c->seek_from = 0;
	c->seek_size = to == s->size ? to : 0;
	c->offset = s->offset;
	c->offset_mask = ~0ull;
	if (s->n_segments)
		enter_segment(c, stream_segment(s, from));
}

void perfdata_chunk(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to, struct format_notes *notes,
		    struct chunk *c)
{
	chunk_init(c, pd, &pd->streams[stream], from, to, notes);
	c->index = (uint32_t)stream;
}

void stream_chunk(const struct perfdata *pd, const struct stream *s, struct chunk *c)
{
	chunk_init(c, pd, s, 0, s->size, NULL);
}

void chunk_seek_any(struct chunk *c, uint64_t pos)
{
	const struct stream *s = c->stream;

	c->start = s->data;
	c->at = c->start + MIN(pos, s->size);
	c->to = c->end = c->start + s->size;
	c->seek_from = 0;
	c->seek_size = s->size;
	c->whole_to = 0;
	c->copied = false;
	if (s->n_segments)
		enter_segment(c, stream_segment(s, pos));
}

void chunk_over(const struct perfdata *pd, const void *p, size_t len, struct chunk *c)
{
	const uint8_t *data = p;

	*c = (struct chunk){ .pd = pd,
			     .start = data,
			     .at = data,
			     .end = data + len,
			     .to = data + len,
			     .offset_mask = ~0ull,
			     .plain = !pd->swap };
}

void chunk_release(struct chunk *c)
{
	free(c->scratch);
	c->scratch = NULL;
}

static uint64_t offset_of(const struct chunk *c, const uint8_t *p)
{
	return c->offset + ((uint64_t)(p - c->start) & c->offset_mask);
}

/*
 * Return true if a record could begin here. Its type must be known and the next `depth` records
 * must be plausible too. With `may_end`, the end may come before them.
 */
static bool plausible(const struct chunk *c, const uint8_t *p, int depth, bool may_end)
{
	uint64_t left = (uint64_t)(c->end - p);
	uint32_t type;
	uint16_t size;

	if (!left)
		return may_end;
	if (left < 8)
		return false;
	type = header_u32(p, c->pd->swap);
	size = header_u16(p + 6, c->pd->swap);
	if (!record_known(type) || size < 8u + record_least(type) || size > left)
		return false;
	return !depth || plausible(c, p + size, depth - 1, may_end);
}

/*
 * Return the next position behind c->at where a record could begin; c->end if there is none. Almost
 * all record sizes are multiples of 8, so other positions need more evidence. Otherwise we would
 * read the stack in a cut sample as records.
 */
static const uint8_t *find_next(const struct chunk *c)
{
	for (const uint8_t *p = c->at + 1; c->end - p >= 8; p++)
		if (plausible(c, p, 2, (p - c->at) % 8 == 0))
			return p;
	return c->end;
}

/*
 * Handle bytes at c->at that make no whole record. If nothing follows in an open-ended stream, the
 * recording was cut there; otherwise this is damage.
 */
static int no_record(struct chunk *c, uint64_t left, uint32_t type, uint64_t size, struct err *e)
{
	uint64_t offset = offset_of(c, c->at);

	if (left >= 8 && size < 8)
		return err_at(e, offset, "%s record of %u bytes, fewer than its header has", record_name(type),
			      (unsigned)size);
	if (c->stream && c->stream->open_ended && (uint64_t)(c->end - c->start) == c->stream->size &&
	    find_next(c) == c->end) {
		if (c->notes) {
			c->notes->cut = true;
			c->notes->cut_offset = offset;
			c->notes->cut_type = left >= 8 ? type : 0;
		}
		c->at = c->end;
		return 0;
	}
	if (left < 8)
		return err_at(e, offset, "%u bytes too few for a record", (unsigned)left);
	return err_at(e, offset, "%s record of %llu bytes runs past the end of the data (%llu left)", record_name(type),
		      (unsigned long long)size, (unsigned long long)left);
}

/*
 * Return the header of an expanded COMPRESSED record. Its body is gone; the records behind it are
 * its contents.
 */
static int marker(struct chunk *c, struct record *r)
{
	bool swap = c->pd->swap;

	*r = (struct record){ .offset = c->offset,
			      .pos = (uint64_t)(c->at - c->start),
			      .body = c->at + 8,
			      .stream = c->index,
			      .type = header_u32(c->at, swap),
			      .misc = header_u16(c->at + 4, swap),
			      .payload_size = c->stream->segments[c->segment - 1].dropped };
	c->at += 8;
	return 1;
}

/*
 * Move to the next segment at the end of the current one; it begins with its own record. Return 0
 * at the end of the chunk, 2 = go on as usual.
 */
static int next_segment(struct chunk *c, struct record *r)
{
	while (c->at == c->end && c->at < c->to && c->segment < c->stream->n_segments) {
		if (c->segment)
			spool_rest(&c->stream->spool, c->stream->segments[c->segment - 1].pos,
				   (size_t)(c->at - c->start));
		enter_segment(c, c->segment);
	}
	if (c->at == c->end)
		return 0;
	return c->expanded && (uint64_t)(c->at - c->start) == c->stream->segments[c->segment - 1].pos ? marker(c, r)
												      : 2;
}

/* Take the payload bytes behind a record. Inside a COMPRESSED record they may be missing. */
static int take_payload(struct chunk *c, struct record *r, uint64_t left, struct err *e)
{
	uint64_t n = record_payload_size(r->type, r->body, r->size, c->pd->swap);

	if (c->expanded || !n)
		return 1;
	if (n > left) {
		/* Old writers used this number for records without a payload. */
		if (plausible(c, c->at, 2, true))
			return 1;
		c->at -= r->size + 8;
		return no_record(c, left + r->size + 8, r->type, (uint64_t)r->size + 8 + n, e);
	}
	r->payload = c->at;
	r->payload_size = n;
	c->at += n;
	return 1;
}

/*
 * Return true for a mark before its table of sections, in recordings that were not ended. See
 * format/writer/mark.c.
 */
static bool is_mark(const struct chunk *c, const struct record *r)
{
	return r->type == RECORD_FINISHED_INIT && r->misc == MARK_MISC && r->size == MARK_SIZE - 8 && !c->expanded;
}

static int pass_table(struct chunk *c, struct record *r, uint64_t left, struct err *e)
{
	uint64_t n = load_u64(r->body);

	if (c->pd->swap)
		n = __builtin_bswap64(n);
	if (n > left) {
		c->at -= MARK_SIZE;
		return no_record(c, left + MARK_SIZE, r->type, MARK_SIZE + n, e);
	}
	c->at += n;
	return 1;
}

static void copy_swapped(struct chunk *c, struct record *r)
{
	if (!c->scratch)
		c->scratch = xmalloc(1 << 16);
	memcpy(c->scratch, r->body, r->size);
	r->body = c->scratch;
	record_swap(c->pd, r->type, r->misc, c->scratch, r->size);
}

/* Must we read the next record from the file? We must if a part of it may be behind the copy, or if it is damaged. */
static bool leaves_copy(const struct chunk *c)
{
	size_t left = (size_t)(c->end - c->at), size = left < 8 ? 0 : header_u16(c->at + 6, c->pd->swap);
	uint32_t type = left < 8 ? 0 : header_u32(c->at, c->pd->swap);

	return size < 8 || size > left || type == RECORD_AUXTRACE || type == RECORD_HEADER_TRACING_DATA ||
	       type == RECORD_FINISHED_INIT;
}

int chunk_next_any(struct chunk *c, struct record *r, struct err *e)
{
	const uint8_t *p;
	uint64_t left;
	uint16_t size;
	bool swap = c->pd->swap;
	int got;

again:
	if (unlikely(c->whole_to) && leaves_copy(c))
		chunk_leave_copy(c);
	p = c->at;
	left = (uint64_t)(c->end - p);
	if (unlikely(!left || (c->expanded && (uint64_t)(p - c->start) == c->stream->segments[c->segment - 1].pos))) {
		if (!c->stream || !c->stream->n_segments)
			return 0;
		got = left ? marker(c, r) : next_segment(c, r);
		if (got < 2)
			return got;
		goto again;
	}
	if (unlikely(left < 8))
		return no_record(c, left, 0, 0, e);
	r->type = header_u32(p, swap);
	r->misc = header_u16(p + 4, swap);
	size = header_u16(p + 6, swap);
	if (unlikely(size < 8 || size > left))
		return no_record(c, left, r->type, size, e);
	chunk_fetch_ahead(p, size);
	r->offset = offset_of(c, p);
	r->pos = (uint64_t)(p - c->start);
	r->body = p + 8;
	r->size = (uint16_t)(size - 8);
	r->stream = c->index;
	r->payload = NULL;
	r->payload_size = 0;
	c->at = p + size;
	/* Neighbouring records have similar sizes; this halves the time of a walk. */
	__builtin_prefetch(p + 4 * size);
	if (unlikely(r->size < record_least(r->type))) {
		note_bad_record(c->notes, r->type, r->offset);
		goto again;
	}
	if (unlikely(r->type >= RECORD_TYPES || !record_known(r->type))) {
		if (c->notes)
			c->notes->unknown_types++;
	} else if (unlikely(r->type == RECORD_AUXTRACE || r->type == RECORD_HEADER_TRACING_DATA)) {
		got = take_payload(c, r, left - size, e);
		if (got <= 0)
			return got;
	}
	if (unlikely(is_mark(c, r))) {
		got = pass_table(c, r, left - size, e);
		if (got <= 0)
			return got;
		goto again;
	}
	if (swap)
		copy_swapped(c, r);
	return 1;
}

bool chunk_skip(struct chunk *c)
{
	const uint8_t *from = c->at, *p = find_next(c);

	if (c->notes) {
		if (!c->notes->skipped_bytes) {
			c->notes->skipped_offset = offset_of(c, from);
			c->notes->skipped_type = c->end - from >= 8 ? header_u32(from, c->pd->swap) : 0;
		}
		c->notes->skipped_bytes += (uint64_t)(p - from);
	}
	c->at = p;
	return p < c->end || (c->stream && c->segment < c->stream->n_segments && c->at < c->to);
}

int perfdata_event_by_id_any(const struct perfdata *pd, uint64_t id)
{
	const uint32_t *event;

	if (!id)
		return pd->n_events ? 0 : -1;
	event = u64map_find(&pd->priv->ids, id);
	return event ? (int)*event : -1;
}

static const uint8_t *trailer_end(const struct record *r, const struct layout *l)
{
	return r->body + record_trailer_end(r->type, r->body, r->size, (size_t)l->trailer_size);
}

int perfdata_event_of_any(const struct perfdata *pd, const struct record *r)
{
	const struct layout *l;

	if (unlikely(!pd->n_events))
		return -1;
	l = &pd->events[0].layout;
	if (r->type == RECORD_SAMPLE) {
		if (l->any_id < 0)
			return 0;
		return r->size >= l->any_id + 8 ? perfdata_event_by_id(pd, load_u64(r->body + l->any_id)) : -1;
	}
	if (r->type >= RECORD_HEADER_ATTR || l->trailer_id < 0 || r->size < l->trailer_id)
		return 0;
	return perfdata_event_by_id(pd, load_u64(trailer_end(r, l) - l->trailer_id));
}

/* Return the layout for a record: the first event's, unless the events differ. */
static const struct layout *layout_of(const struct perfdata *pd, const struct record *r)
{
	int event = pd->priv->same_trailer ? 0 : perfdata_event_of(pd, r);

	return &pd->events[event < 0 ? 0 : event].layout;
}

bool record_time_any(const struct perfdata *pd, const struct record *r, uint64_t *time_ns)
{
	const struct layout *l;
	int at;

	if (unlikely(!pd->n_events || r->type >= RECORD_HEADER_ATTR))
		return false;
	if (r->type == RECORD_SAMPLE) {
		at = pd->sample_time;
		if (unlikely(at == -2))
			at = layout_of(pd, r)->time;
		if (at < 0 || r->size < at + 8)
			return false;
		*time_ns = load_u64(r->body + at);
		return true;
	}
	l = layout_of(pd, r);
	if (l->trailer_time < 0 || r->size < l->trailer_size + record_least(r->type))
		return false;
	*time_ns = load_u64(trailer_end(r, l) - l->trailer_time);
	return true;
}

bool record_trailer(const struct perfdata *pd, const struct record *r, struct trailer *t)
{
	const struct layout *l;
	const uint8_t *end;

	*t = (struct trailer){ .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX, .time = UINT64_MAX };
	if (!pd->n_events || r->type >= RECORD_HEADER_ATTR || r->type == RECORD_SAMPLE)
		return false;
	l = layout_of(pd, r);
	if (!l->trailer_size || r->size < l->trailer_size + record_least(r->type))
		return false;
	end = trailer_end(r, l);
	if (l->trailer_tid >= 0) {
		t->pid = load_u32(end - l->trailer_tid);
		t->tid = load_u32(end - l->trailer_tid + 4);
	}
	if (l->trailer_time >= 0)
		t->time = load_u64(end - l->trailer_time);
	if (l->trailer_id >= 0)
		t->id = load_u64(end - l->trailer_id);
	if (l->trailer_stream_id >= 0)
		t->stream_id = load_u64(end - l->trailer_stream_id);
	if (l->trailer_cpu >= 0)
		t->cpu = load_u32(end - l->trailer_cpu);
	return true;
}
