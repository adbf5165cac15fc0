#ifndef CMD_REPORT_LIVE_ROWS_H
#define CMD_REPORT_LIVE_ROWS_H

#include "cmd/report/browse_parts.h"
#include "report/live/live.h"

/*
 * Rows of samples that still arrive, for top and for report of a pipe. Sums grow with each sample. A page is a copy of
 * the sums, with names.
 */

/* Options of the rows, and what follows from them. Keys of the screen change them: pages hold the one they show. */
struct live_run {
	struct report_opts opts;
	struct run run; /* fields, filters and appearance */
	unsigned users;
};

struct live_shown;

struct live_rows {
	struct live *live;
	/* Called after sites from number `from` on were named; may be NULL. */
	void (*named)(struct profile *p, size_t from);
	struct live_run *now;
	struct profile *sums;              /* the sums behind all pages */
	struct live_shown *last;           /* of the last page, to go on with; NULL: none, or it cannot go on */
	VEC(const struct profile *) shown; /* all that live */
};

/* A refresh: rows of the samples so far. */
struct live_shot {
	struct run run; /* its profile and fold are those of `shown`; everything else belongs to `of` */
	struct live_run *of;
	struct live_shown *shown;
};

/* A page that the browser shows. */
struct live_page {
	struct browse_data data;
	struct live_shot shot;
	struct hot *hot; /* samples per address, once the user has asked for code */
};

/* A shot is in use. */
bool live_rows_in_use(const struct live_rows *r);
/* After a refresh: release data that is no longer used (live_tidy). */
void live_rows_tidy(struct live_rows *r);

/* Evaluate the options of rows; NULL with e. */
struct live_run *live_run_new(struct live_rows *r, const struct report_opts *opts, struct err *e);
/* The sums so far are enough for these rows. */
bool live_rows_suffice(const struct live_rows *r, struct live_run *run);
/*
 * Show these rows from now on, and take them over. Samples so far stay if they tell enough for them. Return whether
 * they stayed.
 */
bool live_rows_set(struct live_rows *r, struct live_run *run);
/* Add the samples of the round (live_sum). */
void live_rows_sum(struct live_rows *r);
/* Release everything but `live`. */
void live_rows_release(struct live_rows *r);
void live_run_drop(struct live_run *run);

/*
 * Name and fold the sums so far. If no other shot is in use, this takes as long as what has changed since the last one
 * needs.
 */
void live_shoot(struct live_rows *r, struct live_shot *s);
void live_shot_release(struct live_rows *r, struct live_shot *s);

/* Print how often the kernel paused events that had too many samples: since the last look, and in all. */
void live_put_throttled(const struct live_costs *c, struct out *o);

struct live_page *live_page_new(struct live_rows *r);
void live_page_free(struct live_rows *r, struct live_page *p);
/* `annotate` of the browser's source. */
enum tui_then live_page_annotate(struct live_page *p, const struct report_opts *o, struct browse_source *source,
				 struct tui *t, const struct view *v, uint32_t dso, uint32_t symbol);

#endif
