#ifndef REPORT_TEXT_TEXT_PRIV_H
#define REPORT_TEXT_TEXT_PRIV_H

#include "report/text/text.h"

/* What tables and hierarchies share. */
struct page {
	const struct view *v;
	const struct text_opts *t;
	struct out *o;
	struct out cell; /* text of one cell, before it is padded */
};

/* --- text.c --- */
/* Add a column of sums to page.cell, those of every event of the group side by side. Returns the columns it takes. */
int text_sums(struct page *p, const struct column *c, const struct view_row *r);
/* The function of a site, with its line if these are shown. */
void text_frame(const struct page *p, uint32_t site);
/* Can a branch of the row's graph reach the threshold? */
bool text_has_graph(const struct page *p, const struct view_row *r);
/* The row's call graph in the form that was asked for; releases it. */
void text_graph(struct page *p, struct graph *g, const struct view_row *r);

#endif
