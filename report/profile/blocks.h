#ifndef REPORT_PROFILE_BLOCKS_H
#define REPORT_PROFILE_BLOCKS_H

#include "report/profile/profile.h"

/*
 * Blocks: code between two branches, from the branches that samples carry with their cycles. A
 * block goes from the target of one branch to the source of the next. Blocks of one function with
 * the same end are one block; it begins where the longest one did. Source: linux/perf_event.h,
 * struct perf_branch_entry.
 */
enum { BLOCK_SEEN = 8 };
struct block {
	uint32_t dso, symbol;
	/*
	 * Dso_off of its first and last instruction. If the first is unknown, the start of the
	 * function.
	 */
	uint64_t from, to;
	uint64_t cycles, n;        /* sum of all its runs, and their number */
	uint16_t seen[BLOCK_SEEN]; /* cycles of the first runs that had the full length */
	uint8_t n_seen;
	bool started; /* its first instruction is known */
};

struct blocks {
	struct session *session;
	VEC(struct block) items; /* most cycles first */
	uint64_t cycles;         /* of all blocks */
	uint64_t averages;       /* sum of the blocks' average cycles */
};

/* Collect the blocks from one event's samples that pass the profile's filter. They use the session of the profile. */
struct blocks *blocks_new(const struct profile *p, uint32_t event);
void blocks_free(struct blocks *b);
/* Print "[func+0 -> func+24]", or files and lines. Foreign text, escaped. */
void blocks_put_range(const struct blocks *b, const struct block *k, bool full_paths, struct out *o);
/*
 * Print a table of the blocks that have at least min_percent of the cycles. `full_paths`: print
 * whole paths of source files.
 */
void blocks_print(const struct blocks *b, double min_percent, bool headings, bool full_paths, struct out *o);

#endif
