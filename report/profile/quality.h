#ifndef REPORT_PROFILE_QUALITY_H
#define REPORT_PROFILE_QUALITY_H

#include "base/hash.h"
#include "base/mem.h"
#include "symbols/symbols.h"

/*
 * How much of a profile is known, and why the rest is unknown. The unit is samples, but we judge
 * each distinct frame, chain and entry once, so this costs nothing beside decoding. For each sample
 * there is at most one reason why the symbol is missing, one for the rest of the stack, one for the
 * name of a caller, and one for the line.
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
	uint64_t of[N_QUALITY_PARTS]; /* samples that could have it; for QUALITY_STACK, samples with a call chain */
	uint64_t good[N_QUALITY_PARTS];
	VEC(struct quality_row) rows;   /* most samples first */
	struct u64map index;            /* of the rows, while summing */
	uint32_t last[N_QUALITY_PARTS]; /* the same: the row that was added to last */
};

struct profile;
/* Facts about frames, collected while a profile is named. */
struct quality_input {
	uint32_t *const *maps;    /* by part: its frames -> those of the profile */
	const uint32_t *n_frames; /* by part */
	const uint32_t *symbols;  /* by frame of the profile */
};
/* Fill p->quality. Call it before sum_sites: it judges frames. */
void quality_sum(struct profile *p, const struct quality_input *in);

/*
 * Print one comment line of at most `columns`: the shares, the most frequent reasons, and the cure
 * for the first one. Drop the least important parts if they do not fit. Print nothing for a profile
 * without samples.
 */
void quality_print_line(const struct profile *p, int columns, struct out *out);
/* Print a table by object, and what each reason means. */
void quality_print(const struct profile *p, struct out *out);

#endif
