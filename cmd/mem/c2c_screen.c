/* Browse shared cache lines: the table of lines, and the places of each. */
#include "cmd/mem/c2c_screen.h"

#include "base/mem.h"

struct line_browser {
	struct c2c *c2c;
	struct c2c_opts *opts;
	struct out text; /* of the line that is drawn */
	struct tui_page page;
};

enum { DO_PLACES = TUI_ACTIONS, DO_SUMS, DO_NODES };
enum { TITLES = 2, NODE_FORMS = 3 };

static void draw_line(void *ctx, struct pen p, size_t line)
{
	struct line_browser *l = ctx;

	l->text.len = 0;
	c2c_put_line(l->c2c, line, &l->text);
	l->text.len--; /* the end of the line */
	pen_text(&p, out_text(&l->text));
}

static void draw_titles(struct line_browser *l, struct grid *g)
{
	autofree char *titles = NULL;
	char *next;

	l->text.len = 0;
	c2c_put_titles(l->c2c, &l->text);
	titles = xstrdup(out_text(&l->text));
	next = titles;
	for (int i = 0; i < TITLES && next; i++) {
		struct pen p = grid_pen(g, 1 + i, -l->page.shift, g->width, INK_NORMAL);
		char *line = next;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		pen_text(&p, line);
		pen_fill(&p, ' ');
	}
}

static void lines_draw(struct screen *s, struct grid *g)
{
	struct line_browser *l = s->state;
	struct pen head = grid_pen(g, 0, 0, g->width, INK_TITLE);
	autofree char *title = xasprintf("Shared Data Cache Line Table   %zu lines", l->page.list.n);

	pen_text(&head, title);
	pen_fill(&head, ' ');
	draw_titles(l, g);
	tui_page_draw(&l->page, g, draw_line, l);
	tui_foot(g, "Enter: who accesses it   s: sums   n: nodes   ?: keys   q: end");
}

static enum tui_then show(struct screen *s, const char *title, size_t line)
{
	struct line_browser *l = s->state;
	enum tui_then then;
	struct out o;

	out_init_mem(&o);
	if (line < l->page.list.n)
		c2c_put_places(l->c2c, line, &o);
	else
		c2c_put_sums(l->c2c, &o);
	then = tui_text(s->tui, title, out_text(&o));
	out_release(&o);
	return then == TUI_QUIT ? TUI_QUIT : TUI_STAY;
}

static enum tui_then lines_act(struct screen *s, int action, const struct tui_event *e)
{
	struct line_browser *l = s->state;

	if (tui_page_act(&l->page, action, e))
		return TUI_STAY;
	switch (action) {
	case DO_PLACES:
	case TUI_DO_DOUBLE_CLICK:
		return l->page.list.n ? show(s, "Shared Cache Line Distribution Pareto", l->page.list.at) : TUI_STAY;
	case DO_SUMS: return show(s, "Sums", SIZE_MAX);
	case DO_NODES:
		l->opts->node_info = (l->opts->node_info + 1) % NODE_FORMS;
		return l->page.list.n ? show(s, "Shared Cache Line Distribution Pareto", l->page.list.at) : TUI_STAY;
	default: return TUI_STAY;
	}
}

static const struct tui_binding lines_keys[] = {
	{ TUI_UNBOUND, { 0 }, "Cache lines" },
	{ DO_PLACES, { TUI_ENTER, 'd' }, "who accesses which offset of the line" },
	{ DO_SUMS, { 's' }, "sums of all accesses and of those to shared lines" },
	{ DO_NODES, { 'n' }, "the same as Enter, with other words on nodes: numbers, shares, CPUs" },
	TUI_KEYS_END,
};
static const struct screen_type lines_type = {
	.title = "Cache lines", .keys = lines_keys, .draw = lines_draw, .act = lines_act
};

void c2c_browse(struct tui *t, struct c2c *c2c, struct c2c_opts *opts)
{
	struct line_browser l = { .c2c = c2c, .opts = opts, .page = { .heads = TITLES } };

	out_init_mem(&l.text);
	l.page.list.n = c2c_n_lines(c2c);
	tui_show(t, &lines_type, &l);
	out_release(&l.text);
}
