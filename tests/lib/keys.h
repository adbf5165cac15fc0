#ifndef TESTS_LIB_KEYS_H
#define TESTS_LIB_KEYS_H

#include "report/tui/tui.h"

/*
 * A terminal for tests: keys come from a list, grids are kept as text. After the last key the
 * terminal is gone.
 */
struct keys_terminal {
	struct terminal terminal;
	int width, height;
	const uint32_t *keys; /* ends with 0 */
	size_t at;
	struct out screen; /* the last grid drawn */
	struct grid grid;  /* and its cells */
	size_t n_shown, n_left;
	int x, y; /* of the mouse */
};
static void keys_size(struct terminal *t, int *width, int *height)
{
	*width = ((struct keys_terminal *)t)->width;
	*height = ((struct keys_terminal *)t)->height;
}
static void keys_show(struct terminal *t, const struct grid *g)
{
	struct keys_terminal *k = (struct keys_terminal *)t;

	k->screen.len = 0;
	grid_text(g, &k->screen);
	grid_resize(&k->grid, g->width, g->height);
	memcpy(k->grid.cells, g->cells, (size_t)g->width * (size_t)g->height * sizeof(*g->cells));
	k->n_shown++;
}
static struct tui_event keys_read(struct terminal *t, int timeout_ms)
{
	struct keys_terminal *k = (struct keys_terminal *)t;
	uint32_t key = k->keys[k->at];

	if (!key)
		return (struct tui_event){ .key = TUI_GONE };
	k->at++;
	return (struct tui_event){ .key = key, .x = k->x, .y = k->y };
}
static void keys_leave(struct terminal *t) { ((struct keys_terminal *)t)->n_left++; }
static void keys_nothing(struct terminal *t) {}
static void keys_close(struct terminal *t)
{
	out_release(&((struct keys_terminal *)t)->screen);
	grid_release(&((struct keys_terminal *)t)->grid);
}
/* `k` must be zero, or used before. */
static inline struct tui *keys_tui(struct keys_terminal *k, int width, int height, const uint32_t *typed)
{
	keys_close(&k->terminal);
	*k = (struct keys_terminal){ .terminal = { .size = keys_size,
						   .show = keys_show,
						   .read = keys_read,
						   .leave = keys_leave,
						   .enter = keys_nothing,
						   .wake = keys_nothing,
						   .close = keys_close },
				     .width = width,
				     .height = height,
				     .keys = typed };
	out_init_mem(&k->screen);
	grid_init(&k->grid, width, height);
	return tui_new(&k->terminal);
}

/* Like tui_free(), but the terminal stays for inspection. */
static inline void keys_tui_free(struct tui *t)
{
	grid_release(&t->grid);
	free(t);
}

#endif
