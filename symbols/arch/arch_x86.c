#include "symbols/arch/arch_priv.h"

enum { AX, BX, CX, DX, SI, DI, BP, SP, IP }; /* asm/perf_regs.h of x86 */

/*
 * Source: asm/perf_regs.h of x86. 32-bit programs use the first sixteen. Each XMM register has two numbers; both halves
 * have the same name.
 */
const char *const arch_x86_regs[ARCH_X86_REGS] = {
	"AX",    "BX",    "CX",    "DX",    "SI",          "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",          "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   [32] = "XMM0", "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",
	"XMM3",  "XMM3",  "XMM4",  "XMM4",  "XMM5",        "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",
	"XMM8",  "XMM8",  "XMM9",  "XMM9",  "XMM10",       "XMM10", "XMM11", "XMM11", "XMM12", "XMM12",
	"XMM13", "XMM13", "XMM14", "XMM14", "XMM15",       "XMM15",
};
/* System V ABI, Intel386 supplement, "DWARF Register Number Mapping"; 8 is the return address. */
static const uint8_t from_dwarf[] = { AX, CX, DX, BX, SP, BP, SI, DI, IP };

const struct arch arch_x86 = {
	.machines = NAMES("i386", "i486", "i586", "i686", "x86"),
	.elf_machine = EM_386,
	.word = 4,
#ifdef __i386__
	.native = true,
#endif
	.regs = arch_x86_regs,
	.n_regs = ARCH_X86_REGS,
	.user_regs = 0xfff,
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = IP,
	.sp = SP,
	.fp = BP,
	.sp_is_cfa = true,
	.fp_chain = true,
	.ret_at_cfa = -4,
	.probe_regs = NAMES("%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di"),
	.probe_args = NAMES("%ax", "%dx", "%cx"),
};
