#include "base/screen/grid.h"

#include "base/width.h"

enum { SIDE_MAX = 4096, BLANK = ' ' };

static int side(int n) { return MAX(1, MIN(n, SIDE_MAX)); }

void grid_init(struct grid *g, int width, int height)
{
	*g = (struct grid){ 0 };
	grid_resize(g, width, height);
}

void grid_release(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){ 0 };
}

void grid_resize(struct grid *g, int width, int height)
{
	g->width = side(width);
	g->height = side(height);
	free(g->cells);
	g->cells = xcalloc((size_t)g->width * (size_t)g->height, sizeof(*g->cells));
	grid_clear(g);
}

void grid_clear(struct grid *g)
{
	for (size_t i = 0; i < (size_t)g->width * (size_t)g->height; i++)
		g->cells[i] = (struct cell){ .code = BLANK };
	g->cursor_x = g->cursor_y = -1;
}

static struct cell *cell_at(struct grid *g, int y, int x)
{
	return y >= 0 && y < g->height && x >= 0 && x < g->width ? &g->cells[(size_t)y * (size_t)g->width + (size_t)x]
								 : NULL;
}

/* Set a cell. If it was one half of a wide character, turn the other half into a blank. */
static void set(struct grid *g, int y, int x, struct cell cell)
{
	struct cell *at = cell_at(g, y, x), *next = cell_at(g, y, x + 1), *before = cell_at(g, y, x - 1);

	if (!at)
		return;
	if (!at->code && before && cell.code)
		before->code = BLANK;
	if (at->code && next && !next->code)
		next->code = BLANK;
	*at = cell;
}

static void add_mark(struct grid *g, int y, int x, uint32_t mark)
{
	struct cell *c = cell_at(g, y, x);

	if (c && !c->code)
		c = cell_at(g, y, x - 1);
	for (size_t i = 0; c && i < GRID_MARKS; i++)
		if (!c->marks[i]) {
			c->marks[i] = mark;
			return;
		}
}

static bool drawable(uint32_t code)
{
	return (code >= 0x20 && code < 0x7f) ||
	       (code >= 0xa0 && code != 0xad && code != 0x2028 && code != 0x2029 &&
		!(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069) &&
		!(code >= 0x200b && code <= 0x200f) && code != 0xfeff);
}

void pen_code(struct pen *p, uint32_t code)
{
	int width, end = MIN(p->end, p->g->width);

	if (!drawable(code))
		code = '?';
	width = code_width(code);
	if (!width) {
		if (p->x > 0 && p->x <= end)
			add_mark(p->g, p->y, p->x - 1, code);
		return;
	}
	if (width == 2 && (p->x < 0 || p->x + 2 > end)) { /* half of it is outside */
		for (int i = 0; i < 2; i++)
			if (p->x + i >= 0 && p->x + i < end)
				set(p->g, p->y, p->x + i, (struct cell){ .code = BLANK, .ink = p->ink });
	} else if (p->x >= 0 && p->x < end) {
		struct cell *right = width == 2 ? cell_at(p->g, p->y, p->x + 1) : NULL;

		if (right)
			set(p->g, p->y, p->x + 1, (struct cell){ .code = BLANK });
		set(p->g, p->y, p->x, (struct cell){ .code = code, .ink = p->ink });
		if (right)
			*right = (struct cell){ .ink = p->ink };
	}
	p->x += width;
}

static void pen_mem(struct pen *p, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		uint32_t code;
		size_t n = utf8_decode(text, (size_t)(end - text), &code);

		pen_code(p, n ? code : '?');
		text += n ? n : 1;
	}
}

void pen_text(struct pen *p, const char *text) { pen_mem(p, text, strlen(text)); }

void pen_fmt(struct pen *p, const char *fmt, ...)
{
	autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	pen_text(p, text);
}

void pen_name(struct pen *p, const char *text)
{
	struct out o;

	out_init_mem(&o);
	out_name(&o, text);
	pen_mem(p, o.buf, o.len);
	out_release(&o);
	if (p->x > p->end && p->end > 0)
		pen_code(&(struct pen){ .g = p->g, .y = p->y, .x = p->end - 1, .end = p->end, .ink = p->ink }, '~');
}

void pen_fill(struct pen *p, uint32_t code)
{
	int end = MIN(p->end, p->g->width);

	p->x = MAX(p->x, MIN(0, end));
	while (p->x < end)
		pen_code(p, code);
}

void pen_name_pad(struct pen *p, const char *text, int width)
{
	struct pen in = *p;
	int used = out_name_width(text), room = abs(width);

	in.end = MIN(p->end, p->x + room);
	if (width < 0)
		for (int i = used; i < room; i++)
			pen_code(&in, BLANK);
	pen_name(&in, text);
	if (width > 0 && in.x < in.end)
		pen_fill(&in, BLANK);
	p->x += room;
}

void grid_ink(struct grid *g, int y, int from, int to, enum ink ink)
{
	for (int x = MAX(from, 0); x < MIN(to, g->width); x++)
		if (cell_at(g, y, x))
			cell_at(g, y, x)->ink = ink;
}

void grid_fill(struct grid *g, int y, int x, int height, int width, uint32_t code, enum ink ink)
{
	for (int i = 0; i < height; i++) {
		struct pen p = grid_pen(g, y + i, x, x + width, ink);

		pen_fill(&p, code);
	}
}

static void box_line(struct grid *g, int y, int x, int width, uint32_t left, uint32_t right, enum ink ink)
{
	struct pen p = grid_pen(g, y, x, x + width, ink);

	pen_code(&p, left);
	for (int i = 2; i < width; i++)
		pen_code(&p, GLYPH_HORIZONTAL);
	pen_code(&p, right);
}

void grid_box(struct grid *g, int y, int x, int height, int width, const char *title, enum ink ink)
{
	grid_fill(g, y, x, height, width, BLANK, ink);
	for (int i = 1; i + 1 < height; i++) {
		struct pen p = grid_pen(g, y + i, x, x + width, ink);

		pen_code(&p, GLYPH_VERTICAL);
		p.x = x + width - 1;
		pen_code(&p, GLYPH_VERTICAL);
	}
	box_line(g, y, x, width, GLYPH_TOP_LEFT, GLYPH_TOP_RIGHT, ink);
	box_line(g, y + height - 1, x, width, GLYPH_BOTTOM_LEFT, GLYPH_BOTTOM_RIGHT, ink);
	if (title && width > 6) {
		struct pen p = grid_pen(g, y, x + 2, x + width - 2, ink);

		pen_code(&p, BLANK);
		p.end--;
		pen_name(&p, title);
		p.x = MIN(p.x, p.end);
		p.end++;
		pen_code(&p, BLANK);
	}
}

static void put_code(struct out *o, uint32_t c)
{
	char s[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i; i--, c >>= 6)
		s[i] = (char)(0x80 | (c & 0x3f));
	s[0] = (char)(n == 1 ? c : c | (0xf00u >> n & 0xff));
	out_mem(o, s, n);
}

void grid_line_text(const struct grid *g, int y, struct out *o)
{
	const struct cell *c = g->cells + (size_t)y * (size_t)g->width;
	int end = g->width;

	while (end && c[end - 1].code == BLANK && !c[end - 1].marks[0])
		end--;
	for (int x = 0; x < end; x++) {
		if (!c[x].code)
			continue;
		put_code(o, c[x].code);
		for (size_t i = 0; i < GRID_MARKS && c[x].marks[i]; i++)
			put_code(o, c[x].marks[i]);
	}
}

void grid_text(const struct grid *g, struct out *o)
{
	for (int y = 0; y < g->height; y++) {
		grid_line_text(g, y, o);
		out_char(o, '\n');
	}
}

char grid_ascii(uint32_t code)
{
	static const struct {
		uint32_t code;
		char c;
	} ours[] = {
		{ GLYPH_VERTICAL, '|' },   { GLYPH_HORIZONTAL, '-' },  { GLYPH_TOP_LEFT, '+' },
		{ GLYPH_TOP_RIGHT, '+' },  { GLYPH_BOTTOM_LEFT, '+' }, { GLYPH_BOTTOM_RIGHT, '+' },
		{ GLYPH_TEE_RIGHT, '+' },  { GLYPH_BLOCK, '#' },       { GLYPH_SHADE, '.' },
		{ GLYPH_ARROW_LEFT, '<' }, { GLYPH_ARROW_UP, '^' },    { GLYPH_ARROW_RIGHT, '>' },
		{ GLYPH_ARROW_DOWN, 'v' },
	};

	if (code < 0x80)
		return (char)code;
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (ours[i].code == code)
			return ours[i].c;
	return '?';
}
