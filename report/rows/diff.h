#ifndef REPORT_ROWS_DIFF_H
#define REPORT_ROWS_DIFF_H

#include "report/profile/blocks.h"
#include "report/rows/view.h"

/*
 * Join the rows of several recordings by what they show: rows with the same texts of all keys are
 * one row, and so are all addresses without a function. Then join the rows left over in one
 * recording with those left over in the others if the names differ only in what compilers append
 * (".constprop.0", ".cold", a Rust hash).
 */
enum diff_method { DIFF_DELTA, DIFF_DELTA_ABS, DIFF_RATIO, DIFF_WEIGHTED, DIFF_CYCLES };

struct diff_opts {
	enum diff_method method;
	int64_t weights[2];           /* DIFF_WEIGHTED: weight of the baseline, of the others */
	size_t order;                 /* sort by what this file shows; 0 = by the baseline's shares */
	bool baseline_only;           /* only rows that the baseline and another file have */
	bool periods, formula;        /* also show these columns */
	bool histogram;               /* DIFF_CYCLES: show how the changes of single rounds spread */
	struct blocks *const *blocks; /* DIFF_CYCLES: per file; NULL where the file does not have the event */
	bool headings;
	const char *separator; /* -t; NULL: pad the columns */
};

/*
 * A block that the baseline and another file have; `change` is the difference of the average
 * cycles.
 */
struct diff_block {
	const struct block *old, *new;
	int64_t change;
};
/*
 * `dso`, `symbol`: the function of its first sample. `blocks`: with DIFF_CYCLES, the blocks of the
 * function that the baseline has, too; largest change first.
 */
struct diff_cell {
	uint64_t period;
	bool there;
	uint32_t dso, symbol;
	VEC(struct diff_block) blocks;
};
/* `unnamed`: addresses of no function; the text shows `address`. */
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
	size_t symbol_key; /* index of the key that is the function; SIZE_MAX: none */
	uint64_t *totals;  /* per file: what is 100 % */
	/* 100 % in the baseline's column; with baseline_only, the sum of the rows that remain. */
	uint64_t shown_total;
	const char **titles; /* of keys */
	int *widths;
	bool *ragged;
	VEC(struct diff_row) rows;
};

/*
 * `views`: one per file, the baseline's first; NULL where a file does not have the event. All have
 * the same columns.
 */
struct diff *diff_new(const struct view *const *views, size_t n_files, const struct diff_opts *o);
void diff_free(struct diff *d);
/*
 * The first n_before files are runs of the baseline, the others are runs to compare with it; at
 * least two each. Print for each row how its share changed and the interval within which chance
 * alone would change it. Return whether any share, or the total, grew by more than chance explains.
 */
bool diff_stat_print(const struct diff *d, size_t n_before, struct out *o);
/* --- diff_cycles.c --- */
/* Find the blocks that each row's function has in common with the baseline's. */
void diff_join_blocks(struct diff *d);
void diff_blocks_free(struct diff_row *r, size_t n_files);
/*
 * Print the relative deviation of the changes in percent, and a bar for each round; nothing if all
 * rounds are equal. Return the width.
 */
int diff_block_histogram(const struct diff_block *b, struct out *o);
/* The t of Student's distribution whose absolute value is exceeded with probability `tails`. */
double student_quantile(double tails, double freedom);

#endif
