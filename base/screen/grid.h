#ifndef BASE_SCREEN_GRID_H
#define BASE_SCREEN_GRID_H

#include <stdbool.h>

#include "base/out.h"

/*
 * A screen as a grid of character cells. Views draw into the grid and the terminal only shows it,
 * so tests can compare grids. All drawing is clipped at the grid's edges. Foreign text goes through
 * pen_name, which shows control bytes as \xNN, so no drawn text can control the terminal.
 */

/* What a cell means. The terminal chooses the colour and style. */
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
	INK_MEDIUM, /* TOP: large shares; MEDIUM: notable shares */
	INK_MARK,   /* fold marks, tree lines, arrows */
	INK_ADDRESS,
	INK_CODE,
	INK_SOURCE,
	INK_FOUND,
	INK_BOX,
	INK_BOX_CURSOR,
	INK_FIELD, /* a popup, its selected line, an input field */
	INK_BAR,   /* progress bar */
	INK_FLAME, /* boxes of a flame view, up to INK_FLAME_LAST */
	INK_FLAME_LAST = INK_FLAME + 7,
	INKS
};

enum { GRID_MARKS = 2 }; /* combining marks kept per cell */
struct cell {
	uint32_t code; /* 0: the right half of the wide character to the left */
	uint32_t marks[GRID_MARKS];
	uint32_t ink;
};

struct grid {
	int width, height;
	struct cell *cells;     /* row by row */
	int cursor_x, cursor_y; /* position of the terminal's cursor; x -1: hidden */
};

void grid_init(struct grid *g, int width, int height); /* all blank; sizes are limited to 1..4096 */
void grid_release(struct grid *g);
void grid_resize(struct grid *g, int width, int height); /* also clears */
void grid_clear(struct grid *g);

/*
 * A part of a line: text goes into columns [x, end) of line y. A pen of zero width, or on a line
 * outside the grid, draws nothing.
 */
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
 * Draw printable UTF-8 (our own text, or text made by out_name) and move the pen by the whole
 * width. Where only half of a wide character fits, draw a blank. Show control bytes and invalid
 * UTF-8 as '?'. Columns left of 0 are clipped, so a caller can scroll lines sideways.
 */
void pen_text(struct pen *p, const char *text);
void pen_fmt(struct pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pen_code(struct pen *p, uint32_t code);
/* Draw foreign text, escaped like out_name. If it does not fit, put a '~' in the last column. */
void pen_name(struct pen *p, const char *text);
void pen_fill(struct pen *p, uint32_t code); /* up to the end of the pen */
/*
 * Draw foreign text. If it is shorter than `width`, add blanks after it (width > 0) or before it
 * (width < 0).
 */
void pen_name_pad(struct pen *p, const char *text, int width);

/* Change the ink of cells that are already drawn. */
void grid_ink(struct grid *g, int y, int from, int to, enum ink ink);
void grid_fill(struct grid *g, int y, int x, int height, int width, uint32_t code, enum ink ink);
/*
 * Draw a frame with line-drawing characters and clear its inside. `title` is foreign text; NULL:
 * none.
 */
void grid_box(struct grid *g, int y, int x, int height, int width, const char *title, enum ink ink);

/* Write line y as UTF-8 without trailing blanks, to save screens. */
void grid_line_text(const struct grid *g, int y, struct out *o);
/* For tests: write all lines, each with a newline. */
void grid_text(const struct grid *g, struct out *o);
/*
 * Return the ASCII replacement of a character that we draw with: itself if it is ASCII, '?' if we
 * never draw with it.
 */
char grid_ascii(uint32_t code);

/* Characters used to draw screens. */
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
