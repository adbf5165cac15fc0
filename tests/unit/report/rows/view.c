/* Rows in the order in which they are shown. */
#include "tests/unit/report/rows/made.h"

/* Of both threads and depths, with equal sums; "cba": a calls b calls c. */
static const struct made_sample samples[] = {
	{ 7, "e", 5 }, { 8, "d", 5 }, { 7, "cba", 3 }, { 8, "cba", 2 }, { 7, "x", 7 }, { 8, "y", 0 },
};

/* The order of a live view, as letters. */
static void live_order_is(const char *sort, bool children, bool caller_first, const char *wanted)
{
	char letters[16] = "";
	struct made m;

	MADE(&m, samples, sort, children);
	view_free(m.view);
	m.opts.own_order = true;
	m.opts.caller_first = caller_first;
	m.view = view_new(m.fold, &m.opts, &m.event, 1);
	for (size_t i = 0; i < m.view->rows.len; i++)
		letters[i] = made_letter(&m, m.view->rows.items[i].row->first_site);
	assert_string_equal(letters, wanted);
	made_release(&m);
}

static void live_rows_of_equal_sums_stay_as_they_came(void **state)
{
	live_order_is("sym", false, true, "xedcy");
	live_order_is("dso,sym", false, true, "xedcy");
}

static void among_equal_live_rows_depth_decides(void **state)
{
	live_order_is("sym", true, true, "xcabedy");
	live_order_is("sym", true, false, "xedbcay");
}

static void rows_of_one_event_have_the_sums_of_the_fold(void **state)
{
	struct made m;

	MADE(&m, samples, "sym", true);
	for (size_t i = 0; i < m.view->rows.len; i++)
		assert_ptr_equal(m.view->rows.items[i].sums, &m.view->rows.items[i].row->sums);
	assert_null(m.view->sums);
	made_release(&m);
}

static void columns_are_as_wide_as_their_widest_text(void **state)
{
	struct made m;

	MADE(&m, samples, "comm,sym", false);
	for (size_t i = 0; i < m.view->columns.len; i++)
		if (!strcmp(m.view->columns.items[i].key->name, "comm"))
			assert_int_equal(m.view->columns.items[i].width, strlen("Command"));
		else if (!strcmp(m.view->columns.items[i].key->name, "sym"))
			assert_int_equal(m.view->columns.items[i].width, strlen("Symbol"));
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_rows_of_equal_sums_stay_as_they_came),
		cmocka_unit_test(among_equal_live_rows_depth_decides),
		cmocka_unit_test(rows_of_one_event_have_the_sums_of_the_fold),
		cmocka_unit_test(columns_are_as_wide_as_their_widest_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
