#include <zstd.h>
#include "format/reader_priv.h"

/*
 * Expand COMPRESSED records. Those of a stream share one zstd context. The contents of each are
 * records, and the last one may continue in the next COMPRESSED record. We expand them into a
 * spool, together with the records around them, so that all other code sees plain records:
 *
 *	input:  COMM  COMPRESSED              FINISHED_ROUND  COMPRESSED
 *	spool:  COMM  marker SAMPLE SAMPLE    FINISHED_ROUND  marker SAMPLE SAMPLE ...
 *
 * Source: strobe.data(5), "Compression".
 */
struct expansion {
	struct perfdata *pd;
	const struct stream *in;
	struct spool out;
	VEC(struct stream_part) segments;
	VEC(struct stream_part) waiting; /* markers not written yet; pos: their record in the input */
	ZSTD_DStream *zstd;
	/*
	 * End of the last whole record in `out`. The next COMPRESSED record continues the bytes
	 * behind it.
	 */
	uint64_t whole;
	uint64_t rested; /* the spool's pages are released up to here */
	uint64_t others; /* bytes of whole records that are no samples */
	uint64_t max, others_max;
};

/* The result for a record, or for a part of one. */
enum { EXPANDED, UNREADABLE, STOPPED };

/*
 * We refuse no compression ratio: copied stacks of a tight loop shrink to a thousandth. Instead we
 * limit what the contents cost. Samples cost disk space and time: the spool leaves room to others,
 * and all streams together may take 16 GB, or more if the input is large. Other records (tasks,
 * maps, names) cost memory as long as we run.
 */
#define TOTAL_BASE  (16ull << 30)
#define OTHERS_BASE (64ull << 20)
enum { TOTAL_RATIO = 4096, OTHERS_RATIO = 64, WINDOW = 256 << 10, COPY = 4 << 20 };

/* Stop reading this stream. */
static int stop(struct expansion *x, uint64_t offset, enum expansion_stop why)
{
	struct format_notes *n = &x->pd->notes;

	if (!n->stop) {
		n->stop = why;
		n->stop_offset = offset;
		n->stop_size = x->out.len;
	}
	return STOPPED;
}

/* Make a gap of n bytes at a boundary between records. NULL: no room. */
static uint8_t *open_gap(struct expansion *x, uint64_t pos, size_t n)
{
	uint8_t *at;

	if (!spool_room(&x->out, n))
		return NULL;
	at = x->out.data + pos;
	memmove(at + n, at, x->out.len - pos);
	x->out.len += n;
	x->whole += n;
	return at;
}

/* Write the headers of the waiting COMPRESSED records at pos, where their contents begin. */
static bool put_markers(struct expansion *x, uint64_t pos)
{
	uint8_t *at = open_gap(x, pos, 8 * x->waiting.len);

	for (size_t i = 0; at && i < x->waiting.len; i++, at += 8, pos += 8) {
		struct stream_part s = x->waiting.items[i];

		memcpy(at, x->in->data + s.pos, 6);
		memset(at + 6, 0, 2);
		s.pos = pos;
		vec_push(&x->segments, s);
	}
	vec_clear(&x->waiting);
	return at;
}

/* Release the pages of the expanded part from time to time. */
static void rest(struct expansion *x)
{
	if (x->whole - x->rested <= REST_SIZE)
		return;
	spool_rest(&x->out, 0, x->whole);
	x->rested = x->whole;
}

/* Copy records unchanged; each run of them is one segment. */
static int copy_records(struct expansion *x, uint64_t from, uint64_t to)
{
	uint64_t start = from;

	if (x->waiting.len && !put_markers(x, x->whole))
		return stop(x, x->in->offset + from, STOP_ROOM);
	if (from < to)
		vec_push(&x->segments, (struct stream_part){ .pos = x->whole, .offset = x->in->offset + from });
	while (from < to) {
		uint64_t n = MIN(to - from, (uint64_t)COPY), pos = x->whole;
		uint8_t *at = open_gap(x, pos, n);

		if (!at)
			return stop(x, x->in->offset + start, STOP_ROOM);
		memcpy(at, x->in->data + from, n);
		from += n;
		rest(x);
	}
	return EXPANDED;
}

/*
 * Step over the whole records in `out`. A size that makes no record ends this, because nothing
 * behind it can be separated.
 */
static bool find_whole(struct expansion *x)
{
	while (x->out.len - x->whole >= 8) {
		const uint8_t *p = x->out.data + x->whole;
		uint16_t size = header_u16(p + 6, x->pd->swap);

		if (size < 8)
			return false;
		if (size > x->out.len - x->whole)
			break;
		if (header_u32(p, x->pd->swap) != RECORD_SAMPLE)
			x->others += size;
		x->whole += size;
	}
	return true;
}

/*
 * Process the new bytes in `out`. The markers go before the first record that the bytes complete.
 * If they complete none, the markers wait for the next window. So we move at most one window of
 * bytes, and only when records are complete, even if a record arrives in many pieces.
 */
static int take_window(struct expansion *x, uint64_t offset)
{
	uint64_t before = x->whole;
	bool good = find_whole(x);

	if (x->whole > before && x->waiting.len && !put_markers(x, before)) {
		x->whole = before;
		return stop(x, offset, STOP_ROOM);
	}
	rest(x);
	if (!good)
		return UNREADABLE;
	if (x->others > x->others_max)
		return stop(x, offset, STOP_OTHERS);
	return x->out.len > x->max ? stop(x, offset, STOP_TOTAL) : EXPANDED;
}

/* Expand one window at a time, to notice damage and excess early. */
static int inflate_bytes(struct expansion *x, const uint8_t *p, size_t size, uint64_t offset)
{
	ZSTD_inBuffer in = { p, size, 0 };
	bool more;

	do {
		ZSTD_outBuffer out = { spool_room(&x->out, WINDOW), WINDOW, 0 };
		size_t before = in.pos;
		int got;

		if (!out.dst)
			return stop(x, offset, STOP_ROOM);
		if (ZSTD_isError(ZSTD_decompressStream(x->zstd, &out, &in))) {
			ZSTD_DCtx_reset(x->zstd, ZSTD_reset_session_only);
			return UNREADABLE;
		}
		x->out.len += out.pos;
		got = take_window(x, offset);
		if (got != EXPANDED)
			return got;
		more = out.pos == WINDOW || (in.pos < in.size && (out.pos || in.pos != before));
	} while (more && !progress_stopped(x->pd->priv->progress));
	return EXPANDED;
}

static int expand_bytes(struct expansion *x, const struct record *r)
{
	const uint8_t *data = x->in->data + r->pos + 8;
	uint64_t size = r->size;

	if (r->type == RECORD_COMPRESSED2) {
		if (r->size < 8)
			return UNREADABLE;
		size = load_u64(r->body);
		data += 8;
		if (size > r->size - 8u)
			return UNREADABLE;
	}
	return inflate_bytes(x, data, size, r->offset);
}

static int expand_record(struct expansion *x, const struct record *r)
{
	int got;

	vec_push(&x->waiting,
		 (struct stream_part){ .offset = r->offset, .pos = r->pos, .expanded = true, .dropped = r->size });
	got = expand_bytes(x, r);
	if (got == EXPANDED)
		return got;
	x->out.len = x->whole;
	if (got == UNREADABLE) {
		note_bad_record(&x->pd->notes, r->type, r->offset);
		if (x->waiting.len && !put_markers(x, x->whole))
			return stop(x, r->offset, STOP_ROOM);
	}
	return got == STOPPED ? STOPPED : EXPANDED;
}

/* Handle bytes at the end that make no whole record. */
static void cut_tail(struct expansion *x, uint64_t done)
{
	if (x->out.len > x->whole && !x->pd->notes.stop) {
		x->pd->notes.cut = true;
		x->pd->notes.cut_offset = x->in->offset + done;
		x->pd->notes.cut_type = RECORD_COMPRESSED;
	}
	x->out.len = x->whole;
}

/* Expand the stream. Return 1 when it has COMPRESSED records. */
static int expand_all(struct expansion *x, struct chunk *c, struct err *e)
{
	uint64_t done = 0;   /* bytes of the input that are in the spool */
	uint64_t rested = 0; /* of the input */
	struct progress *progress = x->pd->priv->progress;
	int got, state = EXPANDED;
	struct record r;

	progress_begin(progress, "expanding", x->in->size);

	while (state == EXPANDED && ((got = chunk_next(c, &r, NULL)) > 0 || (got < 0 && chunk_skip(c)))) {
		if (got > 0)
			stream_rest_behind(x->in, r.pos, &rested);
		if (got < 0 || (r.type != RECORD_COMPRESSED && r.type != RECORD_COMPRESSED2))
			continue;
		if (progress_stopped(progress))
			return err_set(e, "given up");
		if (done < r.pos)
			state = copy_records(x, done, r.pos);
		progress_add(progress, r.pos + 8 + r.size - done);
		if (state == EXPANDED)
			state = expand_record(x, &r);
		done = r.pos + 8 + r.size;
	}
	if (progress_stopped(progress))
		return err_set(e, "given up");
	if (!done)
		return 0;
	if (state == EXPANDED)
		copy_records(x, done, x->in->size);
	cut_tail(x, done);
	return 1;
}

static uint64_t limit(uint64_t base, uint64_t ratio, uint64_t size)
{
	return size > UINT64_MAX / ratio ? UINT64_MAX : MAX(base, size * ratio);
}

/* Set the limits for this stream: what the earlier streams have left. */
static void set_limits(struct expansion *x)
{
	const struct perfdata_priv *v = x->pd->priv;
	uint64_t size = x->pd->input_size;

	x->max = v->expand_max ? v->expand_max : limit(TOTAL_BASE, TOTAL_RATIO, size);
	x->max -= MIN(x->max, v->expanded);
	x->others_max = limit(OTHERS_BASE, OTHERS_RATIO, size);
	x->others_max -= MIN(x->others_max, v->expanded_others);
}

int stream_expand(struct perfdata *pd, struct stream *s, struct err *e)
{
	struct perfdata_priv *v = pd->priv;
	struct expansion x = { .pd = pd, .in = s };
	struct chunk c;
	int found;

	set_limits(&x);
	x.zstd = ZSTD_createDStream();
	if (!x.zstd)
		return err_set(e, "cannot start zstd");
	stream_chunk(pd, s, &c);
	found = expand_all(&x, &c, e);
	chunk_release(&c);
	vec_free(&x.waiting);
	ZSTD_freeDStream(x.zstd);
	if (found <= 0) {
		spool_release(&x.out);
		vec_free(&x.segments);
		return found;
	}
	pd->compressed = true;
	v->expanded += x.out.len;
	v->expanded_others += x.others;
	spool_release(&s->spool);
	spool_rest(&x.out, 0, x.out.len);
	s->spool = x.out;
	s->data = x.out.data;
	s->size = x.out.len;
	s->segments = x.segments.items;
	s->n_segments = x.segments.len;
	return 0;
}
