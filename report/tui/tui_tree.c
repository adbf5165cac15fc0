#include "report/tui/tui_tree_priv.h"

static void add_node(struct tree *t, uint32_t node, uint32_t depth)
{
	const struct graph_node *n = &t->graph.nodes.items[node];

	for (uint32_t i = 0; i < n->n_frames && (!i || t->open[node]); i++)
		vec_push(&t->lines, (struct tree_line){ .node = node, .frame = n->first_frame + i, .depth = depth });
	for (uint32_t i = 0; t->open[node] && i < n->n_children; i++)
		add_node(t, n->first_child + i, depth + (node != 0));
}

static void make_lines(struct tree *t)
{
	vec_clear(&t->lines);
	add_node(t, 0, 0);
}

struct tree *tree_new(struct graph *g)
{
	struct tree *t = xcalloc(1, sizeof(*t));

	t->graph = *g;
	t->open = xcalloc(g->nodes.len, sizeof(*t->open));
	t->open[0] = true;
	for (size_t i = 0; i < g->nodes.len; i++)
		if (g->nodes.items[i].n_children == 1)
			t->open[g->nodes.items[i].first_child] = true;
	make_lines(t);
	return t;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	graph_release(&t->graph);
	free(t->open);
	vec_free(&t->lines);
	free(t);
}

static bool is_first(const struct tree *t, const struct tree_line *l)
{
	return l->frame == t->graph.nodes.items[l->node].first_frame;
}

bool tree_foldable(const struct tree *t, size_t line)
{
	const struct tree_line *l = &t->lines.items[line];
	const struct graph_node *n = &t->graph.nodes.items[l->node];

	return is_first(t, l) && (n->n_children || n->n_frames > 1);
}

bool tree_is_open(const struct tree *t, size_t line) { return t->open[t->lines.items[line].node]; }

void tree_toggle(struct tree *t, size_t line)
{
	if (!tree_foldable(t, line))
		return;
	t->open[t->lines.items[line].node] ^= true;
	make_lines(t);
}

void tree_open_all(struct tree *t, bool open)
{
	memset(t->open, open, t->graph.nodes.len * sizeof(*t->open));
	t->open[0] = true;
	make_lines(t);
}

size_t tree_up(const struct tree *t, size_t line)
{
	const struct tree_line *l = &t->lines.items[line];
	size_t at = line;

	if (!is_first(t, l)) {
		while (at && !is_first(t, &t->lines.items[at]))
			at--;
		return at;
	}
	while (at && !(t->lines.items[at].depth < l->depth && is_first(t, &t->lines.items[at])))
		at--;
	return t->lines.items[at].depth < l->depth ? at : line;
}

/* Find the parent from the order in which nodes were made: a node's children are adjacent. */
static const struct graph_node *parent_of(const struct tree *t, uint32_t node)
{
	const struct graph_node *nodes = t->graph.nodes.items;

	for (uint32_t i = node; i--;)
		if (node >= nodes[i].first_child && node - nodes[i].first_child < nodes[i].n_children)
			return &nodes[i];
	return nodes;
}

double tree_percent(const struct tree *t, const struct graph_opts *o, uint32_t node)
{
	const struct graph_node *n = &t->graph.nodes.items[node], *parent;
	uint64_t total = o->total;

	if (o->form == GRAPH_FRACTAL) {
		parent = parent_of(t, node);
		total = parent->hits - parent->own;
	}
	return total ? 100.0 * (double)n->hits / (double)total : 0;
}

uint32_t tree_site(const struct tree *t, const struct tree_line *l) { return t->graph.frames.items[l->frame]; }

void tree_name(const struct view *v, uint32_t site, bool with_object, bool lines, struct out *o)
{
	const struct profile *p = v->fold->profile;
	const struct site *s = &p->sites.items[site];
	const char *name = view_site_name(v, s);

	if (name)
		out_name(o, name);
	else
		out_fmt(o, "%#llx", (unsigned long long)s->ip);
	if (lines && s->line_file) {
		const char *slash = strrchr(s->line_file, '/');

		out_char(o, ' ');
		out_name(o, slash && !v->opts->full_paths ? slash + 1 : s->line_file);
		out_fmt(o, ":%u", s->line);
	}
	if (s->inlined)
		out_str(o, " (inlined)");
	if (with_object) {
		out_str(o, "  ");
		out_name(o, dso_short_name(p->session->symbols, s->dso));
	}
}
