/* Entries folded into rows, against sums that are counted by hand. */
#include "tests/unit/report/rows/made.h"

static const struct made_sample samples[] = {
	{ 7, "cba", 10 },   { 7, "cba", 1 },     { 7, "ba", 100 },
	{ 8, "cba", 1000 }, { 8, "aca", 10000 }, { 8, "x", 100000 },
};

static const struct row *row_of(const struct made *m, char letter)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < m->fold->rows.len; i++)
		if (made_letter(m, m->fold->rows.items[i].first_site) == letter) {
			assert_null(found);
			found = &m->fold->rows.items[i];
		}
	return found;
}

static void a_row_sums_the_samples_of_its_function(void **state)
{
	struct made m;

	MADE(&m, samples, "sym", false);
	assert_int_equal(m.fold->rows.len, 4);
	assert_int_equal(row_of(&m, 'c')->sums.period, 1011);
	assert_int_equal(row_of(&m, 'c')->sums.samples, 3);
	assert_int_equal(row_of(&m, 'b')->sums.period, 100);
	assert_int_equal(row_of(&m, 'a')->sums.period, 10000);
	assert_int_equal(row_of(&m, 'x')->sums.period, 100000);
	assert_int_equal(row_of(&m, 'c')->sums.by_level[LEVEL_SYSTEM], 1011);
	assert_int_equal(row_of(&m, 'c')->sums.by_level[LEVEL_USER], 0);
	assert_int_equal(m.fold->totals[0].period, 111111);
	made_release(&m);
}

static void callers_count_once_for_each_sample(void **state)
{
	struct made m;

	MADE(&m, samples, "sym", true);
	assert_int_equal(m.fold->rows.len, 4);
	assert_int_equal(row_of(&m, 'a')->sums.children, 11111); /* twice on one chain, counted once */
	assert_int_equal(row_of(&m, 'a')->sums.period, 10000);
	assert_int_equal(row_of(&m, 'b')->sums.children, 1111);
	assert_int_equal(row_of(&m, 'c')->sums.children, 11011);
	assert_int_equal(row_of(&m, 'c')->sums.period, 1011);
	assert_int_equal(row_of(&m, 'x')->sums.children, 100000);
	assert_int_equal(m.fold->totals[0].period, 111111);
	made_release(&m);
}

static void all_keys_together_tell_rows_apart(void **state)
{
	struct made m;
	uint64_t sums[2] = { 0 };
	size_t rows_of_c = 0;

	MADE(&m, samples, "comm,sym", false);
	assert_int_equal(m.fold->rows.len, 5); /* seven: c b; eight: c a x */
	for (size_t i = 0; i < m.fold->rows.len; i++) {
		const struct row *r = &m.fold->rows.items[i];

		if (made_letter(&m, r->first_site) == 'c')
			sums[rows_of_c++] = r->sums.period;
	}
	assert_int_equal(rows_of_c, 2);
	assert_int_equal(MIN(sums[0], sums[1]), 11);
	assert_int_equal(MAX(sums[0], sums[1]), 1000);
	made_release(&m);
}

static void without_a_place_there_is_a_row_for_each_thread(void **state)
{
	struct made m;

	MADE(&m, samples, "comm", false);
	assert_int_equal(m.fold->rows.len, 2);
	assert_int_equal(m.fold->rows.items[0].sums.period + m.fold->rows.items[1].sums.period, 111111);
	assert_int_equal(MIN(m.fold->rows.items[0].sums.period, m.fold->rows.items[1].sums.period), 111);
	made_release(&m);
}

/* Static functions of several files may have the same name. */
static void equal_texts_are_one_stack(void **state)
{
	static const struct made_sample stacks[] = {
		{ 7, "ha", 1 }, { 7, "Ha", 10 }, { 7, "bHa", 100 }, { 8, "bha", 1000 }, { 7, "h", 10000 },
	};
	struct made m;
	uint64_t periods[3] = { 0 };

	MADE(&m, stacks, "stack", false);
	assert_int_equal(m.fold->rows.len, 3);
	for (size_t i = 0; i < 3; i++)
		periods[i] = m.fold->rows.items[i].sums.period;
	assert_int_equal(periods[0] + periods[1] + periods[2], 11111);
	for (size_t i = 0; i < 3; i++)
		assert_true(periods[i] == 11 || periods[i] == 1100 || periods[i] == 10000);
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_sums_the_samples_of_its_function),
		cmocka_unit_test(callers_count_once_for_each_sample),
		cmocka_unit_test(all_keys_together_tell_rows_apart),
		cmocka_unit_test(without_a_place_there_is_a_row_for_each_thread),
		cmocka_unit_test(equal_texts_are_one_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
