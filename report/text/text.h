#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/rows/graph.h"
#include "report/rows/view.h"

/* A view as text: the table, and below each row its call graph. */
struct text_opts {
	const char *separator; /* -t; NULL: columns of even width */
	double min_percent;    /* rows below are left out */
	bool headings;         /* titles and the dotted line */
	bool color;
	struct graph_opts graph; /* form GRAPH_NONE: no call graphs; total is filled in */
	enum text_value { VALUE_PERCENT, VALUE_PERIOD, VALUE_COUNT } value; /* what stands at branches */
	uint32_t print_limit;                                               /* frames of one level, 0 = all */
	bool graph_lines;                                                   /* frames show their line */
	bool graph_flags;     /* frames that stand for branches tell what these said */
	bool graph_addresses; /* because their addresses are told apart */
	bool first_is_symbol; /* rows begin with the symbol: graphs need not repeat it */
};
struct hierarchy;
/* Does it do for text_opts.separator? -1 with e (status 129) if not. */
int text_separator_check(const char *separator, struct err *e);
void text_hierarchy(const struct hierarchy *h, const struct text_opts *t, struct out *o);
void text_view(const struct view *v, const struct text_opts *t, struct out *o);

#endif
