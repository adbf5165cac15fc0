#ifndef REPORT_PROFILE_QUALITY_H
#define REPORT_PROFILE_QUALITY_H

#include "base/hash.h"
#include "base/mem.h"
#include "symbols/symbols.h"

/*
 * How much of a profile is known, and why not the rest. Counted in samples, by what is distinct (frames, chains,
 * entries), so that it costs nothing beside the decoding. Each sample lacks its symbol for one reason at most, and
 * likewise the rest of its stack, the name of a caller, and its line.
 */
enum quality_part { QUALITY_SYMBOL, QUALITY_STACK, QUALITY_CALLERS, QUALITY_LINE, N_QUALITY_PARTS };

struct quality_row {
	enum quality_part part;
	enum reason why;
	uint32_t dso;
	uint64_t samples;
};

struct quality {
	uint64_t samples;
	uint64_t of[N_QUALITY_PARTS]; /* those that could have it: for QUALITY_STACK those that carry a call chain */
	uint64_t good[N_QUALITY_PARTS];
	VEC(struct quality_row) rows; /* most samples first; why not the others */
	struct u64map index;          /* of the rows, while they are summed */
};

extern const char *const quality_part_names[N_QUALITY_PARTS];

struct profile;
/* Fill p->quality: before the parts' entries and chains are renumbered from frames to sites. `maps`: part's frame ->
 * profile's; `symbols` by the latter. */
void quality_sum(struct profile *p, uint32_t *const *maps, const uint32_t *symbols);

/*
 * One line, a comment, of `columns` at most: shares, the most frequent reasons, each once, what helps against the
 * first. What does not fit is left out, the least important first. Nothing for a profile without samples.
 */
void quality_print_line(const struct profile *p, int columns, struct out *out);
/* By object, with what each reason means. */
void quality_print(const struct profile *p, struct out *out);

#endif
