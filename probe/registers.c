#include "probe/registers.h"

#include <elf.h>

#include "base/mem.h"

static const char *const x86_64[] = { "%ax", "%dx",  "%cx",  "%bx",  "%si",  "%di",  "%bp",  "%sp", "%r8",
				      "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15", NULL };
static const char *const x86_64_args[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9", NULL };
static const char *const i386[] = { "%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", NULL };
static const char *const i386_args[] = { "%ax", "%dx", "%cx", NULL }; /* in the kernel: -mregparm=3 */
static const char *const aarch64[] = { "%x0",  "%x1",  "%x2",  "%x3",  "%x4",  "%x5",  "%x6",  "%x7",  "%x8",
				       "%x9",  "%x10", "%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17",
				       "%x18", "%x19", "%x20", "%x21", "%x22", "%x23", "%x24", "%x25", "%x26",
				       "%x27", "%x28", "%x29", "%x30", "%sp",  NULL };
static const char *const aarch64_args[] = { "%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", NULL };
static const char *const arm[] = { "%r0", "%r1",  "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8",
				   "%r9", "%r10", "%fp", "%ip", "%sp", "%lr", "%pc", NULL };
static const char *const arm_args[] = { "%r0", "%r1", "%r2", "%r3", NULL };
static const char *const s390[] = { "%r0", "%r1",  "%r2",  "%r3",  "%r4",  "%r5",  "%r6",  "%r7", "%r8",
				    "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15", NULL };
static const char *const s390_args[] = { "%r2", "%r3", "%r4", "%r5", "%r6", NULL };
static const char *const riscv[] = { "%zero", "%ra", "%sp", "%gp", "%tp",  "%t0",  "%t1", "%t2", "%s0", "%s1", "%a0",
				     "%a1",   "%a2", "%a3", "%a4", "%a5",  "%a6",  "%a7", "%s2", "%s3", "%s4", "%s5",
				     "%s6",   "%s7", "%s8", "%s9", "%s10", "%s11", "%t3", "%t4", "%t5", "%t6", NULL };
static const char *const riscv_args[] = { "%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7", NULL };
static const char *const ppc64[] = { "%gpr0",  "%gpr1",  "%gpr2",  "%gpr3",  "%gpr4",  "%gpr5",  "%gpr6",
				     "%gpr7",  "%gpr8",  "%gpr9",  "%gpr10", "%gpr11", "%gpr12", "%gpr13",
				     "%gpr14", "%gpr15", "%gpr16", "%gpr17", "%gpr18", "%gpr19", "%gpr20",
				     "%gpr21", "%gpr22", "%gpr23", "%gpr24", "%gpr25", "%gpr26", "%gpr27",
				     "%gpr28", "%gpr29", "%gpr30", "%gpr31", NULL };
static const char *const ppc64_args[] = {
	"%gpr3", "%gpr4", "%gpr5", "%gpr6", "%gpr7", "%gpr8", "%gpr9", "%gpr10", NULL
};

/* To add a machine: its register names by DWARF number, and its argument registers. */
static const struct {
	uint16_t machine;
	const char *const *names, *const *args;
} machines[] = {
	{ EM_X86_64, x86_64, x86_64_args }, { EM_386, i386, i386_args },  { EM_AARCH64, aarch64, aarch64_args },
	{ EM_ARM, arm, arm_args },          { EM_S390, s390, s390_args }, { EM_RISCV, riscv, riscv_args },
	{ EM_PPC64, ppc64, ppc64_args },
};

static const char *nth(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; names && names[i]; i++)
		if (i == n)
			return names[i];
	return NULL;
}

const char *const *register_names(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].names;
	return NULL;
}

const char *register_of_dwarf(uint16_t machine, uint32_t number) { return nth(register_names(machine), number); }

const char *register_of_argument(uint16_t machine, unsigned n)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return nth(machines[i].args, n);
	return NULL;
}
