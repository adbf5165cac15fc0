#include <zstd.h>
#include "format/reader_priv.h"

/*
 * COMPRESSED records of a stream share one zstd context; what comes out of one is records, the last of which may go on
 *in the next. They are expanded into a spool, together with the records around them, so that everything behind us sees
 *plain records:
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
	VEC(struct segment) segments;
	VEC(struct segment) waiting; /* markers not put yet; pos is where their record lies in the input */
	ZSTD_DStream *zstd;
	uint64_t whole; /* end of the last whole record in `out`; behind it lies what the next COMPRESSED record goes on
			   with */
	uint64_t max;   /* no honest recording expands to more */
	uint64_t rested; /* up to here the spool's pages may leave our memory */
};

enum { MAX_BASE = 4 << 20, MAX_RATIO = 64 };

/* Make a gap of n bytes at a boundary between records. */
static uint8_t *open_gap(struct expansion *x, uint64_t pos, size_t n)
{
	uint8_t *at;

	spool_room(&x->out, n);
	at = x->out.data + pos;
	memmove(at + n, at, x->out.len - pos);
	x->out.len += n;
	x->whole += n;
	return at;
}

/* The headers of the COMPRESSED records whose contents begin at pos. */
static void put_markers(struct expansion *x, uint64_t pos)
{
	uint8_t *at = open_gap(x, pos, 8 * x->waiting.len);

	for (size_t i = 0; i < x->waiting.len; i++, at += 8, pos += 8) {
		struct segment s = x->waiting.items[i];

		memcpy(at, x->in->data + s.pos, 6);
		memset(at + 6, 0, 2);
		s.pos = pos;
		vec_push(&x->segments, s);
	}
	vec_clear(&x->waiting);
}

/* Records as they are: one segment for each run of them. */
static void copy_records(struct expansion *x, uint64_t from, uint64_t to)
{
	uint64_t pos;

	if (x->waiting.len)
		put_markers(x, x->whole);
	if (from >= to)
		return;
	pos = x->whole;
	memcpy(open_gap(x, pos, to - from), x->in->data + from, to - from);
	vec_push(&x->segments, (struct segment){ .pos = pos, .offset = x->in->offset + from });
}

/* Step over the whole records that have arrived. A size that makes no record ends it: what follows cannot be told
 * apart. */
static bool find_whole(struct expansion *x)
{
	while (x->out.len - x->whole >= 8) {
		uint16_t size = header_u16(x->out.data + x->whole + 6, x->pd->swap);

		if (size < 8)
			return false;
		if (size > x->out.len - x->whole)
			break;
		x->whole += size;
	}
	return true;
}

/* 1 = unreadable. */
static int inflate_bytes(struct expansion *x, const uint8_t *p, size_t size, uint64_t offset, struct err *e)
{
	enum { ROOM = 256 << 10 };
	ZSTD_inBuffer in = { p, size, 0 };
	bool more;

	do {
		ZSTD_outBuffer out = { spool_room(&x->out, ROOM), ROOM, 0 };
		size_t before = in.pos;

		if (ZSTD_isError(ZSTD_decompressStream(x->zstd, &out, &in))) {
			ZSTD_DCtx_reset(x->zstd, ZSTD_reset_session_only);
			return 1;
		}
		x->out.len += out.pos;
		if (x->out.len > x->max) {
			err_at(e, offset, "COMPRESSED record expands to too much");
			return err_why(e, "the records would take more than %llu MB",
				       (unsigned long long)(x->max >> 20));
		}
		more = out.pos == ROOM || (in.pos < in.size && (out.pos || in.pos != before));
	} while (more);
	return 0;
}

/* 1 = what it holds is unreadable. */
static int expand_bytes(struct expansion *x, const struct record *r, struct err *e)
{
	const uint8_t *data = x->in->data + r->pos + 8;
	uint64_t size = r->size;

	if (r->type == RECORD_COMPRESSED2) {
		if (r->size < 8)
			return 1;
		size = load_u64(r->body);
		data += 8;
		if (size > r->size - 8u)
			return 1;
	}
	return inflate_bytes(x, data, size, r->offset, e);
}

/*
 * The marker goes before the first record that this one completes; if it completes none, to where the next one's goes.
 * So bytes are moved only when records come out, however many pieces a record arrives in.
 */
static int expand_record(struct expansion *x, const struct record *r, struct err *e)
{
	uint64_t before = x->whole;
	int bad = expand_bytes(x, r, e);

	if (bad < 0)
		return -1;
	if (!find_whole(x))
		bad = 1;
	if (bad)
		x->out.len = x->whole;
	vec_push(&x->waiting,
		 (struct segment){ .offset = r->offset, .pos = r->pos, .expanded = true, .dropped = r->size });
	if (bad || x->whole > before)
		put_markers(x, before);
	return bad;
}

/* Returns 1 when the stream has COMPRESSED records, which are then expanded. */
static int expand_all(struct expansion *x, struct chunk *c, struct err *e)
{
	uint64_t done = 0;   /* of the input, what is in the spool */
	uint64_t rested = 0; /* of the input */
	struct progress *progress = x->pd->priv->progress;
	struct record r;
	int got, bad;

	progress_begin(progress, "expanding", x->in->size);

	while ((got = chunk_next(c, &r, NULL)) > 0 || (got < 0 && chunk_skip(c))) {
		if (got > 0)
			stream_rest_behind(x->in, r.pos, &rested);
		if (got < 0 || (r.type != RECORD_COMPRESSED && r.type != RECORD_COMPRESSED2))
			continue;
		if (progress_stopped(progress))
			return err_set(e, "given up");
		if (done < r.pos)
			copy_records(x, done, r.pos);
		progress_add(progress, r.pos + 8 + r.size - done);
		bad = expand_record(x, &r, e);
		if (bad < 0)
			return -1;
		if (bad)
			note_bad_record(&x->pd->notes, r.type, r.offset);
		done = r.pos + 8 + r.size;
		if (x->whole - x->rested > REST_SIZE) {
			spool_rest(&x->out, 0, x->whole);
			x->rested = x->whole;
		}
	}
	if (!done)
		return 0;
	copy_records(x, done, x->in->size);
	if (x->out.len > x->whole) {
		x->pd->notes.cut = true;
		x->pd->notes.cut_offset = x->in->offset + done;
		x->pd->notes.cut_type = RECORD_COMPRESSED;
		x->out.len = x->whole;
	}
	return 1;
}

int stream_expand(struct perfdata *pd, struct stream *s, uint64_t input_size, struct err *e)
{
	struct expansion x = { .pd = pd, .in = s, .max = MAX_BASE + MAX_RATIO * input_size };
	struct chunk c;
	int found;

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
	spool_release(&s->spool);
	spool_rest(&x.out, 0, x.out.len);
	s->spool = x.out;
	s->data = x.out.data;
	s->size = x.out.len;
	s->segments = x.segments.items;
	s->n_segments = x.segments.len;
	return 0;
}
