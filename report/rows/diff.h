#ifndef REPORT_ROWS_DIFF_H
#define REPORT_ROWS_DIFF_H

#include "report/profile/blocks.h"
#include "report/rows/view.h"

/*
 * Rows of several recordings joined by what they show: the same texts of all keys are the same row, and all addresses
 * without a function are one. What is left over in one recording is joined with what is left over in the others if
 * their names differ only in what compilers append (".constprop.0", ".cold", a Rust hash).
 */
enum diff_method { DIFF_DELTA, DIFF_DELTA_ABS, DIFF_RATIO, DIFF_WEIGHTED, DIFF_CYCLES };

struct diff_opts {
	enum diff_method method;
	int64_t weights[2];           /* DIFF_WEIGHTED: of the baseline, of the others */
	size_t order;                 /* rows are sorted by what this file shows; 0 = by the baseline's shares */
	bool baseline_only;           /* leave out what is not both in the baseline and in another file */
	bool periods, formula;        /* more columns */
	bool histogram;               /* DIFF_CYCLES: how the changes of single rounds are spread */
	struct blocks *const *blocks; /* DIFF_CYCLES: of each file; NULL where it does not have the event */
	bool headings;
	const char *separator; /* -t; NULL: columns of even width */
};

/* A block in the baseline and in another file; `change` is of the average cycles. */
struct diff_block {
	const struct block *old, *new;
	int64_t change;
};
/* `dso`, `symbol`: the function of its first sample. `blocks`: DIFF_CYCLES, of the function, those that the baseline
 * has, too; most changed first. */
struct diff_cell {
	uint64_t period;
	bool there;
	uint32_t dso, symbol;
	VEC(struct diff_block) blocks;
};
/* `unnamed`: places of no function; `address` is the one that the text shows. */
struct diff_row {
	char **texts;
	struct diff_cell *cells; /* one per file */
	bool unnamed;
	uint64_t address;
	size_t first_file;
};

struct diff {
	const struct diff_opts *opts;
	size_t n_files, n_keys;
	size_t symbol_key;    /* which of the keys is the function; SIZE_MAX: none */
	uint64_t *totals;     /* per file: 100 % */
	uint64_t shown_total; /* 100 % of the baseline's column: what is left of it with baseline_only */
	const char **titles;  /* of keys */
	int *widths;
	bool *ragged;
	VEC(struct diff_row) rows;
};

/* `views`: one per file, the baseline's first; NULL where a file does not have the event. All have the same columns. */
struct diff *diff_new(const struct view *const *views, size_t n_files, const struct diff_opts *o);
void diff_free(struct diff *d);
void diff_print(const struct diff *d, struct out *o);
/*
 * The first n_before files are runs of the baseline, the others of what is compared with it; at least two each. Prints
 * for each row how its share changed, and within what interval chance alone would have it. Returns whether any share,
 * or the whole, grew by more.
 */
bool diff_stat_print(const struct diff *d, size_t n_before, struct out *o);
/* --- diff_cycles.c --- */
/* What the blocks of the rows' functions have in common with the baseline's. */
void diff_join_blocks(struct diff *d);
void diff_blocks_free(struct diff_row *r, size_t n_files);
/* The relative deviation of the changes in percent and a bar for each round; nothing where rounds do not differ.
 * Returns its width. */
int diff_block_histogram(const struct diff_block *b, struct out *o);
/* t of Student's distribution that is exceeded in absolute value with the probability `tails`. */
double student_quantile(double tails, double freedom);

#endif
