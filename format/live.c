/*
 * Input that arrives piece by piece. Bytes go through three stages: as they came (`raw`), the
 * contents of COMPRESSED records that make no whole record yet (`rest`), and plain records
 * (`window`). The stream of the perfdata is the window. Its data pointer is shifted so that
 * positions still count from the first record of the input, although the records before the window
 * are gone.
 */
#include "format/live.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <zstd.h>

#include "format/header_priv.h"
#include "format/reader_priv.h"

enum {
	READ_ROOM = 256 << 10,
	EXPAND_ROOM = 256 << 10,
	WINDOW_MAX = 512 << 20, /* records of one round, and what waits for the next */
};

struct buffer {
	uint8_t *data;
	size_t from, len, cap; /* [from, len) is in use */
};

struct live_stream {
	struct live_bytes source;
	struct buffer raw, rest, window;
	uint64_t first;  /* position of the window's first byte */
	uint64_t offset; /* of the first byte of raw in the input, behind the header */
	uint8_t *preamble;
	size_t preamble_len;
	ZSTD_DStream *zstd;
	bool swap, ended;
};

static uint8_t *buffer_room(struct buffer *b, size_t n)
{
	size_t left = b->len - b->from;

	/*
	 * Move the rest to the start only behind at least half as many used bytes: this keeps moves
	 * rare.
	 */
	if (b->from && (!left || (b->cap - b->len < n && b->from >= left / 2))) {
		memmove(b->data, b->data + b->from, left);
		b->len = left;
		b->from = 0;
	}
	if (b->cap - b->len < n) {
		b->cap = MAX(b->cap + b->cap / 2, ROUND_UP(b->len + n, (size_t)4096));
		b->data = xrealloc(b->data, b->cap);
	}
	return b->data + b->len;
}

static void buffer_put(struct buffer *b, const void *p, size_t n)
{
	memcpy(buffer_room(b, n), p, n);
	b->len += n;
}

static size_t buffer_left(const struct buffer *b) { return b->len - b->from; }

/* Release memory that one large round needed. */
static void buffer_shrink(struct buffer *b)
{
	enum { KEEP = 1 << 20 };
	size_t left = buffer_left(b);

	if (b->cap <= KEEP || left > b->cap / 8)
		return;
	memmove(b->data, b->data + b->from, left);
	b->from = 0;
	b->len = left;
	b->cap = MAX(left, (size_t)KEEP);
	b->data = xrealloc(b->data, b->cap);
}

/* ---- from bytes to plain records ---- */

static int too_much(struct err *e)
{
	err_set(e, "the input sent %d MB without an end of a round", WINDOW_MAX >> 20);
	return err_why(e, "its records cannot be put in order before a round ends");
}

/*
 * Move the whole records of `rest` into the window. Drop bytes that make no record, and all behind
 * them.
 */
static void take_rest(struct perfdata *pd, struct live_stream *l)
{
	struct buffer *b = &l->rest;

	while (buffer_left(b) >= 8) {
		const uint8_t *p = b->data + b->from;
		uint16_t size = header_u16(p + 6, l->swap);

		if (size < 8) {
			if (pd)
				note_bad_record(&pd->notes, header_u32(p, l->swap), l->offset);
			b->from = b->len = 0;
			return;
		}
		if (size > buffer_left(b))
			return;
		buffer_put(&l->window, p, size);
		b->from += size;
	}
}

static int expand(struct perfdata *pd, struct live_stream *l, const uint8_t *p, size_t size, struct err *e)
{
	ZSTD_inBuffer in = { p, size, 0 };
	bool more = true;

	if (!l->zstd && !(l->zstd = ZSTD_createDStream()))
		return err_set(e, "cannot start zstd");
	while (more) {
		ZSTD_outBuffer out = { buffer_room(&l->rest, EXPAND_ROOM), EXPAND_ROOM, 0 };
		size_t before = in.pos;

		if (ZSTD_isError(ZSTD_decompressStream(l->zstd, &out, &in))) {
			ZSTD_DCtx_reset(l->zstd, ZSTD_reset_session_only);
			if (pd)
				note_bad_record(&pd->notes, RECORD_COMPRESSED, l->offset);
			l->rest.from = l->rest.len = 0;
			return 0;
		}
		l->rest.len += out.pos;
		take_rest(pd, l);
		if (buffer_left(&l->window) > WINDOW_MAX)
			return too_much(e);
		more = out.pos == EXPAND_ROOM || (in.pos < in.size && (out.pos || in.pos != before));
	}
	return 0;
}

/* Take one whole record at `p`; `size` counts header and payload. */
static int take_one(struct perfdata *pd, struct live_stream *l, const uint8_t *p, uint64_t size, struct err *e)
{
	uint32_t type = header_u32(p, l->swap);
	uint64_t stated;

	if (type == RECORD_COMPRESSED)
		return expand(pd, l, p + 8, size - 8, e);
	if (type != RECORD_COMPRESSED2) {
		buffer_put(&l->window, p, size);
		return buffer_left(&l->window) > WINDOW_MAX ? too_much(e) : 0;
	}
	stated = size >= 16 ? load_u64(p + 8) : UINT64_MAX;
	if (l->swap && size >= 16)
		stated = __builtin_bswap64(stated);
	if (size < 16 || stated > size - 16) {
		if (pd)
			note_bad_record(&pd->notes, type, l->offset);
		return 0;
	}
	return expand(pd, l, p + 16, stated, e);
}

/* Take the whole records out of `raw`. */
static int take_records(struct perfdata *pd, struct live_stream *l, struct err *e)
{
	while (buffer_left(&l->raw) >= 8) {
		const uint8_t *p = l->raw.data + l->raw.from;
		uint64_t left = buffer_left(&l->raw), size = header_u16(p + 6, l->swap);
		uint32_t type = header_u32(p, l->swap);

		if (size < 8)
			return err_at(e, l->offset, "%s record of %u bytes, fewer than its header has",
				      record_name(type), (unsigned)size);
		if (size > left)
			break;
		if (size - 8 >= record_least(type))
			size += record_payload_size(type, p + 8, (size_t)size - 8, l->swap);
		if (size > WINDOW_MAX)
			return err_at(e, l->offset, "%s record of %llu bytes", record_name(type),
				      (unsigned long long)size);
		if (size > left)
			break;
		if (take_one(pd, l, p, size, e) < 0)
			return -1;
		l->raw.from += size;
		l->offset += size;
	}
	return 0;
}

/* Read more bytes into `raw`. Timeout and result are those of the source's read function. */
static ssize_t read_more(struct live_stream *l, int timeout_ms, struct err *e)
{
	uint8_t *room = buffer_room(&l->raw, READ_ROOM);
	ssize_t n = l->source.read(l->source.of, room, READ_ROOM, timeout_ms, e);

	if (n > 0)
		l->raw.len += (size_t)n;
	l->ended |= !n;
	return n;
}

static void show_window(struct perfdata *pd, struct live_stream *l)
{
	struct stream *s = &pd->streams[0];

	/* positions count from the first record of the input */
	s->data = (const uint8_t *)((uintptr_t)(l->window.data + l->window.from) - l->first);
	s->size = l->first + buffer_left(&l->window);
}

/* ---- opening ---- */

/*
 * Return true for a record that describes the recording. These come before the first record with a
 * time.
 */
static bool describes(uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_HEADER_FEATURE:
	case RECORD_ID_INDEX:
	case RECORD_AUXTRACE_INFO:
	case RECORD_THREAD_MAP:
	case RECORD_CPU_MAP:
	case RECORD_STAT_CONFIG:
	case RECORD_EVENT_UPDATE:
	case RECORD_TIME_CONV: return true;
	}
	return false;
}

/*
 * Return the length of the describing records at the start of the window. *found: something else
 * follows.
 */
static size_t preamble_len(const struct live_stream *l, bool *found)
{
	const uint8_t *data = l->window.data;
	size_t at = 0;

	*found = false;
	while (l->window.len - at >= 8) {
		uint64_t size = header_u16(data + at + 6, l->swap);
		uint32_t type = header_u32(data + at, l->swap);

		if (!describes(type)) {
			*found = true;
			break;
		}
		if (size - 8 >= record_least(type))
			size += record_payload_size(type, data + at + 8, (size_t)size - 8, l->swap);
		/* The contents of a COMPRESSED record have no payloads, whatever their headers say. */
		if (size > l->window.len - at) {
			*found = true;
			break;
		}
		at += size;
	}
	return at;
}

static bool is_pipe_form(struct live_stream *l)
{
	const uint8_t *p = l->raw.data;
	uint64_t size = load_u64(p + 8);
	bool native = !memcmp(p, "PERFILE2", 8);

	if (!native && memcmp(p, "2ELIFREP", 8))
		return false;
	l->swap = native == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return (l->swap ? __builtin_bswap64(size) : size) == HEADER_PIPE;
}

/* Open a recording in the file form that came through a pipe: it can only be read as a whole. */
static struct perfdata *open_whole(struct perfdata *pd, struct live_stream *l, struct err *e)
{
	struct stream *s = &pd->streams[0];

	for (;;) {
		size_t n = buffer_left(&l->raw);
		uint8_t *room = spool_room(&s->spool, n);
		ssize_t got;

		if (!room)
			break;
		if (n)
			memcpy(room, l->raw.data + l->raw.from, n);
		s->spool.len += n;
		l->raw.from = l->raw.len;
		if (l->ended)
			break;
		got = read_more(l, -1, e);
		if (got < 0 && got != LIVE_LATER) {
			perfdata_close(pd);
			return NULL;
		}
	}
	s->data = s->spool.data;
	s->size = s->spool.len;
	live_free(l);
	pd->priv->live = NULL;
	if (perfdata_read(pd, e) == 0)
		return pd;
	perfdata_close(pd);
	return NULL;
}

/* Read the events from the preamble, then let the stream show the window. */
static struct perfdata *open_preamble(struct perfdata *pd, struct live_stream *l, const uint8_t header[HEADER_PIPE],
				      size_t len, struct err *e)
{
	struct stream *s = &pd->streams[0];

	l->preamble_len = HEADER_PIPE + len;
	l->preamble = xmalloc(l->preamble_len);
	memcpy(l->preamble, header, HEADER_PIPE);
	if (len)
		memcpy(l->preamble + HEADER_PIPE, l->window.data, len);
	s->data = l->preamble;
	s->size = l->preamble_len;
	if (perfdata_read(pd, e) < 0) {
		perfdata_close(pd);
		return NULL;
	}
	pd->mtime_ns = (int64_t)time(NULL) * 1000000000; /* perf takes the pipe's time, which is now */
	show_window(pd, l);
	return pd;
}

/* Read until `enough` bytes have arrived, or the input ends. */
static int fill(struct live_stream *l, size_t enough, struct err *e)
{
	while (!l->ended && buffer_left(&l->raw) < enough) {
		ssize_t n = read_more(l, -1, e);

		if (n < 0 && n != LIVE_LATER)
			return -1;
	}
	return 0;
}

struct perfdata *perfdata_open_live(const char *name, const struct live_bytes *source, struct err *e)
{
	struct perfdata *pd = perfdata_new(name);
	struct live_stream *l = xcalloc(1, sizeof(*l));
	uint8_t header[HEADER_PIPE];
	bool found = false;
	size_t len = 0;

	pd->priv->live = l;
	l->source = *source;
	perfdata_add_stream(pd, pd->path);
	if (fill(l, HEADER_PIPE, e) < 0)
		goto fail;
	if (buffer_left(&l->raw) < HEADER_PIPE || !is_pipe_form(l))
		return open_whole(pd, l, e);
	memcpy(header, l->raw.data, HEADER_PIPE);
	l->raw.from = HEADER_PIPE;
	while (!found) {
		if (take_records(NULL, l, e) < 0)
			goto fail;
		len = preamble_len(l, &found);
		if (found || l->ended)
			break;
		if (fill(l, buffer_left(&l->raw) + 1, e) < 0)
			goto fail;
	}
	return open_preamble(pd, l, header, len, e);
fail:
	err_in(e, "'%s'", name);
	perfdata_close(pd);
	return NULL;
}

bool perfdata_is_live(const struct perfdata *pd) { return pd->priv->live; }

ssize_t perfdata_more(struct perfdata *pd, int timeout_ms, struct err *e)
{
	struct live_stream *l = pd->priv->live;
	ssize_t n = l->ended ? 0 : read_more(l, timeout_ms, e);

	if (n > 0) {
		pd->input_size += (uint64_t)n;
		if (take_records(pd, l, e) < 0)
			n = -1;
		show_window(pd, l);
	}
	if (!n && buffer_left(&l->raw) && !pd->notes.cut) {
		pd->notes.cut = true;
		pd->notes.cut_offset = l->offset;
		pd->notes.cut_type = buffer_left(&l->raw) >= 8 ? header_u32(l->raw.data + l->raw.from, l->swap) : 0;
	}
	return n;
}

void perfdata_drop(struct perfdata *pd, uint64_t pos)
{
	struct live_stream *l = pd->priv->live;

	if (pos <= l->first)
		return;
	pos = MIN(pos, l->first + buffer_left(&l->window));
	l->window.from += pos - l->first;
	l->first = pos;
	buffer_shrink(&l->window);
	buffer_shrink(&l->raw);
	buffer_shrink(&l->rest);
	show_window(pd, l);
}

const uint8_t *perfdata_preamble(const struct perfdata *pd, size_t *len)
{
	const struct live_stream *l = pd->priv->live;

	*len = l->preamble_len;
	return l->preamble;
}

void live_free(struct live_stream *l)
{
	if (!l)
		return;
	free(l->raw.data);
	free(l->rest.data);
	free(l->window.data);
	free(l->preamble);
	ZSTD_freeDStream(l->zstd);
	free(l);
}

/* ---- descriptors ---- */

ssize_t live_read_fd(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	int fd = *(const int *)of;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (timeout_ms >= 0) {
		int ready = poll(&p, 1, timeout_ms);

		if (ready < 0 && errno != EINTR)
			return err_sys(e, "cannot wait for the input");
		if (ready <= 0)
			return LIVE_LATER;
	}
	n = read(fd, to, room);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return LIVE_LATER;
	return n < 0 ? err_sys(e, "cannot read the input") : n;
}
