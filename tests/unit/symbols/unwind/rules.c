#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/unwind/rules_priv.h"

static struct cfi_row row_of(const uint8_t *expr, uint32_t len)
{
	return (struct cfi_row){ .cfa = { .how = CFI_VAL_EXPR, .expr = expr, .expr_len = len }, .ret = 16 };
}

static void equal_rows_have_one_number(void **state)
{
	static const uint8_t expr[] = { 1, 2, 3, 1, 2, 3 };
	const struct cfi_row rows[] = { row_of(expr, 3), row_of(expr + 3, 3), row_of(expr, 2), row_of(expr, 3) };
	struct rule_set s = { 0 };
	uint16_t first = rule_set_put(&s, &rows[0]), other = rule_set_put(&s, &rows[1]),
		 shorter = rule_set_put(&s, &rows[2]);

	assert_int_equal(first, 1);
	assert_int_equal(other, 2); /* other bytes of the object, even if they say the same */
	assert_int_equal(shorter, 3);
	assert_int_equal(rule_set_put(&s, &rows[3]), first);
	assert_int_equal(s.n, 3);
	assert_int_equal(rule_set_at(&s, shorter)->cfa.expr_len, 2);
	assert_null(rule_set_at(&s, RULE_NONE));
	rule_set_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(equal_rows_have_one_number) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
