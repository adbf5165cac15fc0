#include "symbols/arch/arch_priv.h"

static const char *const regs[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

const struct arch arch_arm = {
	.machines = NAMES("arm*"),
	.elf_machine = EM_ARM,
	.word = 4,
#ifdef __arm__
	.native = true,
#endif
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
	.user_regs = 0xffff,
	.mark_letters = "adtx",
	.thumb_bit = true,
	.plt_stub = 12,
	.probe_regs = NAMES("%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7", "%r8", "%r9", "%r10", "%fp", "%ip",
			    "%sp", "%lr", "%pc"),
	.probe_args = NAMES("%r0", "%r1", "%r2", "%r3"),
};
