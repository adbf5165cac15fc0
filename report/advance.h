#ifndef REPORT_ADVANCE_H
#define REPORT_ADVANCE_H

#include "base/hash.h"
#include "format/format.h"

/*
 * Values of counters that are read with the samples: how much each advanced is the period of a sample. Samples are to come in their order, so one worker takes
 * all of them. Zeroed memory is empty.
 */
struct advance {
	struct u64map ids;
	VEC(uint64_t) values;
};
/* Does any event of the input read counters? */
bool advance_needed(const struct perfdata *pd);
/* How much the counter `id` advanced since this thread's (or the counter's) last sample. */
uint64_t advance_of(struct advance *a, const struct file_event *event, uint64_t id, uint32_t tid, uint64_t value);
void advance_release(struct advance *a);

#endif
