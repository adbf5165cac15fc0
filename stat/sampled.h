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
	uint32_t event; /* index in the recording */
	uint64_t value;
};

/* `pd` must outlive the result. */
struct sampled *sampled_new(const struct perfdata *pd);
void sampled_free(struct sampled *s); /* NULL is allowed */
/* Print one line for each derived value of these n counts: "   1.25  insn per cycle". */
void sampled_metrics(struct sampled *s, const struct sampled_count *counts, size_t n, struct out *o);

#endif
