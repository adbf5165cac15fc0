#include "report/rows/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Values from the tables of any book on statistics. */
static void quantiles_are_those_of_the_tables(void **state)
{
	static const struct {
		double tails, freedom, t;
	} known[] = {
		{ 0.05, 1, 12.7062 },   { 0.05, 2, 4.3027 }, { 0.05, 4, 2.7764 },  { 0.05, 10, 2.2281 },
		{ 0.05, 1000, 1.9623 }, { 0.01, 3, 5.8409 }, { 0.001, 5, 6.8688 }, { 0.5, 7, 0.7111 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		assert_true(fabs(student_quantile(known[i].tails, known[i].freedom) - known[i].t) < 0.0002);
}

static struct diff_row row(char **texts, struct diff_cell *cells, const uint64_t *periods, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cells[i] = (struct diff_cell){ .period = periods[i], .there = periods[i] > 0 };
	return (struct diff_row){ .texts = texts, .cells = cells };
}

/* Two rows are everything: one grows by as much as the other shrinks. */
static bool grows(const uint64_t *a, const uint64_t *b, size_t n, char *text, size_t size)
{
	char *name_a[] = { "a" }, *name_b[] = { "b" };
	struct diff_cell cells_a[8], cells_b[8];
	struct diff_row rows[] = { row(name_a, cells_a, a, n), row(name_b, cells_b, b, n) };
	uint64_t totals[8];
	const char *titles[] = { "Name" };
	int widths[] = { 4 };
	struct diff_opts opts = { .headings = false };
	struct diff d = { .opts = &opts,
			  .n_files = n,
			  .n_keys = 1,
			  .totals = totals,
			  .titles = titles,
			  .widths = widths,
			  .rows = { .items = rows, .len = 2, .cap = 2 } };
	struct out o;
	bool grew;

	for (size_t i = 0; i < n; i++)
		totals[i] = a[i] + b[i];
	out_init_mem(&o);
	grew = diff_stat_print(&d, n / 2, &o);
	snprintf(text, size, "%s", out_text(&o));
	out_release(&o);
	return grew;
}

static void noise_is_not_growth(void **state)
{
	char text[512];

	assert_false(grows((const uint64_t[]){ 480, 520, 500, 505, 495, 515 },
			   (const uint64_t[]){ 520, 480, 500, 495, 505, 485 }, 6, text, sizeof(text)));
	assert_null(strstr(text, "more"));
}

static void a_change_beyond_noise_is(void **state)
{
	char text[512];

	assert_true(grows((const uint64_t[]){ 498, 502, 500, 599, 601, 600 },
			  (const uint64_t[]){ 502, 498, 500, 401, 399, 400 }, 6, text, sizeof(text)));
	assert_non_null(strstr(text, "+10.00%"));
	assert_non_null(strstr(text, "more"));
	assert_non_null(strstr(text, "less"));
}

static void all_samples_count_too(void **state)
{
	char text[512];

	assert_true(grows((const uint64_t[]){ 500, 501, 600, 601 }, (const uint64_t[]){ 500, 501, 600, 601 }, 4, text,
			  sizeof(text)));
	assert_non_null(strstr(text, "all samples"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_the_tables),
		cmocka_unit_test(noise_is_not_growth),
		cmocka_unit_test(a_change_beyond_noise_is),
		cmocka_unit_test(all_samples_count_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
