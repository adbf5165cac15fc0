#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "report/view.h"

/*
 * Rows of several recordings joined by what they show: the same texts of all keys are the same row. What is left over in one recording is joined
 * with what is left over in the others if their names differ only in what compilers append (".constprop.0", ".cold", a Rust hash).
 */
enum diff_method { DIFF_DELTA, DIFF_DELTA_ABS, DIFF_RATIO, DIFF_WEIGHTED };

struct diff_opts {
	enum diff_method method;
	int64_t weights[2];		/* DIFF_WEIGHTED: of the baseline, of the others */
	size_t order;			/* rows are sorted by what this file shows; 0 = by the baseline's shares */
	bool baseline_only;		/* leave out what is not both in the baseline and in another file */
	bool periods, formula;		/* more columns */
	bool headings;
	const char *separator;		/* -t; NULL: columns of even width */
};

struct diff_cell { uint64_t period; bool there; };
struct diff_row { char **texts; struct diff_cell *cells; /* one per file */ };

struct diff {
	const struct diff_opts *opts;
	size_t n_files, n_keys;
	uint64_t *totals;		/* per file: 100 % */
	uint64_t shown_total;		/* 100 % of the baseline's column: what is left of it with baseline_only */
	const char **titles;		/* of keys */
	int *widths;
	bool *ragged;
	VEC(struct diff_row) rows;
};

/* `views`: one per file, the baseline's first; NULL where a file does not have the event. All have the same columns. */
struct diff *diff_new(const struct view *const *views, size_t n_files, const struct diff_opts *o);
void diff_free(struct diff *d);
void diff_print(const struct diff *d, struct out *o);
/*
 * The first n_before files are runs of the baseline, the others of what is compared with it; at least two each. Prints for each row how its share
 * changed, and within what interval chance alone would have it. Returns whether any share, or the whole, grew by more.
 */
bool diff_stat_print(const struct diff *d, size_t n_before, struct out *o);
/* t of Student's distribution that is exceeded in absolute value with the probability `tails`. */
double student_quantile(double tails, double freedom);

#endif
