/* Show a long text on a screen: help, the header of a recording, the output of a command. */
#include "report/tui/tui.h"

struct viewer {
	const char *title;
	VEC(const char *) lines;
	char *text, *wanted;
	const struct tui_choice *choice; /* NULL: there is nothing to choose */
	struct tui_page page;
};

enum { DO_FIND = TUI_ACTIONS, DO_NEXT, DO_PREVIOUS, DO_CHOOSE };

static void draw_line(void *ctx, struct pen p, size_t line)
{
	const struct viewer *v = ctx;

	pen_text(&p, v->lines.items[line]);
	if (v->wanted && *v->wanted && line != v->page.list.at && strcasestr(v->lines.items[line], v->wanted))
		grid_ink(p.g, p.y, 0, p.g->width, INK_FOUND);
}

static void viewer_draw(struct screen *s, struct grid *g)
{
	struct viewer *v = s->state;
	const struct tui_list *l = &v->page.list;
	struct pen head = grid_pen(g, 0, 0, g->width, INK_TITLE);
	autofree char *foot =
		xasprintf("line %zu of %zu   %s%s/: find   n, N: next, previous   q: back", l->n ? l->at + 1 : 0, l->n,
			  v->choice ? v->choice->help : "", v->choice ? "   " : "");

	pen_name(&head, v->title);
	pen_fill(&head, ' ');
	tui_page_draw(&v->page, g, draw_line, v);
	tui_foot(g, foot);
}

static void find(struct viewer *v, bool back)
{
	for (size_t i = 1; v->wanted && *v->wanted && i <= v->page.list.n; i++) {
		size_t at = (v->page.list.at + (back ? v->page.list.n - i : i)) % v->page.list.n;

		if (strcasestr(v->lines.items[at], v->wanted)) {
			v->page.list.at = at;
			tui_list_fit(&v->page.list);
			return;
		}
	}
}

static enum tui_then viewer_act(struct screen *s, int action, const struct tui_event *e)
{
	struct viewer *v = s->state;
	char *wanted;

	if (tui_page_act(&v->page, action, e))
		return TUI_STAY;
	switch (action) {
	case DO_FIND:
		wanted = tui_input(s->tui, "Find:", NULL, NULL, NULL);
		if (wanted) {
			free(v->wanted);
			v->wanted = wanted;
			find(v, false);
		}
		break;
	case DO_NEXT:
	case DO_PREVIOUS: find(v, action == DO_PREVIOUS); break;
	case DO_CHOOSE:
	case TUI_DO_DOUBLE_CLICK:
		return v->choice && v->page.list.n ? v->choice->chosen(s->tui, v->choice->ctx, v->page.list.at)
						   : TUI_STAY;
	default: break;
	}
	return TUI_STAY;
}

/* clang-format off */
#define FIND_KEYS \
	{ DO_FIND, { '/' }, "find a text" }, \
	{ DO_NEXT, { 'n' }, "where it is next" }, \
	{ DO_PREVIOUS, { 'N' }, "where it was before" }
/* clang-format on */
static const struct tui_binding viewer_keys[] = { { TUI_UNBOUND, { 0 }, "Text" }, FIND_KEYS, TUI_KEYS_END };
static const struct tui_binding choose_keys[] = { { TUI_UNBOUND, { 0 }, "Text" },
						  { DO_CHOOSE, { TUI_ENTER, 'a' }, "what the last line names" },
						  FIND_KEYS,
						  TUI_KEYS_END };
static const struct screen_type viewer_type = {
	.title = "Text", .keys = viewer_keys, .draw = viewer_draw, .act = viewer_act
};
static const struct screen_type choose_type = {
	.title = "Text", .keys = choose_keys, .draw = viewer_draw, .act = viewer_act
};

enum tui_then tui_text(struct tui *t, const char *title, const char *text)
{
	return tui_text_choose(t, title, text, NULL);
}

enum tui_then tui_text_choose(struct tui *t, const char *title, const char *text, const struct tui_choice *choice)
{
	struct viewer v = { .title = title, .text = xstrdup(text), .choice = choice };
	enum tui_then then;

	for (char *line = v.text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		vec_push(&v.lines, line);
	}
	v.page.list.n = v.lines.len;
	then = tui_show(t, choice ? &choose_type : &viewer_type, &v);
	vec_free(&v.lines);
	free(v.text);
	free(v.wanted);
	return then;
}

/* ---- help, from the tables of keys ---- */

static void describe(const struct tui_binding *table, const struct tui_binding *above, struct out *o)
{
	for (const struct tui_binding *b = table; b && (b->action || b->help); b++) {
		size_t from = o->len;

		if (!b->help)
			continue;
		if (!b->keys[0]) {
			out_fmt(o, "\n%s\n", b->help);
			continue;
		}
		out_str(o, "  ");
		for (size_t i = 0; i < ARRAY_SIZE(b->keys) && b->keys[i]; i++) {
			bool taken = false; /* the screen's own table uses this key */

			for (const struct tui_binding *a = above; a && (a->action || a->help); a++)
				for (size_t k = 0; k < ARRAY_SIZE(a->keys) && a->keys[k]; k++)
					taken |= a->keys[k] == b->keys[i];
			if (taken)
				continue;
			if (o->len > from + 2)
				out_str(o, ", ");
			tui_key_name(b->keys[i], o);
		}
		if (o->len == from + 2)
			o->len = from;
		else
			out_fmt(o, "%*s%s\n", (int)(20 - MIN(o->len - from, (size_t)19)), "", b->help);
	}
}

void tui_help(struct tui *t)
{
	const struct screen_type *type = t->screens[t->n_screens - 1]->type;
	autofree char *title = xasprintf("Keys: %s", type->title);
	struct out o;

	out_init_mem(&o);
	describe(type->keys, NULL, &o);
	describe(tui_common, type->keys, &o);
	tui_text(t, title, out_text(&o) + (o.len && o.buf[0] == '\n'));
	out_release(&o);
}
