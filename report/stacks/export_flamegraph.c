#include "report/stacks/export.h"

#include <math.h>

#include "base/opt.h"
#include "base/parallel.h"
#include "report/stacks/data.h"
#include "report/stacks/lanes.h"
#include "flamegraph_js.h"

enum { FRAME_HEIGHT = 16, PAD = 10, HEAD = 54, FOOT = 36 };
#define CHAR_WIDTH 6.9 /* width of a character in pixels, slightly more than the font needs */

/* ---- colours ---- */

static const char *const color_names[] = { [COLORS_KIND] = "kind",
					   [COLORS_OBJECT] = "object",
					   [COLORS_HOT] = "hot",
					   [COLORS_MEM] = "mem",
					   [COLORS_IO] = "io",
					   [COLORS_RED] = "red",
					   [COLORS_GREEN] = "green",
					   [COLORS_BLUE] = "blue",
					   [COLORS_AQUA] = "aqua",
					   [COLORS_YELLOW] = "yellow",
					   [COLORS_PURPLE] = "purple",
					   [COLORS_ORANGE] = "orange",
					   NULL };

int flame_colors_parse(const char *name, enum flame_colors *colors, struct err *e)
{
	const char *near;

	for (size_t i = 0; color_names[i]; i++) {
		if (!strcmp(color_names[i], name)) {
			*colors = (enum flame_colors)i;
			return 0;
		}
	}
	near = opt_nearest(name, color_names);
	err_set(e, "there are no colours '%s'", name);
	if (near)
		err_why(e, "did you mean '%s'?", near);
	err_try(e, "kind, object, hot, mem, io, red, green, blue, aqua, yellow, purple or orange");
	return err_exit(e, EXIT_BAD_USAGE);
}

/*
 * The range of each channel is from .. from + span. The name selects the value, so equal names have
 * equal colours in every graph. `shades`: use one value for all channels, so that the hue stays the
 * same.
 */
struct palette {
	uint8_t from[3], span[3];
	bool shades;
};
static const struct palette palettes[] = {
	[COLORS_HOT] = { { 205, 0, 0 }, { 50, 230, 55 } },
	[COLORS_MEM] = { { 0, 190, 0 }, { 1, 50, 210 } },
	[COLORS_IO] = { { 80, 80, 190 }, { 60, 60, 55 } },
	[COLORS_RED] = { { 200, 60, 60 }, { 55, 60, 60 }, true },
	[COLORS_GREEN] = { { 60, 180, 60 }, { 60, 55, 60 }, true },
	[COLORS_BLUE] = { { 90, 90, 200 }, { 60, 60, 55 }, true },
	[COLORS_AQUA] = { { 60, 165, 165 }, { 50, 55, 55 }, true },
	[COLORS_YELLOW] = { { 190, 190, 50 }, { 55, 55, 20 }, true },
	[COLORS_PURPLE] = { { 190, 80, 190 }, { 55, 60, 55 }, true },
	[COLORS_ORANGE] = { { 200, 100, 0 }, { 55, 65, 1 }, true },
};
static const enum flame_colors kind_palettes[] = {
	[STACK_USER] = COLORS_RED,     [STACK_KERNEL] = COLORS_ORANGE, [STACK_JIT] = COLORS_GREEN,
	[STACK_INLINED] = COLORS_AQUA, [STACK_TASK] = COLORS_YELLOW,   [STACK_UNKNOWN] = COLORS_BLUE,
};

static void print_color(struct out *o, unsigned r, unsigned g, unsigned b)
{
	out_str(o, "rgb(");
	out_u64(o, r);
	out_char(o, ',');
	out_u64(o, g);
	out_char(o, ',');
	out_u64(o, b);
	out_char(o, ')');
}

static void color_from(const struct palette *p, const char *text, struct out *o)
{
	uint64_t h = hash_bytes(text, strlen(text), 0);
	unsigned c[3];

	for (int i = 0; i < 3; i++)
		c[i] = p->from[i] + (unsigned)(h >> (p->shades ? 0 : 8 * i) & 0xff) * p->span[i] / 256;
	print_color(o, c[0], c[1], c[2]);
}

/* Return how much the box's share of its recording has grown: 0.02 is two percent of the whole. */
static double change(const struct flame *f, const struct flame_box *b)
{
	const uint64_t *total = f->stacks->total;

	return (total[0] ? (double)b->weight[0] / (double)total[0] : 0) -
	       (total[1] ? (double)b->weight[1] / (double)total[1] : 0);
}

/* Print the colour of a change: red for more than before, blue for less. The largest change has the deepest colour. */
static void color_change(double delta, double largest, struct out *o)
{
	unsigned other = 255 - (unsigned)(largest > 0 ? 210 * fabs(delta) / largest : 0);

	if (delta > 0)
		print_color(o, 255, other, other);
	else
		print_color(o, other, other, 255);
}

/* ---- text ---- */

/* Print "1,234,567". */
static void print_grouped(struct out *o, uint64_t n)
{
	if (n >= 1000) {
		print_grouped(o, n / 1000);
		out_char(o, ',');
		out_u64_pad(o, n % 1000, 3, '0');
	} else {
		out_u64(o, n);
	}
}

/* Return how many bytes of the name fit, in whole characters. */
static size_t fitting(const char *text, size_t len, double width)
{
	double chars = (width - 6) / CHAR_WIDTH;
	size_t n = chars < 3 ? 0 : (size_t)chars;

	if (len <= n)
		return len;
	n = n < 3 ? 0 : n - 2;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* ---- the picture ---- */

struct drawing {
	const struct flame *f;
	const struct flamegraph_opts *opts;
	struct out *o;
	struct out unit; /* escaped, between a blank and a comma */
	double scale;    /* pixels per unit of weight */
	double largest;  /* largest change of any box */
	unsigned height;
};

static void print_title(struct drawing *d, const struct flame_box *b, const char *name, size_t len)
{
	uint64_t total = d->f->stacks->total[0];

	out_str(d->o, "<title>");
	out_xml_len(d->o, name, len);
	out_str(d->o, " (");
	print_grouped(d->o, b->samples);
	out_str(d->o, " samples, ");
	if (b->weight[0] != b->samples) {
		print_grouped(d->o, b->weight[0]);
		out_mem(d->o, d->unit.buf, d->unit.len);
	}
	out_fixed(d->o, total ? 100.0 * (double)b->weight[0] / (double)total : 0.0, 2, 0);
	out_char(d->o, '%');
	if (d->opts->compared)
		out_fmt(d->o, "; %+.2f%%", 100 * change(d->f, b));
	out_str(d->o, ")</title>");
}

static void print_fill(struct drawing *d, const struct flame_box *b, const struct stack_name *name)
{
	enum flame_colors colors = d->opts->colors;

	if (d->opts->compared)
		color_change(change(d->f, b), d->largest, d->o);
	else if (!b->name)
		print_color(d->o, 225, 225, 225);
	else if (colors == COLORS_KIND && b->wait > 1)
		print_color(d->o, flame_waits[b->wait].rgb[0], flame_waits[b->wait].rgb[1],
			    flame_waits[b->wait].rgb[2]);
	else if (colors == COLORS_OBJECT)
		color_from(&palettes[COLORS_HOT], name->object, d->o);
	else
		color_from(&palettes[colors == COLORS_KIND ? kind_palettes[name->kind] : colors], name->text, d->o);
}

/* Return the length of a name without the mark of its kind, which only selects the colour: "schedule_[k]". */
static size_t shown_length(const struct stack_name *n)
{
	size_t len = n->len;

	return len > 4 && n->text[len - 4] == '_' && n->text[len - 3] == '[' && n->text[len - 1] == ']' ? len - 4 : len;
}

static void print_box(struct drawing *d, const struct flame_box *b)
{
	static const struct stack_name all = { .text = "all", .len = 3, .object = "" };
	const struct stack_name *name = b->name ? &d->f->stacks->names.items[b->name] : &all;
	double x = PAD + (double)b->start * d->scale, width = (double)b->weight[0] * d->scale;
	unsigned y =
		d->opts->icicle ? HEAD + b->depth * FRAME_HEIGHT : d->height - FOOT - (b->depth + 1) * FRAME_HEIGHT;
	size_t len = shown_length(name), n = fitting(name->text, len, width);

	out_str(d->o, "<g class=\"b\">");
	print_title(d, b, name->text, len);
	out_str(d->o, "<rect x=\"");
	out_fixed(d->o, x, 2, 0);
	out_str(d->o, "\" y=\"");
	out_u64(d->o, y);
	out_str(d->o, "\" width=\"");
	out_fixed(d->o, width, 2, 0);
	out_str(d->o, "\" height=\"");
	out_u64(d->o, FRAME_HEIGHT - 1);
	out_str(d->o, "\" fill=\"");
	print_fill(d, b, name);
	out_str(d->o, "\" rx=\"1\"/><text x=\"");
	out_fixed(d->o, x + 3, 2, 0);
	out_str(d->o, "\" y=\"");
	out_u64(d->o, y + FRAME_HEIGHT - 4);
	out_str(d->o, "\">");
	out_xml_len(d->o, name->text, n);
	out_str(d->o, n < len && n ? "..</text></g>\n" : "</text></g>\n");
}

static void print_head(struct drawing *d)
{
	const struct flamegraph_opts *p = d->opts;

	out_fmt(d->o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\""
		" data-icicle=\"%d\">\n",
		p->width, d->height, p->width, d->height, p->icicle);
	out_str(d->o, "<style>text { font: 12px monospace; fill: #000; pointer-events: none } .b { cursor: pointer } "
		      ".b:hover rect { stroke: #000; stroke-width: 0.5 }\n"
		      "#t { font-size: 17px } #search, #reset { cursor: pointer; pointer-events: all; opacity: 0.6 } "
		      "#search:hover, #reset:hover { opacity: 1 }\n"
		      "#reset { visibility: hidden }</style>\n");
	out_fmt(d->o,
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdf6\"/>\n<text id=\"t\" class=\"middle\" x=\"%u\" "
		"y=\"24\" text-anchor=\"middle\">",
		p->width / 2);
	out_xml(d->o, p->title      ? p->title
		      : p->compared ? "Differential Flame Graph"
		      : p->icicle   ? "Icicle Graph"
				    : "Flame Graph");
	out_str(d->o, "</text>\n");
	if (p->subtitle) {
		out_fmt(d->o, "<text class=\"middle\" x=\"%u\" y=\"42\" text-anchor=\"middle\">", p->width / 2);
		out_xml(d->o, p->subtitle);
		out_str(d->o, "</text>\n");
	}
	out_fmt(d->o,
		"<text id=\"reset\" x=\"%u\" y=\"24\">Reset zoom</text>\n<text id=\"search\" x=\"%u\" y=\"24\" "
		"text-anchor=\"end\">Search</text>\n",
		PAD, p->width - PAD);
	out_fmt(d->o,
		"<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n<text id=\"matched\" x=\"%u\" y=\"%u\" "
		"text-anchor=\"end\"> </text>\n",
		PAD, d->height - 12, p->width - PAD, d->height - 12);
}

enum { AT_ONCE = 512 }; /* boxes that one thread prints in a piece */

static void print_boxes(void *ctx, size_t item, unsigned worker, struct out *o)
{
	struct drawing d = *(const struct drawing *)ctx;
	size_t end = MIN((item + 1) * AT_ONCE, d.f->boxes.len);

	(void)worker;
	d.o = o;
	for (size_t i = item * AT_ONCE; i < end; i++)
		print_box(&d, &d.f->boxes.items[i]);
}

uint64_t flamegraph_least(const struct stacks *st, const struct flamegraph_opts *opts)
{
	return (uint64_t)((double)st->total[0] * opts->min_width / (opts->width - 2 * PAD));
}

void export_flamegraph(const struct flame *f, const struct flamegraph_opts *opts, struct out *o)
{
	struct drawing d = { .f = f, .opts = opts, .o = o };
	uint64_t total = f->boxes.items[0].weight[0];

	d.scale = total ? (opts->width - 2.0 * PAD) / (double)total : 0;
	d.height = HEAD + FOOT + (f->depth + 1) * FRAME_HEIGHT;
	for (size_t i = 0; opts->compared && i < f->boxes.len; i++)
		d.largest = MAX(d.largest, fabs(change(f, &f->boxes.items[i])));
	print_head(&d);
	out_init_mem(&d.unit);
	out_char(&d.unit, ' ');
	out_xml(&d.unit, opts->unit);
	out_str(&d.unit, ", ");
	parallel_text((f->boxes.len + AT_ONCE - 1) / AT_ONCE, parallel_threads(), print_boxes, &d, NULL, o);
	out_release(&d.unit);
	out_str(o, "<script><![CDATA[\n");
	out_str(o, flamegraph_js);
	out_str(o, "]]></script>\n</svg>\n");
}
