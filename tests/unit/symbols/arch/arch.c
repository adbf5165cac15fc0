#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/arch/arch.h"
#include "symbols/symbols.h"

/* The names are those that perf 7.2 prints for recordings of the architecture. */
static void registers_have_the_names_perf_prints(void **state)
{
	assert_string_equal(arch_reg_name("x86_64", 0), "AX");
	assert_string_equal(arch_reg_name("x86_64", 9), "FLAGS");
	assert_string_equal(arch_reg_name("x86_64", 23), "R15");
	assert_string_equal(arch_reg_name("x86_64", 33), "XMM0");
	assert_string_equal(arch_reg_name("x86_64", 63), "XMM15");
	assert_string_equal(arch_reg_name("i686", 8), "IP");
	assert_string_equal(arch_reg_name("aarch64", 29), "x29");
	assert_string_equal(arch_reg_name("aarch64", 32), "pc");
	assert_string_equal(arch_reg_name("aarch64", 46), "vg");
	assert_string_equal(arch_reg_name("armv7l", 13), "sp");
	assert_string_equal(arch_reg_name("s390x", 31), "FP15");
	assert_string_equal(arch_reg_name("s390x", 33), "PC");
	assert_string_equal(arch_reg_name("ppc64le", 34), "orig_r3");
	assert_string_equal(arch_reg_name("ppc64le", 58), "siar");
	assert_string_equal(arch_reg_name("riscv64", 0), "pc");
	assert_string_equal(arch_reg_name("riscv64", 31), "t6");
	assert_string_equal(arch_reg_name("mips64", 28), "$28");
	assert_string_equal(arch_reg_name("loongarch64", 31), "%r31");
	assert_string_equal(arch_reg_name("csky", 36), "lo");
}

static void registers_without_a_name_have_none(void **state)
{
	assert_null(arch_reg_name("x86_64", 24));
	assert_null(arch_reg_name("x86_64", 64));
	assert_null(arch_reg_name("x86_64", 100000));
	assert_null(arch_reg_name("aarch64", 33));
	assert_null(arch_reg_name("mips", 26));
	assert_null(arch_reg_name("vax", 0));
	assert_null(arch_reg_name("x86_64 ", 0));
}

static void arm64_is_not_arm(void **state)
{
	assert_ptr_equal(arch_find("arm64"), &arch_aarch64);
	assert_ptr_equal(arch_find("aarch64_be"), &arch_aarch64);
	assert_ptr_equal(arch_find("armv8l"), &arch_arm);
}

static void our_own_machine_is_the_default(void **state) { assert_ptr_equal(arch_find(NULL), arch_find("")); }

static void samples_of_32_bit_programs_select_their_registers(void **state)
{
	assert_ptr_equal(arch_of_abi(&arch_x86_64, 2), &arch_x86_64);
	assert_ptr_equal(arch_of_abi(&arch_x86_64, 1), &arch_x86);
	assert_ptr_equal(arch_of_abi(&arch_x86, 1), &arch_x86);
	assert_null(arch_of_abi(&arch_aarch64, 1));
	assert_null(arch_of_abi(&arch_x86_64, 0));
	assert_null(arch_of_abi(&arch_riscv64, 2));
	assert_null(arch_of_abi(NULL, 2));
}

static void every_register_number_fits_the_tables(void **state)
{
	const struct arch *all[] = { &arch_x86_64, &arch_x86, &arch_aarch64, &arch_s390x };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		assert_true(all[i]->n_regs <= ARCH_MAX_REGS);
		assert_true(all[i]->ip < ARCH_MAX_REGS && all[i]->sp < ARCH_MAX_REGS && all[i]->fp < ARCH_MAX_REGS);
		for (unsigned r = 0; r < all[i]->n_dwarf; r++)
			assert_true(all[i]->from_dwarf[r] < ARCH_MAX_REGS || all[i]->from_dwarf[r] == ARCH_NO_REG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_have_the_names_perf_prints),
		cmocka_unit_test(registers_without_a_name_have_none),
		cmocka_unit_test(arm64_is_not_arm),
		cmocka_unit_test(our_own_machine_is_the_default),
		cmocka_unit_test(samples_of_32_bit_programs_select_their_registers),
		cmocka_unit_test(every_register_number_fits_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
