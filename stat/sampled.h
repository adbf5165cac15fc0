#ifndef STAT_SAMPLED_H
#define STAT_SAMPLED_H

#include "base/out.h"
#include "format/format.h"

/*
 * What is said beside counts, of counts that samples carry: those of a group of events, as far as they advanced since
 * the sample before.
 */
struct sampled;
struct sampled_count {
	uint32_t event;
	uint64_t value;
}; /* event: of the recording */

struct sampled *sampled_new(const struct perfdata *pd);
void sampled_free(struct sampled *s);
/* A line for each: "   1.25  insn per cycle". */
void sampled_metrics(struct sampled *s, const struct sampled_count *counts, size_t n, struct out *o);

#endif
