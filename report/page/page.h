#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/code.h"
#include "report/stacks/flame.h"
#include "report/stacks/lanes.h"

/*
 * Write one page that needs no other file: flame graph, callers and callees of a function, table, threads over time,
 * heat map, and code. Names are foreign text and are escaped everywhere. `f` must have all boxes, made from stacks with
 * slices.
 *
 * Example: write the page of a recording to standard output.
 *
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct stacks *st = stacks_new(&(struct stacks_opts){ .max_stack = 127, .threads = 1, .slices = true });
 *	struct profile_filter all = { 0 };
 *	struct out o;
 *
 *	if (!s || session_walk(s, NULL) < 0 || stacks_add(st, s, &all, 0, NULL) < 0)
 *		return 1;
 *	stacks_sort(st, 0);
 *	out_init_fd(&o, STDOUT_FILENO);
 *	page_write(flame_new(st, 0), &(struct page_opts){ .unit = "samples" }, &o);
 *	out_flush(&o);
 */
struct page_opts {
	const char *title, *unit;     /* title NULL: "Profile"; unit: of the weights */
	bool compared;                /* column 1 of the stacks is the recording to compare with */
	uint64_t samples;             /* number of samples, 0: do not show it */
	const struct lanes *lanes;    /* tracks of threads; NULL: unknown */
	const struct page_code *code; /* NULL: none */
};
void page_write(const struct flame *f, const struct page_opts *opts, struct out *o);

#endif
