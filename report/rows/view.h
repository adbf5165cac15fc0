#ifndef REPORT_ROWS_VIEW_H
#define REPORT_ROWS_VIEW_H

#include "report/rows/keys.h"

/*
 * Rows of one event (or of the events of a group, side by side) as they are shown: sorted, with columns. All that text,
 * screens and exporters read.
 */
struct column {
	const struct key *key;
	const char *title;
	int width;
	int user_width; /* -w; 0 = as wide as needed */
	bool fitted;    /* narrower than what is in it: that is shortened */
	bool hidden;    /* a filter leaves only one value: told above the table instead */
};

struct view_opts {
	const struct key *const *fields; /* columns from left to right */
	size_t n_fields;
	const struct key *const *sort; /* rows are compared by these, in order */
	size_t n_sort;
	const bool *hidden; /* per field; NULL: all are shown */
	const int *widths;  /* -w; 0 or missing: as wide as needed */
	size_t n_widths;
	int columns;       /* the table is to fit into so many; 0: it may be as wide as it is */
	size_t sort_event; /* of the events of a group: by whose sums rows are compared first */
	bool self_title;   /* the share of own samples is called "Self" */
	bool children;
	bool relative; /* 100 % are the samples that passed the filters */
	bool chains;   /* call graphs are shown: their depth decides between equals */
	bool caller_first;
	bool verbose;    /* long names, addresses */
	bool full_paths; /* of source files */
	bool nanoseconds;
	bool separated; /* -t: columns are not widened for what has no symbol */
};

struct view_row {
	const struct row *row;
	struct row_sums *sums; /* one per event of the group */
	uint64_t weight; /* what rows are compared by first, if that is a sum: spares looking it up where it lies */
};

struct view {
	const struct fold *fold;
	const struct view_opts *opts;
	uint32_t event;         /* the group's leader */
	const uint32_t *events; /* all of the group, leader first */
	size_t n_events;
	struct event_total *totals; /* per event of the group: 100 % */
	VEC(struct view_row) rows;
	VEC(struct column) columns;
	struct row_sums *sums;
};

/* `events`: the group, or one event; must outlive the view. */
struct view *view_new(const struct fold *f, const struct view_opts *opts, const uint32_t *events, size_t n_events);
void view_free(struct view *v);

/* The number that a key's `sample` function gave the row; 0 if rows are not grouped by it. */
uint64_t view_value(const struct view *v, const struct row *r, sample_value *value);
/* The same for a key that is one of several with the same function. */
uint64_t view_key_value(const struct view *v, const struct row *r, const struct key *k);
/* What a key's functions say of rows; its sums are not compared here. */
int view_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b);
void view_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o);
double view_percent(const struct view *v, size_t member, uint64_t period);
/* What a column of sums shows for one event of the group: a share, a mean or a plain number. */
double view_sum(const struct view *v, const struct key *k, size_t member, const struct row_sums *s);
/* What the row's share is measured by: children if they are counted, else its own samples. */
uint64_t view_weight(const struct view *v, const struct view_row *r);
/* Rows by a column of sums: negative if a is shown first. */
int view_compare_sums(const struct view *v, const struct key *k, const struct view_row *a, const struct view_row *b);
/* Does its name contain what was asked for? (--symbol-filter is about rows, not samples.) */
bool view_name_passes(const struct view *v, const struct view_row *r);
/* Name of a site as rows and call graphs show it; NULL when it has no symbol. Foreign text. */
const char *view_site_name(const struct view *v, const struct site *s);

#endif
