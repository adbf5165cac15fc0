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

static void made_diffed(struct made *m, const struct diff_opts *opts, const char *wanted)
{
	struct diff *d = diff_new((const struct view *const[]){ m[0].view, m[1].view }, 2, opts);

	assert_int_equal(d->n_keys, 1);
	assert_int_equal(d->totals[0], 100);
	assert_int_equal(d->totals[1], 100);
	rows_are(d, wanted);
	diff_free(d);
	made_release(&m[0]);
	made_release(&m[1]);
}

static void diffed(const struct diff_opts *opts, const char *wanted)
{
	struct made m[2];

	MADE(&m[0], before, "sym", false);
	MADE(&m[1], after, "sym", false);
	made_diffed(m, opts, wanted);
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

/* Each compiler's suffix, in the new file or in the old one. */
static void a_clone_is_the_same_function(void **state)
{
	static const struct made_sample plain[] = { { 7, "a", 28 }, { 7, "b", 22 }, { 7, "c", 18 }, { 7, "d", 14 },
						    { 7, "E", 10 }, { 7, "F", 5 },  { 7, "G", 3 } },
					clones[] = { { 7, "A", 28 }, { 7, "B", 22 }, { 7, "C", 18 }, { 7, "D", 14 },
						     { 7, "e", 10 }, { 7, "f", 5 },  { 7, "g", 3 } };
	struct made m[2];

	MADE(&m[0], plain, "sym", false);
	MADE(&m[1], clones, "sym", false);
	made_diffed(m, &(struct diff_opts){ .method = DIFF_DELTA_ABS },
		    "a:28:28 b:22:22 c:18:18 d:14:14 3:10:10 4:5:5 f:3:3");
}

/* "d" and "0" are the last letters of a.cold and b.constprop.0. */
static void functions_of_one_file_are_not_joined(void **state)
{
	static const struct made_sample both[] = { { 7, "a", 40 }, { 7, "A", 30 }, { 7, "b", 20 }, { 7, "B", 10 } },
					one[] = { { 7, "a", 60 }, { 7, "b", 40 } };
	struct made m[2];

	MADE(&m[0], both, "sym", false);
	MADE(&m[1], one, "sym", false);
	made_diffed(m, &(struct diff_opts){ .method = DIFF_DELTA_ABS }, "a:40:60 d:30:- b:20:40 0:10:-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_joined_by_what_they_show),
		cmocka_unit_test(changes_order_rows_if_wanted),
		cmocka_unit_test(a_clone_is_the_same_function),
		cmocka_unit_test(functions_of_one_file_are_not_joined),
		cmocka_unit_test(rows_of_one_file_may_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
