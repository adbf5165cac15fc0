#ifndef STAT_SAMPLED_H
#define STAT_SAMPLED_H

#include "base/out.h"
#include "format/format.h"

/*
 * Print derived values for counts in samples: the counts of a group of events, each since the
 * previous sample.
 */
struct sampled;
struct sampled_count {
	uint32_t event;
	uint64_t value;
}; /* event: index in the recording */

struct sampled *sampled_new(const struct perfdata *pd);
void sampled_free(struct sampled *s);
/* Print one line for each: "   1.25  insn per cycle". */
void sampled_metrics(struct sampled *s, const struct sampled_count *counts, size_t n, struct out *o);

#endif
