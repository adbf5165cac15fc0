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

static const struct made_sample of_two[] = {
	{ 7, "a", 5 }, { 7, "b", 4, 1 }, { 7, "c", 3 }, { 7, "a", 2, 1 }, { 7, "d", 1, 1 },
};

/* A view of one event need not look at the rows of the others. */
static void the_rows_of_an_event_lead_to_one_another(void **state)
{
	struct made m;
	size_t n[2] = { 0 };

	MADE(&m, of_two, "sym", false);
	for (uint32_t event = 0; event < 2; event++)
		for (const struct row *r = fold_row(m.fold, m.fold->events[event].first); r;
		     r = fold_row(m.fold, r->next)) {
			assert_int_equal(r->event, event);
			n[event]++;
		}
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 3);
	assert_int_equal(m.view->rows.len, 2);
	made_release(&m);
}

static void rows_of_a_group_are_joined(void **state)
{
	static const struct {
		char letter;
		uint64_t sums[2];
	} wanted[] = { { 'a', { 5, 2 } }, { 'c', { 3, 0 } }, { 'b', { 0, 4 } }, { 'd', { 0, 1 } } };
	struct made m;

	MADE(&m, of_two, "sym", false);
	view_free(m.view);
	m.view = view_new(m.fold, &m.opts, (uint32_t[]){ 0, 1 }, 2);
	assert_int_equal(m.view->rows.len, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		assert_int_equal(made_letter(&m, m.view->rows.items[i].row->first_site), wanted[i].letter);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(m.view->rows.items[i].sums[k].period, wanted[i].sums[k]);
	}
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
		cmocka_unit_test(the_rows_of_an_event_lead_to_one_another),
		cmocka_unit_test(rows_of_a_group_are_joined),
		cmocka_unit_test(columns_are_as_wide_as_their_widest_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
