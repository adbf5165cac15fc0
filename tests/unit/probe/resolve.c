/* From a definition's place to addresses: functions, offsets and lines of this program. */
#include "tests/unit/probe/self.h"

int known_function(volatile int *n), globbed_one(volatile int *n), globbed_two(volatile int *n);
__attribute__((noinline)) int known_function(volatile int *n)
{
	*n += 1;
	return *n * 3; /* LINE */
}
enum { LINE = __LINE__ - 2, RELATIVE = 3 };
__attribute__((noinline)) int globbed_one(volatile int *n) { return *n + 1; }
__attribute__((noinline)) int globbed_two(volatile int *n) { return *n * 5; }

static void functions_are_found_by_name(void **state)
{
	struct prober *p = self_open();
	struct probe_points points;
	struct err e = { 0 };

	assert_int_equal(self_points(p, "known_function", &points, &e), 0);
	assert_int_equal(points.len, 1);
	assert_int_equal(points.items[0].address, self_place((void *)known_function).address);
	assert_int_equal(points.items[0].base, points.items[0].address);
	assert_string_equal(points.items[0].symbol, "known_function");
	assert_true(points.items[0].at_entry);
	vec_free(&points);
	prober_close(p);
}

static void globs_find_several(void **state)
{
	struct prober *p = self_open();
	struct probe_points points;
	struct err e = { 0 };
	uint64_t sum = self_place((void *)globbed_one).address + self_place((void *)globbed_two).address;

	assert_int_equal(self_points(p, "globbed_*", &points, &e), 0);
	assert_int_equal(points.len, 2);
	assert_int_equal(points.items[0].address + points.items[1].address, sum);
	vec_free(&points);
	prober_close(p);
}

static void lines_are_found_in_their_function(void **state)
{
	struct prober *p = self_open();
	uint64_t start = self_place((void *)known_function).address;
	struct probe_points by_file, by_function;
	struct err e = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "resolve.c:%d", LINE);
	assert_int_equal(self_points(p, text, &by_file, &e), 0);
	assert_int_equal(by_file.len, 1);
	assert_in_range(by_file.items[0].address, start + 1, start + 200);
	assert_string_equal(by_file.items[0].symbol, "known_function");
	assert_int_equal(by_file.items[0].base, start);
	/* the same line, counted from the function's */
	snprintf(text, sizeof(text), "known_function:%d", RELATIVE);
	assert_int_equal(self_points(p, text, &by_function, &e), 0);
	assert_int_equal(by_function.items[0].address, by_file.items[0].address);
	vec_free(&by_file);
	vec_free(&by_function);
	prober_close(p);
}

static void impossible_probes_are_refused(void **state)
{
	static const struct {
		const char *text;
		int exit_code;
	} cases[] = {
		{ "no_such_function_here", EXIT_NOT_FOUND },
		{ "resolve.c:99999", EXIT_NOT_FOUND },
		{ "known_function+100000", EXIT_NOT_FOUND },
	};
	struct prober *p = self_open();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_points points;
		struct err e = { 0 };

		assert_int_equal(self_points(p, cases[i].text, &points, &e), -1);
		assert_int_equal(e.exit_code, cases[i].exit_code);
		assert_true(e.what[0]);
		vec_free(&points);
	}
	prober_close(p);
}

static void more_points_than_allowed_are_refused(void **state)
{
	struct prober *p = prober_open(&(struct prober_opts){ .exec = self_path(), .max_probes = 1 }, NULL);
	struct probe_points points;
	struct err e = { 0 };

	assert_non_null(p);
	assert_int_equal(self_points(p, "globbed_*", &points, &e), -1);
	assert_int_equal(e.exit_code, EXIT_TOO_MANY);
	vec_free(&points);
	prober_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_name),          cmocka_unit_test(globs_find_several),
		cmocka_unit_test(lines_are_found_in_their_function),    cmocka_unit_test(impossible_probes_are_refused),
		cmocka_unit_test(more_points_than_allowed_are_refused),
	};
	volatile int n = 1;

	if (known_function(&n) + globbed_one(&n) + globbed_two(&n) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
