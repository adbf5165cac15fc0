#include "format/branch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static uint64_t type(uint64_t t, uint64_t extended) { return t << 20 | extended << 26; }

static void an_entry_is_three_words(void **state)
{
	uint8_t entries[2 * BRANCH_BYTES];
	const uint64_t words[] = { 1, 2, 3, 0x401000, 0x402000, BRANCH_MISPREDICTED | 77 << 4 };
	const uint8_t *second = branch_at(entries, 1);

	memcpy(entries, words, sizeof(entries));
	assert_int_equal(branch_from(second), 0x401000);
	assert_int_equal(branch_to(second), 0x402000);
	assert_int_equal(branch_flags(second) & 15, BRANCH_MISPREDICTED);
	assert_int_equal(branch_cycles(branch_flags(second)), 77);
}

static void parts_of_the_flags_do_not_mix(void **state)
{
	assert_int_equal(branch_cycles(~0ull), 0xffff);
	assert_int_equal(branch_cycles(~(0xffffull << 4)), 0);
	assert_int_equal(branch_speculation(3ull << 24), 3);
	assert_int_equal(branch_speculation(~(3ull << 24)), 0);
	assert_int_equal(branch_reserved(1ull << 33), 1);
	assert_int_equal(branch_reserved((1ull << 33) - 1), 0);
}

static void types_have_the_names_of_the_header(void **state)
{
	assert_string_equal(branch_type_name(type(0, 0)), "");
	assert_string_equal(branch_type_name(type(1, 0)), "COND");
	assert_string_equal(branch_type_name(type(4, 0)), "CALL");
	assert_string_equal(branch_type_name(type(14, 0)), "NO_TX");
	/* PERF_BR_EXTEND_ABI: the type is in the other field */
	assert_string_equal(branch_type_name(type(15, 0)), "FAULT_ALGN");
	assert_string_equal(branch_type_name(type(15, 7)), "ARCH_5");
	assert_string_equal(branch_type_name(type(15, 8)), "");
	/* otherwise that field means nothing */
	assert_string_equal(branch_type_name(type(6, 2)), "RET");
}

static void outcomes_of_speculation_have_names(void **state)
{
	assert_string_equal(branch_speculation_name(0), "");
	assert_string_equal(branch_speculation_name(1ull << 24), "SPEC_WRONG_PATH");
	assert_string_equal(branch_speculation_name(3ull << 24), "SPEC_CORRECT_PATH");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_three_words),
		cmocka_unit_test(parts_of_the_flags_do_not_mix),
		cmocka_unit_test(types_have_the_names_of_the_header),
		cmocka_unit_test(outcomes_of_speculation_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
