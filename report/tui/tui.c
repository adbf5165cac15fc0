/* A stack of screens: which one is drawn, which gets a key, what keys mean. It does not depend on ncurses. */
#include "report/tui/tui.h"

const struct tui_binding tui_common[] = { { TUI_UNBOUND, { 0 }, "Moving" },
					  { TUI_DO_UP, { TUI_UP }, "one line up" },
					  { TUI_DO_DOWN, { TUI_DOWN }, "one line down" },
					  { TUI_DO_PAGE_UP, { TUI_PAGE_UP, 'B' & 31 }, "one page up" },
					  { TUI_DO_PAGE_DOWN, { TUI_PAGE_DOWN, ' ' }, "one page down" },
					  { TUI_DO_FIRST, { TUI_HOME, '<' }, "to the first line" },
					  { TUI_DO_LAST, { TUI_END, '>' }, "to the last line" },
					  { TUI_DO_LEFT, { TUI_LEFT }, "move the text left" },
					  { TUI_DO_RIGHT, { TUI_RIGHT }, "move the text right" },
					  { TUI_UNBOUND, { 0 }, "Always" },
					  { TUI_DO_HELP, { '?', 'h', TUI_F1 }, "this help" },
					  { TUI_DO_BACK, { TUI_ESCAPE }, "back, or give up" },
					  { TUI_DO_QUIT, { 'q' }, "leave this screen" },
					  { TUI_DO_REDRAW, { 'L' & 31 }, "draw the screen anew" },
					  { TUI_DO_CLICK, { TUI_CLICK }, NULL },
					  { TUI_DO_DOUBLE_CLICK, { TUI_DOUBLE_CLICK }, NULL },
					  { TUI_DO_RIGHT_CLICK, { TUI_RIGHT_CLICK }, NULL },
					  { TUI_DO_WHEEL_UP, { TUI_WHEEL_UP }, NULL },
					  { TUI_DO_WHEEL_DOWN, { TUI_WHEEL_DOWN }, NULL },
					  TUI_KEYS_END };

static bool binding_end(const struct tui_binding *b) { return !b->action && !b->help; }

static int find_action(const struct tui_binding *table, uint32_t key)
{
	for (const struct tui_binding *b = table; b && !binding_end(b); b++)
		for (size_t i = 0; i < ARRAY_SIZE(b->keys) && b->keys[i]; i++)
			if (b->keys[i] == key)
				return b->action;
	return TUI_UNBOUND;
}

void tui_key_name(uint32_t key, struct out *o)
{
	static const struct {
		uint32_t key;
		const char *name;
	} names[] = {
		{ TUI_TAB, "Tab" },
		{ TUI_ENTER, "Enter" },
		{ TUI_ESCAPE, "Esc" },
		{ TUI_BACKSPACE, "Backspace" },
		{ TUI_UP, "Up" },
		{ TUI_DOWN, "Down" },
		{ TUI_LEFT, "Left" },
		{ TUI_RIGHT, "Right" },
		{ TUI_PAGE_UP, "PgUp" },
		{ TUI_PAGE_DOWN, "PgDn" },
		{ TUI_HOME, "Home" },
		{ TUI_END, "End" },
		{ TUI_DELETE, "Del" },
		{ TUI_BACK_TAB, "Shift-Tab" },
		{ TUI_F1, "F1" },
		{ TUI_CLICK, "click" },
		{ TUI_DOUBLE_CLICK, "double click" },
		{ TUI_RIGHT_CLICK, "right click" },
		{ ' ', "Space" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].key == key) {
			out_str(o, names[i].name);
			return;
		}
	if (key < ' ')
		out_fmt(o, "Ctrl-%c", (char)(key + '@'));
	else
		out_char(o, (char)key);
}

/* ---- drawing ---- */

static void fit(struct tui *t)
{
	int width, height;

	t->terminal->size(t->terminal, &width, &height);
	if (width != t->grid.width || height != t->grid.height)
		grid_resize(&t->grid, width, height);
	else
		grid_clear(&t->grid);
}

/* Draw now, without waiting for keys. */
static void tui_draw(struct tui *t)
{
	size_t first = t->n_screens;

	fit(t);
	while (first && (first == t->n_screens || t->screens[first]->type->popup))
		first--;
	for (size_t i = first; i < t->n_screens; i++) {
		t->grid.cursor_x = -1;
		t->screens[i]->type->draw(t->screens[i], &t->grid);
	}
	t->terminal->show(t->terminal, &t->grid);
}

/* ---- keys ---- */

static bool is_text(uint32_t key)
{
	return key < TUI_SPECIAL && (key >= ' ' || key == TUI_ENTER || key == TUI_ESCAPE || key == TUI_TAB ||
				     key == '\b' || key == ('U' & 31));
}

static enum tui_then act(struct screen *s, int action, const struct tui_event *e)
{
	if (s->type->wants_all)
		return s->type->act(s, action, e);
	switch (action) {
	case TUI_DO_HELP: tui_help(s->tui); return TUI_STAY;
	case TUI_DO_BACK:
	case TUI_DO_QUIT: return TUI_LEAVE;
	default: return s->type->act(s, action, e);
	}
}

static enum tui_then dispatch(struct screen *s, const struct tui_event *e)
{
	int action;

	switch (e->key) {
	case TUI_NONE:
	case TUI_RESIZED: return TUI_STAY;
	case TUI_GONE: return TUI_QUIT;
	case TUI_WOKEN: return s->type->tick ? s->type->tick(s) : TUI_STAY;
	default: break;
	}
	if (s->typing && s->type->typed && is_text(e->key))
		return s->type->typed(s, e);
	action = find_action(s->type->keys, e->key);
	if (!action)
		action = find_action(tui_common, e->key);
	if (action)
		return act(s, action, e);
	return s->type->typed ? s->type->typed(s, e) : TUI_STAY;
}

/* Return the length of a tick. Screens below a popup still tick. */
static int tick_ms(const struct tui *t)
{
	for (size_t i = t->n_screens; i--;)
		if (t->screens[i]->tick_ms > 0)
			return t->screens[i]->tick_ms;
	return -1;
}

static bool is_busy(const struct tui *t)
{
	for (size_t i = 0; i < t->n_screens; i++)
		if (t->screens[i]->busy)
			return true;
	return false;
}

/* Do a part of the pending work while no key waits. */
static void work(struct tui *t)
{
	for (size_t i = 0; i < t->n_screens; i++)
		if (t->screens[i]->busy)
			t->screens[i]->type->work(t->screens[i]);
}

enum tui_then tui_show(struct tui *t, const struct screen_type *type, void *state)
{
	struct screen s = { .type = type, .tui = t, .state = state };
	enum tui_then then = TUI_STAY;
	struct err e = { 0 };

	if (t->n_screens == ARRAY_SIZE(t->screens) || t->quit)
		return t->quit ? TUI_QUIT : TUI_LEAVE;
	if (type->open && type->open(&s, &e) < 0) {
		tui_error(t, &e);
		return t->quit ? TUI_QUIT : TUI_LEAVE;
	}
	t->screens[t->n_screens++] = &s;
	while (then == TUI_STAY && !t->quit) {
		struct tui_event event;

		tui_draw(t);
		event = t->terminal->read(t->terminal, is_busy(t) ? 0 : tick_ms(t));
		if (event.key == TUI_WOKEN)
			work(t);
		then = dispatch(&s, &event);
	}
	if (then == TUI_QUIT)
		t->quit = true;
	t->n_screens--;
	if (type->close)
		type->close(&s);
	return t->quit ? TUI_QUIT : TUI_LEAVE;
}

void tui_wake(struct tui *t) { t->terminal->wake(t->terminal); }

struct tui *tui_new(struct terminal *terminal)
{
	struct tui *t = xcalloc(1, sizeof(*t));

	t->terminal = terminal;
	grid_init(&t->grid, 1, 1);
	fit(t);
	return t;
}

void tui_free(struct tui *t)
{
	if (!t)
		return;
	t->terminal->close(t->terminal);
	grid_release(&t->grid);
	free(t);
}

/* ---- lists ---- */

void tui_list_fit(struct tui_list *l)
{
	size_t height = (size_t)MAX(l->height, 1);

	if (l->at >= l->n)
		l->at = l->n ? l->n - 1 : 0;
	if (l->top > l->at)
		l->top = l->at;
	if (l->at >= l->top + height)
		l->top = l->at - height + 1;
	if (l->n <= height)
		l->top = 0;
	else if (l->top > l->n - height)
		l->top = l->n - height;
}

static void move_by(struct tui_list *l, size_t n, bool down)
{
	if (down)
		l->at = l->n - l->at > n ? l->at + n : l->n - 1;
	else
		l->at -= MIN(l->at, n);
}

/* Scroll by the wheel. The cursor moves only if it would not stay visible. */
static void wheel(struct tui_list *l, bool down)
{
	enum { LINES = 3 };
	size_t height = (size_t)MAX(l->height, 1), last = l->n > height ? l->n - height : 0;

	l->top = down ? MIN(l->top + LINES, last) : l->top - MIN(l->top, (size_t)LINES);
	l->at = MAX(l->top, MIN(l->at, l->top + height - 1));
}

static void click(struct tui_list *l, int y)
{
	if (y >= l->y && y < l->y + l->height && l->top + (size_t)(y - l->y) < l->n)
		l->at = l->top + (size_t)(y - l->y);
}

bool tui_list_act(struct tui_list *l, int action, const struct tui_event *e)
{
	size_t page = (size_t)MAX(l->height, 1);

	if (!l->n)
		return action >= TUI_DO_UP && action <= TUI_DO_LAST;
	switch (action) {
	case TUI_DO_UP:
	case TUI_DO_DOWN: move_by(l, 1, action == TUI_DO_DOWN); break;
	case TUI_DO_PAGE_UP:
	case TUI_DO_PAGE_DOWN:
		move_by(l, page, action == TUI_DO_PAGE_DOWN);
		l->top = action == TUI_DO_PAGE_DOWN ? l->top + page : l->top - MIN(l->top, page);
		break;
	case TUI_DO_FIRST: l->at = 0; break;
	case TUI_DO_LAST: l->at = l->n - 1; break;
	case TUI_DO_WHEEL_UP:
	case TUI_DO_WHEEL_DOWN: wheel(l, action == TUI_DO_WHEEL_DOWN); break;
	case TUI_DO_CLICK:
	case TUI_DO_DOUBLE_CLICK:
	case TUI_DO_RIGHT_CLICK: click(l, e->y); break;
	default: return false;
	}
	tui_list_fit(l);
	return true;
}
