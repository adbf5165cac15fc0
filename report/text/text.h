#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/rows/graph.h"
#include "report/rows/view.h"

/*
 * Print a view: the table, and the call graph below each row.
 *
 * Example: print the share of each function.
 *
 *	const struct key *columns[] = { key_find("overhead", 8), key_find("symbol", 6) };
 *	struct session *s = session_open("perf.data", &(struct session_opts){ 0 }, NULL);
 *	struct profile_filter all = { 0 };
 *	struct out o;
 *
 *	if (!s || session_walk(s, NULL) < 0)
 *		return 1;
 *	struct profile *p = profile_new(s, &(struct profile_opts){ .want_names = true }, &all);
 *	profile_decode(p);
 *	profile_name(p);
 *	struct fold *f = fold_new(p, &(struct fold_opts){ .keys = &columns[1], .n_keys = 1 });
 *	struct view_opts opts = { .fields = columns, .n_fields = 2, .sort = columns, .n_sort = 2 };
 *	out_init_fd(&o, STDOUT_FILENO);
 *	text_view(view_new(f, &opts, &(uint32_t){ 0 }, 1), &(struct text_opts){ .headings = true }, &o);
 *	out_flush(&o);
 */
struct text_opts {
	const char *separator; /* -t; NULL: pad the columns */
	double min_percent;    /* leave out rows below this share */
	uint64_t min_samples;  /* and rows of fewer samples */
	size_t max_rows;       /* no more rows than this, 0 = all */
	bool headings;         /* print titles and the dotted line */
	bool color;
	struct graph_opts graph; /* form GRAPH_NONE: no call graphs; text_view fills in the total */
	enum text_value { VALUE_PERCENT, VALUE_PERIOD, VALUE_COUNT } value; /* the number at branches */
	uint32_t print_limit;                                               /* frames per level, 0 = all */
	bool graph_lines;                                                   /* show the line of frames */
	bool graph_flags;     /* show the flags of frames that stand for branches */
	bool graph_addresses; /* frames differ by address, so show it */
	bool first_is_symbol; /* rows begin with the symbol: graphs need not repeat it */
};
struct hierarchy;
struct diff;
/* Check a value for text_opts.separator. -1 with e (status 129) if it is unusable. */
int text_separator_check(const char *separator, struct err *e);
void text_hierarchy(const struct hierarchy *h, const struct text_opts *t, struct out *o);
void text_view(const struct view *v, const struct text_opts *t, struct out *o);
/* Print a call graph as below a row whose samples have the sum `row_total`, then release it. `v` names its frames. */
void text_graph_alone(const struct view *v, const struct text_opts *t, struct graph *g, uint64_t row_total,
		      struct out *o);
/* Print the rows of several recordings side by side, as d->opts says (report/rows/diff.h). */
void diff_print(const struct diff *d, struct out *o);

#endif
