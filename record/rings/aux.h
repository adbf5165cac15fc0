#ifndef RECORD_RINGS_AUX_H
#define RECORD_RINGS_AUX_H

/*
 * AUX areas: hardware tracers write their data there, one area beside each ring that takes
 * records of a tracer. We write the data to the output as AUXTRACE records, each followed by
 * the bytes.
 *
 *	rings_map -> aux_map -> (aux_read | aux_snapshot)* -> aux_release
 *
 *	full trace  mapped for writing: the kernel writes only up to what aux_tail says was read. It
 *	            disables a tracer without room; we enable it again after the next read.
 *	snapshot    mapped for reading: the kernel overwrites the oldest data. We read it on request,
 *	            while the tracer stands still.
 *	samples     the same, but the kernel copies parts into other events' samples; we read nothing.
 *
 * Source: perf_event_open(2), "aux_head, aux_tail"; linux/perf_event.h, struct
 * perf_event_mmap_page; strobe.data(5), AUXTRACE.
 */
#include <sys/uio.h>

#include "base/err.h"
#include "events/events.h"
#include "format/writer/writer.h"
#include "record/attr/aux_kind.h"
#include "record/rings/rings.h"

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

struct aux_tracer;

struct aux {
	struct aux_plan plan;
	bool on; /* tracers should run */
	VEC(struct aux_area) areas;
	VEC(struct aux_tracer) tracers;
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

/*
 * Map areas for the tracers of the list. `fixed`: exactly a->plan.pages each; otherwise fewer
 * if the locked-memory limit requires it, and then a->plan.pages has the number. `t` is the
 * target of the open events. On failure nothing is mapped.
 */
int aux_map(struct aux *a, const struct event_list *l, const struct rings *r, const struct target *t, bool fixed,
	    struct err *e);
void aux_release(struct aux *a);

/*
 * Full trace: write the new data, at most `room` bytes of output; set *full when there was
 * more. Does nothing in other modes.
 */
int aux_read(struct aux *a, struct writer *w, uint64_t room, bool *full, struct err *e);
/* Snapshot: write the areas' contents. The tracers must not run. */
int aux_snapshot(struct aux *a, struct writer *w, struct err *e);

#endif
