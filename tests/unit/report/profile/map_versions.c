#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/profile/map_versions.h"

static struct ip_slot slot_of(uint32_t i)
{
	return (struct ip_slot){ .ip = i / 3 * 16ull, .version = 1 + i % 3, .value = i };
}

static void slots_are_found_while_the_table_grows(void **state)
{
	enum { MANY = 300000 };
	struct ip_table t;

	ip_table_init(&t);
	for (uint32_t i = 0; i < MANY; i++) {
		struct ip_slot s = slot_of(i);

		assert_int_equal(ip_table_slot(&t, s.version, s.ip)->version, 0);
		ip_table_put(&t, s);
	}
	assert_int_equal(t.len, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		struct ip_slot s = slot_of(i);

		assert_int_equal(ip_table_slot(&t, s.version, s.ip)->value, i);
	}
	assert_int_equal(ip_table_slot(&t, 4, 0)->version, 0);
	ip_table_release(&t);
}

/* The table has a limit; then it begins anew, and what it finds is still right. */
static void a_full_table_is_emptied(void **state)
{
	enum { MANY = 1200000 };
	struct ip_table t;
	uint32_t found = 0;

	ip_table_init(&t);
	for (uint32_t i = 0; i < MANY; i++)
		ip_table_put(&t, slot_of(i));
	assert_true(t.len < MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		struct ip_slot s = slot_of(i), *at = ip_table_slot(&t, s.version, s.ip);

		if (at->version)
			assert_int_equal(at->value, i);
		found += at->version != 0;
	}
	assert_int_equal(found, t.len);
	ip_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_found_while_the_table_grows),
		cmocka_unit_test(a_full_table_is_emptied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
