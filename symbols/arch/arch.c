#include <elf.h>
#include <string.h>
#include <sys/utsname.h>
#include "symbols/arch/arch.h"
#include "symbols/symbols.h"

/*
 * The architectures. To add one, write arch_NAME.c with its struct arch, declare that in
 * arch.h, and add a row here. Architectures of which we only know the register names are
 * in this file.
 */
static const struct arch *const archs[] = {
	&arch_x86_64,  &arch_x86,     &arch_aarch64, &arch_arm,         &arch_s390x,
	&arch_powerpc, &arch_riscv64, &arch_mips,    &arch_loongarch64, &arch_csky,
};

static const char *const arm_machines[] = { "arm*", NULL };
static const char *const arm_regs[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
const struct arch arch_arm = { .machines = arm_machines, .regs = arm_regs, .n_regs = ARRAY_SIZE(arm_regs) };

static const char *const powerpc_machines[] = { "ppc*", "powerpc*", NULL };
static const char *const powerpc_regs[] = {
	"r0",    "r1",    "r2",    "r3",    "r4",   "r5",   "r6",    "r7",   "r8",    "r9",    "r10",     "r11",
	"r12",   "r13",   "r14",   "r15",   "r16",  "r17",  "r18",   "r19",  "r20",   "r21",   "r22",     "r23",
	"r24",   "r25",   "r26",   "r27",   "r28",  "r29",  "r30",   "r31",  "nip",   "msr",   "orig_r3", "ctr",
	"link",  "xer",   "ccr",   "softe", "trap", "dar",  "dsisr", "sier", "mmcra", "mmcr0", "mmcr1",   "mmcr2",
	"mmcr3", "sier2", "sier3", "pmc1",  "pmc2", "pmc3", "pmc4",  "pmc5", "pmc6",  "sdar",  "siar",
};
const struct arch arch_powerpc = { .machines = powerpc_machines,
				   .regs = powerpc_regs,
				   .n_regs = ARRAY_SIZE(powerpc_regs) };

static const char *const riscv_machines[] = { "riscv*", NULL };
static const char *const riscv_regs[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
const struct arch arch_riscv64 = { .machines = riscv_machines, .regs = riscv_regs, .n_regs = ARRAY_SIZE(riscv_regs) };

static const char *const mips_machines[] = { "mips*", NULL };
static const char *const mips_regs[] = {
	"PC",  "$1",  "$2",  "$3",  "$4",  "$5",  "$6",  "$7",  "$8",  "$9",  "$10", "$11", "$12", "$13", "$14", "$15",
	"$16", "$17", "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25", NULL,  NULL,  "$28", "$29", "$30", "$31",
};
const struct arch arch_mips = { .machines = mips_machines, .regs = mips_regs, .n_regs = ARRAY_SIZE(mips_regs) };

static const char *const loongarch_machines[] = { "loongarch*", NULL };
static const char *const loongarch_regs[] = {
	"PC",   "%r1",  "%r2",  "%r3",  "%r4",  "%r5",  "%r6",  "%r7",  "%r8",  "%r9",  "%r10",
	"%r11", "%r12", "%r13", "%r14", "%r15", "%r16", "%r17", "%r18", "%r19", "%r20", "%r21",
	"%r22", "%r23", "%r24", "%r25", "%r26", "%r27", "%r28", "%r29", "%r30", "%r31",
};
const struct arch arch_loongarch64 = { .machines = loongarch_machines,
				       .regs = loongarch_regs,
				       .n_regs = ARRAY_SIZE(loongarch_regs) };

static const char *const csky_machines[] = { "csky*", NULL };
static const char *const csky_regs[] = {
	"tls",      "lr",       "pc",       NULL,      "sp",      NULL,      "a0",       "a1",
	"a2",       "a3",       "regs0",    "regs1",   "regs2",   "regs3",   "regs4",    "regs5",
	"regs6",    "regs7",    "regs8",    "regs9",   "exregs0", "exregs1", "exregs2",  "exregs3",
	"exregs4",  "exregs5",  "exregs6",  "exregs7", "exregs8", "exregs9", "exregs10", "exregs11",
	"exregs12", "exregs13", "exregs14", "hi",      "lo",
};
const struct arch arch_csky = { .machines = csky_machines, .regs = csky_regs, .n_regs = ARRAY_SIZE(csky_regs) };

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

const struct arch *arch_of_abi(const struct arch *a, uint64_t abi)
{
	if (a == &arch_x86_64 && abi == 1)
		a = &arch_x86;
	/* PERF_SAMPLE_REGS_ABI_32 is 1, _64 is 2 */
	if (!a || !a->n_dwarf || (a->word == 4 ? abi != 1 : abi != 2))
		return NULL;
	return a;
}

const char *arch_reg_name(const char *arch, unsigned bit)
{
	const struct arch *a = arch_find(arch);

	return a && bit < a->n_regs ? a->regs[bit] : NULL;
}
