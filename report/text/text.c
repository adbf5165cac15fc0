#include "report/text/text_priv.h"

#include "base/parallel.h"
#include "base/phases.h"
#include "symbols/name/demangle.h"

/* Columns to the left of a call graph, and columns per level. */
enum { MARGIN = 12, LEVEL = 10 };
/* Make graphs for at most this many stretches or rows at once; this limits memory. */
enum { BATCH_STRETCHES = 4 << 20, BATCH_ROWS = 4096 };

/* ---- numbers ---- */

static const char *percent_color(const struct page *p, double percent)
{
	return !p->t->color ? NULL : percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : NULL;
}

/* Print a percentage, and `before`, blanks that get the color, too. Return the width of both. */
static int put_percent(const struct page *p, struct out *o, const char *before, double percent, int width)
{
	const char *color = percent_color(p, percent);
	size_t start, end;

	if (color)
		out_str(o, color);
	start = o->len;
	out_str(o, before);
	out_fixed(o, percent, 2, width);
	out_char(o, '%');
	end = o->len;
	if (color)
		out_str(o, "\033[m");
	return (int)(end - start);
}

int text_sums(struct page *p, const struct column *c, const struct view_row *r)
{
	const struct key *k = c->key;
	int each = p->t->separator ? 0 : c->width / (int)p->v->n_events, width = 0;

	if (each && c->user_width &&
	    p->v->n_events == 1) /* the number has the width of -w or the title; the column keeps its usual width */
		each = MAX(c->user_width, (int)strlen(c->title));
	for (size_t i = 0; i < p->v->n_events; i++) {
		uint64_t sum = k->sum(&r->sums[i]);
		size_t before = p->cell.len;

		if (k->of_children && !p->v->opts->children) { /* callees were not counted */
			out_fmt(&p->cell, "%*s", each ? each : 1, "N/A");
			width += each ? each : 3;
		} else if (k->percent) {
			width += put_percent(p, &p->cell, " ", view_sum(p->v, k, i, &r->sums[i]), each ? each - 2 : 0);
		} else if (k->mean) {
			out_char(&p->cell, ' ');
			out_fixed(&p->cell, view_sum(p->v, k, i, &r->sums[i]), 1, each ? each - 1 : 0);
			width += (int)(p->cell.len - before);
		} else {
			out_char(&p->cell, ' ');
			out_u64_pad(&p->cell, sum, each ? each - 1 : 0, ' ');
			width += (int)(p->cell.len - before);
		}
	}
	return width;
}

/* ---- the table ---- */

int text_separator_check(const char *separator, struct err *e)
{
	if (!separator || strcmp(separator, "."))
		return 0;
	err_set(e, "-t: columns cannot be separated by '.'");
	err_why(e, "in names, a '.' replaces the separator");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* Print foreign text with the separator replaced: its first character must not appear in a field. */
static void put_text(struct page *p, const char *text, size_t len)
{
	if (!p->t->separator) {
		out_mem(p->o, text, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		out_char(p->o, text[i] == *p->t->separator ? '.' : text[i]);
}

static void put_cell(struct page *p, const struct column *c, const struct view_row *r, bool last)
{
	int width = c->user_width ? c->user_width : c->width, used;
	struct arena names = { 0 };
	const char *text;
	size_t len;

	p->cell.len = 0;
	if (c->key->sum) {
		used = text_sums(p, c, r);
		out_mem(p->o, p->cell.buf, p->cell.len);
		if (!last)
			out_pad(p->o, ' ', c->width - used);
		return;
	}
	view_key_text(p->v, c->key, r->row, &p->cell);
	text = out_text(&p->cell);
	if (c->fitted)
		text = fit_name(text, width, &names);
	used = out_name_width(text);
	if (c->key->right)
		out_pad(p->o, ' ', width - used);
	len = strlen(text);
	put_text(p, text, (c->user_width || c->key->cut) && used > width ? MIN((size_t)width, len) : len);
	if (!c->key->right && !(last && c->key->ragged))
		out_pad(p->o, ' ', c->width - used);
	arena_release(&names);
}

static const struct column *last_column(const struct view *v)
{
	const struct column *last = NULL;

	for (size_t i = 0; i < v->columns.len; i++)
		if (!v->columns.items[i].hidden)
			last = &v->columns.items[i];
	return last;
}

static void put_row(struct page *p, const struct view_row *r)
{
	const struct column *last = last_column(p->v);
	const char *gap = p->t->separator ? p->t->separator : "  ";
	bool first = true;

	for (size_t i = 0; i < p->v->columns.len; i++) {
		const struct column *c = &p->v->columns.items[i];

		if (c->hidden)
			continue;
		if (!first || !p->t->separator)
			out_str(p->o, gap);
		first = false;
		put_cell(p, c, r, c == last);
	}
	out_char(p->o, '\n');
}

static void put_title(struct page *p, const struct column *c)
{
	if (c->key->sum || c->key->sample.field)
		out_fmt(p->o, "%*s", c->width, c->title);
	else
		out_fmt(p->o, "%-*.*s", c->width, c->width, c->title);
}

/* Print the titles, or, with `dots`, the line below them. */
static void put_heading(struct page *p, bool dots)
{
	const char *gap = "# ";

	for (size_t i = 0; i < p->v->columns.len; i++) {
		const struct column *c = &p->v->columns.items[i];

		if (c->hidden)
			continue;
		out_str(p->o, gap);
		if (dots)
			out_pad(p->o, '.', c->width);
		else
			put_title(p, c);
		gap = p->t->separator ? p->t->separator : "  ";
	}
	out_char(p->o, '\n');
}

/* ---- call graphs ---- */

struct graph_drawing {
	struct page *p;
	const struct graph *g;
	uint64_t row_total;
	/* the text to the left: a margin, then the vertical line of each level, or a blank where it ended */
	VEC(char) left;
	int margin;
};

/*
 * Do we show the offset of a site without a source line? We do if frames differ by address, unless a debugger could
 * find the line.
 */
static bool shows_offset(const struct page *p, const struct site *s)
{
	return p->t->graph_addresses && !dso_file(p->v->fold->profile->session->symbols, s->dso);
}

/*
 * Print what the branches say about a frame: " (predicted:98.5%)", " (cycles:4)". Print nothing if there is nothing
 * unusual.
 */
static void put_branches(const struct page *p, const struct graph *g, size_t frame)
{
	const struct branch_sums *b = frame < g->branches.len ? &g->branches.items[frame] : NULL;
	const char *between = " (";

	if (!b || !p->t->graph_flags)
		return;
	if (b->predicted < b->to) {
		out_fmt(p->o, "%spredicted:%.1f%%", between, 100.0 * (double)b->predicted / (double)b->to);
		between = " ";
	}
	if (b->aborted) {
		out_fmt(p->o, "%sabort:%.1f%%", between, 100.0 * (double)b->aborted / (double)b->to);
		between = " ";
	}
	if (b->from && b->cycles / b->from) {
		out_fmt(p->o, "%scycles:%llu", between, (unsigned long long)(b->cycles / b->from));
		between = " ";
	}
	if (b->rounds) {
		out_fmt(p->o, "%siter:%llu avg_cycles:%llu", between, (unsigned long long)b->rounds,
			(unsigned long long)(b->round_cycles / b->rounds));
		between = " ";
	}
	out_str(p->o, *between && !between[1] ? ")" : "");
}

void text_frame(const struct page *p, uint32_t site)
{
	const struct view *v = p->v;
	const struct site *s = &v->fold->profile->sites.items[site];
	const char *name = view_site_name(v, s);

	if (!name) {
		out_fmt(p->o, "%#llx", (unsigned long long)s->ip);
		return;
	}
	out_name(p->o, name);
	if (p->t->graph_lines && s->line_file) {
		const char *slash = strrchr(s->line_file, '/');

		out_char(p->o, ' ');
		out_name(p->o, slash && !v->opts->full_paths ? slash + 1 : s->line_file);
		out_fmt(p->o, ":%u", s->line);
	} else if (p->t->graph_lines && !shows_offset(p, s)) {
		out_str(p->o, " ??:0");
	} else if (p->t->graph_lines) {
		struct symbols *symbols = v->fold->profile->session->symbols;

		out_fmt(p->o, " +%llu", (unsigned long long)symbol_offset(symbols, s->dso, s->symbol, s->dso_off));
	}
	if (s->inlined)
		out_str(p->o, " (inlined)");
}

static void put_value(const struct page *p, uint64_t hits, uint64_t samples, uint64_t total)
{
	switch (p->t->value) {
	case VALUE_COUNT: out_u64(p->o, samples); break;
	case VALUE_PERIOD: out_u64(p->o, hits); break;
	default: put_percent(p, p->o, "", total ? 100.0 * (double)hits / (double)total : 0, 0);
	}
}

static size_t line_at(const struct graph_drawing *d, size_t level) { return (size_t)d->margin + level * (1 + LEVEL); }

/* Set the vertical line of a level. `open`: it continues below. */
static void set_line(struct graph_drawing *d, size_t level, bool open)
{
	size_t end = line_at(d, level + 1);

	if (d->left.len < end)
		memset(vec_add(&d->left, end - d->left.len), ' ', end - d->left.len);
	d->left.items[line_at(d, level)] = open ? '|' : ' ';
}

/* Print the vertical lines of the levels above. */
static void put_levels(struct graph_drawing *d, size_t levels) { out_mem(d->p->o, d->left.items, line_at(d, levels)); }

/* Print "|--VALUE--", or " --VALUE--" for the last branch. */
static void put_branch(struct graph_drawing *d, size_t level, uint64_t hits, uint64_t samples, uint64_t total)
{
	out_mem(d->p->o, d->left.items, line_at(d, level) + 1);
	out_str(d->p->o, "--");
	put_value(d->p, hits, samples, total);
	out_str(d->p->o, "--");
}

static void draw_branches(struct graph_drawing *d, const struct graph_node *parent, uint64_t total, size_t level);

static void draw_branch(struct graph_drawing *d, const struct graph_node *n, uint64_t total, size_t level)
{
	for (uint32_t i = 0; i < n->n_frames; i++) {
		if (!i)
			put_branch(d, level, n->hits, n->samples, total);
		else
			put_levels(d, level + 1);
		text_frame(d->p, d->g->frames.items[n->first_frame + i]);
		put_branches(d->p, d->g, n->first_frame + i);
		out_char(d->p->o, '\n');
	}
	draw_branches(d, n, d->p->t->graph.form == GRAPH_FRACTAL ? n->hits - n->own : total, level + 1);
}

/* Draw the branches of a fork. With shares of the parent, add a last branch for those that were left out. */
static void draw_branches(struct graph_drawing *d, const struct graph_node *parent, uint64_t total, size_t level)
{
	bool fractal = d->p->t->graph.form == GRAPH_FRACTAL;
	uint64_t left = total, samples = parent->samples - parent->own_samples;
	uint32_t n = parent->n_children;

	if (d->p->t->print_limit && n > d->p->t->print_limit)
		n = d->p->t->print_limit;
	set_line(d, level, true);
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_node *c = &d->g->nodes.items[parent->first_child + i];

		left -= c->hits;
		samples -= c->samples;
		set_line(d, level, true);
		put_levels(d, level + 1);
		out_char(d->p->o, '\n');
		set_line(d, level, i + 1 < parent->n_children || (fractal && left));
		draw_branch(d, c, total, level);
	}
	if (fractal && left && left != total && (d->p->t->value != VALUE_COUNT || samples)) {
		set_line(d, level, false);
		put_branch(d, level, left, samples, total);
		out_str(d->p->o, "[...]\n");
	}
}

/* Draw a call graph. If one branch has all of the row's samples, draw it without a share. */
static void draw_graph(struct page *p, const struct graph *g, uint64_t row_total)
{
	struct graph_drawing d = { .p = p, .g = g, .row_total = row_total };
	const struct graph_node *root = &g->nodes.items[0], *only = &g->nodes.items[root->first_child];
	uint64_t total = p->t->graph.form == GRAPH_FRACTAL ? row_total : p->t->graph.total;
	int margin = MARGIN;

	if (!root->n_children)
		return;
	if (root->n_children == 1 && only->hits == row_total) {
		for (uint32_t i = p->t->first_is_symbol; i < only->n_frames; i++) {
			if (p->t->print_limit && i - p->t->first_is_symbol == p->t->print_limit)
				break;
			out_pad(p->o, ' ', margin);
			if (margin == MARGIN) {
				out_str(p->o, "|\n");
				out_pad(p->o, ' ', margin);
				out_str(p->o, "---");
				margin += 3;
			}
			text_frame(p, g->frames.items[only->first_frame + i]);
			put_branches(p, g, only->first_frame + i);
			out_char(p->o, '\n');
		}
		root = only;
	}
	d.margin = margin;
	draw_branches(&d, root, total, 0);
	vec_free(&d.left);
	if (margin > MARGIN || root->n_children)
		out_char(p->o, '\n');
}

/* ---- chains as lines ---- */

/* A whole chain, from its last node up to the root. Equal lines are in the order in which they were met, by `rank`. */
struct chain_line {
	uint32_t node, rank;
	uint64_t own;
};

struct liner {
	struct page *p;
	const struct graph *g;
	uint32_t *parents; /* node -> parent node */
	uint64_t min;
	uint32_t ranks;
	VEC(struct chain_line) lines;
};

static int line_compare(const void *a, const void *b)
{
	const struct chain_line *x = a, *y = b;

	return x->own != y->own ? (x->own > y->own ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

static int child_compare(const void *a, const void *b, void *ctx)
{
	const struct liner *l = ctx;
	const struct graph_node *x = &l->g->nodes.items[*(const uint32_t *)a],
				*y = &l->g->nodes.items[*(const uint32_t *)b];

	return graph_site_compare(l->p->v->fold->profile, l->g->frames.items[x->first_frame],
				  l->g->frames.items[y->first_frame]);
}

/* Collect the chains below a node. Children come before their parent, as in perf. */
static void collect_lines(struct liner *l, uint32_t node)
{
	const struct graph_node *n = &l->g->nodes.items[node];
	uint32_t *children = xcalloc(n->n_children, sizeof(*children));

	for (uint32_t i = 0; i < n->n_children; i++) {
		children[i] = n->first_child + i;
		l->parents[children[i]] = node;
	}
	if (n->n_children)
		qsort_r(children, n->n_children, sizeof(*children), child_compare, l);
	for (uint32_t i = 0; i < n->n_children; i++)
		collect_lines(l, children[i]);
	free(children);
	if (node && n->own && n->own >= l->min)
		vec_push(&l->lines, (struct chain_line){ .node = node, .rank = l->ranks++, .own = n->own });
}

static void put_frames(struct page *p, const struct graph *g, const uint32_t *parents, uint32_t node,
		       const char *before, const char *between)
{
	VEC(uint32_t) path = { 0 };

	for (; node; node = parents[node])
		vec_push(&path, node);
	for (size_t i = path.len, n = 0; i--;) {
		const struct graph_node *k = &g->nodes.items[path.items[i]];

		for (uint32_t f = 0; f < k->n_frames; f++) {
			out_str(p->o, n++ ? between : before);
			text_frame(p, g->frames.items[k->first_frame + f]);
			put_branches(p, g, k->first_frame + f);
		}
	}
	vec_free(&path);
}

static void put_flat(struct page *p, const struct graph *g, const uint32_t *parents, const struct chain_line *l)
{
	const struct graph_node *n = &g->nodes.items[l->node];

	out_pad(p->o, ' ', MARGIN - 1);
	put_value(p, n->hits, n->samples, p->t->graph.total);
	put_frames(p, g, parents, l->node, "\n                ", "\n                ");
	out_str(p->o, "\n\n");
}

static void put_folded(struct page *p, const struct graph *g, const uint32_t *parents, const struct chain_line *l)
{
	const struct graph_node *n = &g->nodes.items[l->node];
	const char *separator = p->t->separator ? p->t->separator : ";";

	put_value(p, n->own, n->own_samples, p->t->graph.total);
	put_frames(p, g, parents, l->node, " ", separator);
	out_char(p->o, '\n');
}

static void draw_lines(struct page *p, const struct graph *g)
{
	struct liner l = { .p = p,
			   .g = g,
			   .parents = xcalloc(g->nodes.len, sizeof(*l.parents)),
			   .min = (uint64_t)((double)p->t->graph.total * (p->t->graph.min_percent / 100)) };

	collect_lines(&l, 0);
	if (l.lines.len)
		qsort(l.lines.items, l.lines.len, sizeof(*l.lines.items), line_compare);
	for (size_t i = 0; i < l.lines.len; i++) {
		if (p->t->print_limit && i == p->t->print_limit)
			break;
		if (p->t->graph.form == GRAPH_FLAT)
			put_flat(p, g, l.parents, &l.lines.items[i]);
		else
			put_folded(p, g, l.parents, &l.lines.items[i]);
	}
	vec_free(&l.lines);
	free(l.parents);
}

/* ---- all of it ---- */

static bool is_shown(const struct page *p, const struct view_row *r)
{
	return view_percent(p->v, 0, view_weight(p->v, r)) >= p->t->min_percent && view_name_passes(p->v, r) &&
	       r->sums[0].samples >= p->t->min_samples;
}

/* If shares are relative to the row, a branch always can. */
bool text_has_graph(const struct page *p, const struct view_row *r)
{
	const struct graph_opts *g = &p->t->graph;

	if (g->form == GRAPH_NONE || r->row->event != p->v->event || !r->row->stretches || !view_weight(p->v, r))
		return false;
	return g->form == GRAPH_FRACTAL ||
	       view_weight(p->v, r) >= (uint64_t)((double)g->total * (g->min_percent / 100));
}

void text_graph(struct page *p, struct graph *g, uint64_t row_total)
{
	if (p->t->graph.form == GRAPH_FLAT || p->t->graph.form == GRAPH_FOLDED)
		draw_lines(p, g);
	else
		draw_graph(p, g, row_total);
	graph_release(g);
}

void text_graph_alone(const struct view *v, const struct text_opts *t, struct graph *g, uint64_t row_total,
		      struct out *o)
{
	text_graph(&(struct page){ .v = v, .t = t, .o = o }, g, row_total);
}

/* A row that is printed, and its graph, if any. */
struct shown_row {
	const struct view_row *row;
	struct graph *graph;
};

/* Rows that are printed by several threads, in pieces of about equal length. */
struct shown_rows {
	const struct page *p;
	VEC(struct shown_row) rows;
	VEC(size_t) pieces; /* the first row of each */
};

static void put_piece(void *ctx, size_t item, unsigned worker, struct out *o)
{
	const struct shown_rows *all = ctx;
	size_t end = item + 1 < all->pieces.len ? all->pieces.items[item + 1] : all->rows.len;
	struct page p = { .v = all->p->v, .t = all->p->t, .o = o };

	out_init_mem(&p.cell);
	for (size_t i = all->pieces.items[item]; i < end; i++) {
		const struct shown_row *r = &all->rows.items[i];

		put_row(&p, r->row);
		if (r->graph)
			text_graph(&p, r->graph, view_weight(p.v, r->row));
	}
	out_release(&p.cell);
}

/* Cut the rows into pieces of about equal length. A frame of a graph is a line. */
static void cut_in_pieces(struct shown_rows *all)
{
	enum { PIECE = 400 };
	size_t lines = PIECE;

	for (size_t i = 0; i < all->rows.len; i++) {
		if (lines >= PIECE) {
			vec_push(&all->pieces, i);
			lines = 0;
		}
		lines += 1 + (all->rows.items[i].graph ? all->rows.items[i].graph->frames.len : 0);
	}
}

/* Return the number of threads: 1 if texts of tracepoints may come from plugins, which may not be safe with threads. */
static unsigned threads_of(const struct view *v)
{
	for (size_t i = 0; i < v->columns.len; i++)
		if (v->columns.items[i].key->sample.field)
			return 1;
	return v->fold->profile->opts.threads;
}

/* Print rows [from, to) with their graphs. */
static void put_batch(struct page *p, size_t from, size_t to)
{
	struct shown_rows all = { .p = p };
	VEC(uint32_t) with_graph = { 0 };
	struct graph *graphs = NULL;
	size_t next = 0;

	for (size_t i = from; i < to; i++)
		if (is_shown(p, &p->v->rows.items[i]) && text_has_graph(p, &p->v->rows.items[i]))
			vec_push(&with_graph, (uint32_t)(p->v->rows.items[i].row - p->v->fold->rows.items));
	if (with_graph.len)
		graphs = graphs_new(p->v->fold, with_graph.items, with_graph.len, &p->t->graph);
	for (size_t i = from; i < to && (!p->t->max_rows || p->shown < p->t->max_rows); i++) {
		const struct view_row *r = &p->v->rows.items[i];

		if (!is_shown(p, r))
			continue;
		p->shown++;
		vec_push(&all.rows, (struct shown_row){ r, text_has_graph(p, r) ? &graphs[next++] : NULL });
	}
	cut_in_pieces(&all);
	if (all.pieces.len > 1)
		parallel_text(all.pieces.len, threads_of(p->v), put_piece, &all, NULL, p->o);
	else if (all.pieces.len)
		put_piece(&all, 0, 0, p->o); /* a short text stays in the buffer, so later warnings come before it */
	vec_free(&all.rows);
	vec_free(&all.pieces);
	free(graphs);
	vec_free(&with_graph);
}

void text_view(const struct view *v, const struct text_opts *t, struct out *o)
{
	struct text_opts mine = *t;
	struct page p = { .v = v, .t = &mine, .o = o };
	size_t from = 0, to = 0;

	mine.graph.total = v->totals[0].period;
	phase("print");
	out_init_mem(&p.cell);
	if (t->headings) {
		put_heading(&p, false);
		if (!t->separator) {
			put_heading(&p, true);
			out_str(o, "#\n");
		}
	}
	while (from < v->rows.len) {
		uint64_t stretches = 0;
		size_t left = t->max_rows ? t->max_rows - p.shown : SIZE_MAX;

		for (to = from; to < v->rows.len && to - from < BATCH_ROWS && stretches < BATCH_STRETCHES && left;
		     to++) {
			if (text_has_graph(&p, &v->rows.items[to]))
				stretches += v->rows.items[to].row->stretches;
			left -= is_shown(&p, &v->rows.items[to]);
		}
		put_batch(&p, from, to);
		from = t->max_rows && p.shown == t->max_rows ? v->rows.len : to;
	}
	out_release(&p.cell);
}
