/* Browse shared cache lines: the table of lines, and the places of each line. */
#include "cmd/mem/c2c_screen_priv.h"

#include "base/mem.h"

struct line_browser {
	struct session *session;
	struct c2c *c2c;
	struct c2c_opts *opts;
	const struct tui_annotate_opts *code;
	struct hot *hot;            /* NULL until a function is shown */
	uint32_t *events, n_events; /* all */
	size_t line;                /* the line of the shown places */
	struct out places;
	struct c2c_starts starts; /* of the places in this text */
	struct out text;          /* of the line that we draw */
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
	tui_foot(g, "Enter: accesses   s: sums   n: nodes   ?: keys   q: end");
}

static enum tui_then show_sums(struct tui *t, struct line_browser *l)
{
	enum tui_then then;
	struct out o;

	out_init_mem(&o);
	c2c_put_sums(l->c2c, &o);
	then = tui_text(t, "Sums", out_text(&o));
	out_release(&o);
	return then == TUI_QUIT ? TUI_QUIT : TUI_STAY;
}

/* ---- the places of a line ---- */

/* Return the place to which this line of the text belongs: its row, or a call graph below it. */
static bool find_place(struct line_browser *l, size_t line, size_t *place)
{
	const char *at = out_text(&l->places), *next;
	size_t n = 0;

	for (; line && (next = strchr(at, '\n')); line--)
		at = next + 1;
	while (n < l->starts.len && l->starts.items[n] <= (size_t)(at - out_text(&l->places)))
		n++;
	*place = n - 1;
	return n;
}

static enum tui_then annotate(struct tui *t, void *ctx, size_t text_line)
{
	static const struct profile_filter all;
	struct line_browser *l = ctx;
	uint32_t dso, symbol;
	enum tui_then then;
	size_t place;

	if (!find_place(l, text_line, &place))
		return TUI_STAY;
	if (!c2c_place_function(l->c2c, l->line, place, &dso, &symbol)) {
		tui_message(t, "Code", "this address is in no known function");
		return TUI_STAY;
	}
	if (!l->hot)
		l->hot = tui_annotate_count(t, l->session, NULL, &all);
	if (!l->hot) /* the user gave up */
		return t->quit ? TUI_QUIT : TUI_STAY;
	then = tui_annotate(t, l->hot, &all, l->events, l->n_events, hot_function_of(l->hot, dso, symbol), l->code);
	return then == TUI_QUIT ? TUI_QUIT : TUI_STAY;
}

static enum tui_then show_places(struct tui *t, struct line_browser *l)
{
	const struct tui_choice code = { "a: code of the function", annotate, l };
	enum tui_then then;

	if (!l->page.list.n)
		return TUI_STAY;
	l->line = l->page.list.at;
	l->places.len = 0;
	vec_clear(&l->starts);
	c2c_put_places(l->c2c, l->line, &l->places, &l->starts);
	then = tui_text_choose(t, "Shared Cache Line Distribution Pareto", out_text(&l->places), &code);
	return then == TUI_QUIT ? TUI_QUIT : TUI_STAY;
}

/* ---- the table of lines ---- */

static enum tui_then lines_act(struct screen *s, int action, const struct tui_event *e)
{
	struct line_browser *l = s->state;

	if (tui_page_act(&l->page, action, e))
		return TUI_STAY;
	switch (action) {
	case DO_PLACES:
	case TUI_DO_DOUBLE_CLICK: return show_places(s->tui, l);
	case DO_SUMS: return show_sums(s->tui, l);
	case DO_NODES: l->opts->node_info = (l->opts->node_info + 1) % NODE_FORMS; return show_places(s->tui, l);
	default: return TUI_STAY;
	}
}

static const struct tui_binding lines_keys[] = {
	{ TUI_UNBOUND, { 0 }, "Cache lines" },
	{ DO_PLACES, { TUI_ENTER, 'd' }, "the code that accesses each offset of the line" },
	{ DO_SUMS, { 's' }, "sums of all accesses and of those to shared lines" },
	{ DO_NODES, { 'n' }, "the same as Enter, with other columns for nodes: numbers, shares, CPUs" },
	TUI_KEYS_END,
};
static const struct screen_type lines_type = {
	.title = "Cache lines", .keys = lines_keys, .draw = lines_draw, .act = lines_act
};

void c2c_browse(struct tui *t, struct session *s, struct c2c *c2c, struct c2c_opts *opts,
		const struct tui_annotate_opts *code)
{
	uint32_t n = (uint32_t)s->pd->n_events;
	autofree uint32_t *events = xcalloc(n + 1, sizeof(*events));
	struct line_browser l = { .session = s,
				  .c2c = c2c,
				  .opts = opts,
				  .code = code,
				  .events = events,
				  .n_events = n,
				  .page = { .heads = TITLES } };

	for (uint32_t i = 0; i < n; i++)
		events[i] = i;
	out_init_mem(&l.text);
	out_init_mem(&l.places);
	l.page.list.n = c2c_n_lines(c2c);
	tui_show(t, &lines_type, &l);
	out_release(&l.text);
	out_release(&l.places);
	vec_free(&l.starts);
	hot_free(l.hot);
}
