/*
 * Append whole records to outputs whose header does not count them: a part of the directory form,
 * and a FIFO. A kill during a write must not leave a partial record at the end, because readers
 * crash on it.
 *
 * A kill cuts a write to a file between two pages. So the file grows only by pads: FINISHED_INIT
 * records, which readers skip, and none of which crosses a page boundary. We write the records
 * below a pad, except for their first 8 bytes. These then replace the pad's header and so uncover
 * the rest, in one write of 8 bytes that cannot be cut:
 *
 *	records | pad 4096 | pad 4096 | pad 4096 |		grow
 *	records | pad 12288                      |		one pad over all
 *	records | pad 12288 ....records.... pad' |		write below it
 *	records | record .......records.... pad' |		uncover
 */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/reader_priv.h"
#include "format/writer/writer_priv.h"

enum { PAGE = 4096 }; /* larger pages are cut less often */

/* A position in a run of pieces. */
struct iov_place {
	const struct iovec *iov;
	int n;
	size_t at;
};

struct record_head {
	uint32_t type;
	uint16_t misc, size;
};

uint64_t record_span(const uint8_t head[16])
{
	struct record_head h;

	memcpy(&h, head, sizeof(h));
	return h.size < 8 ? 0 : h.size + record_payload_size(h.type, head + 8, 8, false);
}

static size_t peek(struct iov_place p, void *to, size_t len)
{
	size_t got = 0;

	for (; p.n && got < len; p.iov++, p.n--, p.at = 0) {
		size_t some = MIN(len - got, p.iov->iov_len - p.at);

		memcpy((char *)to + got, (const char *)p.iov->iov_base + p.at, some);
		got += some;
	}
	return got;
}

static void skip(struct iov_place *p, uint64_t len)
{
	while (p->n && len >= p->iov->iov_len - p->at) {
		len -= p->iov->iov_len - p->at;
		p->iov++;
		p->n--;
		p->at = 0;
	}
	if (p->n)
		p->at += (size_t)len;
}

/*
 * Take the next whole records, at least one and up to `limit` bytes, as pieces into w->slices.
 * Return their length; 0 at the end. Bytes that make no record are taken unchanged.
 */
static uint64_t take(struct iov_place *p, uint64_t limit, struct writer *w)
{
	struct iov_place from = *p;
	uint64_t len = 0, rest;

	while (p->n && len < limit) {
		uint8_t head[16] = { 0 };
		uint64_t span = peek(*p, head, sizeof(head)) < 8 ? 0 : record_span(head);

		if (len && (!span || len + span > limit))
			break;
		if (!span)
			for (int i = 0; i < p->n; i++)
				span += p->iov[i].iov_len - (i ? 0 : p->at);
		len += span;
		skip(p, span);
	}
	vec_clear(&w->slices);
	for (rest = len; rest && from.n;) {
		size_t some = (size_t)MIN(rest, from.iov->iov_len - from.at);

		vec_push(&w->slices, (struct iovec){ (char *)from.iov->iov_base + from.at, some });
		skip(&from, some);
		rest -= some;
	}
	return len - rest;
}

/* Write to a FIFO, which takes up to PIPE_BUF bytes at once or not at all. */
int fifo_put(struct writer *w, const struct iovec *iov, int n, struct err *e)
{
	struct iov_place p = { iov, n, 0 };
	uint64_t written;

	while (take(&p, PIPE_BUF, w)) {
		if (output_writev(&w->out, w->slices.items, (int)w->slices.len, &written, e) < 0)
			return -1;
		w->on_file += written;
	}
	return 0;
}

static struct record_head pad(uint64_t size) { return (struct record_head){ RECORD_FINISHED_INIT, 0, (uint16_t)size }; }

/* Append pads at the end of the file. None crosses a page boundary. */
static int grow(struct writer *w, uint64_t to, struct err *e)
{
	struct cover *c = &w->cover;
	uint64_t from = c->size, next;
	struct record_head h;
	int result;

	if (!c->pads)
		c->pads = xcalloc(1, RECORD_SIZE_MAX + 8);
	for (uint64_t at = from; at < to; at = next) {
		next = MIN(ROUND_UP(at + 1, PAGE), to);
		h = pad(next - at);
		memcpy(c->pads + (at - from), &h, sizeof(h));
	}
	result = output_pwrite(&w->out, c->pads, (size_t)(to - from), from, e);
	for (uint64_t at = from; at < to; at = next) {
		next = MIN(ROUND_UP(at + 1, PAGE), to);
		memset(c->pads + (at - from), 0, sizeof(h));
	}
	c->size = to;
	return result;
}

/* Put one pad over at least the next `len` bytes. */
static int cover(struct writer *w, uint64_t len, struct err *e)
{
	struct cover *c = &w->cover;
	uint64_t at = w->on_file, to = at + RECORD_SIZE_MAX;
	struct record_head h;

	if (c->reach >= at + len)
		return 0;
	to = to / PAGE * PAGE >= at + len ? to / PAGE * PAGE : at + len;
	if (to > c->size && grow(w, to, e) < 0)
		return -1;
	c->reach = c->size;
	h = pad(c->reach - at);
	return output_pwrite(&w->out, &h, sizeof(h), at, e);
}

/* Write the records in w->slices, `len` bytes, below the pad and uncover them. */
static int uncover(struct writer *w, uint64_t len, struct err *e)
{
	uint64_t at = w->on_file, first, left = w->cover.reach - at - len;
	struct iov_place p = { w->slices.items, (int)w->slices.len, 0 };
	struct record_head h = pad(left);

	peek(p, &first, sizeof(first));
	if (left)
		vec_push(&w->slices, (struct iovec){ &h, sizeof(h) });
	p = (struct iov_place){ w->slices.items, (int)w->slices.len, 0 };
	skip(&p, sizeof(first));
	if (p.n) {
		w->slices.items[w->slices.len - (size_t)p.n].iov_base = (char *)p.iov->iov_base + p.at;
		w->slices.items[w->slices.len - (size_t)p.n].iov_len -= p.at;
		if (output_pwritev(&w->out, &w->slices.items[w->slices.len - (size_t)p.n], p.n, at + sizeof(first), e) <
		    0)
			return -1;
	}
	if (output_pwrite(&w->out, &first, sizeof(first), at, e) < 0)
		return -1;
	w->on_file += len;
	return 0;
}

int cover_put(struct writer *w, const struct iovec *iov, int n, struct err *e)
{
	struct iov_place p = { iov, n, 0 };
	uint64_t len;

	while ((len = take(&p, RECORD_SIZE_MAX, w))) {
		if (len > RECORD_SIZE_MAX || len % 8)
			return err_set(e, "cannot write '%s': a record of %llu bytes does not fit", w->out.path,
				       (unsigned long long)len);
		if (!cover(w, len, e) && !uncover(w, len, e))
			continue;
		cover_end(w);
		return -1;
	}
	return 0;
}

void cover_end(struct writer *w)
{
	if (w->cover.size > w->on_file && !ftruncate(w->out.fd, (off_t)w->on_file))
		w->cover.size = w->cover.reach = w->on_file;
}
