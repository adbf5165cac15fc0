/*
 * Print annotated functions in the forms of perf's --stdio and --stdio2. Source: perf-annotate(1),
 * and the output of perf 6.1 and 7.2.
 */
#include "report/text/text_annotate.h"

/* Return "main.c" from "/src/main.c", unless `full`. */
static const char *short_path(const char *path, bool full)
{
	const char *slash = full ? NULL : strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int hex_width(uint64_t v)
{
	int n = 1;

	while (v >>= 4)
		n++;
	return n;
}

static const char *heat(const struct annotate_text *t, double percent)
{
	return !t->color ? "" : percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : "";
}

static const char *cool(const char *color) { return *color ? "\033[m" : ""; }

static void put_source(const struct annotation *a, const struct annot_row *r, bool full_paths, struct out *o)
{
	const struct source_file *f = a->files.items[r->file];
	size_t len;
	const char *line = source_line(f, r->n, &len);

	if (!line) {
		out_name(o, short_path(f->name, full_paths));
		out_fmt(o, ":%u", r->n);
		return;
	}
	while (len && (*line == ' ' || *line == '\t')) /* as in perf, remove the indentation of source code */
		line++, len--;
	for (size_t i = 0, from = 0; i <= len; i++) { /* expand tabs, and escape the rest, which is foreign text */
		if (i < len && line[i] != '\t')
			continue;
		out_name_len(o, line + from, i - from);
		if (i < len)
			out_char(o, ' ');
		from = i + 1;
	}
}

/* Print the type and member that the instruction accesses, in perf's form. */
static void put_type(const struct annotation *a, const struct annotate_text *t, uint32_t i, struct out *o)
{
	uint32_t dso = a->hot->functions.items[a->function].dso;
	struct access_type type;

	if (!t->types)
		return;
	type = access_of(t->types, dso, dso_offset(a->hot->session->symbols, dso, annotation_address(a, i)));
	if (type.kind != ACCESS_TYPE)
		return;
	out_str(o, "\t\t# data-type: ");
	out_name(o, type.name);
	out_str(o, " +");
	if (type.offset)
		out_fmt(o, "%#llx", (unsigned long long)type.offset);
	else
		out_char(o, '0');
	if (type.field) {
		out_str(o, " (");
		out_name(o, type.field);
		out_char(o, ')');
	}
}

/* ---- --stdio ---- */

static int column_width(const struct annotate_text *t) { return t->column == COLUMN_PERIOD ? 12 : 8; }

static void put_sum(const struct annotation *a, const struct annotate_text *t, uint32_t event,
		    const struct event_total *sum, struct out *o)
{
	double percent = annotation_percent(a, t->percent, event, sum);
	const char *color = heat(t, percent);

	out_str(o, color);
	if (t->column == COLUMN_SAMPLES)
		out_fmt(o, " %7llu", (unsigned long long)sum->samples);
	else if (t->column == COLUMN_PERIOD)
		out_fmt(o, " %11llu", (unsigned long long)sum->period);
	else
		out_fmt(o, " %7.2f", percent);
	out_str(o, cool(color));
}

static void put_blank_sums(const struct annotate_text *t, struct out *o)
{
	out_pad(o, ' ', (long)t->n_events * column_width(t) + 1);
	out_char(o, ':');
}

/* Begin a row without an address; `number`: line number, 0 = none. */
static void begin_text_row(const struct annotation *a, const struct annotate_text *t, uint32_t number, struct out *o)
{
	int width = hex_width(a->code.address + a->code.len);

	put_blank_sums(t, o);
	if (number)
		out_fmt(o, " %-*u ", width, number);
	else
		out_pad(o, ' ', width + 2);
}

static void put_head(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	static const char *const titles[] = { "Percent", "Samples", "Period" };
	const struct hot *h = a->hot;
	uint32_t dso = h->functions.items[a->function].dso;
	struct out line;
	size_t len;

	out_init_mem(&line);
	out_fmt(&line, " %-*s|\tSource code & Disassembly of ", (int)t->n_events * column_width(t), titles[t->column]);
	out_name(&line, t->full_paths ? dso_name(h->session->symbols, dso) : dso_short_name(h->session->symbols, dso));
	out_str(&line, " for ");
	out_name(&line, t->event_name);
	out_fmt(&line, " (%llu samples, percent: %s)",
		(unsigned long long)hot_sum(h, a->function, t->events[0])->samples, percent_type_name(t->percent));
	len = line.len;
	out_mem(o, out_text(&line), len);
	out_char(o, '\n');
	out_pad(o, '-', (long)MIN(len, (size_t)4096) + 5); /* as in perf: four more than the line with its newline */
	out_char(o, '\n');
	out_release(&line);
}

static void put_title_rows(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	for (int i = 0; i < 3; i++) {
		put_blank_sums(t, o);
		out_char(o, '\n');
	}
	if (a->code.section) {
		begin_text_row(a, t, 3, o);
		out_str(o, "Disassembly of section ");
		out_name(o, a->code.section);
		out_str(o, ":\n");
		put_blank_sums(t, o);
		out_char(o, '\n');
	}
	begin_text_row(a, t, 5, o);
	out_fmt(o, "%016llx <", (unsigned long long)a->code.address);
	out_name(o, hot_name(a->hot, a->function));
	out_str(o, ">:\n");
}

/* Pad to the next column of objdump's tabs, which we expand as perf does. */
static void pad_to_text(int column, struct out *o)
{
	int stop = 11;

	while (stop <= column)
		stop += 8;
	out_pad(o, ' ', stop - column);
}

/* Print the address and up to seven bytes. */
static void put_address(const struct annotation *a, const struct annotate_text *t, uint64_t address,
			const struct annot_insn *in, unsigned from, struct out *o)
{
	enum { BYTES = 7 };
	int width = hex_width(a->code.address + a->code.len);

	out_str(o, t->color ? "\033[35m" : "");
	out_fmt(o, "   %*llx:", width, (unsigned long long)address);
	out_str(o, t->color ? "\033[m" : "");
	pad_to_text(width + 4, o);
	if (!t->raw)
		return;
	for (unsigned i = from; i < from + BYTES; i++) {
		if (i < in->size)
			out_fmt(o, "%02x ", a->code.bytes[in->offset + i]);
		else if (!from)
			out_str(o, "   ");
	}
	if (!from)
		out_str(o, "   ");
}

static void put_line_name(const struct annotation *a, const struct annotate_text *t, const struct annot_insn *in,
			  struct out *o)
{
	if (!in->line || in->file == UINT16_MAX)
		return;
	out_name(o, short_path(a->files.items[in->file]->name, t->full_paths));
	out_fmt(o, ":%u", in->line);
}

static void put_insn(const struct annotation *a, const struct annotate_text *t, uint32_t i, struct out *o)
{
	const struct annot_insn *in = &a->insns.items[i];
	uint64_t address = annotation_address(a, i);
	double most = 0;

	for (size_t k = 0; k < t->n_events; k++) {
		const struct event_total *sum = annotation_sum(a, i, t->events[k]);

		put_sum(a, t, t->events[k], sum, o);
		most = MAX(most, annotation_percent(a, t->percent, t->events[k], sum));
	}
	out_str(o, " :");
	put_address(a, t, address, in, 0, o);
	annotation_text(a, i, o);
	put_type(a, t, i, o);
	if (t->summary && most > 0.5 && in->line && in->file != UINT16_MAX) {
		out_str(o, " // ");
		put_line_name(a, t, in, o);
	}
	out_char(o, '\n');
	for (unsigned from = 7; t->raw && from < in->size; from += 7) {
		for (size_t k = 0; k < t->n_events; k++)
			put_sum(a, t, t->events[k], &(struct event_total){ 0 }, o);
		out_str(o, " :");
		put_address(a, t, address + from, in, from, o);
		while (o->buf[o->len - 1] == ' ')
			o->len--;
		out_char(o, '\n');
	}
}

static void put_row(const struct annotation *a, const struct annotate_text *t, const struct annot_row *r, struct out *o)
{
	switch (r->kind) {
	case ROW_INSN: put_insn(a, t, r->n, o); return;
	case ROW_SOURCE:
		begin_text_row(a, t, r->n, o);
		out_str(o, t->color ? "\033[34m" : "");
		put_source(a, r, t->full_paths, o);
		out_str(o, t->color ? "\033[m" : "");
		break;
	default:
		begin_text_row(a, t, 0, o);
		out_name(o, a->texts.buf + r->n);
		out_str(o, "() inlined:");
	}
	out_char(o, '\n');
}

/* ---- -l ---- */

struct line_sum {
	uint32_t file, line;
	size_t sums;
	double percent;
};

static int compare_place(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int compare_sum(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;

	return x->percent != y->percent ? (x->percent < y->percent ? 1 : -1) : compare_place(a, b);
}

/* Print the hottest source lines, with the sums of their instructions. */
static void put_summary(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	VEC(struct line_sum) lines = { 0 };
	VEC(struct event_total) sums = { 0 };
	size_t n = 0;
	bool any = false;

	for (uint32_t i = 0; i < a->insns.len; i++)
		if (a->insns.items[i].line && a->insns.items[i].file != UINT16_MAX)
			vec_push(&lines, (struct line_sum){ a->insns.items[i].file, a->insns.items[i].line, i, 0 });
	if (lines.len)
		qsort(lines.items, lines.len, sizeof(*lines.items), compare_place);
	for (size_t i = 0; i < lines.len; i++) {
		uint32_t insn = (uint32_t)lines.items[i].sums;

		if (!n || compare_place(&lines.items[n - 1], &lines.items[i])) {
			lines.items[n++] = lines.items[i];
			lines.items[n - 1].sums = sums.len;
			vec_add(&sums, t->n_events);
		}
		for (size_t k = 0; k < t->n_events; k++) {
			const struct event_total *sum = annotation_sum(a, insn, t->events[k]);

			sums.items[lines.items[n - 1].sums + k].samples += sum->samples;
			sums.items[lines.items[n - 1].sums + k].period += sum->period;
		}
	}
	for (size_t i = 0; i < n; i++)
		lines.items[i].percent =
			annotation_percent(a, t->percent, t->events[0], &sums.items[lines.items[i].sums]);
	if (n)
		qsort(lines.items, n, sizeof(*lines.items), compare_sum);
	out_str(o, "\nSorted summary for file ");
	out_name(o, dso_name(a->hot->session->symbols, a->hot->functions.items[a->function].dso));
	out_str(o, "\n----------------------------------------------\n\n");
	for (size_t i = 0; i < n; i++) {
		struct annot_insn place = { .file = lines.items[i].file, .line = lines.items[i].line };

		if (lines.items[i].percent < 0.5)
			break;
		any = true;
		for (size_t k = 0; k < t->n_events; k++) {
			double percent =
				annotation_percent(a, t->percent, t->events[k], &sums.items[lines.items[i].sums + k]);

			out_fmt(o, "%s %7.2f%s", heat(t, percent), percent, cool(heat(t, percent)));
		}
		out_char(o, ' ');
		put_line_name(a, t, &place, o);
		out_char(o, '\n');
	}
	if (!any)
		out_str(o, " Nothing higher than 0.5%\n");
	vec_free(&lines);
	vec_free(&sums);
}

static void put_outside(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	for (size_t k = 0; k < t->n_events; k++) {
		if (!a->outside[t->events[k]].samples)
			continue;
		for (size_t i = 0; i < t->n_events; i++)
			put_sum(a, t, t->events[i], &a->outside[t->events[i]], o);
		out_str(o, " : samples behind the code that is shown\n");
		return;
	}
}

void text_annotate(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	if (t->summary)
		put_summary(a, t, o);
	put_head(a, t, o);
	put_title_rows(a, t, o);
	for (size_t i = 0; i < a->rows.len; i++)
		put_row(a, t, &a->rows.items[i], o);
	put_outside(a, t, o);
}

static bool is_hot(const struct annotation *a, const struct annotate_text *t, const struct annot_row *r, double least)
{
	for (size_t k = 0; r->kind == ROW_INSN && k < t->n_events; k++)
		if (annotation_percent(a, t->percent, t->events[k], annotation_sum(a, r->n, t->events[k])) >= least)
			return true;
	return false;
}

void text_annotate_hot(const struct annotation *a, const struct annotate_text *t, double least, size_t around,
		       struct out *o)
{
	size_t next = 0; /* the row after the last printed one */

	for (size_t i = 0; i < a->rows.len; i++) {
		if (!is_hot(a, t, &a->rows.items[i], least))
			continue;
		if (next && i > next + around)
			out_str(o, "     ...\n");
		for (next = i > next + around ? i - around : next; next < MIN(i + around + 1, a->rows.len); next++)
			put_row(a, t, &a->rows.items[next], o);
	}
	put_outside(a, t, o);
}

/* ---- --stdio2 ---- */

static void put_count(uint64_t n, struct out *o)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; n > 1000 && unit < 3; unit++)
		n /= 1000;
	out_fmt(o, "%llu%c", (unsigned long long)n, units[unit]);
}

static void put_short_head(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	const struct hot *h = a->hot;
	const struct file_event *leader = &h->session->pd->events[t->events[0]];
	struct event_total all = { 0 };

	for (size_t i = 0; i < t->n_events; i++) {
		all.samples += h->totals[t->events[i]].samples;
		all.period += h->totals[t->events[i]].period;
	}
	out_str(o, "Samples: ");
	put_count(all.samples, o);
	out_fmt(o, " of event%s '", t->n_events > 1 ? "s" : "");
	out_name(o, t->event_name);
	out_char(o, '\'');
	if (leader->attr.flags & ATTR_FREQ)
		out_fmt(o, ", %llu Hz", (unsigned long long)leader->attr.sample_period);
	out_fmt(o, ", Event count (approx.): %llu, [percent: %s]\n", (unsigned long long)all.period,
		percent_type_name(t->percent));
	out_name(o, hot_name(h, a->function));
	out_str(o, "() ");
	out_name(o, dso_name(h->session->symbols, h->functions.items[a->function].dso));
	out_str(o, t->column == COLUMN_SAMPLES  ? "\nSamples\n"
		   : t->column == COLUMN_PERIOD ? "\nPeriod\n"
						: "\nPercent\n");
}

/* Return the arrow before a short text, which shows the direction of a jump. */
static const char *arrow_of(const struct annotation *a, uint32_t i)
{
	const struct annot_insn *in = &a->insns.items[i];

	switch (in->kind) {
	case INSN_CALL: return "→ ";
	case INSN_RETURN: return "← ";
	case INSN_JUMP:
	case INSN_JUMP_IF: return in->target == NO_TARGET ? "→ " : in->target > i ? "↓ " : "↑ ";
	default: return "  ";
	}
}

/* Print a sum; leave the columns empty if there are no samples. */
static void put_short_sum(const struct annotation *a, const struct annotate_text *t, uint32_t event,
			  const struct event_total *sum, struct out *o)
{
	double percent = annotation_percent(a, t->percent, event, sum);
	const char *color = heat(t, percent);
	int width = t->column == COLUMN_PERIOD ? 11 : 6;

	if (!sum->samples) {
		out_pad(o, ' ', width);
		return;
	}
	out_str(o, color);
	if (t->column == COLUMN_PERCENT)
		out_fmt(o, "%6.2f", percent);
	else
		out_fmt(o, "%*llu", width,
			(unsigned long long)(t->column == COLUMN_SAMPLES ? sum->samples : sum->period));
	out_str(o, cool(color));
}

static void put_short_insn(const struct annotation *a, const struct annotate_text *t, uint32_t i, int label_width,
			   struct out *o)
{
	const struct annot_insn *in = &a->insns.items[i];

	for (size_t k = 0; k < t->n_events; k++) {
		put_short_sum(a, t, t->events[k], annotation_sum(a, i, t->events[k]), o);
		out_char(o, ' ');
	}
	out_char(o, ' ');
	if (in->is_target)
		out_fmt(o, "%*x: ", label_width, in->offset);
	else
		out_pad(o, ' ', label_width + 2);
	out_str(o, arrow_of(a, i));
	for (unsigned b = 0; t->raw && b < MAX(in->size, 7); b++)
		out_fmt(o, b < in->size ? "%02x " : "   ", b < in->size ? a->code.bytes[in->offset + b] : 0);
	annotation_short_text(a, i, o);
	put_type(a, t, i, o);
}

void text_annotate_short(const struct annotation *a, const struct annotate_text *t, struct out *o)
{
	int label_width = 1, margin;

	for (size_t i = 0; i < a->insns.len; i++)
		if (a->insns.items[i].is_target)
			label_width = MAX(label_width, hex_width(a->insns.items[i].offset));
	margin = (int)t->n_events * (t->column == COLUMN_PERIOD ? 12 : 7) + label_width + 3;
	if (t->summary)
		put_summary(a, t, o);
	put_short_head(a, t, o);
	for (size_t i = 0; i < a->rows.len; i++) {
		const struct annot_row *r = &a->rows.items[i];

		if (r->kind == ROW_INSN) {
			put_short_insn(a, t, r->n, label_width, o);
		} else {
			out_pad(o, ' ', margin);
			if (r->kind == ROW_SOURCE) {
				put_source(a, r, t->full_paths, o);
			} else {
				out_name(o, a->texts.buf + r->n);
				out_str(o, "() inlined:");
			}
		}
		out_char(o, '\n');
	}
	put_outside(a, t, o);
}

/* ---- --source-view ---- */

struct file_range {
	size_t from, to;
	double percent;
};

static double cost_percent(const struct hot *h, const struct annotate_text *t, const struct event_total *sum,
			   uint32_t event)
{
	bool hits = t->percent == PERCENT_LOCAL_HITS || t->percent == PERCENT_GLOBAL_HITS;
	uint64_t whole = hits ? h->totals[event].samples : h->totals[event].period;

	return whole ? 100.0 * (double)(hits ? sum->samples : sum->period) / (double)whole : 0;
}

static int compare_range(const void *a, const void *b)
{
	const struct file_range *x = a, *y = b;

	return x->percent != y->percent ? (x->percent < y->percent ? 1 : -1)
					: (x->from > y->from) - (x->from < y->from);
}

static void put_cost(const struct annotate_text *t, double percent, struct out *o)
{
	const char *color = heat(t, percent);

	if (percent)
		out_fmt(o, "%s %7.2f%s", color, percent, cool(color));
	else
		out_str(o, "        ");
}

/* Print a source line with its cost: its own code, and with code inlined there. */
static void put_source_line(const struct hot *h, const struct annotate_text *t, const struct source_file *f,
			    uint32_t line, const struct line_cost *costs, size_t n, struct out *o)
{
	size_t len;
	const char *text = source_line(f, line, &len);

	for (size_t k = 0; k < t->n_events; k++) {
		const struct line_cost *c = NULL;

		for (size_t i = 0; i < n; i++)
			if (costs[i].line == line && costs[i].event == t->events[k])
				c = &costs[i];
		put_cost(t, c ? cost_percent(h, t, &c->own, t->events[k]) : 0, o);
		put_cost(t, c ? cost_percent(h, t, &c->with_inlined, t->events[k]) : 0, o);
	}
	out_fmt(o, " : %6u  ", line);
	for (size_t i = 0, from = 0; text && i <= len; i++) {
		if (i < len && text[i] != '\t')
			continue;
		out_name_len(o, text + from, i - from);
		if (i < len)
			out_str(o, "    ");
		from = i + 1;
	}
	while (o->buf[o->len - 1] == ' ')
		o->len--;
	out_char(o, '\n');
}

/* Print a file: lines with cost and the lines around them. */
static void put_file(const struct hot *h, const struct annotate_text *t, struct source_file *f,
		     const struct line_cost *costs, size_t n, struct out *o)
{
	enum { AROUND = 4 };
	uint32_t next = 1, last = source_lines(f);

	for (size_t i = 0; i < n;) {
		uint32_t line = costs[i].line, from = line > AROUND ? line - AROUND : 1;
		size_t same = i;

		while (same < n && costs[same].line == line)
			same++;
		if (from > next && next > 1) {
			out_pad(o, ' ', (long)t->n_events * 16);
			out_str(o, " :    ...\n");
		}
		for (uint32_t l = MAX(from, next); l < line && f->text; l++)
			put_source_line(h, t, f, l, NULL, 0, o);
		put_source_line(h, t, f, line, costs + i, same - i, o);
		next = line + 1;
		i = same;
		for (; f->text && next <= last && next <= line + AROUND && (i == n || next < costs[i].line); next++)
			put_source_line(h, t, f, next, NULL, 0, o);
	}
}

static void put_file_head(const struct annotate_text *t, const struct source_file *f, double percent, struct out *o)
{
	if (!t->first)
		out_char(o, '\n');
	for (size_t i = 0; i < t->n_events; i++)
		out_str(o, "     Own   Total");
	out_str(o, " |\tSource of ");
	out_name(o, f->text ? f->path : f->name);
	out_str(o, " for ");
	out_name(o, t->event_name);
	out_fmt(o, " (%.2f%% of all samples)\n", percent);
	out_pad(o, '-', 100);
	out_char(o, '\n');
}

size_t text_source_view(const struct hot *h, const uint32_t *functions, size_t n, struct sources *sources,
			const struct annotate_text *t, struct out *o)
{
	struct annotate_text each = *t;
	struct line_costs costs = { 0 };
	VEC(struct file_range) files = { 0 };
	size_t n_files;

	line_costs_of(h, functions, n, &costs);
	for (size_t i = 0; i < costs.len; i++) {
		if (!i || strcmp(costs.items[i].file, costs.items[i - 1].file))
			vec_push(&files, (struct file_range){ .from = i });
		files.items[files.len - 1].to = i + 1;
		if (costs.items[i].event == t->events[0])
			files.items[files.len - 1].percent += cost_percent(h, t, &costs.items[i].own, t->events[0]);
	}
	if (files.len)
		qsort(files.items, files.len, sizeof(*files.items), compare_range);
	for (size_t i = 0; i < files.len; i++) {
		const struct file_range *r = &files.items[i];
		struct source_file *f = sources_get(sources, costs.items[r->from].file);

		put_file_head(&each, f, r->percent, o);
		put_file(h, &each, f, costs.items + r->from, r->to - r->from, o);
		each.first = false;
	}
	n_files = files.len;
	vec_free(&files);
	vec_free(&costs);
	return n_files;
}
