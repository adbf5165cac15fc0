#ifndef REPORT_TEXT_TEXT_PRIV_H
#define REPORT_TEXT_TEXT_PRIV_H

#include "report/text/text.h"

/* The state that tables and hierarchies share. */
struct page {
	const struct view *v;
	const struct text_opts *t;
	struct out *o;
	struct out cell; /* text of one cell, before padding */
	size_t shown;    /* rows so far */
};

/* --- text.c --- */
/* Append a column of sums to page.cell, side by side for all events of the group. Return its width. */
int text_sums(struct page *p, const struct column *c, const struct view_row *r);
/* Print the function of a site, with its line if wanted. */
void text_frame(const struct page *p, uint32_t site);
/* Can a branch of the row's graph reach the threshold? */
bool text_has_graph(const struct page *p, const struct view_row *r);
/* Print a row's call graph in the wanted form, then release it. `row_total`: the sum of the row's samples. */
void text_graph(struct page *p, struct graph *g, uint64_t row_total);

#endif
