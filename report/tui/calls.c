/* Show callers and callees of a function: two call graphs, made from all samples that have it in their stack. */
#include "report/tui/browse.h"
#include "report/tui/tui_tree_priv.h"

struct calls_screen {
	const struct view *v;
	char *title;
	struct graph_opts graph;
	struct tree *trees[2]; /* callers, callees */
	struct tui_page page;
	uint64_t total, own;
};

/* ---- making the trees ---- */

/* Stretches of words. The words move while more are added, so keep their offsets. */
struct gathered {
	VEC(struct graph_stretch) stretches;
	VEC(size_t) starts;
	VEC(uint32_t) words;
};

static void add(struct gathered *g, const uint32_t *at, uint32_t n, bool reverse, const struct entry *e)
{
	vec_push(&g->starts, g->words.len);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&g->words, at[reverse ? n - 1 - i : i]);
	vec_push(&g->stretches, (struct graph_stretch){ .n = n, .period = e->period, .samples = e->samples });
}

static struct tree *make_tree(const struct calls_screen *c, struct gathered *g)
{
	struct graph graph;

	for (size_t i = 0; i < g->stretches.len; i++)
		g->stretches.items[i].at = g->words.items + g->starts.items[i];
	graph = graph_new(c->v->fold, g->stretches.items, g->stretches.len, &c->graph);
	vec_free(&g->stretches);
	vec_free(&g->starts);
	vec_free(&g->words);
	return tree_new(&graph);
}

/* Find the outermost call of the function in the chain; false if there is none. */
static bool find(const struct profile *p, const uint32_t *words, uint32_t n, uint32_t graph, uint32_t *at)
{
	for (uint32_t i = 0; i < n; i++) {
		*at = p->opts.caller_first ? i : n - 1 - i;
		if (p->sites.items[words[*at]].graph == graph)
			return true;
	}
	return false;
}

static void gather(struct calls_screen *c, uint32_t site)
{
	const struct profile *p = c->v->fold->profile;
	struct gathered sides[2] = { 0 };
	bool outer_first = p->opts.caller_first;

	for (unsigned k = 0; k < p->n_parts; k++) {
		const struct part *part = &p->parts[k];

		for (size_t i = 0; i < part->entries.len; i++) {
			const struct entry *e = &part->entries.items[i];
			const struct chain *chain = &part->chains.items[e->chain];
			const uint32_t *words = part->words.items + chain->at;
			uint32_t n = chain->n, at;

			if (e->event != c->v->event || c->v->fold->site_flags.items[e->self] ||
			    !find(p, words, n, p->sites.items[site].graph, &at))
				continue;
			c->total += e->period;
			c->own += at == (outer_first ? n - 1 : 0) ? e->period : 0;
			/* with callers first, callers are before `at` and reversed, and callees after it */
			add(&sides[!outer_first], words, at, true, e);
			add(&sides[outer_first], words + at + 1, n - at - 1, false, e);
		}
	}
	c->graph = (struct graph_opts){ .form = GRAPH_ABSOLUTE, .min_percent = 0.1, .total = c->total };
	for (int i = 0; i < 2; i++)
		c->trees[i] = make_tree(c, &sides[i]);
}

/* ---- the screen ---- */

/* Count the lines: a heading and its tree, twice. */
static size_t n_lines(const struct calls_screen *c) { return 2 + c->trees[0]->lines.len + c->trees[1]->lines.len; }

/* Return the tree of a line: 0, 1, or -1 for a heading. */
static int which(const struct calls_screen *c, size_t line, size_t *at)
{
	size_t callers = c->trees[0]->lines.len;

	if (!line || line == callers + 1)
		return -1;
	*at = line <= callers ? line - 1 : line - callers - 2;
	return line > callers;
}

static void draw_line(void *ctx, struct pen p, size_t line)
{
	const struct calls_screen *c = ctx;
	enum ink ink = p.ink;
	size_t at;
	int side = which(c, line, &at);
	const struct tree_line *l;
	bool first;
	struct out o;

	if (side < 0) {
		p.ink = ink == INK_CURSOR ? ink : INK_BOLD;
		pen_text(&p, line ? "Callees: what it calls" : "Callers: who calls it");
		if (!c->trees[line > 0]->lines.len)
			pen_text(&p, " (nobody)");
		return;
	}
	l = &c->trees[side]->lines.items[at];
	first = l->frame == c->trees[side]->graph.nodes.items[l->node].first_frame;
	pen_fmt(&p, "%*s%c ", 2 + (int)MIN(l->depth, 200u) * 2, "",
		!tree_foldable(c->trees[side], at) ? ' '
		: tree_is_open(c->trees[side], at) ? '-'
						   : '+');
	if (first) {
		double percent = tree_percent(c->trees[side], &c->graph, l->node);

		p.ink = tui_share_ink(percent, ink);
		pen_fmt(&p, "%6.2f%% ", percent);
		p.ink = ink;
	} else {
		pen_text(&p, "        ");
	}
	out_init_mem(&o);
	tree_name(c->v, tree_site(c->trees[side], l), true, false, &o);
	pen_text(&p, out_text(&o));
	out_release(&o);
}

static void calls_draw(struct screen *s, struct grid *g)
{
	struct calls_screen *c = s->state;
	struct pen head = grid_pen(g, 0, 0, g->width, INK_TITLE);
	double all = (double)c->v->totals[0].period;

	pen_name(&head, c->title);
	pen_fmt(&head, "  with what it calls %.2f%%, itself %.2f%%", all > 0 ? 100.0 * (double)c->total / all : 0,
		all > 0 ? 100.0 * (double)c->own / all : 0);
	pen_fill(&head, ' ');
	c->page.list.n = n_lines(c);
	tui_page_draw(&c->page, g, draw_line, c);
	tui_foot(g, "shares are of this function's samples   Enter: fold   c: calls of the line   ?: help   q: back");
}

enum { DO_FOLD = TUI_ACTIONS, DO_OPEN_ALL, DO_CLOSE_ALL, DO_CALLS };

static enum tui_then calls_act(struct screen *s, int action, const struct tui_event *e)
{
	struct calls_screen *c = s->state;
	size_t at = 0;
	int side;

	if (tui_page_act(&c->page, action, e))
		return TUI_STAY;
	side = which(c, c->page.list.at, &at);
	switch (action) {
	case DO_FOLD:
	case TUI_DO_DOUBLE_CLICK:
		if (side >= 0)
			tree_toggle(c->trees[side], at);
		break;
	case DO_OPEN_ALL:
	case DO_CLOSE_ALL:
		for (int i = 0; i < 2; i++)
			tree_open_all(c->trees[i], action == DO_OPEN_ALL);
		break;
	case DO_CALLS:
		if (side >= 0)
			return tui_calls(s->tui, c->v, tree_site(c->trees[side], &c->trees[side]->lines.items[at])) ==
					       TUI_QUIT
				       ? TUI_QUIT
				       : TUI_STAY;
		break;
	default: break;
	}
	return TUI_STAY;
}

static const struct tui_binding calls_keys[] = {
	{ TUI_UNBOUND, { 0 }, "Callers and callees" },
	{ DO_FOLD, { TUI_ENTER, '+', 'e' }, "fold or unfold" },
	{ DO_OPEN_ALL, { 'E' }, "unfold all" },
	{ DO_CLOSE_ALL, { 'C' }, "fold all" },
	{ DO_CALLS, { 'c' }, "callers and callees of the function under the cursor" },
	TUI_KEYS_END
};
static const struct screen_type calls_type = {
	.title = "Callers and callees", .keys = calls_keys, .draw = calls_draw, .act = calls_act
};

enum tui_then tui_calls(struct tui *t, const struct view *v, uint32_t site)
{
	struct calls_screen c = { .v = v };
	enum tui_then then;
	struct out o;

	out_init_mem(&o);
	tree_name(v, site, false, false, &o);
	c.title = o.buf ? xstrdup(out_text(&o)) : xstrdup("");
	out_release(&o);
	gather(&c, site);
	then = tui_show(t, &calls_type, &c);
	for (int i = 0; i < 2; i++)
		tree_free(c.trees[i]);
	free(c.title);
	return then;
}
