/* Print a hierarchy: each level is indented by one step; call graphs are below the innermost rows. */
#include "report/rows/hierarchy.h"
#include "report/text/text_priv.h"

enum { STEP = 3, GAP = 2, GRAPH_BATCH = 4096 };

struct tree_page {
	struct page *p;
	const struct hierarchy *h;
	struct graph *graphs; /* in order, of the nodes in [graphs_from, graphs_to) that have a graph */
	size_t graphs_to, next_graph;
	int sums_width; /* width of the columns before the keys, and room for the indentation */
};

static const char *trimmed(const char *s) { return s + strspn(s, " "); }

/* ---- headings ---- */

static int columns_width(const struct view *v, size_t from, size_t to)
{
	int width = 0;

	for (size_t i = from; i < to; i++)
		width += v->columns.items[i].width + (i > from ? GAP : 0);
	return width;
}

/* Print "Command / Shared Object+Samples". Return its length. */
static int put_titles(struct tree_page *t, struct out *o)
{
	size_t from = o->len;

	for (size_t l = 0; l < t->h->levels.len; l++)
		for (size_t i = t->h->levels.items[l].from; i < t->h->levels.items[l].to; i++) {
			if (i > t->h->levels.items[0].from)
				out_str(o, i > t->h->levels.items[l].from ? "+" : " / ");
			out_str(o, trimmed(t->h->v->columns.items[i].title));
		}
	return (int)(o->len - from);
}

static void put_headings(struct tree_page *t)
{
	const struct view *v = t->h->v;
	struct out *o = t->p->o;
	int width;

	t->p->cell.len = 0;
	width = put_titles(t, &t->p->cell);
	for (size_t l = 0; l < t->h->levels.len; l++)
		width = MAX(width,
			    (int)l * STEP + columns_width(v, t->h->levels.items[l].from, t->h->levels.items[l].to));
	out_str(o, "# ");
	out_pad(o, ' ', t->sums_width - columns_width(v, 0, t->h->n_sums));
	for (size_t i = 0; i < t->h->n_sums; i++)
		out_fmt(o, "%s%*s", i ? "  " : "", v->columns.items[i].width, v->columns.items[i].title);
	out_fmt(o, "  %s\n# ", out_text(&t->p->cell));
	out_pad(o, '.', t->sums_width);
	out_str(o, "  ");
	out_pad(o, '.', width);
	out_str(o, "\n#\n");
}

/* ---- rows ---- */

static void put_level(struct tree_page *t, const struct hierarchy_node *n)
{
	const struct hierarchy_level *l = &t->h->levels.items[n->depth];

	for (size_t i = l->from; i < l->to; i++) {
		const struct column *c = &t->h->v->columns.items[i];
		const char *text;
		size_t len;

		t->p->cell.len = 0;
		if (c->key->sum)
			text_sums(t->p, c, &n->row);
		else
			view_key_text(t->h->v, c->key, n->row.row, &t->p->cell);
		text = out_text(&t->p->cell);
		len = t->p->cell.len - strspn(text, " ");
		out_str(t->p->o, i > l->from ? "  " : "");
		out_mem(t->p->o, trimmed(text), len);
		if (!c->key->sum && !c->key->ragged)
			out_pad(t->p->o, ' ', c->width - out_name_width(text));
	}
	out_char(t->p->o, '\n');
}

static void put_node(struct tree_page *t, const struct hierarchy_node *n)
{
	const struct view *v = t->h->v;

	out_pad(t->p->o, ' ', (int)n->depth * STEP);
	for (size_t i = 0; i < t->h->n_sums; i++) {
		const struct column *c = &v->columns.items[i];
		int used;

		t->p->cell.len = 0;
		used = text_sums(t->p, c, &n->row);
		out_str(t->p->o, t->p->t->separator && i ? t->p->t->separator : "  ");
		out_mem(t->p->o, t->p->cell.buf, t->p->cell.len);
		out_pad(t->p->o, ' ', c->width - used);
	}
	out_pad(t->p->o, ' ', t->sums_width - columns_width(v, 0, t->h->n_sums));
	out_str(t->p->o, t->p->t->separator ? t->p->t->separator : "  ");
	put_level(t, n);
}

static bool node_shown(const struct tree_page *t, const struct hierarchy_node *n)
{
	return view_percent(t->h->v, 0, view_weight(t->h->v, &n->row)) >= t->p->t->min_percent;
}

static bool node_has_graph(const struct tree_page *t, const struct hierarchy_node *n)
{
	return n->depth + 1 == t->h->levels.len && node_shown(t, n) && text_has_graph(t->p, &n->row);
}

/* Make graphs for many rows at once. */
static void make_graphs(struct tree_page *t, size_t from)
{
	VEC(uint32_t) rows = { 0 };

	free(t->graphs);
	t->next_graph = 0;
	for (t->graphs_to = from; t->graphs_to < t->h->nodes.len && rows.len < GRAPH_BATCH; t->graphs_to++) {
		const struct hierarchy_node *n = &t->h->nodes.items[t->graphs_to];

		if (node_has_graph(t, n))
			vec_push(&rows, (uint32_t)(n->row.row - t->h->v->fold->rows.items));
	}
	t->graphs = graphs_new(t->h->v->fold, rows.items, rows.len, &t->p->t->graph);
	vec_free(&rows);
}

static void put_graph(struct tree_page *t, size_t at)
{
	if (at >= t->graphs_to)
		make_graphs(t, at);
	text_graph(t->p, &t->graphs[t->next_graph++], view_weight(t->p->v, &t->h->nodes.items[at].row));
}

/* Print that a node above the limit has only children below it. */
static void put_nothing_below(struct tree_page *t, const struct hierarchy_node *n)
{
	out_pad(t->p->o, ' ', (int)(n->depth + 1) * STEP + 2 * GAP + t->sums_width);
	out_fmt(t->p->o, "no entry >= %.2f%%\n", t->p->t->min_percent);
}

static void put_nodes(struct tree_page *t)
{
	for (size_t i = 0; i < t->h->nodes.len;) {
		const struct hierarchy_node *n = &t->h->nodes.items[i];
		bool any = false;

		if (!node_shown(t, n)) {
			i = n->end;
			continue;
		}
		put_node(t, n);
		if (node_has_graph(t, n))
			put_graph(t, i);
		for (size_t k = i + 1; k < n->end && !any; k = t->h->nodes.items[k].end)
			any = node_shown(t, &t->h->nodes.items[k]);
		if (n->end > i + 1 && !any)
			put_nothing_below(t, n);
		i++;
	}
}

void text_hierarchy(const struct hierarchy *h, const struct text_opts *opts, struct out *o)
{
	struct text_opts mine = *opts;
	struct page p = { .v = h->v, .t = &mine, .o = o };
	struct tree_page t = { .p = &p, .h = h };

	mine.graph.total = h->v->totals[0].period;
	t.sums_width = columns_width(h->v, 0, h->n_sums) + (h->levels.len ? (int)(h->levels.len - 1) * STEP : 0);
	out_init_mem(&p.cell);
	if (mine.headings)
		put_headings(&t);
	put_nodes(&t);
	free(t.graphs);
	out_release(&p.cell);
}
