/*
 * With several runs on each side: is the change of a share more than chance? We use Welch's test per row and divide the
 * allowed error of 5 % by the number of rows (Bonferroni). So if both programs are the same, one table of twenty shows
 * a change, however many rows it has.
 */
#include "report/rows/diff.h"

#include <math.h>

static const double error_allowed = 0.05;

/* Compute the continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 300; m++) {
		double up = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
		       down = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int i = 0; i < 2; i++) {
			double step = i ? down : up;

			d = 1 + step * d;
			c = 1 + step / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			f *= c * d;
		}
		if (fabs(c * d - 1) < 1e-12)
			break;
	}
	return f;
}

static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_quantile(double tails, double freedom)
{
	double low = 0, high = 1;

	while (incomplete_beta(freedom / (freedom + high * high), freedom / 2, 0.5) > tails && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-9 * high; i++) {
		double mid = (low + high) / 2;

		if (incomplete_beta(freedom / (freedom + mid * mid), freedom / 2, 0.5) > tails)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

/* Compute the mean of values [from, to), and the variance of this mean. */
static void mean_of(const double *values, size_t from, size_t to, double *mean, double *variance)
{
	size_t n = to - from;
	double sum = 0, squares = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	*mean = sum / (double)n;
	for (size_t i = from; i < to; i++)
		squares += (values[i] - *mean) * (values[i] - *mean);
	*variance = squares / (double)(n - 1) / (double)n;
}

struct mean_change {
	double before, by, interval;
};

static struct mean_change change_of(const double *values, size_t n_before, size_t n, double tails)
{
	double now, before_variance, now_variance, sum, freedom;
	struct mean_change c;

	mean_of(values, 0, n_before, &c.before, &before_variance);
	mean_of(values, n_before, n, &now, &now_variance);
	c.by = now - c.before;
	sum = before_variance + now_variance;
	if (sum <= 0) {
		c.interval = 0;
		return c;
	}
	freedom = sum * sum /
		  (before_variance * before_variance / (double)(n_before - 1) +
		   now_variance * now_variance / (double)(n - n_before - 1));
	c.interval = student_quantile(tails, freedom) * sqrt(sum);
	return c;
}

struct stat_row {
	const struct diff_row *row;
	struct mean_change change;
};

static bool is_real(const struct mean_change *c) { return fabs(c->by) > c->interval; }

/* Sort significant changes first, then by size. */
static int stat_compare(const void *a, const void *b, void *ctx)
{
	const struct diff *d = ctx;
	const struct stat_row *x = a, *y = b;
	int order = is_real(&y->change) - is_real(&x->change);

	if (!order && fabs(x->change.by) != fabs(y->change.by))
		order = fabs(x->change.by) > fabs(y->change.by) ? -1 : 1;
	for (size_t k = 0; !order && k < d->n_keys; k++)
		order = strcmp(x->row->texts[k], y->row->texts[k]);
	return order;
}

static void put_change(const struct mean_change *c, struct out *o)
{
	out_fmt(o, "  %7.2f%%  %+8.2f%%  %7.2f%%  %-6s", c->before, c->by, c->interval,
		!is_real(c) ? ""
		: c->by > 0 ? "more"
			    : "less");
}

static void put_headings(const struct diff *d, size_t n_before, struct out *o)
{
	out_fmt(o, "# Runs: %zu of the baseline, %zu compared with it\n#\n# %8s  %9s  %8s  %-6s", n_before,
		d->n_files - n_before, "Baseline", "Change", "+-95 %", "");
	for (size_t k = 0; k < d->n_keys; k++)
		out_fmt(o, "  %-*s", d->widths[k], d->titles[k]);
	out_str(o, "\n# ........  .........  ........  ......");
	for (size_t k = 0; k < d->n_keys; k++) {
		out_str(o, "  ");
		out_pad(o, '.', d->widths[k]);
	}
	out_str(o, "\n#\n");
}

/* Print the change of the whole event, as a percentage of its mean in the baseline. */
static bool put_total(const struct diff *d, size_t n_before, double *values, double tails, struct out *o)
{
	struct mean_change c;
	double mean = 0;

	for (size_t f = 0; f < n_before; f++)
		mean += (double)d->totals[f] / (double)n_before;
	for (size_t f = 0; f < d->n_files; f++)
		values[f] = mean > 0 ? 100.0 * (double)d->totals[f] / mean : 0;
	c = change_of(values, n_before, d->n_files, tails);
	put_change(&c, o);
	out_str(o, "  all samples\n");
	return is_real(&c) && c.by > 0;
}

bool diff_stat_print(const struct diff *d, size_t n_before, struct out *o)
{
	double *values = xcalloc(d->n_files, sizeof(*values)), tails = error_allowed / (double)(d->rows.len + 1);
	struct stat_row *rows = xcalloc(d->rows.len, sizeof(*rows));
	bool grew;

	for (size_t i = 0; i < d->rows.len; i++) {
		rows[i].row = &d->rows.items[i];
		for (size_t f = 0; f < d->n_files; f++)
			values[f] =
				d->totals[f] ? 100.0 * (double)rows[i].row->cells[f].period / (double)d->totals[f] : 0;
		rows[i].change = change_of(values, n_before, d->n_files, tails);
	}
	if (d->rows.len)
		qsort_r(rows, d->rows.len, sizeof(*rows), stat_compare, (void *)d);
	if (d->opts->headings)
		put_headings(d, n_before, o);
	grew = put_total(d, n_before, values, tails, o);
	for (size_t i = 0; i < d->rows.len; i++) {
		put_change(&rows[i].change, o);
		for (size_t k = 0; k < d->n_keys; k++) {
			out_fmt(o, "  %s", rows[i].row->texts[k]);
			if (k + 1 < d->n_keys)
				out_pad(o, ' ', d->widths[k] - out_name_width(rows[i].row->texts[k]));
		}
		out_char(o, '\n');
		grew |= is_real(&rows[i].change) && rows[i].change.by > 0;
	}
	free(rows);
	free(values);
	return grew;
}
