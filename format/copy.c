/* Copies of records: to read a part of a file instead of mapping it. */
#include <errno.h>
#include <unistd.h>
#include "format/reader_priv.h"

static bool read_all(int fd, uint8_t *to, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t got = pread(fd, to, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/* Move the bytes that the old and the new range share to their new place. */
static void keep_shared(const struct records_copy *old, const struct records_copy *copy)
{
	uint64_t first = MAX(copy->from, old->from), end = MIN(copy->to, old->to);

	if (old->stream == copy->stream && first < end)
		memmove(copy->room + (first - copy->from), old->room + (first - old->from), end - first);
}

bool records_copy_begin(struct records_copy *copy, const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to)
{
	const struct stream *s = &pd->streams[stream];
	struct records_copy old = *copy;

	*copy = (struct records_copy){ old.room, old.size, stream, from, to };
	if (!s->map.data || s->n_segments || s->spool.data || from >= to) {
		copy->to = from;
		return false;
	}
	if (old.size < to - from) {
		copy->size = (size_t)(to - from) + (size_t)(to - from) / 2;
		copy->room = xmalloc(copy->size);
	}
	if (old.room != copy->room || old.from != from || old.stream != stream)
		keep_shared(&old, copy);
	if (old.room != copy->room)
		free(old.room);
	return true;
}

bool records_copy_fill(const struct records_copy *copy, const struct perfdata *pd, uint64_t from, uint64_t to)
{
	const struct stream *s = &pd->streams[copy->stream];

	return read_all(s->map.fd, copy->room + (from - copy->from), (size_t)(to - from),
			(uint64_t)(s->data - (const uint8_t *)s->map.data) + from);
}

static uint64_t whole_to(const struct chunk *c) { return c->whole_to ? c->whole_to : (uint64_t)(c->to - c->start); }

void chunk_use(struct chunk *c, const struct records_copy *copy)
{
	uint64_t at = chunk_pos(c), to = whole_to(c), end = MIN(to, copy->to);

	if (!records_copy_has(copy, c->index, at)) {
		chunk_leave_copy(c);
		return;
	}
	c->start = (const uint8_t *)((uintptr_t)copy->room - (uintptr_t)copy->from);
	c->at = c->start + at;
	c->to = c->end = c->start + end;
	c->seek_from = copy->from;
	c->seek_size = end - copy->from;
	c->whole_to = end < to ? to : 0;
	c->copied = true;
}

void chunk_leave_copy(struct chunk *c)
{
	const struct stream *s = c->stream;
	uint64_t at = chunk_pos(c), to = whole_to(c);

	if (!c->copied)
		return;
	c->start = s->data;
	c->at = c->start + at;
	c->to = c->end = c->start + to;
	c->seek_from = 0;
	c->seek_size = to == s->size ? to : 0;
	c->whole_to = 0;
	c->copied = false;
}

void chunk_copy(struct chunk *c, struct records_copy *copy)
{
	enum { COPY_MOST = 16 << 20 };
	uint64_t from = chunk_pos(c), to = (uint64_t)(c->to - c->start);

	if (to - from > COPY_MOST)
		return;
	copy->to = copy->from; /* nothing of it is of use */
	if (records_copy_begin(copy, c->pd, c->index, from, to) && records_copy_fill(copy, c->pd, from, to))
		chunk_use(c, copy);
}
