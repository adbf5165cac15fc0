/*
 * Keep the file readable for any reader at any moment, however its recorder ends.
 *
 * Readers look for the table of feature sections behind the records, but more records must go
 * there. So the sections that are known at the beginning lie before the records. Their table is
 * written again and again between the records, each time in a mark:
 *
 *	header ids attrs sections MARK table | records MARK table records MARK table records
 *	       empty_at ----------^                           mark_at ----^          ^-- not counted yet
 *
 * The header's data section ends behind the MARK at mark_at.
 *
 * MARK is a FINISHED_INIT record of 16 bytes, which all readers skip. To advance to the next mark,
 * after it is written:
 *
 *	1. set the header's data section to the empty one before the first mark,
 *	2. let the old MARK grow over its table, which becomes its body,
 *	3. end the header's data section behind the new MARK.
 *
 * Each step is one small write to an existing place in the file: a kill cannot cut it and a full
 * disk cannot refuse it. Our own reader needs none of this: it reads on behind the table, whose
 * length MARK's body gives. Source: strobe.data(5), "UNFINISHED FILES".
 */
#include <unistd.h>

#include "base/bytes.h"
#include "format/features_priv.h"
#include "format/header_priv.h"
#include "format/record.h"
#include "format/writer/writer_priv.h"

bool writer_has_marks(const struct writer *w) { return !w->pipe && !w->opts.records_only; }

/* Return true for sections that change until the end, or are known only then. */
static bool is_late(unsigned bit)
{
	return bit == FEATURE_BUILD_ID || bit == FEATURE_SAMPLE_TIME || bit == FEATURE_AUXTRACE;
}

static bool in_front(const struct writer *w, unsigned bit) { return w->front_bits[bit / 64] >> bit % 64 & 1; }

static void put_mark(struct writer *w)
{
	const uint16_t head[2] = { MARK_MISC, MARK_SIZE };
	uint64_t n = 0;

	for (unsigned bit = 0; bit < FEATURES; bit++)
		n += in_front(w, bit);
	out_init_mem(&w->mark);
	put_u32(&w->mark, RECORD_FINISHED_INIT);
	out_mem(&w->mark, (const char *)head, sizeof(head));
	put_u64(&w->mark, SECTION_ENTRY * n);
	for (unsigned bit = 0; bit < FEATURES; bit++) {
		if (!in_front(w, bit))
			continue;
		put_u64(&w->mark, w->sections[bit].at);
		put_u64(&w->mark, w->sections[bit].size);
	}
}

void writer_put_front(struct writer *w, const struct features *f, uint64_t at, struct out *o)
{
	size_t before = o->len;

	w->front_at = at + before;
	for (unsigned bit = 1; bit < FEATURES; bit++) {
		size_t from = o->len;

		if (is_late(bit) || !writer_encode_section(w, f, bit, o))
			continue;
		w->front_bits[bit / 64] |= 1ull << bit % 64;
		w->sections[bit].at = at + from;
		w->sections[bit].size = o->len - from;
	}
	out_mem(&w->front, o->buf + before, o->len - before);
	out_pad(o, '\0', (long)(ROUND_UP(at + o->len, 8) - at - o->len));
	w->empty_at = at + o->len;
	put_mark(w);
	out_mem(o, w->mark.buf, w->mark.len);
}

static int point_at(struct writer *w, uint64_t offset, uint64_t size, struct err *e)
{
	const uint64_t section[2] = { offset, size };

	return output_pwrite(&w->out, section, sizeof(section), HEADER_AT_DATA, e);
}

int writer_leave_mark(struct writer *w, struct err *e)
{
	uint16_t whole = (uint16_t)w->mark.len;

	if (!w->mark_at)
		return 0;
	if (point_at(w, w->empty_at, MARK_SIZE, e) < 0)
		return -1;
	return output_pwrite(&w->out, &whole, sizeof(whole), w->mark_at + 6, e);
}

int writer_state(struct writer *w, uint64_t mark_at, struct err *e)
{
	if (writer_leave_mark(w, e) < 0 || point_at(w, w->data_offset, mark_at + MARK_SIZE - w->data_offset, e) < 0)
		return -1;
	w->mark_at = mark_at;
	return 0;
}

/* Return the last position between `from` and `to` where a record ends. */
static uint64_t last_whole(const struct writer *w, uint64_t from, uint64_t to)
{
	uint8_t head[16];
	uint64_t span;

	while (from + 8 <= to && pread(w->out.fd, head, sizeof(head), (off_t)from) >= 8 && (span = record_span(head)) &&
	       span <= to - from)
		from += span;
	return from;
}

/* Write the mark over bytes that are already in the file: a full disk has no room for more. */
void writer_salvage(struct writer *w, uint64_t end)
{
	uint64_t from = w->mark_at ? w->mark_at + w->mark.len : w->data_offset;
	uint64_t at = end > from + w->mark.len ? last_whole(w, from, end - w->mark.len) : from;

	w->on_file = from;
	if (at > from && !output_pwrite(&w->out, w->mark.buf, w->mark.len, at, NULL) && !writer_state(w, at, NULL))
		w->on_file = at + w->mark.len;
	if (ftruncate(w->out.fd, (off_t)w->on_file) < 0)
		w->on_file = end;
}
