#include "symbols/arch/arch_priv.h"

static const char *const regs[] = {
	"tls",      "lr",       "pc",       NULL,      "sp",      NULL,      "a0",       "a1",
	"a2",       "a3",       "regs0",    "regs1",   "regs2",   "regs3",   "regs4",    "regs5",
	"regs6",    "regs7",    "regs8",    "regs9",   "exregs0", "exregs1", "exregs2",  "exregs3",
	"exregs4",  "exregs5",  "exregs6",  "exregs7", "exregs8", "exregs9", "exregs10", "exregs11",
	"exregs12", "exregs13", "exregs14", "hi",      "lo",
};

const struct arch arch_csky = {
	.machines = NAMES("csky*"),
	.elf_machine = EM_CSKY,
	.word = 4,
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
};
