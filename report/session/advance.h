#ifndef REPORT_SESSION_ADVANCE_H
#define REPORT_SESSION_ADVANCE_H

#include "base/hash.h"
#include "format/format.h"

/*
 * Values of counters that are read with the samples. A sample's period is how much its counter
 * advanced. Pass the samples in their order: one worker takes all of them. Zeroed memory is empty.
 */
struct advance {
	struct u64map ids;
	VEC(uint64_t) values;
};
/* Return whether any event of the input reads counters. */
bool advance_needed(const struct perfdata *pd);
/*
 * Find the next counter of a sample, from number *i on, that advanced since the last sample of this
 * thread (or of this counter). Return its event and by how much it advanced. Values without an id
 * belong to the event `own`; unknown ids are counted. false: there are no more.
 */
bool advance_next(struct advance *a, const struct perfdata *pd, const struct sample *s, uint32_t own, uint64_t *i,
		  uint32_t *event, uint64_t *by, uint64_t *unknown_ids);
void advance_release(struct advance *a);

#endif
