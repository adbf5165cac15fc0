#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include "stat/expression_priv.h"

static double value(const char *text)
{
	struct expression x = { 0 };
	double values[8], v;

	assert_int_equal(expression_parse(&x, text, NULL, NULL), 0);
	for (size_t i = 0; i < x.names.len; i++)
		values[i] = x.names.items[i][0] == 'z' ? 0 : 10 * (double)(i + 1);
	v = expression_value(&x, values);
	expression_release(&x);
	return v;
}

static void arithmetic_binds_as_usual(void **state)
{
	assert_true(value("1 + 2 * 3") == 7);
	assert_true(value("(1 + 2) * 3") == 9);
	assert_true(value("8 - 4 - 2") == 2);
	assert_true(value("-2 * -3") == 6);
	assert_true(value("7 % 4") == 3);
	assert_true(value("1.5e2 / 3") == 50);
	assert_true(value("6 & 3 | 8") == 10);
	assert_true(value("1 + 1 < 3") == 1);
	assert_true(value("min(3, 2) + max(3, 2)") == 5);
	assert_true(value("5 if 1 > 2 else 6 if 0 else 7") == 7);
}

static void names_stand_for_values(void **state)
{
	struct expression x = { 0 };

	assert_true(value("a / b") == 0.5);
	assert_true(value("a + b + a") == 40);
	assert_int_equal(
		expression_parse(&x, "L1\\-dcache\\-loads + cpu@event\\=0x1\\,umask\\=2@ + inst_retired.any_p + #slots",
				 NULL, NULL),
		0);
	assert_int_equal(x.names.len, 4);
	assert_string_equal(x.names.items[0], "L1-dcache-loads");
	assert_string_equal(x.names.items[1], "cpu/event=0x1,umask=2/");
	assert_string_equal(x.names.items[2], "inst_retired.any_p");
	assert_string_equal(x.names.items[3], "#slots");
	expression_release(&x);
}

static void a_division_by_zero_is_not_a_number(void **state)
{
	assert_true(isnan(value("a / z")));
	assert_true(isnan(value("1 + a % z")));
	assert_true(isnan(value("max(1, a / z)")));
	assert_true(value("d_ratio(a, z)") == 0);
}

static void an_error_has_its_column(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "something is missing at column 1" },
		{ "1 +", "something is missing at column 4" },
		{ "(1", "')' is missing at column 3" },
		{ "1 2", "nothing more is expected at column 3" },
		{ "min(1)", "',' is missing at column 6" },
		{ "1 if 2", "'else' is missing at column 7" },
		{ "a * ?", "a number or a name is expected at column 5" },
		{ "2e", "nothing more is expected at column 2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct expression x = { 0 };
		struct err e = { 0 };

		assert_int_equal(expression_parse(&x, bad[i].text, NULL, &e), -1);
		assert_string_equal(e.why, bad[i].why);
		expression_release(&x);
	}
}

static void depth_has_an_end(void **state)
{
	struct expression x = { 0 };
	char text[1000];

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(expression_parse(&x, text, NULL, NULL), -1);
	expression_release(&x);
	memset(text, '-', sizeof(text) - 1);
	x = (struct expression){ 0 };
	assert_int_equal(expression_parse(&x, text, NULL, NULL), -1);
	expression_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_binds_as_usual),
		cmocka_unit_test(names_stand_for_values),
		cmocka_unit_test(a_division_by_zero_is_not_a_number),
		cmocka_unit_test(an_error_has_its_column),
		cmocka_unit_test(depth_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
