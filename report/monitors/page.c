#include "report/monitors/page_priv.h"

#include "base/out.h"

#include "page_head_html.h"

enum { LABELS = 110, MAP = 700, ROW = 16, BARS = 300, SHADES = 16 };

/* Print a label: "2.05 us", "65.5 ms". */
static void print_time(uint64_t ns, struct out *o)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t unit = 0;

	while (value >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	out_fmt(o, "%.3g %s", value, units[unit]);
}

static void print_table(const struct heat_page *p, struct out *o)
{
	out_str(o, "<table>\n<tr><th></th><th>calls</th><th>total (us)</th><th>min (us)</th><th>avg (us)</th>"
		   "<th>max (us)</th><th>p50 (us)</th><th>p99 (us)</th></tr>\n");
	for (size_t i = 0; i < p->n_series; i++) {
		const struct durations *d = &p->series[i].heat->all;

		out_str(o, "<tr><td>");
		out_xml(o, p->series[i].name);
		out_fmt(o, "</td><td>%llu</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td>",
			(unsigned long long)d->count, (double)d->total / 1e3, (double)d->min / 1e3,
			(double)durations_average(d) / 1e3, (double)d->max / 1e3,
			(double)durations_percentile(d, 50) / 1e3);
		out_fmt(o, "<td>%.3f</td></tr>\n", (double)durations_percentile(d, 99) / 1e3);
	}
	out_str(o, "</table>\n");
}

/* Print a row of the picture: its label, its cells, and the bar of the histogram. */
static void print_row(const struct heat *h, int slot, int y, uint64_t most, uint64_t sum, uint64_t fullest,
		      struct out *o)
{
	double width = (double)MAP / (double)h->columns.len, bar = (double)sum / (double)fullest * BARS;

	out_fmt(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABELS - 6, y + ROW - 4);
	print_time(slot_begins(slot), o);
	out_str(o, "</text>\n");
	for (size_t i = 0; i < h->columns.len; i++) {
		uint64_t n = h->columns.items[i].counts[slot];

		if (!n)
			continue;
		out_fmt(o, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill-opacity=\"%.2f\">",
			LABELS + (double)i * width, y, width, ROW, 0.1 + 0.9 * heat_shade(n, most, SHADES) / SHADES);
		out_fmt(o, "<title>%llu from ", (unsigned long long)n);
		print_time(slot_begins(slot), o);
		out_str(o, " to ");
		print_time((2ull << slot) - 1, o);
		out_str(o, "</title></rect>\n");
	}
	out_fmt(o, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>", LABELS + MAP + 10, y + 2,
		bar, ROW - 4);
	out_fmt(o, "<text x=\"%.2f\" y=\"%d\">%llu</text>\n", LABELS + MAP + 14 + bar, y + ROW - 4,
		(unsigned long long)sum);
}

/* Print about five labels, in seconds, below the columns. */
static void print_axis(const struct heat_page *p, const struct heat *h, int y, struct out *o)
{
	double width = (double)MAP / (double)h->columns.len;
	size_t step = MAX(h->columns.len / 5, (size_t)1);

	for (size_t i = 0; i < h->columns.len; i += step)
		out_fmt(o, "<text class=\"dim\" x=\"%.2f\" y=\"%d\">%.3g s</text>\n", LABELS + (double)i * width,
			y + 12, (double)(i * h->span * p->column_ms) / 1e3);
}

static void print_picture(const struct heat_page *p, const struct heat *h, struct out *o)
{
	uint64_t fullest, most = heat_most(h);
	struct heat_slots sum;
	int first, last, y = 0;

	heat_sum(h, &sum);
	if (!slots_range(&sum, &first, &last, &fullest))
		return;
	out_fmt(o, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<g class=\"map\">\n",
		LABELS + MAP + BARS + 100, (last - first + 1) * ROW + 20, LABELS + MAP + BARS + 100,
		(last - first + 1) * ROW + 20);
	for (int slot = last; slot >= first; slot--, y += ROW)
		print_row(h, slot, y, most, sum.counts[slot], fullest, o);
	out_fmt(o, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\"/>\n", LABELS, MAP, y);
	print_axis(p, h, y, o);
	out_str(o, "</svg>\n");
}

void heat_page_write(const struct heat_page *p, struct out *o)
{
	out_str(o, page_head_html);
	out_str(o, "<title>");
	out_xml(o, p->title);
	out_str(o, "</title>\n</head>\n<body>\n<h1>");
	out_xml(o, p->title);
	out_str(o, "</h1>\n");
	if (*p->until)
		out_fmt(o, "<p>until %s</p>\n", p->until);
	print_table(p, o);
	for (size_t i = 0; i < p->n_series; i++) {
		const struct heat *h = p->series[i].heat;

		if (!h->all.count)
			continue;
		out_str(o, "<h2>");
		out_xml(o, p->series[i].name);
		out_str(o, "</h2>\n");
		out_fmt(o,
			"<p>Rows are powers of two; a column is %.3g s, and the darkest cell has %llu. "
			"Right: the sum of each row.</p>\n",
			(double)(h->span * p->column_ms) / 1e3, (unsigned long long)heat_most(h));
		print_picture(p, h, o);
	}
	out_str(o, "</body>\n</html>\n");
}
