#ifndef BASE_GRID_H
#define BASE_GRID_H

#include <stdbool.h>

#include "base/out.h"

/*
 * A screen as a grid of character cells. Who draws fills cells; a terminal only shows them, so tests compare grids. All
 * drawing is clipped at the grid's edges, and foreign text goes through grid_name, which shows control bytes as \xNN:
 * nothing drawn can act on a terminal.
 */

/* What a cell means; the terminal decides how that looks. */
enum ink {
	INK_NORMAL,
	INK_CURSOR,
	INK_TITLE,
	INK_HEADING,
	INK_HELP,
	INK_DIM,
	INK_BOLD,
	INK_ERROR,
	INK_TOP,
	INK_MEDIUM, /* large shares, shares worth a look */
	INK_MARK,   /* fold marks, lines of trees, arrows */
	INK_ADDRESS,
	INK_CODE,
	INK_SOURCE,
	INK_FOUND,
	INK_BOX,
	INK_BOX_CURSOR,
	INK_FIELD, /* popup, its chosen line, what is typed */
	INK_BAR,   /* of progress */
	INK_FLAME, /* boxes of a flame view: this and the next ones */
	INK_FLAME_LAST = INK_FLAME + 7,
	INKS
};

enum { GRID_MARKS = 2 }; /* combining marks kept of one cell */
struct cell {
	uint32_t code; /* 0: the right half of the wide character to the left */
	uint32_t marks[GRID_MARKS];
	uint32_t ink;
};

struct grid {
	int width, height;
	struct cell *cells;     /* row by row */
	int cursor_x, cursor_y; /* where the terminal's cursor is shown; x -1: hidden */
};

void grid_init(struct grid *g, int width, int height); /* of blanks; sizes below 1 are 1, above 4096 are that */
void grid_release(struct grid *g);
void grid_resize(struct grid *g, int width, int height); /* and clear */
void grid_clear(struct grid *g);

/* A part of a line: text goes into columns [x, end) of line y. Zero width or lines outside the grid draw nothing. */
struct pen {
	struct grid *g;
	int x, y, end;
	enum ink ink;
};
static inline struct pen grid_pen(struct grid *g, int y, int x, int end, enum ink ink)
{
	return (struct pen){ .g = g, .x = x, .y = y, .end = end, .ink = ink };
}

/*
 * Printable UTF-8 (of ours, or made by out_name). A wide character that only half fits is left out as a blank; control
 * bytes and invalid UTF-8 are shown as '?'. Columns left of 0 are clipped, so that lines can be moved sideways. The pen
 * moves on by the whole width.
 */
void pen_text(struct pen *p, const char *text);
void pen_mem(struct pen *p, const char *text, size_t len);
void pen_fmt(struct pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pen_code(struct pen *p, uint32_t code);
/* Foreign text, escaped as out_name has it; marks what does not fit with a '~' in the last column. */
void pen_name(struct pen *p, const char *text);
void pen_fill(struct pen *p, uint32_t code); /* to the end */
/* Shorter than the room: padded with blanks behind it (width > 0) or before it (< 0). */
void pen_name_pad(struct pen *p, const char *text, int width);

/* Change the ink of cells that are drawn already. */
void grid_ink(struct grid *g, int y, int from, int to, enum ink ink);
void grid_fill(struct grid *g, int y, int x, int height, int width, uint32_t code, enum ink ink);
/* A frame of line-drawing characters, blank inside; `title` (NULL: none) is foreign. */
void grid_box(struct grid *g, int y, int x, int height, int width, const char *title, enum ink ink);

/* Line y as UTF-8 without trailing blanks; all lines, each with a newline. Tests and the saving of screens read this.
 */
void grid_line_text(const struct grid *g, int y, struct out *o);
void grid_text(const struct grid *g, struct out *o);
/* What a character of ours is where only ASCII can be shown; itself if it is ASCII, else '?'. */
char grid_ascii(uint32_t code);

/* Characters that screens draw with. */
enum {
	GLYPH_VERTICAL = 0x2502,
	GLYPH_HORIZONTAL = 0x2500,
	GLYPH_TOP_LEFT = 0x250c,
	GLYPH_TOP_RIGHT = 0x2510,
	GLYPH_BOTTOM_LEFT = 0x2514,
	GLYPH_BOTTOM_RIGHT = 0x2518,
	GLYPH_TEE_RIGHT = 0x251c,
	GLYPH_BLOCK = 0x2588,
	GLYPH_SHADE = 0x2591,
	GLYPH_ARROW_LEFT = 0x2190,
	GLYPH_ARROW_UP = 0x2191,
	GLYPH_ARROW_RIGHT = 0x2192,
	GLYPH_ARROW_DOWN = 0x2193,
};

#endif
