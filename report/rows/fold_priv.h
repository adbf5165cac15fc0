#ifndef REPORT_ROWS_FOLD_PRIV_H
#define REPORT_ROWS_FOLD_PRIV_H

#include "report/rows/fold.h"

/* What one part of the profile has for the fold: its entries by group, and their rows. */
struct fold_part {
	uint32_t *order; /* entries, sorted by group */
	size_t n_entries;
	struct fold_group {
		uint32_t event, outer, parent, stack, from, to;
	} * groups;
	size_t n_groups;
	VEC(struct row) rows;
};

/* Does the entry belong to any row? A faded entry has neither samples nor a period. */
bool fold_entry_passes(const struct fold *f, const struct fold_group *g, const struct entry *e);
/* Index the wanted rows, for fold_find_row: it returns the number + 1 of the row that is the same as `r`; 0 = none. */
void fold_index_rows(const struct fold *f, const uint32_t *wanted, struct idtable *index);
uint32_t fold_find_row(const struct fold *f, const struct idtable *index, const struct row *r);

/* --- fold_stacks.c --- */
void fold_number_stacks(struct fold *f);
void fold_free_stacks(struct fold *f);

#endif
