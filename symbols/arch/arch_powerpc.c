#include "symbols/arch/arch_priv.h"

static const char *const regs[] = {
	"r0",    "r1",    "r2",    "r3",    "r4",   "r5",   "r6",    "r7",   "r8",    "r9",    "r10",     "r11",
	"r12",   "r13",   "r14",   "r15",   "r16",  "r17",  "r18",   "r19",  "r20",   "r21",   "r22",     "r23",
	"r24",   "r25",   "r26",   "r27",   "r28",  "r29",  "r30",   "r31",  "nip",   "msr",   "orig_r3", "ctr",
	"link",  "xer",   "ccr",   "softe", "trap", "dar",  "dsisr", "sier", "mmcra", "mmcr0", "mmcr1",   "mmcr2",
	"mmcr3", "sier2", "sier3", "pmc1",  "pmc2", "pmc3", "pmc4",  "pmc5", "pmc6",  "sdar",  "siar",
};
static const char *const probe_regs[] = { "%gpr0",  "%gpr1",  "%gpr2",  "%gpr3",  "%gpr4",  "%gpr5",  "%gpr6",
					  "%gpr7",  "%gpr8",  "%gpr9",  "%gpr10", "%gpr11", "%gpr12", "%gpr13",
					  "%gpr14", "%gpr15", "%gpr16", "%gpr17", "%gpr18", "%gpr19", "%gpr20",
					  "%gpr21", "%gpr22", "%gpr23", "%gpr24", "%gpr25", "%gpr26", "%gpr27",
					  "%gpr28", "%gpr29", "%gpr30", "%gpr31", NULL };
static const char *const probe_args[] = {
	"%gpr3", "%gpr4", "%gpr5", "%gpr6", "%gpr7", "%gpr8", "%gpr9", "%gpr10", NULL
};

/* What both byte orders have in common. */
#define PPC64 \
	.elf_machine = EM_PPC64, .word = 8, .regs = regs, .n_regs = ARRAY_SIZE(regs), .reloc_64 = R_PPC64_ADDR64, \
	.reloc_32 = { R_PPC64_ADDR32 }, .probe_regs = probe_regs, .probe_args = probe_args, .stage_cycles = true

const struct arch arch_powerpc64le = {
	.machines = NAMES("ppc64le*", "powerpc64le*"),
#if defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	.native = true,
#endif
	PPC64,
};
const struct arch arch_powerpc64 = {
	.machines = NAMES("ppc64*", "powerpc64*"),
	.big_endian = true,
#if defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	.native = true,
#endif
	PPC64,
};
const struct arch arch_powerpc = {
	.machines = NAMES("ppc*", "powerpc*"),
	.elf_machine = EM_PPC,
	.word = 4,
	.big_endian = true,
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.stage_cycles = true,
};
