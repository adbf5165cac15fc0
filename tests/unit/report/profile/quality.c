/* How much of a profile is known, counted in samples, and why the rest is not. */
#include "report/profile/quality.h"

#include "tests/unit/report/rows/made.h"

static struct profile *profiled(struct session *s, const struct profile_filter *filter)
{
	struct profile *p = profile_new(
		s, &(struct profile_opts){ .chains = true, .max_stack = 127, .threads = 1, .time_quantum = 1 }, filter);

	profile_decode(p);
	profile_name(p);
	return p;
}

static void known_symbols_are_counted_by_sample(void **state)
{
	/* '{' lies behind the last function that the recording names */
	static const struct made_sample samples[] = { { 7, "ba", 1 }, { 7, "ba", 1 }, { 7, "{", 1 }, { 8, "x{", 1 } };
	struct session *s = made_session(samples, ARRAY_SIZE(samples));
	struct profile_filter filter = { 0 };
	struct profile *p = profiled(s, &filter);
	uint64_t unnamed = 0;

	assert_int_equal(p->quality.samples, 4);
	assert_int_equal(p->quality.of[QUALITY_SYMBOL], 4);
	assert_int_equal(p->quality.good[QUALITY_SYMBOL], 3);
	assert_int_equal(p->quality.of[QUALITY_STACK], 4);
	assert_int_equal(p->quality.good[QUALITY_STACK], 4);
	for (size_t i = 0; i < p->quality.rows.len; i++) {
		const struct quality_row *row = &p->quality.rows.items[i];

		assert_int_not_equal(row->why, REASON_NONE);
		if (row->part == QUALITY_SYMBOL)
			unnamed += row->samples;
		if (i)
			assert_true(row[-1].samples >= row->samples);
	}
	assert_int_equal(unnamed, 1);
	profile_free(p);
	session_close(s);
}

static void the_line_fits_its_columns(void **state)
{
	static const struct made_sample samples[] = { { 7, "ba", 1 }, { 7, "{", 1 } };
	struct session *s = made_session(samples, ARRAY_SIZE(samples));
	struct profile_filter filter = { 0 };
	struct profile *p = profiled(s, &filter);

	for (int columns = 60; columns < 200; columns += 17) {
		struct out o;
		const char *end;

		out_init_mem(&o);
		quality_print_line(p, columns, &o);
		end = strchr(out_text(&o), '\n');
		if (o.len) {
			assert_non_null(end);
			assert_true(*o.buf == '#');
			assert_true(end - o.buf <= columns);
		}
		if (columns > 150)
			assert_non_null(strstr(out_text(&o), "50"));
		out_release(&o);
	}
	profile_free(p);
	session_close(s);
}

static void nothing_is_said_of_no_samples(void **state)
{
	struct session *s = made_session(NULL, 0);
	struct profile_filter filter = { 0 };
	struct profile *p = profiled(s, &filter);
	struct out o;

	out_init_mem(&o);
	quality_print_line(p, 100, &o);
	assert_int_equal(o.len, 0);
	out_release(&o);
	profile_free(p);
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_symbols_are_counted_by_sample),
		cmocka_unit_test(the_line_fits_its_columns),
		cmocka_unit_test(nothing_is_said_of_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
