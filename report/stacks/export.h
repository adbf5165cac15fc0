#ifndef REPORT_STACKS_EXPORT_H
#define REPORT_STACKS_EXPORT_H

#include "report/stacks/flame.h"

/*
 * Write stacks in the formats of other programs. All names are foreign text; each writer makes them
 * harmless.
 */

/*
 * The formats that `strobe export` writes from stacks. To add one, write report/stacks/export_NAME.c and
 * a row in report/stacks/exports.c.
 */
typedef void exporter_write(const struct stacks *st, const struct session *s, struct out *o);
/* The same for a directory, made if missing. `service`: what the host runs, NULL = unknown. */
typedef int exporter_write_directory(const struct stacks *st, const struct session *s, const char *service,
				     const char *dir, struct err *e);
struct exporter {
	const char *name, *summary, *suffix; /* suffix: of a file's name */
	bool frames, each;                   /* of stacks_opts, what it needs; without frames it takes sorted stacks */
	bool directory;                      /* the output is one, so it has a name */
	exporter_write *write;
	exporter_write_directory
		*write_directory; /* both NULL: it is made from samples, not from stacks (report/script/) */
};
extern const struct exporter exporters[];               /* name NULL at the end */
const struct exporter *exporter_find(const char *name); /* NULL if unknown */

/*
 * One line per stack: "comm;outer;...;inner WEIGHT". With two recordings "... OLD-WEIGHT
 * NEW-WEIGHT", as difffolded.pl writes it.
 */
void export_collapsed(const struct stacks *st, bool compared, struct out *o);

/* What the colours of boxes mean. */
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
/* Find by name. -1 and e, which lists the names. */
int flame_colors_parse(const char *name, enum flame_colors *colors, struct err *e);

struct flamegraph_opts {
	const char *title, *subtitle; /* NULL: the default title, no subtitle */
	const char *unit;             /* unit of the weights */
	unsigned width;               /* of the picture, in pixels */
	double min_width;             /* leave out boxes narrower than this, in pixels */
	bool icicle;                  /* callers above callees */
	bool compared;                /* colours show the change from column 1 of stacks */
	enum flame_colors colors;
};
/* The smallest weight that gets drawn. */
uint64_t flamegraph_least(const struct stacks *st, const struct flamegraph_opts *opts);
/* Write a flame graph as one SVG file, with zoom and search. */
void export_flamegraph(const struct flame *f, const struct flamegraph_opts *opts, struct out *o);

#endif
