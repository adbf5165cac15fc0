#ifndef SYMBOLS_UNWIND_ARCH_PRIV_H
#define SYMBOLS_UNWIND_ARCH_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What reading a recording needs to know of a CPU architecture: the names of its registers and how a return address is
 * found. Registers are counted as perf_event_open(2) counts them (PERF_SAMPLE_REGS_USER; asm/perf_regs.h of the
 * architecture).
 */
enum { ARCH_MAX_REGS = 64, ARCH_NO_REG = 255 };

struct arch {
	const char *const *machines; /* names uname -m gives; NULL at the end; a trailing '*' stands for any rest */
	const char *const *regs;     /* by register number, NULL = none of that number */
	unsigned n_regs;

	/* For unwinding. n_dwarf 0: only the names are known. */
	unsigned n_dwarf;
	const uint8_t
		*from_dwarf; /* DWARF register number (psABI of the architecture) to ours, ARCH_NO_REG = not sampled */
	uint16_t elf_machine;
	uint8_t word; /* size of a pointer in bytes */
	bool big_endian;
	uint8_t ip, sp, fp;
	bool sp_is_cfa;    /* the caller's stack pointer is the CFA unless the CFI says otherwise */
	bool fp_chain;     /* frame records {caller's frame pointer, return address} lie where fp points */
	bool signs_return; /* return addresses may carry a signature in their upper bits (pointer authentication) */
	int8_t ret_at_cfa; /* where calls push the return address, counted from the CFA; 0 = they do not */
};

extern const struct arch arch_x86_64, arch_x86, arch_aarch64, arch_arm, arch_s390x, arch_powerpc, arch_riscv64,
	arch_mips, arch_loongarch64, arch_csky;

/* The architecture of that uname machine; NULL or "" means the one we run on. NULL if unknown. */
const struct arch *arch_find(const char *machine);
/* The one that a sample's ABI selects: a 32-bit program on a 64-bit kernel. NULL if it cannot be unwound. */
const struct arch *arch_of_abi(const struct arch *a, uint64_t abi);

#endif
