#include "symbols/arch/arch_priv.h"

static const char *const regs[] = {
	"PC",  "$1",  "$2",  "$3",  "$4",  "$5",  "$6",  "$7",  "$8",  "$9",  "$10", "$11", "$12", "$13", "$14", "$15",
	"$16", "$17", "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25", NULL,  NULL,  "$28", "$29", "$30", "$31",
};

const struct arch arch_mips64 = {
	.machines = NAMES("mips64*"),
	.elf_machine = EM_MIPS,
	.word = 8,
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
};
const struct arch arch_mips = {
	.machines = NAMES("mips*"),
	.elf_machine = EM_MIPS,
	.word = 4,
	.regs = regs,
	.n_regs = ARRAY_SIZE(regs),
};
