#include <string.h>
#include <sys/utsname.h>

#include "symbols/arch/arch_priv.h"
#include "symbols/symbols.h"

/*
 * The architectures. To add one, write arch_NAME.c with its struct arch, declare it in arch_priv.h, and add it here.
 * Names are tried in this order; the first row with an ELF machine stands for it. These facts are elsewhere:
 *
 *   symbols/code/disasm.c             a row: how capstone disassembles it; disasm_*.c beside it: its operands
 *   probe/sdt.c                       a row: how markers write operands, translated for the kernel
 *   events/event_map.c                how its CPUs are identified, and their folder in pmu-events (events/ does not
 *                                     know symbols/)
 *   symbols/unwind/unwind_libunwind.c the library that is linked unwinds x86-64 only
 *
 * What uses instructions or tracers of the machine that strobe runs on is compiled for that only, by #if:
 * record/attr/aux_*.c, report/monitors/, cmd/test/. Unit tests of disasm.c and sdt.c fail if an architecture has
 * neither a row there nor a place in their list of those without.
 */
static const struct arch *const archs[] = {
	&arch_x86_64,      &arch_x86,         &arch_aarch64, &arch_arm,     &arch_s390x,   &arch_s390,
	&arch_powerpc64le, &arch_powerpc64,   &arch_powerpc, &arch_riscv64, &arch_riscv32, &arch_mips64,
	&arch_mips,        &arch_loongarch64, &arch_csky,    &arch_sparc64, &arch_sparc,
};

static bool is_machine(const char *pattern, const char *machine)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return !strncmp(pattern, machine, len - 1);
	return !strcmp(pattern, machine);
}

const struct arch *arch_find(const char *machine)
{
	struct utsname u;

	if (!machine || !*machine) {
		if (uname(&u) < 0)
			return NULL;
		machine = u.machine;
	}
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		for (const char *const *m = archs[i]->machines; *m; m++)
			if (is_machine(*m, machine))
				return archs[i];
	return NULL;
}

const struct arch *arch_of_elf(uint16_t elf_machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (archs[i]->elf_machine == elf_machine)
			return archs[i];
	return NULL;
}

const struct arch *arch_at(size_t i) { return i < ARRAY_SIZE(archs) ? archs[i] : NULL; }

const struct arch *arch_native(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (archs[i]->native)
			return archs[i];
	return NULL;
}

uint16_t elf_native_machine(void)
{
	const struct arch *a = arch_native();

	return a ? a->elf_machine : EM_NONE;
}

const struct arch *arch_of_abi(const struct arch *a, uint64_t abi)
{
	/* PERF_SAMPLE_REGS_ABI_32 is 1, _64 is 2 */
	if (a && a->abi_32 && abi == 1)
		a = a->abi_32;
	if (!a || !a->n_dwarf || (a->word == 4 ? abi != 1 : abi != 2))
		return NULL;
	return a;
}

const char *arch_reg_name(const char *arch, unsigned bit)
{
	const struct arch *a = arch_find(arch);

	return a && bit < a->n_regs ? a->regs[bit] : NULL;
}
