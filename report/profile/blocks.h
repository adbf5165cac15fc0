#ifndef REPORT_PROFILE_BLOCKS_H
#define REPORT_PROFILE_BLOCKS_H

#include "report/profile/profile.h"

/*
 * Stretches of code between two branches, from the branches that samples carry with their cycles: where one branch went
 * to, up to where the next one left. Stretches of one function with the same end are one; it begins where the longest
 * did. Source: linux/perf_event.h, struct perf_branch_entry.
 */
enum { BLOCK_SEEN = 8 };
struct block {
	uint32_t dso, symbol;
	uint64_t from,
		to; /* dso_off of its first and last instruction; where nothing tells the first, the function's start */
	uint64_t cycles, n;        /* of all times it ran, and how often that was */
	uint16_t seen[BLOCK_SEEN]; /* cycles of the first times it ran as long as this */
	uint8_t n_seen;
	bool started; /* its first instruction is known */
};

struct blocks {
	struct session *session;
	VEC(struct block) items; /* most cycles first */
	uint64_t cycles;         /* of all */
	uint64_t averages;       /* the sum of their average cycles */
};

/* Of one event's samples that the profile's filter takes. */
struct blocks *blocks_new(const struct profile *p, uint32_t event);
void blocks_free(struct blocks *b);
/* "[func+0 -> func+24]", or files and lines. Foreign text, escaped. */
void blocks_put_range(const struct blocks *b, const struct block *k, bool full_paths, struct out *o);
/* A table of those with at least min_percent of the cycles. `full_paths`: of source files. */
void blocks_print(const struct blocks *b, double min_percent, bool headings, bool full_paths, struct out *o);

#endif
