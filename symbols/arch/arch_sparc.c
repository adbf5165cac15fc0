#include "symbols/arch/arch_priv.h"

const struct arch arch_sparc64 = {
	.machines = NAMES("sparc64"), .elf_machine = EM_SPARCV9, .word = 8, .big_endian = true
};
const struct arch arch_sparc = { .machines = NAMES("sparc"), .elf_machine = EM_SPARC, .word = 4, .big_endian = true };
