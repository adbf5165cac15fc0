#ifndef RECORD_RINGS_AUX_H
#define RECORD_RINGS_AUX_H

/*
 * AUX areas: hardware tracers write there what they see, one area beside each ring that takes
 * records of a tracer. What lies there goes into the output as AUXTRACE records, each followed by
 * the bytes.
 *
 *	rings_map -> aux_map -> (aux_read | aux_snapshot)* -> aux_release
 *
 *	full trace	mapped for writing: the kernel writes only where aux_tail says that it was read; a tracer that
 * finds no room is switched off, and on again after the next read snapshot	mapped for reading: the kernel goes
 * round and overwrites the oldest; read on request, while the tracer stands still
 *	samples		the same, but parts of it become members of other events' samples; nothing is read here
 *
 * Source: perf_event_open(2), "aux_head, aux_tail"; linux/perf_event.h, struct perf_event_mmap_page; strobe.data(5),
 * AUXTRACE.
 */
#include <sys/uio.h>

#include "base/err.h"
#include "events/events.h"
#include "format/writer.h"
#include "record/attr/aux_kind.h"
#include "record/rings/rings.h"

struct aux_area {
	void *control; /* the ring's first page */
	const uint8_t *data;
	uint64_t size; /* of data, a power of two */
	uint64_t at;   /* read up to here; counts on over the ends of the area */
	uint32_t idx;  /* of its ring */
	int cpu;       /* -1 = any */
	int32_t tid;   /* -1 = any */
	bool wrapped;  /* of a snapshot: all of it was written once */
};

struct aux_tracer {
	int fd;
	uint32_t area;
};

struct aux {
	struct aux_plan plan;
	bool on; /* tracers are meant to run */
	VEC(struct aux_area) areas;
	VEC(struct aux_tracer) tracers;
};

/* Bytes [from, to) in the area's count; no more than its size. */
struct aux_span {
	uint64_t from, to;
};

/*
 * What a snapshot has to give when the kernel's head is `head`. Some tracers count on, others
 * (`search_bytes` is not 0) tell a place in the area: then the area is new, all zero, or its last
 * bytes tell that it was full once. Remembers that.
 */
struct aux_span aux_span_snapshot(struct aux_area *a, uint64_t head, uint64_t search_bytes);
/*
 * The span, or its newest `most` bytes, as pieces of the area; its length is cut to a multiple of
 * the tracer's records (`alignment`, 0 = bytes). Returns how many bytes they are.
 */
uint64_t aux_pieces(const struct aux_area *a, const struct aux_span *s, uint64_t most, unsigned alignment,
		    struct iovec pieces[2]);

/*
 * Map areas for the tracers of the list. `fixed`: of exactly a->plan.pages each; else fewer if the
 * locked-memory limit does not allow so many, a->plan.pages tells then how many. `t` is the target
 * that it was opened for. On failure nothing is mapped.
 */
int aux_map(struct aux *a, const struct event_list *l, const struct rings *r, const struct target *t, bool fixed,
	    struct err *e);
void aux_release(struct aux *a);

/* Full trace: write what is new, at most `room` bytes of the output; *full when there was more. Does nothing in other
 * modes. */
int aux_read(struct aux *a, struct writer *w, uint64_t room, bool *full, struct err *e);
/* Snapshot: write what the areas hold. The tracers must not run. */
int aux_snapshot(struct aux *a, struct writer *w, struct err *e);

#endif
