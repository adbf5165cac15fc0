/*
 * Registers by DWARF number and by argument. Expected: the psABI of each machine and the kernel's
 * names.
 */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <elf.h>

#include "probe/registers_priv.h"

static void dwarf_numbers_follow_the_psabi(void **state)
{
	/* System V ABI, AMD64, figure 3.36: 1 is rdx, 4 rsi, 5 rdi, 7 rsp. */
	assert_string_equal(register_of_dwarf(EM_X86_64, 0), "%ax");
	assert_string_equal(register_of_dwarf(EM_X86_64, 1), "%dx");
	assert_string_equal(register_of_dwarf(EM_X86_64, 4), "%si");
	assert_string_equal(register_of_dwarf(EM_X86_64, 5), "%di");
	assert_string_equal(register_of_dwarf(EM_X86_64, 7), "%sp");
	assert_string_equal(register_of_dwarf(EM_X86_64, 15), "%r15");
	/* System V ABI, Intel386: 1 is ecx, 2 edx, 4 esp. */
	assert_string_equal(register_of_dwarf(EM_386, 1), "%cx");
	assert_string_equal(register_of_dwarf(EM_386, 2), "%dx");
	assert_string_equal(register_of_dwarf(EM_386, 4), "%sp");
	assert_string_equal(register_of_dwarf(EM_AARCH64, 31), "%sp");
	assert_string_equal(register_of_dwarf(EM_RISCV, 10), "%a0");
}

static void numbers_beyond_the_table_have_no_name(void **state)
{
	assert_null(register_of_dwarf(EM_X86_64, 16));
	assert_null(register_of_dwarf(EM_X86_64, UINT32_MAX));
	assert_null(register_of_dwarf(EM_AARCH64, 32));
	assert_null(register_of_dwarf(EM_MIPS, 0));
	assert_null(register_names(EM_MIPS));
}

static void arguments_follow_the_calling_convention(void **state)
{
	static const char *const amd64[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(register_of_argument(EM_X86_64, i), amd64[i]);
	assert_null(register_of_argument(EM_X86_64, 6)); /* on the stack */
	assert_string_equal(register_of_argument(EM_AARCH64, 7), "%x7");
	assert_null(register_of_argument(EM_AARCH64, 8));
	assert_string_equal(register_of_argument(EM_S390, 0), "%r2");
	assert_null(register_of_argument(EM_MIPS, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwarf_numbers_follow_the_psabi),
		cmocka_unit_test(numbers_beyond_the_table_have_no_name),
		cmocka_unit_test(arguments_follow_the_calling_convention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
