/* The common parts of all screens that are one list from top to bottom. */
#include "report/tui/tui.h"

void tui_page_draw(struct tui_page *p, struct grid *g, void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx)
{
	p->list.y = 1 + p->heads;
	p->list.height = MAX(g->height - 1 - p->list.y, 0);
	tui_list_fit(&p->list);
	for (int i = 0; i < p->list.height && p->list.top + (size_t)i < p->list.n; i++) {
		size_t line = p->list.top + (size_t)i;
		enum ink ink = line == p->list.at ? INK_CURSOR : INK_NORMAL;

		grid_fill(g, p->list.y + i, 0, 1, g->width, ' ', ink);
		draw(ctx, grid_pen(g, p->list.y + i, -p->shift, g->width, ink), line);
	}
}

bool tui_page_act(struct tui_page *p, int action, const struct tui_event *e)
{
	enum { SHIFT = 8, FAR = 2000 };

	if (tui_list_act(&p->list, action, e))
		return action != TUI_DO_DOUBLE_CLICK;
	if (action != TUI_DO_LEFT && action != TUI_DO_RIGHT)
		return false;
	p->shift = action == TUI_DO_LEFT ? MAX(p->shift - SHIFT, 0) : MIN(p->shift + SHIFT, FAR);
	return true;
}

void tui_foot(struct grid *g, const char *text)
{
	struct pen p = grid_pen(g, g->height - 1, 0, g->width, INK_HELP);

	pen_text(&p, text);
	pen_fill(&p, ' ');
}

enum ink tui_share_ink(double percent, enum ink ink)
{
	return ink != INK_NORMAL ? ink : percent >= 5 ? INK_TOP : percent >= 0.5 ? INK_MEDIUM : ink;
}
