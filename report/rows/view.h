#ifndef REPORT_ROWS_VIEW_H
#define REPORT_ROWS_VIEW_H

#include "report/rows/keys.h"

/*
 * The rows of one event (or of the events of a group, side by side) as they are shown: sorted, with
 * columns. Text output, screens and exporters read nothing else.
 */
struct column {
	const struct key *key;
	const char *title;
	int width;
	int natural;    /* the width that its texts need; a screen changes `width` */
	int user_width; /* -w; 0 = as wide as needed */
	bool fitted;    /* narrower than its texts: shorten them */
	bool hidden;    /* a filter leaves only one value: the heading shows it instead */
};

struct view_opts {
	const struct key *const *fields; /* columns from left to right */
	size_t n_fields;
	const struct key *const *sort; /* rows are compared by these, in this order */
	size_t n_sort;
	const bool *hidden; /* per field; NULL: show all */
	const int *widths;  /* -w; 0 or missing: as wide as needed */
	size_t n_widths;
	int columns;       /* the table should fit into this many columns; 0: no limit */
	size_t sort_event; /* which event of the group decides the order first */
	bool self_title;   /* call the share of own samples "Self" */
	bool children;
	bool relative; /* 100 % are the samples that passed the filters */
	bool chains;   /* call graphs are shown: their depth decides between equal rows */
	bool caller_first;
	bool verbose;    /* long names, addresses */
	bool full_paths; /* of source files */
	bool nanoseconds;
	/*
	 * Sort rows with equal sums in our own order, which takes less time than perf's: for rows that perf does not
	 * have.
	 */
	bool own_order;
	bool separated; /* -t: do not widen columns for addresses without a symbol */
};

struct view_row {
	const struct row *row;
	const struct row_sums *sums; /* one per event of the group */
	uint64_t weight; /* copy of the sum that rows are compared by first, if it is a sum; saves a memory access */
	/* With own_order, what decides between equal weights, the larger one first: depth, then a second sum. */
	uint64_t second;
	uint32_t depth;
};

/* Ranks that order rows instead of the texts of a key: equal texts have equal ranks. */
struct text_ranks {
	const struct key *key;
	uint32_t *of; /* by row of the fold; only those of the view are set */
};

/* What decides between rows by object and symbol, computed once for all comparisons. */
struct view_place {
	uint64_t at;         /* where the function begins; without one, the address */
	const char *inlined; /* NULL: none */
	uint32_t object;     /* the rank of its name; unknown ones come last */
	bool named;
};

struct view {
	const struct fold *fold;
	const struct view_opts *opts;
	uint32_t event;         /* the group's leader */
	const uint32_t *events; /* all events of the group, leader first */
	size_t n_events;
	struct event_total *totals; /* per event of the group: what is 100 % */
	VEC(struct view_row) rows;
	VEC(struct column) columns;
	struct row_sums *sums; /* of several events; rows of one event have their own */
	bool weighed;          /* with own_order: the numbers in the rows decide everything that a sum decides */
	VEC(struct text_ranks) ranks;
	struct view_place *places; /* by row of the fold, only those of the view are set; NULL: not needed */
};

/* `events`: the group, or one event; must outlive the view. */
struct view *view_new(const struct fold *f, const struct view_opts *opts, const uint32_t *events, size_t n_events);
void view_free(struct view *v);

/* The number that a key's `sample` function gave the row; 0 if rows are not grouped by it. */
uint64_t view_value(const struct view *v, const struct row *r, sample_value *value);
/* The same when several keys share one function. */
uint64_t view_key_value(const struct view *v, const struct row *r, const struct key *k);
/* Compare two rows by a key that is not a sum. */
int view_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b);
void view_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o);
double view_percent(const struct view *v, size_t member, uint64_t period);
/* The value in a column of sums for one event of the group: a share, a mean or a plain number. */
double view_sum(const struct view *v, const struct key *k, size_t member, const struct row_sums *s);
/* The sum that gives the row's share: with children if counted, else own samples. */
uint64_t view_weight(const struct view *v, const struct view_row *r);
/* Compare rows by a column of sums: negative if a is shown first. */
int view_compare_sums(const struct view *v, const struct key *k, const struct view_row *a, const struct view_row *b);
/* Return whether the row's name passes --symbol-filter, which selects rows, not samples. */
bool view_name_passes(const struct view *v, const struct view_row *r);
/* Name of a site as rows and call graphs show it; NULL without a symbol. Foreign text. */
const char *view_site_name(const struct view *v, const struct site *s);

#endif
