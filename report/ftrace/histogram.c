#include "report/ftrace/histogram.h"

enum { BAR = 46, UNIT = 1024, DEFAULT_BUCKETS = 20 };

int histogram_init(struct histogram *h, const struct histogram_opts *opts, struct err *e)
{
	*h = (struct histogram){ .opts = *opts, .n = HISTOGRAM_BUCKETS, .min_ns = UINT64_MAX };
	if (opts->width) {
		if (!opts->most)
			h->opts.most = opts->least + opts->width * DEFAULT_BUCKETS;
		if (h->opts.most <= opts->least) {
			err_set(e, "--max-latency %llu is not above --min-latency %llu",
				(unsigned long long)h->opts.most, (unsigned long long)opts->least);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		h->n = (h->opts.most - opts->least + opts->width - 1) / opts->width + 2;
	}
	if (h->n > HISTOGRAM_MAX) {
		err_set(e, "%zu buckets are too many", h->n);
		err_try(e, "choose a wider --bucket-range, or a smaller --max-latency");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	h->counts = xcalloc(h->n, sizeof(*h->counts));
	return 0;
}

void histogram_release(struct histogram *h) { free(h->counts); }

/*
 * Return the bucket of a time. With opts.width, the first is for times below `least`, the last for `most` and more.
 * Without, the first is for times below 1, bucket i for 2^(i-1) to 2^i, the last for all longer times.
 */
static size_t bucket_of(const struct histogram *h, uint64_t v)
{
	size_t i = 0;

	if (h->opts.width) {
		if (v < h->opts.least)
			return 0;
		if (v >= h->opts.most)
			return h->n - 1;
		return MIN((v - h->opts.least) / h->opts.width + 1, h->n - 2);
	}
	for (; v; v >>= 1)
		i++;
	return MIN(i, h->n - 1);
}

void histogram_add(struct histogram *h, uint64_t duration_ns)
{
	h->counts[bucket_of(h, h->opts.nanoseconds ? duration_ns : duration_ns / 1000)]++;
	h->count++;
	h->total_ns += duration_ns;
	h->min_ns = MIN(h->min_ns, duration_ns);
	h->max_ns = MAX(h->max_ns, duration_ns);
}

/* Print "   256 -  512 us". Change to the next unit at 1024. */
static void print_power(const struct histogram *h, size_t i, struct out *o)
{
	static const char *const units[] = { "ns", "us", "ms", " s" };
	const char *const *unit = h->opts.nanoseconds ? units : units + 1;
	uint64_t from = i ? 1ull << (i - 1) : 0, to = 1ull << i;

	while (from >= UNIT) {
		from /= UNIT;
		to /= UNIT;
		unit++;
	}
	if (i + 1 == h->n)
		out_fmt(o, "  %4llu - %-4s %s", (unsigned long long)from, "...", *unit);
	else
		out_fmt(o, "  %4llu - %4llu %s", (unsigned long long)from, (unsigned long long)to, *unit);
}

static void print_linear(const struct histogram *h, size_t i, struct out *o)
{
	const char *unit = h->opts.nanoseconds ? "ns" : "us";
	uint64_t from = i ? h->opts.least + (i - 1) * h->opts.width : 0;
	uint64_t to = i ? MIN(from + h->opts.width, h->opts.most) : h->opts.least;

	if (i + 1 == h->n)
		out_fmt(o, "  %4llu - %-4s %s", (unsigned long long)h->opts.most, "...", unit);
	else
		out_fmt(o, "  %4llu - %4llu %s", (unsigned long long)from, (unsigned long long)to, unit);
}

static void print_statistics(const struct histogram *h, struct out *o)
{
	uint64_t unit = h->opts.nanoseconds ? 1 : 1000;

	out_fmt(o, "\n# statistics  (in %s)\n", h->opts.nanoseconds ? "nsec" : "usec");
	out_fmt(o, "  total time: %20llu\n", (unsigned long long)(h->total_ns / unit));
	out_fmt(o, "    avg time: %20llu\n", (unsigned long long)(h->total_ns / h->count / unit));
	out_fmt(o, "    max time: %20llu\n", (unsigned long long)(h->max_ns / unit));
	out_fmt(o, "    min time: %20llu\n", (unsigned long long)(h->min_ns / unit));
	out_fmt(o, "       count: %20llu\n", (unsigned long long)h->count);
}

void histogram_print(const struct histogram *h, struct out *o)
{
	out_fmt(o, "#   DURATION     | %10s | %-*s |\n", "COUNT", BAR, "GRAPH");
	for (size_t i = 0; i < h->n; i++) {
		uint64_t bar = h->count ? h->counts[i] * BAR / h->count : 0;

		if (h->opts.hide_empty && !h->counts[i])
			continue;
		/* a first bucket from 0 to 0 is always empty */
		if (h->opts.width && !i && !h->opts.least)
			continue;
		(h->opts.width ? print_linear : print_power)(h, i, o);
		out_fmt(o, " | %10llu | ", (unsigned long long)h->counts[i]);
		out_pad(o, '#', (long)bar);
		out_pad(o, ' ', (long)(BAR - bar));
		out_str(o, " |\n");
	}
	print_statistics(h, o);
}
