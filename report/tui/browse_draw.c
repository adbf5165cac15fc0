/* Draw the browser: title, headings, rows with their call graphs, the last line. */
#include "report/tui/browse_priv.h"

#include "symbols/name/demangle.h"

enum { MARK = 2, GAP = 2, LEVEL = 3, TREE_MARGIN = 8, LEAST_WIDTH = 8 };

/* ---- numbers ---- */

/* Draw a column of sums, side by side for all events of the group. */
static void draw_sums(const struct browse *b, struct pen *p, const struct column *c, const struct view_row *r)
{
	const struct view *v = b->view;
	int width = c->width / (int)v->n_events, first = c->width - width * (int)v->n_events;
	enum ink ink = p->ink;

	for (size_t i = 0; i < v->n_events; i++) {
		uint64_t sum = c->key->sum(&r->sums[i]);
		int each = width + (i ? 0 : first);

		if (c->key->of_children && !v->opts->children) {
			pen_fmt(p, "%*s", each, "N/A");
		} else if (c->key->percent) {
			double percent = view_sum(v, c->key, i, &r->sums[i]);

			p->ink = tui_share_ink(percent, ink);
			pen_fmt(p, "%*.2f%%", each - 1, percent);
			p->ink = ink;
		} else if (c->key->mean) {
			pen_fmt(p, "%*.1f", each, view_sum(v, c->key, i, &r->sums[i]));
		} else {
			pen_fmt(p, "%*llu", each, (unsigned long long)sum);
		}
	}
}

/* Drop template arguments if there is no room for them. A page that is moved sideways shows full names. */
static const char *shown_name(const struct browse *b, const struct pen *p, const char *name, struct arena *arena)
{
	bool fits = b->shift || out_name_width(name) <= MIN(p->end, p->g->width) - p->x;

	return fits ? name : shorten_templates(name, arena);
}

static void draw_cell(const struct browse *b, struct pen *p, const struct column *c, const struct view_row *r,
		      bool last)
{
	struct pen cell = *p;
	struct arena names = { 0 };
	struct out text;
	int used;

	if (c->key->sum) {
		draw_sums(b, p, c, r);
		return;
	}
	out_init_mem(&text);
	view_key_text(b->view, c->key, r->row, &text);
	while (text.len && text.buf[text.len - 1] == ' ')
		text.len--;
	used = out_name_width(out_text(&text));
	if (!last)
		cell.end = MIN(p->end, p->x + c->width);
	if (c->key->right)
		cell.x += MAX(c->width - used, 0);
	pen_text(&cell, shown_name(b, &cell, out_text(&text), &names));
	arena_release(&names);
	if (cell.x > MIN(cell.end, cell.g->width) && cell.end > 0) /* mark that the text was cut */
		pen_code(&(struct pen){ .g = cell.g,
					.y = cell.y,
					.x = MIN(cell.end, cell.g->width) - 1,
					.end = cell.end,
					.ink = cell.ink },
			 '~');
	out_release(&text);
	p->x = last ? MAX(cell.x, p->x) : p->x + c->width;
}

/* ---- lines ---- */

static bool is_hidden(const struct browse *b, size_t column) { return column < b->n_hidden && b->hidden[column]; }

static void draw_columns(const struct browse *b, struct pen *p, const struct view_row *r, size_t from, size_t to)
{
	const struct view *v = b->view;
	size_t last = to;

	while (last > from && is_hidden(b, last - 1))
		last--;
	for (size_t i = from; i < last; i++) {
		if (is_hidden(b, i))
			continue;
		draw_cell(b, p, &v->columns.items[i], r, i + 1 == last && last == v->columns.len);
		p->x += GAP;
	}
}

static void draw_mark(const struct browse *b, struct pen *p, const struct rows_line *at)
{
	enum ink ink = p->ink;
	char mark = !rows_foldable(&b->rows, at->item) ? ' ' : rows_is_open(&b->rows, at->pos) ? '-' : '+';

	p->ink = ink == INK_NORMAL ? INK_MARK : ink;
	pen_code(p, (uint32_t)mark);
	pen_code(p, ' ');
	p->ink = ink;
}

/* Draw the sums, then the level's keys, indented by one step per level. */
static void draw_node(const struct browse *b, struct pen *p, const struct rows_line *at)
{
	const struct hierarchy_node *n = &b->hierarchy->nodes.items[at->item];
	const struct hierarchy_level *l = &b->hierarchy->levels.items[n->depth];

	draw_columns(b, p, &n->row, 0, b->hierarchy->n_sums);
	p->x += (int)n->depth * LEVEL;
	draw_mark(b, p, at);
	for (size_t i = l->from; i < l->to; i++) {
		draw_cell(b, p, &b->view->columns.items[i], &n->row, true);
		p->x += GAP;
	}
}

static void draw_value(const struct browse *b, struct pen *p, const struct tree *t, uint32_t node)
{
	const struct graph_node *n = &t->graph.nodes.items[node];
	double percent = tree_percent(t, &b->graph, node);
	enum ink ink = p->ink;

	p->ink = tui_share_ink(percent, ink);
	switch (b->data->text->value) {
	case VALUE_COUNT: pen_fmt(p, "%llu ", (unsigned long long)n->samples); break;
	case VALUE_PERIOD: pen_fmt(p, "%llu ", (unsigned long long)n->hits); break;
	default: pen_fmt(p, "%.2f%% ", percent);
	}
	p->ink = ink;
}

static void draw_tree_line(const struct browse *b, struct pen *p, const struct rows_line *at)
{
	const struct tree *t = at->tree;
	const struct tree_line *l = &t->lines.items[at->line];
	const struct graph_node *n = &t->graph.nodes.items[l->node];
	bool first = l->frame == n->first_frame,
	     alone = t->graph.nodes.items[0].n_children == 1 && l->node == t->graph.nodes.items[0].first_child;
	enum ink ink = p->ink;
	struct arena names = { 0 };
	struct out name;

	p->x += TREE_MARGIN + (int)MIN(l->depth, 1000u) * LEVEL;
	p->ink = ink == INK_NORMAL ? INK_MARK : ink;
	pen_fmt(p, "%c ", !tree_foldable(t, at->line) ? ' ' : tree_is_open(t, at->line) ? '-' : '+');
	p->ink = ink;
	if (first && !(alone && n->hits == t->graph.nodes.items[0].hits))
		draw_value(b, p, t, l->node);
	out_init_mem(&name);
	tree_name(b->view, tree_site(t, l), b->with_objects, b->data->text->graph_lines, &name);
	pen_text(p, shown_name(b, p, out_text(&name), &names));
	arena_release(&names);
	out_release(&name);
}

void browse_draw_line(struct browse *b, struct pen p, size_t line, bool cursor)
{
	struct rows_line at = rows_at(&b->rows, line);

	p.ink = cursor ? INK_CURSOR : INK_NORMAL;
	p.x -= b->shift;
	if (at.tree) {
		draw_tree_line(b, &p, &at);
	} else if (b->hierarchy) {
		p.x += MARK;
		draw_node(b, &p, &at);
	} else {
		draw_mark(b, &p, &at);
		draw_columns(b, &p, rows_row(&b->rows, at.item), 0, b->view->columns.len);
	}
}

int browse_line_width(const struct browse *b)
{
	enum { TREES = 300 };
	int width = MARK + TREES;

	for (size_t i = 0; i < b->view->columns.len; i++)
		width += b->view->columns.items[i].natural + GAP;
	return width;
}

/*
 * Make the widest columns of texts narrower until all columns fit: one long name must not push the columns after it off
 * the screen. A page that is moved sideways shows full names.
 */
static void squeeze_columns(const struct browse *b, int room)
{
	struct view *v = b->view;
	struct column *widest;
	int total;

	for (size_t i = 0; i < v->columns.len; i++)
		v->columns.items[i].width = v->columns.items[i].natural;
	while (!b->shift && !b->hierarchy) {
		widest = NULL;
		total = -GAP;
		for (size_t i = 0; i < v->columns.len; i++) {
			struct column *c = &v->columns.items[i];

			if (is_hidden(b, i))
				continue;
			total += c->width + GAP;
			if (!c->key->sum && !c->user_width && (!widest || c->width > widest->width))
				widest = c;
		}
		if (!widest || total <= room || widest->width <= LEAST_WIDTH)
			return;
		widest->width--;
	}
}

/* ---- around them ---- */

static const char *trimmed(const char *s) { return s + strspn(s, " "); }

static void draw_headings(const struct browse *b, struct pen p)
{
	const struct view *v = b->view;
	size_t flat = b->hierarchy ? b->hierarchy->n_sums : v->columns.len;

	p.x += MARK - b->shift;
	for (size_t i = 0; i < flat; i++) {
		const struct column *c = &v->columns.items[i];

		if (is_hidden(b, i))
			continue;
		pen_name_pad(&p, c->title, c->key->sum || c->key->right ? -c->width : c->width);
		p.x += GAP;
	}
	for (size_t l = 0; b->hierarchy && l < b->hierarchy->levels.len; l++)
		for (size_t i = b->hierarchy->levels.items[l].from; i < b->hierarchy->levels.items[l].to; i++) {
			pen_text(&p, l || i > b->hierarchy->levels.items[l].from
					     ? i > b->hierarchy->levels.items[l].from ? "+" : " / "
					     : "");
			pen_text(&p, trimmed(v->columns.items[i].title));
		}
}

/* Print "74" or "12K". */
static void put_count(struct pen *p, uint64_t n)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; n > 1000 && unit < 3; unit++)
		n /= 1000;
	pen_fmt(p, unit ? "%llu%c" : "%llu", (unsigned long long)n, units[unit]);
}

static void draw_title(const struct browse *b, struct pen p)
{
	struct event_total all = { 0 };

	for (size_t i = 0; i < b->view->n_events; i++) {
		all.samples += b->totals[i].samples;
		all.period += b->totals[i].period;
	}
	pen_text(&p, "Samples: ");
	put_count(&p, all.samples);
	pen_fmt(&p, " of event%s '", b->view->n_events > 1 ? "s" : "");
	pen_text(&p, b->data->sets[b->set].name);
	pen_fmt(&p, "', Event count (approx.): %llu", (unsigned long long)all.period);
	for (size_t i = 0; i < b->filter.zooms.len; i++) {
		pen_text(&p, ", ");
		pen_name(&p, b->filter.zooms.items[i].name);
	}
	if (b->filter.text && *b->filter.text) {
		pen_text(&p, ", filter: ");
		pen_name(&p, b->filter.text);
	}
}

static void draw_foot(struct browse *b, struct pen p)
{
	if (b->data && b->data->part)
		pen_text(&p, "part of the samples; ");
	if (b->loader.running) {
		loader_draw(&b->loader, &p);
		return;
	}
	if (b->note) {
		pen_name(&p, b->note);
		return;
	}
	if (b->screen->busy)
		pen_fmt(&p, "%zu rows so far", b->rows.items.len);
	else if (b->rows.items.len == b->view->rows.len || b->hierarchy)
		pen_fmt(&p, "%zu row%s", b->rows.items.len, b->rows.items.len == 1 ? "" : "s");
	else
		pen_fmt(&p, "%zu of %zu rows", b->rows.items.len, b->view->rows.len);
	pen_fmt(&p, "%s  ?: help  %sEnter: menu  +: fold  a: code  d, t: zoom  /: filter  q: quit",
		b->relative ? ", 100% are those shown" : "", b->source->live ? b->source->live->hint : "");
}

/* Draw losses and costs, for samples that still arrive. */
static void draw_status(const struct browse *b, struct grid *g, int y)
{
	struct pen p = grid_pen(g, y, 0, g->width, INK_TITLE);
	struct out o;

	grid_fill(g, y, 0, 1, g->width, ' ', INK_TITLE);
	out_init_mem(&o);
	b->source->live->status(b->source, &o);
	pen_name(&p, out_text(&o));
	out_release(&o);
}

/* Draw a box with the progress while there is nothing else to show. */
static void draw_waiting(struct browse *b, struct grid *g)
{
	const char *input = b->source->input ? b->source->input(b->source) : NULL;

	if (browse_arriving(b->source)) {
		struct pen p = grid_pen(g, 2, 4, g->width, INK_DIM);

		draw_status(b, g, 0);
		pen_text(&p, "waiting for samples ...");
		return;
	}
	tui_bar_box(&b->loader.bar, &b->loader.progress, "Loading", input ? input : "a pipe", g);
}

void browse_draw(struct screen *s, struct grid *g)
{
	struct browse *b = s->state;
	struct pen head = grid_pen(g, 0, 0, g->width, INK_TITLE),
		   foot = grid_pen(g, g->height - 1, 0, g->width, INK_HELP);
	int y = b->source->live ? 2 : 1;

	if (!b->view) {
		draw_waiting(b, g);
		return;
	}
	squeeze_columns(b, g->width - MARK);
	grid_fill(g, 0, 0, 1, g->width, ' ', INK_TITLE);
	draw_title(b, head);
	if (b->source->live)
		draw_status(b, g, 1);
	if (!b->no_headings) {
		grid_fill(g, y, 0, 1, g->width, ' ', INK_HEADING);
		draw_headings(b, grid_pen(g, y++, 0, g->width, INK_HEADING));
	}
	b->list.n = rows_lines(&b->rows);
	b->list.y = y;
	b->list.height = MAX(g->height - y - 1, 0);
	tui_list_fit(&b->list);
	for (int i = 0; i < b->list.height && b->list.top + (size_t)i < b->list.n; i++) {
		bool cursor = b->list.top + (size_t)i == b->list.at;

		if (cursor)
			grid_fill(g, y + i, 0, 1, g->width, ' ', INK_CURSOR);
		browse_draw_line(b, grid_pen(g, y + i, 0, g->width, INK_NORMAL), b->list.top + (size_t)i, cursor);
	}
	if (!b->list.n) {
		struct pen p = grid_pen(g, y + 1, 4, g->width, INK_DIM);

		pen_text(&p, b->screen->busy     ? "looking for rows that pass ..."
			     : b->view->rows.len ? "no row passes the filters: Esc takes them back"
						 : "no samples");
	}
	grid_fill(g, g->height - 1, 0, 1, g->width, ' ', INK_HELP);
	draw_foot(b, foot);
}
