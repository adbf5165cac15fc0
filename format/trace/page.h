#ifndef FORMAT_TRACE_PAGE_H
#define FORMAT_TRACE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Pages of the kernel's trace buffers, as per_cpu/cpuN/trace_pipe_raw gives them and trace.dat
 * stores them:
 *
 *	u64 time of the page | long commit: bytes of data, lost events | entries ... | count of lost
 *
 * An entry is a word with its type or length and the time since the entry before it, then the
 * payload, which begins with the u16 id of its format. Pages are foreign bytes: every length is
 * held against the page.
 *
 * Source: events/header_page and events/header_event in tracefs; trace-cmd.dat.v6(5).
 */
struct trace_layout {
	uint32_t page_size;   /* of a page of the buffer, at most TRACE_PAGE_MAX */
	uint32_t data_offset; /* of the first entry in a page */
	uint8_t commit_size;  /* 4 or 8; the count of lost events has the same size */
	bool swap;            /* the other byte order than ours */
	bool big_endian;
};
enum { TRACE_PAGE_MAX = 1 << 20 };

/* Take the offsets from the text of header_page. -1 with e when they make no page. */
int trace_layout_parse(struct trace_layout *l, const char *header_page, size_t len, uint32_t page_size, bool big_endian,
		       struct err *e);

struct trace_page {
	const struct trace_layout *layout;
	const uint8_t *start, *at, *end;
	uint64_t time_ns; /* of the last entry; in ticks of the trace clock where that counts no ns */
	bool lost;        /* entries were lost before this page */
	uint64_t n_lost;  /* how many, 0 = unknown */
};

/* An entry of a page. `data` points into the page. */
struct trace_entry {
	uint64_t time_ns;
	const uint8_t *data;
	uint32_t size;
};

/*
 * Open a page of `size` bytes, which may be less than a whole one (a cut file). An unused page has
 * no entries. -1 with e when it claims more data than it has.
 */
int trace_page_open(struct trace_page *p, const struct trace_layout *l, const void *bytes, size_t size, struct err *e);
/* Step to the next entry: 1, 0 at the end, -1 with e when the bytes make none. */
int trace_page_next(struct trace_page *p, struct trace_entry *entry, struct err *e);

#endif
