#ifndef REPORT_SESSION_ADVANCE_H
#define REPORT_SESSION_ADVANCE_H

#include "base/hash.h"
#include "format/format.h"

/*
 * Values of counters that are read with the samples: how much each advanced is the period of a sample. Samples are to
 * come in their order, so one worker takes all of them. Zeroed memory is empty.
 */
struct advance {
	struct u64map ids;
	VEC(uint64_t) values;
};
/* Does any event of the input read counters? */
bool advance_needed(const struct perfdata *pd);
/*
 * The next counter of a sample, from number *i on, that advanced since this thread's (or the counter's) last sample:
 * its event, and by how much. Values without an id are of the event `own`; unknown ids are counted. false: there are no
 * more.
 */
bool advance_next(struct advance *a, const struct perfdata *pd, const struct sample *s, uint32_t own, uint64_t *i,
		  uint32_t *event, uint64_t *by, uint64_t *unknown_ids);
void advance_release(struct advance *a);

#endif
