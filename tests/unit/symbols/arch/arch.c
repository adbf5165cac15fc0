#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/user.h>

#include "symbols/arch/arch_priv.h"
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

static void an_elf_machine_has_a_first_row(void **state)
{
	assert_ptr_equal(arch_of_elf(EM_X86_64), &arch_x86_64);
	assert_ptr_equal(arch_of_elf(EM_386), &arch_x86);
	assert_ptr_equal(arch_of_elf(EM_S390), &arch_s390x);
	assert_ptr_equal(arch_of_elf(EM_RISCV), &arch_riscv64);
	assert_null(arch_of_elf(EM_NONE));
	assert_null(arch_of_elf(EM_VAX));
}

static void names_tell_word_and_byte_order(void **state)
{
	assert_ptr_equal(arch_find("ppc64le"), &arch_powerpc64le);
	assert_ptr_equal(arch_find("ppc64"), &arch_powerpc64);
	assert_ptr_equal(arch_find("ppc"), &arch_powerpc);
	assert_ptr_equal(arch_find("riscv32"), &arch_riscv32);
	assert_ptr_equal(arch_find("mips64"), &arch_mips64);
	assert_ptr_equal(arch_find("sparc64"), &arch_sparc64);
	assert_false(arch_find("ppc64le")->big_endian);
	assert_true(arch_find("s390x")->big_endian);
}

/* What a copied stack is unwound by is among what is recorded. */
static void recorders_sample_what_unwinding_needs(void **state)
{
	static const struct arch *const all[] = { &arch_x86_64, &arch_x86, &arch_aarch64 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		uint64_t needed = 1ull << all[i]->ip | 1ull << all[i]->sp | 1ull << all[i]->fp;

		assert_int_equal(all[i]->user_regs & needed, needed);
		assert_true(all[i]->link < all[i]->sp || !all[i]->link);
	}
	assert_true(arch_aarch64.link < arch_aarch64.ip);
}

/* Encodings as GNU as writes them; what comes before the call does not matter. */
static void calls_are_known_by_their_bytes(void **state)
{
	static const struct {
		uint8_t code[8];
		bool calls;
	} cases[] = {
		{ { 0x90, 0x90, 0x90, 0xe8, 0x10, 0, 0, 0 }, true },           /* call .+16 */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, true },  /* call *%rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd4 }, true },  /* call *%r12 */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x13 }, true },  /* call *(%rbx) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x18 }, true },  /* call *24(%rax) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14, 0xd8 }, true },  /* call *(%rax,%rbx,8) */
		{ { 0x90, 0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 0x08 }, true },  /* call *8(%rsp) */
		{ { 0x90, 0x90, 0xff, 0x15, 0x22, 0x33, 0, 0 }, true },        /* call *0x3322(%rip) */
		{ { 0x90, 0x90, 0xff, 0x90, 0x00, 0x01, 0, 0 }, true },        /* call *256(%rax) */
		{ { 0x90, 0xff, 0x94, 0x24, 0x00, 0x01, 0, 0 }, true },        /* call *256(%rsp) */
		{ { 0x90, 0xff, 0x14, 0xc5, 0x00, 0x01, 0, 0 }, true },        /* call *256(,%rax,8) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0 }, false }, /* jmp *%rax */
		{ { 0x90, 0x90, 0x90, 0xe9, 0x10, 0, 0, 0 }, false },          /* jmp .+16 */
		{ { 0x90, 0x90, 0xff, 0x25, 0x22, 0x33, 0, 0 }, false },       /* jmp *0x3322(%rip) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14, 0x90 }, true },  /* call *(%rax,%rdx,4) */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x89, 0xd8 }, false }, /* mov %rbx, %rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14 }, false }, /* its SIB byte is missing */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t code[sizeof(cases[i].code)]; /* by itself, so that ASan sees a read behind it */
		uint64_t target = 0;

		memcpy(code, cases[i].code, sizeof(code));
		assert_int_equal(arch_x86_64.calls(code, 0x1000, &target), cases[i].calls);
		assert_int_equal(target, cases[i].code[3] == 0xe8 ? 0x1010 : 0);
	}
}

static void each_row_is_complete(void **state)
{
	const struct arch *a;
	size_t n = 0;

	for (; (a = arch_at(n)); n++) {
		assert_non_null(a->machines[0]);
		assert_non_null(arch_of_elf(a->elf_machine));
		assert_true(a->word == 4 || a->word == 8);
		assert_int_equal(!a->probe_regs, !a->probe_args);
		assert_true(!a->n_dwarf || (a->from_dwarf && a->sp < a->n_regs && a->ip < a->n_regs));
		assert_int_equal(!a->syscall_at, !a->syscall_size);
		assert_true(!a->abi_32 || (a->abi_32->n_dwarf && a->abi_32->word == 4));
	}
	assert_true(n > 10);
	assert_null(arch_at(n + 1));
}

#ifdef __x86_64__
/* struct pt_regs of the kernel begins as this struct does. */
static void the_number_of_a_system_call_has_its_place(void **state)
{
	assert_int_equal(arch_x86_64.syscall_at, offsetof(struct user_regs_struct, orig_rax));
	assert_int_equal(arch_x86_64.syscall_size, sizeof(((struct user_regs_struct *)0)->orig_rax));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_have_the_names_perf_prints),
		cmocka_unit_test(registers_without_a_name_have_none),
		cmocka_unit_test(arm64_is_not_arm),
		cmocka_unit_test(an_elf_machine_has_a_first_row),
		cmocka_unit_test(names_tell_word_and_byte_order),
		cmocka_unit_test(recorders_sample_what_unwinding_needs),
		cmocka_unit_test(calls_are_known_by_their_bytes),
		cmocka_unit_test(our_own_machine_is_the_default),
		cmocka_unit_test(samples_of_32_bit_programs_select_their_registers),
		cmocka_unit_test(every_register_number_fits_the_tables),
		cmocka_unit_test(each_row_is_complete),
#ifdef __x86_64__
		cmocka_unit_test(the_number_of_a_system_call_has_its_place),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
