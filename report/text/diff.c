/*
 * Print joined rows. To add a column: add its title and width to the table, and its text to
 * put_value.
 */
#include "report/rows/diff.h"
#include "report/text/text.h"

enum diff_column { BASELINE, BASE_PERIOD, VALUE, HISTOGRAM, FORMULA, PERIOD };

static const struct {
	const char *title;
	int width;
} columns[] = {
	[BASELINE] = { "Baseline", 8 },      [BASE_PERIOD] = { "Base period", 14 }, [VALUE] = { NULL, 0 },
	[HISTOGRAM] = { "stddev/Hist", 17 }, [FORMULA] = { "Formula", 70 },         [PERIOD] = { "Period", 14 },
};
static const struct {
	const char *title;
	int width;
} values[] = {
	[DIFF_DELTA] = { "Delta", 7 },
	[DIFF_DELTA_ABS] = { "Delta Abs", 9 },
	[DIFF_RATIO] = { "Ratio", 14 },
	[DIFF_WEIGHTED] = { "Weighted diff", 14 },
	[DIFF_CYCLES] = { "[Program Block Range] Cycles Diff", 70 },
};

static bool column_shown(const struct diff *d, size_t file, enum diff_column c)
{
	switch (c) {
	case BASELINE: return !file;
	case BASE_PERIOD: return !file && d->opts->periods;
	case VALUE: return file;
	case HISTOGRAM: return file && d->opts->histogram;
	case FORMULA: return file && d->opts->formula;
	case PERIOD: return file && d->opts->periods;
	}
	return false;
}

/* Write the title of a column. With more than two files, it contains the number of the file. */
static void column_title(const struct diff *d, size_t file, enum diff_column c, char title[48])
{
	const char *name = c == VALUE ? values[d->opts->method].title : columns[c].title;

	if (d->n_files > 2)
		snprintf(title, 48, "%s/%zu", name, file);
	else
		snprintf(title, 48, "%s", name);
}

static int column_width(const struct diff *d, size_t file, enum diff_column c)
{
	char title[48];

	column_title(d, file, c, title);
	return MAX(c == VALUE ? values[d->opts->method].width : columns[c].width, (int)strlen(title));
}

/* Return the width of a cell. Ratios and weighted differences keep their own width, even below a longer title. */
static int cell_width(const struct diff *d, const struct diff_row *r, size_t file, enum diff_column c)
{
	bool number =
		c == VALUE && r->cells[0].there && (d->opts->method == DIFF_RATIO || d->opts->method == DIFF_WEIGHTED);

	return number ? values[d->opts->method].width : column_width(d, file, c);
}

static void put_formula(const struct diff *d, const struct diff_row *r, size_t file, char *text, size_t size)
{
	unsigned long long old = r->cells[0].period, new = r->cells[file].period;

	switch (d->opts->method) {
	case DIFF_CYCLES: break;
	case DIFF_RATIO: snprintf(text, size, "%llu / %llu", new, old); break;
	case DIFF_WEIGHTED:
		snprintf(text, size, "(%llu * %lld) - (%llu * %lld)", new, (long long)d->opts->weights[1], old,
			 (long long)d->opts->weights[0]);
		break;
	default:
		snprintf(text, size, "(%llu * 100 / %llu) - (%llu * 100 / %llu)", new,
			 (unsigned long long)d->totals[file], old, (unsigned long long)d->totals[0]);
	}
}

static void put_compared(const struct diff *d, const struct diff_row *r, size_t file, char *text, size_t size)
{
	uint64_t old = r->cells[0].period, new = r->cells[file].period;
	double was = d->totals[0] ? 100.0 * (double)old / (double)d->totals[0] : 0,
	       is = d->totals[file] ? 100.0 * (double)new / (double)d->totals[file] : 0;

	if (d->opts->method >= DIFF_RATIO && !r->cells[0].there)
		snprintf(text, size, "N/A");
	else if (d->opts->method == DIFF_RATIO)
		snprintf(text, size, "%.6f", (double)new / (double)MAX(old, (uint64_t)1));
	else if (d->opts->method == DIFF_WEIGHTED)
		snprintf(text, size, "%lld",
			 (long long)(new *(uint64_t)d->opts->weights[1] - old *(uint64_t)d->opts->weights[0]));
	else
		snprintf(text, size, "%+.2f%%", is - was);
}

/* Print the n-th block of the row in this file. Return the number of bytes that take no column. */
static int put_block(const struct diff *d, const struct diff_cell *cell, size_t file, size_t n, bool histogram,
		     char *text, size_t size)
{
	const struct diff_block *b = &cell->blocks.items[n];
	struct out o;
	int wide = 0;

	out_init_mem(&o);
	if (histogram) {
		int width = diff_block_histogram(b, &o);

		out_pad(&o, ' ', d->opts->separator || !width ? 0 : columns[HISTOGRAM].width - width);
		wide = (int)o.len - (width ? MAX(width, d->opts->separator ? 0 : columns[HISTOGRAM].width) : 0);
	} else {
		blocks_put_range(d->opts->blocks[file], b->new, false, &o);
		out_fmt(&o, " %4lld", (long long)b->change);
		wide = (int)o.len - out_name_width(out_text(&o));
	}
	snprintf(text, size, "%s", out_text(&o));
	out_release(&o);
	return wide;
}

/*
 * Write the text of a cell; it is empty if there is nothing to show. `n`: line of the row. Return the number of bytes
 * that take no column.
 */
static int cell_text(const struct diff *d, const struct diff_row *r, size_t file, enum diff_column c, size_t n,
		     char *text, size_t size)
{
	const struct diff_cell *cell = &r->cells[file];

	*text = '\0';
	if (c == BASE_PERIOD)
		snprintf(text, size, "%llu", (unsigned long long)cell->period);
	else if (!cell->there)
		return 0;
	else if (c == BASELINE)
		snprintf(text, size, d->opts->separator ? "%.2f" : "%.2f%%",
			 100.0 * (double)cell->period / (double)MAX(d->shown_total, (uint64_t)1));
	else if (d->opts->method == DIFF_CYCLES && (c == VALUE || c == HISTOGRAM))
		return n < cell->blocks.len ? put_block(d, cell, file, n, c == HISTOGRAM, text, size) : 0;
	else if (c == VALUE)
		put_compared(d, r, file, text, size);
	else if (c == FORMULA)
		put_formula(d, r, file, text, size);
	else
		snprintf(text, size, "%llu", (unsigned long long)cell->period);
	return 0;
}

/* Print foreign text with the separator replaced: its first character must not appear in a field. */
static void put_key(const struct diff *d, const char *text, struct out *o)
{
	for (; d->opts->separator && *text; text++)
		out_char(o, *text == *d->opts->separator ? '.' : *text);
	out_str(o, text);
}

static void put_row(const struct diff *d, const struct diff_row *r, size_t n, struct out *o)
{
	const char *separator = d->opts->separator, *gap = separator ? "" : "  ";
	char text[1024];

	for (size_t f = 0; f < d->n_files; f++)
		for (enum diff_column c = BASELINE; c <= PERIOD; c++) {
			int unseen, width;

			if (!column_shown(d, f, c))
				continue;
			unseen = cell_text(d, r, f, c, n, text, sizeof(text));
			width = cell_width(d, r, f, c);
			out_fmt(o, "%s%*s", gap, separator ? 0 : width + unseen, text);
			out_pad(o, ' ', separator ? 0 : column_width(d, f, c) - width);
			gap = separator ? separator : "  ";
		}
	for (size_t k = 0; k < d->n_keys; k++) {
		out_str(o, gap);
		put_key(d, r->texts[k], o);
		if (!separator && !(k + 1 == d->n_keys && d->ragged[k]))
			out_pad(o, ' ', d->widths[k] - out_name_width(r->texts[k]));
	}
	out_char(o, '\n');
}

/* Print the titles, or, with `dots`, the line below them. */
static void put_heading(const struct diff *d, bool dots, struct out *o)
{
	const char *gap = "# ", *between = d->opts->separator ? d->opts->separator : "  ";
	char title[48];

	for (size_t f = 0; f < d->n_files; f++)
		for (enum diff_column c = BASELINE; c <= PERIOD; c++) {
			if (!column_shown(d, f, c))
				continue;
			column_title(d, f, c, title);
			out_str(o, gap);
			if (dots)
				out_pad(o, '.', column_width(d, f, c));
			else
				out_fmt(o, "%*s", d->opts->separator ? 0 : column_width(d, f, c), title);
			gap = between;
		}
	for (size_t k = 0; k < d->n_keys; k++) {
		out_str(o, gap);
		if (dots)
			out_pad(o, '.', d->widths[k]);
		else
			out_fmt(o, "%-*s", d->opts->separator ? 0 : d->widths[k], d->titles[k]);
	}
	out_char(o, '\n');
}

/* Return the number of lines of a row. With cycles, each block has a line, and functions without blocks have none. */
static size_t lines_of(const struct diff *d, const struct diff_row *r)
{
	size_t n = d->opts->method != DIFF_CYCLES;

	for (size_t f = 1; f < d->n_files; f++)
		n = MAX(n, r->cells[f].blocks.len);
	return n;
}

void diff_print(const struct diff *d, struct out *o)
{
	if (d->opts->headings) {
		put_heading(d, false, o);
		if (!d->opts->separator) {
			put_heading(d, true, o);
			out_str(o, "#\n");
		}
	}
	for (size_t i = 0; i < d->rows.len; i++)
		for (size_t n = 0; n < lines_of(d, &d->rows.items[i]); n++)
			put_row(d, &d->rows.items[i], n, o);
}
