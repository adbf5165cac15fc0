#include "symbols/arch/arch_priv.h"

/*
 * Register numbers: asm/perf_regs.h of s390: 0-15 general, 16-31 floating point, then the two
 * halves of the PSW.
 */
static const char *const regs[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
/*
 * ELF ABI supplement for z/Architecture, "DWARF Register Number Mapping". Leaf functions save
 * general registers in floating point registers.
 */
static const uint8_t from_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 18, 20, 22, 17, 19, 21, 23, 24, 26, 28, 30, 25, 27, 29, 31,
};

const struct arch arch_s390x = {
	.machines = NAMES("s390x"),
	.elf_machine = EM_S390,
	.word = 8,
	.big_endian = true,
#ifdef __s390x__
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = 33,
	.sp = 15,
	.fp = 11,
	.reloc_64 = R_390_64,
	.reloc_32 = { R_390_32 },
	.probe_regs = NAMES("%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8", "%r9", "%r10", "%r11",
			    "%r12", "%r13", "%r14", "%r15"),
	.probe_args = NAMES("%r2", "%r3", "%r4", "%r5", "%r6"),
};
/* Addresses of 31 bits. */
const struct arch arch_s390 = { .machines = NAMES("s390"), .elf_machine = EM_S390, .word = 4, .big_endian = true };
