#ifndef REPORT_STACKS_EXPORT_H
#define REPORT_STACKS_EXPORT_H

#include "report/stacks/flame.h"

/* Writers of stacks in the forms of other programs. All names in them are foreign text, and inert in each form. */

/* "comm;outer;...;inner WEIGHT", a line per stack; with two recordings "... WEIGHT-OF-THE-OLD WEIGHT-OF-THE-NEW", as
 * difffolded.pl has it. */
void export_collapsed(const struct stacks *st, bool compared, struct out *o);

/* What the boxes' colours tell. */
enum flame_colors {
	COLORS_KIND,
	COLORS_OBJECT,
	COLORS_HOT,
	COLORS_MEM,
	COLORS_IO,
	COLORS_RED,
	COLORS_GREEN,
	COLORS_BLUE,
	COLORS_AQUA,
	COLORS_YELLOW,
	COLORS_PURPLE,
	COLORS_ORANGE,
	COLORS_DIFF
};
/* By name; -1 and e with the names there are. */
int flame_colors_parse(const char *name, enum flame_colors *colors, struct err *e);

struct flamegraph_opts {
	const char *title, *subtitle; /* NULL: the usual one, none */
	const char *unit;             /* what weights are counted in */
	unsigned width;               /* of the picture, in pixels */
	double min_width;             /* boxes narrower than so many pixels are left out */
	bool icicle;                  /* callers above what they call */
	bool compared;                /* colours tell the change from stacks' column 1 */
	enum flame_colors colors;
};
/* The smallest weight that is drawn. */
uint64_t flamegraph_least(const struct stacks *st, const struct flamegraph_opts *opts);
/* A flame graph as one SVG file, with zoom and search. */
void export_flamegraph(const struct flame *f, const struct flamegraph_opts *opts, struct out *o);

/*
 * One page that needs no other file: flame graph, callers and callees of a function, table, and a time line (of stacks
 * with time_bins) to choose a part of the time from. `opts`: its title and unit count; f holds all boxes.
 */
void export_html(const struct flame *f, const struct flamegraph_opts *opts, struct out *o);

#endif
