#include "format/trace/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

/* The u32 words of entries. */
enum {
	LENGTH_BITS = 5,
	DELTA_BITS = 27,
	TYPE_DATA_MAX = 28, /* 1 to this: data of that many words; 0: the next word is the length */
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};
#define DELTA_MASK  ((1u << DELTA_BITS) - 1)
#define COMMIT_MASK 0x07ffffffu
#define LOST        (1u << 31)
#define LOST_STORED (1u << 30)
/* Absolute times have 59 bits. The bits above keep their values. */
#define STAMP_HIGH  (UINT64_MAX << 59)

/* Find "name:NUMBER;" in the line of a field of header_page. */
static bool number_in(const char *line, const char *end, const char *name, uint32_t *number)
{
	size_t len = strlen(name);
	const char *at = memmem(line, (size_t)(end - line), name, len);
	uint64_t n = 0;

	if (!at)
		return false;
	for (at += len; at < end && *at >= '0' && *at <= '9' && n <= TRACE_PAGE_MAX; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	*number = (uint32_t)n;
	return n <= TRACE_PAGE_MAX && at < end && *at == ';';
}

/* Find the offset and size of the field " name;" in header_page. */
static bool field_of(const char *text, size_t len, const char *name, uint32_t *offset, uint32_t *size)
{
	const char *end = text + len, *next;
	size_t name_len = strlen(name);

	for (const char *line = text; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;

		next = newline ? newline + 1 : end;
		if (memmem(line, (size_t)(stop - line), name, name_len))
			return number_in(line, stop, "offset:", offset) && number_in(line, stop, "size:", size);
	}
	return false;
}

int trace_layout_parse(struct trace_layout *l, const char *header_page, size_t len, uint32_t page_size, bool big_endian,
		       struct err *e)
{
	uint32_t commit, commit_size, data, data_size;

	if (!header_page || !field_of(header_page, len, " commit;", &commit, &commit_size) ||
	    !field_of(header_page, len, " data;", &data, &data_size))
		return err_set(e, "header_page does not tell where the data of a page is");
	if (commit != 8 || (commit_size != 4 && commit_size != 8) || data < commit + commit_size || data > 64)
		return err_set(e, "header_page has an unknown layout: commit %u+%u, data %u", commit, commit_size,
			       data);
	if (!page_size)
		page_size = data + data_size;
	if (page_size < 128 || page_size > TRACE_PAGE_MAX)
		return err_set(e, "pages of %u bytes", page_size);
	*l = (struct trace_layout){ .page_size = page_size,
				    .data_offset = data,
				    .commit_size = (uint8_t)commit_size,
				    .big_endian = big_endian,
				    .swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) };
	return 0;
}

static uint32_t word(const struct trace_layout *l, const uint8_t *at)
{
	uint32_t v = load_u32(at);

	return l->swap ? __builtin_bswap32(v) : v;
}

static uint64_t wide(const struct trace_layout *l, const uint8_t *at, unsigned size)
{
	uint64_t v;

	if (size == 4)
		return word(l, at);
	v = load_u64(at);
	return l->swap ? __builtin_bswap64(v) : v;
}

int trace_page_open(struct trace_page *p, const struct trace_layout *l, const void *bytes, size_t size, struct err *e)
{
	const uint8_t *start = bytes;
	uint64_t commit, data;

	*p = (struct trace_page){ .layout = l, .start = start, .at = start, .end = start };
	if (size < l->data_offset)
		return err_set(e, "page of %zu bytes has no header", size);
	p->time_ns = wide(l, start, 8);
	commit = wide(l, start + 8, l->commit_size);
	data = commit & COMMIT_MASK;
	if (data > size - l->data_offset)
		return err_set(e, "page of %zu bytes claims %llu bytes of data", size, (unsigned long long)data);
	p->at = start + l->data_offset;
	p->end = p->at + data;
	p->lost = commit & LOST;
	if (p->lost && commit & LOST_STORED && size - l->data_offset - data >= l->commit_size)
		p->n_lost = wide(l, p->end, l->commit_size);
	return 0;
}

static int bad_entry(const struct trace_page *p, struct err *e)
{
	return err_set(e, "page has a bad entry at byte %zu", (size_t)(p->at - p->start));
}

int trace_page_next(struct trace_page *p, struct trace_entry *entry, struct err *e)
{
	while (p->end - p->at >= 4) {
		const struct trace_layout *l = p->layout;
		size_t left = (size_t)(p->end - p->at), size;
		uint32_t head = word(l, p->at), type, delta, extra = left >= 8 ? word(l, p->at + 4) : 0;

		type = l->big_endian ? head >> DELTA_BITS : head & ((1u << LENGTH_BITS) - 1);
		delta = l->big_endian ? head & DELTA_MASK : head >> LENGTH_BITS;
		if (type == TYPE_PADDING && !delta) { /* nothing follows in this page */
			p->at = p->end;
			return 0;
		}
		/* all entries except short data have a second word */
		if ((!type || type > TYPE_DATA_MAX) && left < 8)
			return bad_entry(p, e);
		size = type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP ? 8
		       : !type || type == TYPE_PADDING                     ? 4 + (size_t)extra
									   : 4 + (size_t)type * 4;
		if (size > left || (!type && extra < 4))
			return bad_entry(p, e);
		if (type == TYPE_TIME_STAMP)
			p->time_ns = (p->time_ns & STAMP_HIGH) | ((uint64_t)extra << DELTA_BITS) | delta;
		else
			p->time_ns += type == TYPE_TIME_EXTEND ? ((uint64_t)extra << DELTA_BITS) + delta : delta;
		if (type <= TYPE_DATA_MAX) {
			size_t skip = type ? 4 : 8;

			*entry = (struct trace_entry){ p->time_ns, p->at + skip, (uint32_t)(size - skip) };
			p->at += size;
			return 1;
		}
		p->at += size;
	}
	return p->at == p->end ? 0 : bad_entry(p, e);
}
