#include "symbols/arch/arch_priv.h"

/* Register numbers: asm/perf_regs.h of arm64. */
static const char *const regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",        "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",       "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  [46] = "vg",
};
/*
 * DWARF for the Arm 64-bit Architecture, "DWARF register names": X0 to X30, SP, PC have the
 * kernel's numbers.
 */
static const uint8_t from_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

const struct arch arch_aarch64 = {
	.machines = NAMES("aarch64*", "arm64*"),
	.elf_machine = EM_AARCH64,
	.word = 8,
#ifdef __aarch64__
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.user_regs = 0x1ffffffff, /* X0..X28, X29, LR, SP, PC */
	.n_dwarf = ARRAY_SIZE(from_dwarf),
	.from_dwarf = from_dwarf,
	.ip = 32,
	.sp = 31,
	.fp = 29,
	.link = 30,
	.sp_is_cfa = true,
	.fp_chain = true,
	.signs_return = true,
	/*
	 * mov x8, #139; svc #0. Behind 128 bytes of siginfo and 176 of ucontext, struct sigcontext begins with an
	 * address. Source: arch/arm64/kernel/vdso/sigreturn.S of the kernel; asm/ucontext.h, asm/sigcontext.h of arm64.
	 */
	.sigreturn = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	.sigreturn_regs = 128 + 176 + 8,
	.reloc_64 = R_AARCH64_ABS64,
	.reloc_32 = { R_AARCH64_ABS32 },
	.mark_letters = "dx",
	.plt_stub_least = 16,
	.probe_regs = NAMES("%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9", "%x10", "%x11",
			    "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21", "%x22",
			    "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30", "%sp"),
	.probe_args = NAMES("%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7"),
	.args_on_stack = true,
};
