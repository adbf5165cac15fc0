#ifndef RECORD_RINGS_AUX_PRIV_H
#define RECORD_RINGS_AUX_PRIV_H

#include <sys/uio.h>

#include "record/rings/aux.h"

struct aux_area {
	void *control; /* the ring's first page */
	const uint8_t *data;
	uint64_t size; /* size of data, a power of two */
	uint64_t at;   /* read up to here; keeps counting when it wraps around */
	uint32_t idx;  /* index of its ring */
	int cpu;       /* -1 = any */
	int32_t tid;   /* -1 = any */
	bool wrapped;  /* snapshots: all of it was written once */
};

/* Bytes [from, to), counted like `at`; at most the area's size. */
struct aux_span {
	uint64_t from, to;
};

/*
 * Compute the span of a snapshot when the kernel's head is `head`. Some tracers count bytes;
 * others (`search_bytes` not 0) only report a position in the area. For those, look for data in
 * the area's last bytes: if there is any, the area was full once. Remember that.
 */
struct aux_span aux_span_snapshot(struct aux_area *a, uint64_t head, uint64_t search_bytes);
/*
 * Split the span, or its newest `most` bytes, into pieces of the area. Cut the length to a
 * multiple of the tracer's records (`alignment`, 0 = bytes). Return the number of bytes.
 */
uint64_t aux_pieces(const struct aux_area *a, const struct aux_span *s, uint64_t most, unsigned alignment,
		    struct iovec pieces[2]);

#endif
