/* Rows of two recordings side by side. */
#include "report/rows/diff.h"

#include "tests/unit/report/rows/made.h"

static const struct made_sample before[] = { { 7, "a", 50 }, { 7, "b", 30 }, { 7, "c", 20 } };
static const struct made_sample after[] = { { 7, "a", 10 }, { 7, "b", 30 }, { 7, "d", 60 } };

/* Each row as its function, the periods of both files, '-' where a file does not have it. */
static void rows_are(const struct diff *d, const char *wanted)
{
	struct out o;

	out_init_mem(&o);
	for (size_t i = 0; i < d->rows.len; i++) {
		const struct diff_row *r = &d->rows.items[i];
		const char *text = r->texts[d->symbol_key];

		out_fmt(&o, "%s%c", i ? " " : "", text[strlen(text) - 1]);
		for (size_t f = 0; f < d->n_files; f++) {
			if (r->cells[f].there)
				out_fmt(&o, ":%llu", (unsigned long long)r->cells[f].period);
			else
				out_str(&o, ":-");
		}
	}
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
}

static void diffed(const struct diff_opts *opts, const char *wanted)
{
	struct made m[2];
	struct diff *d;

	MADE(&m[0], before, "sym", false);
	MADE(&m[1], after, "sym", false);
	d = diff_new((const struct view *const[]){ m[0].view, m[1].view }, 2, opts);
	assert_int_equal(d->n_keys, 1);
	assert_int_equal(d->totals[0], 100);
	assert_int_equal(d->totals[1], 100);
	rows_are(d, wanted);
	diff_free(d);
	made_release(&m[0]);
	made_release(&m[1]);
}

static void rows_are_joined_by_what_they_show(void **state)
{
	diffed(&(struct diff_opts){ .method = DIFF_DELTA_ABS }, "a:50:10 b:30:30 c:20:- d:-:60");
}

static void changes_order_rows_if_wanted(void **state)
{
	diffed(&(struct diff_opts){ .method = DIFF_DELTA_ABS, .order = 1 }, "d:-:60 a:50:10 b:30:30 c:20:-");
}

static void rows_of_one_file_may_be_left_out(void **state)
{
	diffed(&(struct diff_opts){ .method = DIFF_DELTA, .baseline_only = true }, "a:50:10 b:30:30");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_joined_by_what_they_show),
		cmocka_unit_test(changes_order_rows_if_wanted),
		cmocka_unit_test(rows_of_one_file_may_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
