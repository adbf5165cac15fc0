/* Print what is unknown in a profile: on one line that fits, or as a table by object. */
#include "report/profile/quality.h"

#include "report/profile/profile.h"

static const char *const of_parts[N_QUALITY_PARTS] = { "a symbol", "a whole stack", "names for all callers", "a line" };
static const char *const quality_part_names[N_QUALITY_PARTS] = { "symbol", "stack", "caller", "line" };

static double share(uint64_t n, uint64_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

static void print_object(const struct profile *p, uint32_t dso, bool whole, struct out *out)
{
	out_name(out, whole ? dso_name(p->session->symbols, dso) : dso_short_name(p->session->symbols, dso));
}

/* The samples of one reason, summed over all objects. */
struct cause {
	enum reason why;
	uint32_t dso;
	unsigned n_dsos;
	uint64_t of_part[N_QUALITY_PARTS];
	double percent;
};

static void add_to_cause(const struct quality *q, const struct quality_row *row, struct cause *c)
{
	if (!c->n_dsos || c->dso != row->dso) /* rows are sorted, so the first object has the most */
		c->n_dsos++;
	if (c->n_dsos == 1)
		c->dso = row->dso;
	c->of_part[row->part] += row->samples;
	c->percent = MAX(c->percent, share(c->of_part[row->part], q->of[row->part]));
}

static int compare_causes(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return x->percent != y->percent ? (x->percent > y->percent ? -1 : 1) : (x->why > y->why) - (x->why < y->why);
}

/* List the reasons, those with the most samples first. Leave out missing lines, because they are common. */
static size_t find_causes(const struct quality *q, struct cause causes[N_REASONS])
{
	size_t n = 0;

	for (size_t i = 0; i < q->rows.len; i++) {
		const struct quality_row *row = &q->rows.items[i];
		size_t at = 0;

		if (row->part == QUALITY_LINE)
			continue;
		while (at < n && reason_class(causes[at].why) != reason_class(row->why))
			at++;
		if (at == n)
			causes[n++] = (struct cause){ .why = row->why };
		add_to_cause(q, row, &causes[at]);
	}
	/* cppcheck-suppress uninitvar	; the first n are set above */
	qsort(causes, n, sizeof(*causes), compare_causes);
	while (n && causes[n - 1].percent < 0.05)
		n--;
	return n;
}

/* How much a line says. */
struct detail {
	unsigned causes;
	bool lines, samples, cure;
};

static void print_line(const struct profile *p, const struct cause *causes, size_t n, const struct detail *d,
		       struct out *out)
{
	const struct quality *q = &p->quality;

	out_str(out, "# Quality: ");
	if (d->samples)
		out_fmt(out, "of %llu samples ", (unsigned long long)q->samples);
	out_fmt(out, "%.1f%% have a symbol", share(q->good[QUALITY_SYMBOL], q->of[QUALITY_SYMBOL]));
	if (q->of[QUALITY_STACK])
		out_fmt(out, ", %.1f%% a whole stack", share(q->good[QUALITY_STACK], q->of[QUALITY_STACK]));
	if (d->lines && q->of[QUALITY_LINE])
		out_fmt(out, ", %.1f%% a line", share(q->good[QUALITY_LINE], q->of[QUALITY_LINE]));
	for (size_t i = 0; i < n && i < d->causes; i++) {
		out_fmt(out, "%s %.1f%% %s (", i ? "," : "; missing:", causes[i].percent, reasons[causes[i].why].code);
		print_object(p, causes[i].dso, false, out);
		out_fmt(out, "%s)", causes[i].n_dsos > 1 ? " ..." : "");
	}
	for (size_t i = 0; d->cure && i < n; i++) {
		size_t len = reason_cure_len(causes[i].why);

		if (!len)
			continue;
		out_fmt(out, "; try: %.*s", (int)len, reasons[causes[i].why].cure);
		break;
	}
}

void quality_print_line(const struct profile *p, int columns, struct out *out)
{
	/* use the first one that fits; the last always fits */
	static const struct detail details[] = {
		{ 3, true, true, true },   { 2, true, true, true },    { 1, true, true, true },
		{ 1, false, true, true },  { 1, false, false, true },  { 0, false, true, true },
		{ 0, false, false, true }, { 1, false, false, false }, { 0, false, false, false },
	};
	struct cause causes[N_REASONS];
	size_t n = find_causes(&p->quality, causes), from = out->len;

	if (!p->quality.samples)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		out->len = from;
		print_line(p, causes, n, &details[i], out);
		if (out_name_width(out_text(out) + from) <= columns)
			break;
	}
	out_char(out, '\n');
}

void quality_print(const struct profile *p, struct out *out)
{
	const struct quality *q = &p->quality;
	bool told[N_REASONS] = { false };

	out_fmt(out, "# %llu samples\n", (unsigned long long)q->samples);
	for (enum quality_part i = 0; i < N_QUALITY_PARTS; i++)
		if (q->of[i])
			out_fmt(out, "# %6.2f%% of %llu have %s\n", share(q->good[i], q->of[i]),
				(unsigned long long)q->of[i], of_parts[i]);
	out_fmt(out, "#\n# %6s  %10s  %-6s  %-16s  %s\n", "Share", "Samples", "Lacks", "Reason", "Object");
	for (size_t i = 0; i < q->rows.len; i++) {
		const struct quality_row *row = &q->rows.items[i];

		out_fmt(out, "%7.2f%%  %10llu  %-6s  %-16s  ", share(row->samples, q->of[row->part]),
			(unsigned long long)row->samples, quality_part_names[row->part], reasons[row->why].code);
		print_object(p, row->dso, true, out);
		out_char(out, '\n');
	}
	for (size_t i = 0; i < q->rows.len; i++) {
		enum reason why = q->rows.items[i].why;

		if (told[why])
			continue;
		out_fmt(out, "%s# %s: %s\n#   try: %s\n", i ? "" : "#\n", reasons[why].code, reasons[why].text,
			reasons[why].cure);
		told[why] = true;
	}
}
