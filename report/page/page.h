#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/code.h"
#include "report/stacks/flame.h"
#include "report/stacks/lanes.h"

/*
 * Write one page that needs no other file: flame graph, callers and callees of a function, table, threads over time,
 * heat map, and code. Names are foreign text; nothing of them can leave its place. `f` must hold all boxes, of stacks
 * with slices.
 */
struct page_opts {
	const char *title, *unit;     /* title NULL: "Profile"; unit: of the weights */
	bool compared;                /* column 1 of the stacks is the recording to compare with */
	uint64_t samples;             /* number of samples, 0: do not tell */
	const struct lanes *lanes;    /* what threads did; NULL: not known */
	const struct page_code *code; /* NULL: none */
};
void page_write(const struct flame *f, const struct page_opts *opts, struct out *o);

#endif
