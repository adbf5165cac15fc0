/* Show the stacks of a row as boxes: a callee is below its caller; its width is its share of the samples. */
#include <limits.h>

#include "report/tui/browse.h"
#include "report/tui/tui_tree_priv.h"

struct box {
	uint32_t site, parent, level, first_child, n_children;
	uint64_t start, hits;
};

struct flame_view {
	const struct view *v;
	const char *title;
	VEC(struct box) boxes; /* [0]: all; children of a box are neighbours, from left to right */
	uint32_t at, zoom;     /* the box under the cursor; the box that fills the screen */
	uint32_t top;
	int left, width, y, height; /* of the drawn area */
};

/* ---- boxes ---- */

/* Return the whole stacks of the row's samples, outermost first. */
static struct graph row_graph(const struct view *v, const struct view_row *row)
{
	const struct profile *p = v->fold->profile;
	uint32_t *wanted = xcalloc(v->fold->rows.len, sizeof(*wanted));
	struct stretch_list *lists = xcalloc(p->n_parts, sizeof(*lists));
	VEC(struct graph_stretch) all = { 0 };
	VEC(size_t) starts = { 0 };
	VEC(uint32_t) words = { 0 };
	uint64_t total = 0;
	struct graph graph;

	wanted[row->row - v->fold->rows.items] = 1;
	fold_stretches(v->fold, wanted, 1, lists);
	for (unsigned k = 0; k < p->n_parts; k++) {
		const struct part *part = &p->parts[k];

		for (size_t i = 0; i < lists[k].len; i++) {
			const struct entry *e = &part->entries.items[lists[k].items[i].entry];
			const struct chain *c = &part->chains.items[e->chain];
			const uint32_t *from = part->words.items + c->at;

			vec_push(&starts, words.len);
			for (uint32_t n = 0; n < c->n; n++)
				vec_push(&words, from[p->opts.caller_first ? n : c->n - 1 - n]);
			vec_push(&all, (struct graph_stretch){ .n = c->n, .period = e->period, .samples = e->samples });
			total += e->period;
		}
		vec_free(&lists[k]);
	}
	for (size_t i = 0; i < all.len; i++)
		all.items[i].at = words.items + starts.items[i];
	graph = graph_new(v->fold, all.items, all.len,
			  &(struct graph_opts){ .form = GRAPH_ABSOLUTE, .min_percent = 0.2, .total = total });
	vec_free(&all);
	vec_free(&starts);
	vec_free(&words);
	free(lists);
	free(wanted);
	return graph;
}

/* Make a box for each frame of a node, below the previous one. `parent`: box of the parent node. */
static void add_node(struct flame_view *f, const struct graph *g, uint32_t node, uint32_t parent, uint64_t start);

static void add_children(struct flame_view *f, const struct graph *g, const struct graph_node *n, uint32_t parent,
			 uint64_t start)
{
	uint32_t first = (uint32_t)f->boxes.len;
	uint64_t at = start;

	f->boxes.items[parent].first_child = first;
	f->boxes.items[parent].n_children = n->n_children;
	for (uint32_t i = 0; i < n->n_children; i++) {
		const struct graph_node *c = &g->nodes.items[n->first_child + i];

		vec_push(&f->boxes, (struct box){ .site = g->frames.items[c->first_frame],
						  .parent = parent,
						  .level = f->boxes.items[parent].level + 1,
						  .start = at,
						  .hits = c->hits });
		at += c->hits;
	}
	for (uint32_t i = 0; i < n->n_children; i++)
		add_node(f, g, n->first_child + i, first + i, f->boxes.items[first + i].start);
}

static void add_node(struct flame_view *f, const struct graph *g, uint32_t node, uint32_t box, uint64_t start)
{
	const struct graph_node *n = &g->nodes.items[node];

	for (uint32_t i = 1; i < n->n_frames; i++) {
		uint32_t below = (uint32_t)f->boxes.len;

		f->boxes.items[box].first_child = below;
		f->boxes.items[box].n_children = 1;
		vec_push(&f->boxes, (struct box){ .site = g->frames.items[n->first_frame + i],
						  .parent = box,
						  .level = f->boxes.items[box].level + 1,
						  .start = start,
						  .hits = n->hits });
		box = below;
	}
	add_children(f, g, n, box, start);
}

static void make_boxes(struct flame_view *f, const struct view_row *row)
{
	struct graph g = row_graph(f->v, row);

	vec_push(&f->boxes, (struct box){ .hits = g.nodes.items[0].hits });
	add_children(f, &g, &g.nodes.items[0], 0, 0);
	graph_release(&g);
}

static void box_name(const struct flame_view *f, uint32_t box, bool with_object, struct out *o)
{
	o->len = 0;
	if (box)
		tree_name(f->v, f->boxes.items[box].site, with_object, false, o);
	else
		out_str(o, "all");
	out_text(o);
}

/* ---- the screen ---- */

static int column(const struct flame_view *f, uint64_t at)
{
	const struct box *z = &f->boxes.items[f->zoom];

	if (at <= z->start || !z->hits)
		return f->left;
	if (at >= z->start + z->hits)
		return f->left + f->width;
	return f->left + (int)((double)(at - z->start) / (double)z->hits * f->width);
}

static void box_columns(const struct flame_view *f, const struct box *b, int *from, int *to)
{
	*from = column(f, b->start);
	*to = column(f, b->start + b->hits);
}

/* Draw a box as its name on a background; a box of one or two columns has no name. */
static void draw_box(const struct flame_view *f, struct grid *g, uint32_t i, struct out *name)
{
	const struct box *b = &f->boxes.items[i];
	int from, to, y = f->y + (int)b->level - (int)f->top;
	struct pen p;

	box_columns(f, b, &from, &to);
	if (to <= from)
		return;
	box_name(f, i, false, name);
	p = grid_pen(g, y, from, to,
		     i == f->at ? INK_FLAME_LAST
				: INK_FLAME + hash_bytes(name->buf, name->len, 0) % (INK_FLAME_LAST - INK_FLAME));
	pen_code(&p, i == f->at ? '>' : '|');
	if (to - from > 3)
		pen_name(&p, name->buf);
	pen_fill(&p, ' ');
}

static void draw_boxes(const struct flame_view *f, struct grid *g, uint32_t i, struct out *name)
{
	const struct box *b = &f->boxes.items[i];
	int from, to;

	box_columns(f, b, &from, &to);
	if (to <= from || b->level >= f->top + (uint32_t)f->height)
		return;
	if (b->level >= f->top)
		draw_box(f, g, i, name);
	for (uint32_t k = 0; k < b->n_children; k++)
		draw_boxes(f, g, b->first_child + k, name);
}

static void flame_draw(struct screen *s, struct grid *g)
{
	struct flame_view *f = s->state;
	struct pen head = grid_pen(g, 0, 0, g->width, INK_TITLE),
		   foot = grid_pen(g, g->height - 1, 0, g->width, INK_HELP);
	const struct box *b = &f->boxes.items[f->at], *all = &f->boxes.items[0];
	struct out name;

	out_init_mem(&name);
	pen_text(&head, "Stacks of ");
	pen_name(&head, f->title);
	pen_fill(&head, ' ');
	f->left = 0;
	f->width = g->width;
	f->y = 1;
	f->height = MAX(g->height - 3, 1);
	if (b->level < f->top)
		f->top = b->level;
	if (b->level >= f->top + (uint32_t)f->height)
		f->top = b->level - (uint32_t)f->height + 1;
	draw_boxes(f, g, 0, &name);
	box_name(f, f->at, true, &name);
	{
		struct pen p = grid_pen(g, g->height - 2, 0, g->width, INK_BOLD);

		pen_fmt(&p, "%6.2f%% ", all->hits ? 100.0 * (double)b->hits / (double)all->hits : 0);
		pen_name(&p, name.buf);
	}
	pen_text(&foot, "arrows: callers, callees, neighbours   Enter: as wide as the screen   Backspace: wider   c: "
			"calls   ?: help   q: back");
	pen_fill(&foot, ' ');
	out_release(&name);
}

/* Move to the next visible box on the same level. */
static void sideways(struct flame_view *f, bool right)
{
	const struct box *here = &f->boxes.items[f->at];
	uint32_t best = f->at;

	for (uint32_t i = 0; i < f->boxes.len; i++) {
		const struct box *b = &f->boxes.items[i];
		int from, to;

		box_columns(f, b, &from, &to);
		if (b->level != here->level || to <= from || i == f->at)
			continue;
		if (right ? b->start > here->start && (best == f->at || b->start < f->boxes.items[best].start)
			  : b->start < here->start && (best == f->at || b->start > f->boxes.items[best].start))
			best = i;
	}
	f->at = best;
}

/* Return the box of this level that is below, above or nearest to the one under the cursor. */
static uint32_t nearest(const struct flame_view *f, uint32_t level)
{
	int left, right, least = INT_MAX;
	uint32_t found = f->at;

	box_columns(f, &f->boxes.items[f->at], &left, &right);
	for (uint32_t i = 0; i < f->boxes.len; i++) {
		int from, to, gap;

		box_columns(f, &f->boxes.items[i], &from, &to);
		gap = MAX(MAX(from - right, left - to), -1); /* -1: they have columns in common */
		if (f->boxes.items[i].level == level && to > from && gap < least) {
			least = gap;
			found = i;
		}
	}
	return found;
}

/* Scroll by the wheel as lists do: each visible level is a line. */
static void wheel(struct flame_view *f, int action)
{
	uint32_t level = f->boxes.items[f->at].level;
	struct tui_list lines = { .at = level, .top = f->top, .height = f->height };

	for (size_t i = 0; i < f->boxes.len; i++) {
		int from, to;

		box_columns(f, &f->boxes.items[i], &from, &to);
		if (to > from)
			lines.n = MAX(lines.n, (size_t)f->boxes.items[i].level + 1);
	}
	tui_list_act(&lines, action, NULL);
	f->top = (uint32_t)lines.top;
	if (lines.at != level)
		f->at = nearest(f, (uint32_t)lines.at);
}

static void click(struct flame_view *f, const struct tui_event *e)
{
	for (uint32_t i = 0; i < f->boxes.len; i++) {
		const struct box *b = &f->boxes.items[i];
		int from, to;

		box_columns(f, b, &from, &to);
		if (f->y + (int)b->level - (int)f->top == e->y && e->x >= from && e->x < to)
			f->at = i;
	}
}

enum { DO_ZOOM = TUI_ACTIONS, DO_WIDER, DO_CALLS };

static enum tui_then flame_act(struct screen *s, int action, const struct tui_event *e)
{
	struct flame_view *f = s->state;
	const struct box *b = &f->boxes.items[f->at];

	switch (action) {
	case TUI_DO_UP: f->at = b->parent; break;
	case TUI_DO_DOWN: f->at = b->n_children ? b->first_child : f->at; break;
	case TUI_DO_LEFT:
	case TUI_DO_RIGHT: sideways(f, action == TUI_DO_RIGHT); break;
	case TUI_DO_PAGE_UP:
	case TUI_DO_PAGE_DOWN:
		for (int i = 0; i < f->height; i++)
			f->at = action == TUI_DO_PAGE_UP           ? f->boxes.items[f->at].parent
				: f->boxes.items[f->at].n_children ? f->boxes.items[f->at].first_child
								   : f->at;
		break;
	case TUI_DO_FIRST: f->at = f->zoom = 0; break;
	case TUI_DO_LAST:
		while (f->boxes.items[f->at].n_children)
			f->at = f->boxes.items[f->at].first_child;
		break;
	case TUI_DO_WHEEL_UP:
	case TUI_DO_WHEEL_DOWN: wheel(f, action); break;
	case TUI_DO_CLICK: click(f, e); break;
	case DO_ZOOM:
	case TUI_DO_DOUBLE_CLICK: f->zoom = f->at; break;
	case DO_WIDER: f->zoom = f->boxes.items[f->zoom].parent; break;
	case DO_CALLS:
		if (f->at && tui_calls(s->tui, f->v, b->site) == TUI_QUIT)
			return TUI_QUIT;
		break;
	default: break;
	}
	return TUI_STAY;
}

static const struct tui_binding flame_keys[] = { { TUI_UNBOUND, { 0 }, "Stacks" },
						 { TUI_DO_UP, { TUI_UP }, "to the caller" },
						 { TUI_DO_DOWN, { TUI_DOWN }, "to what it calls most" },
						 { TUI_DO_LEFT, { TUI_LEFT }, "to the left neighbour" },
						 { TUI_DO_RIGHT, { TUI_RIGHT }, "to the right neighbour" },
						 { DO_ZOOM, { TUI_ENTER, '+' }, "make the box as wide as the screen" },
						 { DO_WIDER, { TUI_BACKSPACE, '-', '\b' }, "show more again" },
						 { DO_CALLS, { 'c' }, "callers and callees of the function" },
						 TUI_KEYS_END };
static const struct screen_type flame_type = {
	.title = "Stacks", .keys = flame_keys, .draw = flame_draw, .act = flame_act
};

enum tui_then tui_flame(struct tui *t, const struct view *v, const struct view_row *row, const char *title)
{
	struct flame_view f = { .v = v, .title = title };
	enum tui_then then;

	make_boxes(&f, row);
	if (f.boxes.len > 1) {
		f.at = 1;
		then = tui_show(t, &flame_type, &f);
	} else {
		tui_message(t, "Stacks", "The samples of this row have no call chains.\nrecord -g notes them.");
		then = t->quit ? TUI_QUIT : TUI_LEAVE;
	}
	vec_free(&f.boxes);
	return then;
}
