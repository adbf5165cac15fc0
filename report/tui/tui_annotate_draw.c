/* Draw an annotated function: shares, arrows of jumps, addresses, instructions and source. */
#include "report/tui/tui_annotate_priv.h"

static int hex_width(uint64_t v)
{
	int n = 1;

	while (v >>= 4)
		n++;
	return n;
}

static void draw_sums(const struct code_screen *c, struct pen *p, const uint32_t *insn)
{
	int width = c->look.column == COLUMN_PERIOD ? 12 : 7;
	enum ink ink = p->ink;

	for (size_t i = 0; i < c->n_events; i++) {
		const struct event_total *sum = insn ? annotation_sum(c->a, *insn, c->events[i]) : NULL;
		double percent = sum ? annotation_percent(c->a, c->look.percent, c->events[i], sum) : 0;

		p->ink = tui_share_ink(percent, ink);
		if (!sum || !sum->samples)
			pen_fmt(p, "%*s", width, "");
		else if (c->look.column == COLUMN_PERCENT)
			pen_fmt(p, "%*.2f", width, percent);
		else
			pen_fmt(p, "%*llu", width,
				(unsigned long long)(c->look.column == COLUMN_PERIOD ? sum->period : sum->samples));
		p->ink = ink;
	}
	pen_text(p, " ");
}

/* Count the jumps of this function to an instruction. */
static uint32_t jumps_to(const struct annotation *a, uint32_t insn)
{
	uint32_t n = 0;

	for (size_t i = 0; i < a->insns.len; i++)
		n += a->insns.items[i].target == insn;
	return n;
}

static void draw_place(const struct code_screen *c, struct pen *p, uint32_t insn)
{
	const struct annot_insn *in = &c->a->insns.items[insn];
	int width = hex_width(c->look.addresses ? c->a->code.address + c->a->code.len : c->a->code.len);
	enum ink ink = p->ink;

	if (c->look.jumps_here) {
		if (in->is_target)
			pen_fmt(p, "%3u ", jumps_to(c->a, insn));
		else
			pen_text(p, "    ");
	}
	if (ink == INK_NORMAL)
		p->ink = INK_ADDRESS;
	if (c->look.addresses)
		pen_fmt(p, "%*llx: ", width, (unsigned long long)annotation_address(c->a, insn));
	else if (in->is_target || c->all_offsets)
		pen_fmt(p, "%*x: ", width, in->offset);
	else
		pen_fmt(p, "%*s", width + 2, "");
	p->ink = ink;
}

static uint32_t arrow_of(const struct annotation *a, uint32_t insn)
{
	const struct annot_insn *in = &a->insns.items[insn];

	switch (in->kind) {
	case INSN_CALL: return GLYPH_ARROW_RIGHT;
	case INSN_RETURN: return GLYPH_ARROW_LEFT;
	case INSN_JUMP:
	case INSN_JUMP_IF:
		return in->target == NO_TARGET ? GLYPH_ARROW_RIGHT
		       : in->target > insn     ? GLYPH_ARROW_DOWN
					       : GLYPH_ARROW_UP;
	default: return ' ';
	}
}

/* Return the character for the path of the jump under the cursor, which has its own column. */
static uint32_t way_of_jump(const struct code_screen *c, size_t line)
{
	const struct annot_row *here = &c->a->rows.items[c->shown.items[c->page.list.at]];
	uint32_t row = c->shown.items[line], from, to;
	const struct annot_insn *in;

	if (c->look.no_arrows || here->kind != ROW_INSN)
		return ' ';
	in = &c->a->insns.items[here->n];
	if (in->target == NO_TARGET)
		return ' ';
	from = MIN(in->row, c->a->insns.items[in->target].row);
	to = MAX(in->row, c->a->insns.items[in->target].row);
	return row < from || row > to || from == to ? ' '
	       : row == from                        ? GLYPH_TOP_LEFT
	       : row == to                          ? GLYPH_BOTTOM_LEFT
						    : GLYPH_VERTICAL;
}

static void draw_insn(const struct code_screen *c, struct pen *p, uint32_t insn)
{
	const struct annot_insn *in = &c->a->insns.items[insn];
	enum ink ink = p->ink;
	struct out o;

	p->ink = ink == INK_NORMAL ? INK_MARK : ink;
	pen_code(p, c->look.no_arrows ? ' ' : arrow_of(c->a, insn));
	pen_code(p, ' ');
	p->ink = ink == INK_NORMAL ? INK_CODE : ink;
	for (unsigned i = 0; c->look.raw && i < MAX(in->size, 8); i++)
		if (i < in->size)
			pen_fmt(p, "%02x ", c->a->code.bytes[in->offset + i]);
		else
			pen_text(p, "   ");
	out_init_mem(&o);
	annotation_short_text(c->a, insn, &o);
	pen_text(p, out_text(&o));
	out_release(&o);
	p->ink = ink;
}

static void draw_source(const struct code_screen *c, struct pen *p, const struct annot_row *r)
{
	const struct source_file *f = c->a->files.items[r->file];
	size_t len;
	const char *text = source_line(f, r->n, &len);
	struct out o;

	if (p->ink == INK_NORMAL)
		p->ink = INK_SOURCE;
	out_init_mem(&o);
	if (c->full_paths || !text) {
		out_name(&o, f->path && c->full_paths ? f->path : f->name);
		out_fmt(&o, ":%u%s", r->n, text ? "  " : "");
	} else if (c->look.line_numbers) {
		out_fmt(&o, ":%u ", r->n);
	}
	for (size_t i = 0, from = 0; text && i <= len; i++) {
		if (i < len && text[i] != '\t')
			continue;
		out_name_len(&o, text + from, i - from);
		if (i < len)
			out_str(&o, "    ");
		from = i + 1;
	}
	pen_text(p, out_text(&o));
	out_release(&o);
}

void code_draw_line(void *ctx, struct pen p, size_t line)
{
	const struct code_screen *c = ctx;
	const struct annot_row *r = &c->a->rows.items[c->shown.items[line]];
	enum ink ink = p.ink;
	uint32_t way = way_of_jump(c, line);

	draw_sums(c, &p, r->kind == ROW_INSN ? &r->n : NULL);
	if (r->kind == ROW_INSN) {
		draw_place(c, &p, r->n);
	} else {
		int width = hex_width(c->look.addresses ? c->a->code.address + c->a->code.len : c->a->code.len);

		pen_fmt(&p, "%*s", width + 2 + (c->look.jumps_here ? 4 : 0), "");
	}
	p.ink = ink == INK_NORMAL ? INK_MARK : ink;
	pen_code(&p, way);
	pen_code(&p, way == GLYPH_TOP_LEFT || way == GLYPH_BOTTOM_LEFT ? GLYPH_HORIZONTAL : ' ');
	p.ink = ink;
	if (r->kind == ROW_INSN) {
		draw_insn(c, &p, r->n);
	} else if (r->kind == ROW_SOURCE) {
		draw_source(c, &p, r);
	} else {
		struct out o;

		p.ink = ink == INK_NORMAL ? INK_BOLD : ink;
		out_init_mem(&o);
		out_name(&o, c->a->texts.buf + r->n);
		out_str(&o, "() inlined:");
		pen_text(&p, out_text(&o));
		out_release(&o);
	}
}

static void draw_head(const struct code_screen *c, struct grid *g)
{
	struct pen p = grid_pen(g, 0, 0, g->width, INK_TITLE);
	const struct hot *h = c->hot;
	const struct hot_function *f = &h->functions.items[c->a->function];
	const struct event_total *own = hot_sum(h, c->a->function, c->events[0]);
	double all = (double)h->totals[c->events[0]].period;

	pen_name(&p, hot_name(h, c->a->function));
	pen_text(&p, "  ");
	pen_name(&p, dso_name(h->session->symbols, f->dso));
	pen_fmt(&p, "  %llu samples, %.2f%% of all  [%s: %s]", (unsigned long long)own->samples,
		all > 0 ? 100.0 * (double)own->period / all : 0,
		c->look.column == COLUMN_PERCENT  ? "percent"
		: c->look.column == COLUMN_PERIOD ? "period"
						  : "samples",
		percent_type_name(c->look.percent));
	pen_fill(&p, ' ');
}

void code_draw(struct screen *s, struct grid *g)
{
	struct code_screen *c = s->state;

	draw_head(c, g);
	tui_page_draw(&c->page, g, code_draw_line, c);
	if (c->note[0]) {
		struct pen foot = grid_pen(g, g->height - 1, 0, g->width, INK_HELP);

		pen_name(&foot, c->note);
		pen_fill(&foot, ' ');
	} else {
		tui_foot(g, "Tab: next hottest  Enter: follow  Backspace: back  s: source  o: addresses  t: totals  c: "
			    "callers  /: find  h: help");
	}
}
