/* Small windows over a screen: menus, checklists, an input line, messages. */
#include "report/tui/tui.h"

#include "base/vec_edit.h"
#include "base/width.h"

struct popup {
	const char *title;
	const char *const *lines;
	bool *marks; /* of a checklist */
	struct tui_list list;
	bool done; /* closed by Enter */
};

enum { DO_CHOOSE = TUI_ACTIONS, DO_MARK };

static int widest(const char *const *lines, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width = MAX(width, out_name_width(lines[i]));
	return width;
}

/* Center the window; cut or scroll what does not fit. */
static void place(const struct grid *g, int wanted_width, int wanted_height, int *y, int *x, int *height, int *width)
{
	*width = MIN(wanted_width + 4, g->width);
	*height = MIN(wanted_height + 2, g->height);
	*x = (g->width - *width) / 2;
	*y = (g->height - *height) / 2;
}

static void popup_draw(struct screen *s, struct grid *g)
{
	struct popup *p = s->state;
	int x, y, height, width, wanted = widest(p->lines, p->list.n) + (p->marks ? 4 : 0);

	place(g, MAX(wanted, p->title ? out_name_width(p->title) + 2 : 0), (int)MIN(p->list.n, (size_t)4096), &y, &x,
	      &height, &width);
	grid_box(g, y, x, height, width, p->title, INK_BOX);
	p->list.y = y + 1;
	p->list.height = MAX(height - 2, 0);
	tui_list_fit(&p->list);
	for (int i = 0; i < p->list.height && p->list.top + (size_t)i < p->list.n; i++) {
		size_t at = p->list.top + (size_t)i;
		struct pen pen =
			grid_pen(g, y + 1 + i, x + 1, x + width - 1, at == p->list.at ? INK_BOX_CURSOR : INK_BOX);

		pen_code(&pen, ' ');
		if (p->marks)
			pen_text(&pen, p->marks[at] ? "[x] " : "[ ] ");
		pen_name(&pen, p->lines[at]);
		pen_fill(&pen, ' ');
	}
	if (p->list.n > (size_t)p->list.height && width > 12) { /* there are more lines */
		struct pen pen = grid_pen(g, y + height - 1, x + 2, x + width - 2, INK_BOX);

		pen_fmt(&pen, " %zu of %zu ", p->list.at + 1, p->list.n);
	}
}

/* Move to the next line that begins with the typed letter. */
static enum tui_then popup_typed(struct screen *s, const struct tui_event *e)
{
	struct popup *p = s->state;

	for (size_t i = 1; i <= p->list.n && e->key < 128; i++) {
		size_t at = (p->list.at + i) % p->list.n;

		if ((p->lines[at][0] | 0x20) == (char)(e->key | 0x20)) {
			p->list.at = at;
			break;
		}
	}
	return TUI_STAY;
}

static enum tui_then popup_act(struct screen *s, int action, const struct tui_event *e)
{
	struct popup *p = s->state;
	size_t before = p->list.at;

	if (tui_list_act(&p->list, action, e)) {
		bool on_line = e->y >= p->list.y && e->y < p->list.y + p->list.height;

		if (action == TUI_DO_CLICK && !on_line)
			return TUI_LEAVE;
		if (action == TUI_DO_DOUBLE_CLICK || (action == TUI_DO_CLICK && p->list.at == before))
			action = p->marks ? DO_MARK : DO_CHOOSE;
	}
	if (action == DO_MARK && p->marks && p->list.n)
		p->marks[p->list.at] ^= true;
	if (action != DO_CHOOSE)
		return TUI_STAY;
	p->done = true;
	return TUI_LEAVE;
}

static const struct tui_binding menu_keys[] = { { DO_CHOOSE, { TUI_ENTER, TUI_RIGHT }, "choose" },
						{ TUI_DO_BACK, { TUI_LEFT }, NULL },
						TUI_KEYS_END };
static const struct screen_type menu_type = {
	.title = "Menu", .keys = menu_keys, .draw = popup_draw, .act = popup_act, .typed = popup_typed, .popup = true
};

static const struct tui_binding checklist_keys[] = { { DO_MARK, { ' ', 'x' }, "mark or unmark" },
						     { DO_CHOOSE, { TUI_ENTER }, "done" },
						     TUI_KEYS_END };
static const struct screen_type checklist_type = {
	.title = "List", .keys = checklist_keys, .draw = popup_draw, .act = popup_act, .popup = true
};

int tui_menu(struct tui *t, const char *title, const char *const *lines, size_t n, size_t chosen)
{
	struct popup p = { .title = title, .lines = lines, .list = { .n = n, .at = chosen, .height = 1 } };

	if (n)
		tui_show(t, &menu_type, &p);
	return p.done ? (int)p.list.at : -1;
}

bool tui_checklist(struct tui *t, const char *title, const char *const *lines, bool *marks, size_t n)
{
	struct popup p = { .title = title, .lines = lines, .marks = marks, .list = { .n = n, .height = 1 } };

	if (n)
		tui_show(t, &checklist_type, &p);
	return p.done;
}

/* ---- an input line ---- */

struct input {
	const char *title;
	VEC(uint32_t) codes;
	size_t at;
	bool done;
	struct out text;
	void (*changed)(void *ctx, const char *text);
	void *ctx;
};

static void put_utf8(struct out *o, uint32_t c)
{
	if (c < 0x80) {
		out_char(o, (char)c);
	} else if (c < 0x800) {
		out_char(o, (char)(0xc0 | c >> 6));
		out_char(o, (char)(0x80 | (c & 0x3f)));
	} else {
		if (c < 0x10000) {
			out_char(o, (char)(0xe0 | c >> 12));
		} else {
			out_char(o, (char)(0xf0 | c >> 18));
			out_char(o, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		out_char(o, (char)(0x80 | (c >> 6 & 0x3f)));
		out_char(o, (char)(0x80 | (c & 0x3f)));
	}
}

static const char *input_text(struct input *in)
{
	in->text.len = 0;
	for (size_t i = 0; i < in->codes.len; i++)
		put_utf8(&in->text, in->codes.items[i]);
	return out_text(&in->text);
}

static void input_draw(struct screen *s, struct grid *g)
{
	struct input *in = s->state;
	int y = g->height - 1, room, width = 0;
	size_t from = in->at;
	struct pen pen = grid_pen(g, y, 0, g->width, INK_HELP);

	pen_fmt(&pen, "%s ", in->title);
	pen.ink = INK_FIELD;
	room = g->width - pen.x - 1;
	while (from && width + code_width(in->codes.items[from - 1]) < room) /* keep the cursor visible */
		width += code_width(in->codes.items[--from]);
	for (size_t i = from; i <= in->codes.len; i++) {
		if (i == in->at) {
			g->cursor_x = pen.x;
			g->cursor_y = y;
		}
		if (i < in->codes.len)
			pen_code(&pen, in->codes.items[i]);
	}
	pen_fill(&pen, ' ');
}

static void insert(struct input *in, uint32_t code)
{
	enum { LONGEST = 4096 };

	if (in->codes.len == LONGEST)
		return;
	vec_insert(&in->codes, in->at, code);
	in->at++;
}

static void delete_at(struct input *in, size_t at)
{
	if (at < in->codes.len)
		vec_remove(&in->codes, at, 1);
}

static void tell(struct input *in)
{
	if (in->changed)
		in->changed(in->ctx, input_text(in));
}

static enum tui_then input_typed(struct screen *s, const struct tui_event *e)
{
	struct input *in = s->state;

	switch (e->key) {
	case TUI_ENTER: in->done = true; return TUI_LEAVE;
	case TUI_ESCAPE: return TUI_LEAVE;
	case TUI_BACKSPACE:
	case '\b':
		if (in->at)
			delete_at(in, --in->at);
		break;
	case TUI_DELETE: delete_at(in, in->at); break;
	case 'U' & 31:
		in->at = 0;
		vec_clear(&in->codes);
		break;
	case TUI_TAB: return TUI_STAY;
	default:
		if (e->key >= TUI_SPECIAL)
			return TUI_STAY;
		insert(in, e->key);
	}
	tell(in);
	return TUI_STAY;
}

static enum tui_then input_act(struct screen *s, int action, const struct tui_event *e)
{
	struct input *in = s->state;

	switch (action) {
	case TUI_DO_LEFT: in->at -= in->at > 0; break;
	case TUI_DO_RIGHT: in->at += in->at < in->codes.len; break;
	case TUI_DO_FIRST: in->at = 0; break;
	case TUI_DO_LAST: in->at = in->codes.len; break;
	default: break;
	}
	return TUI_STAY;
}

static int input_open(struct screen *s, struct err *e)
{
	s->typing = true;
	return 0;
}

static const struct screen_type input_type = { .title = "Input",
					       .open = input_open,
					       .draw = input_draw,
					       .act = input_act,
					       .typed = input_typed,
					       .wants_all = true,
					       .popup = true };

char *tui_input(struct tui *t, const char *title, const char *text, void (*changed)(void *ctx, const char *text),
		void *ctx)
{
	struct input in = { .title = title, .changed = changed, .ctx = ctx };
	const char *end = text ? text + strlen(text) : NULL;
	char *result = NULL;

	out_init_mem(&in.text);
	while (text && text < end) {
		uint32_t code;
		size_t n = utf8_decode(text, (size_t)(end - text), &code);

		insert(&in, n ? code : '?');
		text += n ? n : 1;
	}
	tui_show(t, &input_type, &in);
	if (in.done)
		result = xstrdup(input_text(&in));
	out_release(&in.text);
	vec_free(&in.codes);
	return result;
}

/* ---- messages ---- */

struct message {
	const char *title;
	VEC(const char *) lines;
	struct out text;
};

static void message_draw(struct screen *s, struct grid *g)
{
	struct message *m = s->state;
	int x, y, height, width;

	place(g, MAX(widest(m->lines.items, m->lines.len), out_name_width(m->title) + 2), (int)m->lines.len, &y, &x,
	      &height, &width);
	grid_box(g, y, x, height, width, m->title, INK_BOX);
	for (int i = 0; i + 2 < height && (size_t)i < m->lines.len; i++) {
		struct pen pen = grid_pen(g, y + 1 + i, x + 2, x + width - 2, INK_BOX);

		pen_name(&pen, m->lines.items[i]);
	}
}

static enum tui_then message_act(struct screen *s, int action, const struct tui_event *e)
{
	return action == TUI_DO_REDRAW || action == TUI_DO_WHEEL_UP || action == TUI_DO_WHEEL_DOWN ? TUI_STAY
												   : TUI_LEAVE;
}

static enum tui_then message_typed(struct screen *s, const struct tui_event *e) { return TUI_LEAVE; }

static const struct screen_type message_type = { .title = "Message",
						 .draw = message_draw,
						 .act = message_act,
						 .typed = message_typed,
						 .wants_all = true,
						 .popup = true };

/* Break the text into lines at blanks. */
static void wrap(struct message *m, char *text, size_t width)
{
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		while (strlen(line) > width) {
			char *cut = line + width;

			while (cut > line && *cut != ' ')
				cut--;
			if (cut == line)
				break;
			*cut = '\0';
			vec_push(&m->lines, line);
			line = cut + 1;
		}
		if (*line)
			vec_push(&m->lines, line);
	}
}

void tui_message(struct tui *t, const char *title, const char *fmt, ...)
{
	struct message m = { .title = title };
	va_list ap;

	out_init_mem(&m.text);
	va_start(ap, fmt);
	out_vfmt(&m.text, fmt, ap);
	va_end(ap);
	out_text(&m.text);
	wrap(&m, m.text.buf, (size_t)MAX(MIN(t->grid.width - 8, 100), 16));
	tui_show(t, &message_type, &m);
	vec_free(&m.lines);
	out_release(&m.text);
}

void tui_error(struct tui *t, const struct err *e)
{
	tui_message(t, "Error", "%s%s%s%s%s", e->what, e->why[0] ? "\nwhy: " : "", e->why, e->fix[0] ? "\ntry: " : "",
		    e->fix);
}
