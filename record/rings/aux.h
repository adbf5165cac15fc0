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
#include "base/err.h"
#include "events/events.h"
#include "format/writer/writer.h"
#include "record/attr/aux_kind.h"
#include "record/rings/rings.h"

struct aux_area;
struct aux_tracer;

struct aux {
	struct aux_plan plan;
	bool on; /* tracers should run */
	VEC(struct aux_area) areas;
	VEC(struct aux_tracer) tracers;
};

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
