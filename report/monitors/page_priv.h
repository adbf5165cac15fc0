#ifndef REPORT_MONITORS_PAGE_PRIV_H
#define REPORT_MONITORS_PAGE_PRIV_H

#include "report/monitors/heat_priv.h"

/*
 * The HTML page of --html: for each series of durations it has a table row, a histogram and a heat map. The page is one
 * file; it loads nothing and runs no script.
 */
struct page_series {
	const char *name; /* foreign text */
	const struct heat *heat;
};
struct heat_page {
	const char *title;  /* foreign text */
	const char *until;  /* the time of day, or "" */
	uint64_t column_ms; /* length of heat_tick's interval */
	const struct page_series *series;
	size_t n_series;
};
void heat_page_write(const struct heat_page *p, struct out *o);

#endif
