#include "symbols/arch/arch_priv.h"

static const char *const regs[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
static const char *const probe_regs[] = { "%zero", "%ra", "%sp", "%gp", "%tp", "%t0", "%t1", "%t2", "%s0",
					  "%s1",   "%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7",
					  "%s2",   "%s3", "%s4", "%s5", "%s6", "%s7", "%s8", "%s9", "%s10",
					  "%s11",  "%t3", "%t4", "%t5", "%t6", NULL };
static const char *const probe_args[] = { "%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7", NULL };

const struct arch arch_riscv64 = {
	.machines = NAMES("riscv64*", "riscv"),
	.elf_machine = EM_RISCV,
	.word = 8,
#if defined(__riscv) && __riscv_xlen == 64
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.user_regs = 0xffffffff, /* PC, RA .. T6 */
	.mark_letters = "dx",
	.mark_has_text = true, /* the instruction set */
	.label_prefix = ".L",
	.probe_regs = probe_regs,
	.probe_args = probe_args,
};
const struct arch arch_riscv32 = {
	.machines = NAMES("riscv*"),
	.elf_machine = EM_RISCV,
	.word = 4,
#if defined(__riscv) && __riscv_xlen == 32
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.mark_letters = "dx",
	.mark_has_text = true,
	.label_prefix = ".L",
	.probe_regs = probe_regs,
	.probe_args = probe_args,
};
