#ifndef SYMBOLS_ARCH_ARCH_PRIV_H
#define SYMBOLS_ARCH_ARCH_PRIV_H

#include <elf.h>

#include "base/mem.h"
#include "symbols/arch/arch.h"

/* A list of names. */
#define NAMES(...) \
	(const char *const[]) { __VA_ARGS__, NULL }

/* --- arch_NAME.c --- */
extern const struct arch arch_x86_64, arch_x86, arch_aarch64, arch_arm, arch_s390x, arch_s390, arch_powerpc64le,
	arch_powerpc64, arch_powerpc, arch_riscv64, arch_riscv32, arch_mips64, arch_mips, arch_loongarch64, arch_csky,
	arch_sparc64, arch_sparc;

#endif
