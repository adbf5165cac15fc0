#ifndef SYMBOLS_ARCH_ARCH_H
#define SYMBOLS_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What we need to know about a CPU architecture to read a recording: its register names, and
 * how to find a return address. Register numbers are those of perf_event_open(2)
 * (PERF_SAMPLE_REGS_USER; asm/perf_regs.h of the architecture).
 */
enum { ARCH_MAX_REGS = 64, ARCH_NO_REG = 255 };

struct arch {
	/* names from uname -m, NULL-terminated; a trailing '*' matches any rest */
	const char *const *machines;
	const char *const *regs; /* by register number, NULL = no such register */
	unsigned n_regs;

	/* For unwinding. With n_dwarf 0 only the names are known. */
	unsigned n_dwarf;
	/* DWARF register number (psABI of the architecture) to ours, ARCH_NO_REG = not sampled. */
	const uint8_t *from_dwarf;
	uint16_t elf_machine;
	uint8_t word; /* size of a pointer in bytes */
	bool big_endian;
	uint8_t ip, sp, fp;
	bool sp_is_cfa; /* the caller's stack pointer is the CFA unless the CFI says otherwise */
	bool fp_chain;  /* fp points to a frame record {caller's frame pointer, return address} */
	/* the upper bits of return addresses may hold a signature (pointer authentication) */
	bool signs_return;
	/* offset from the CFA where calls push the return address; 0 = in a register */
	int8_t ret_at_cfa;
};

extern const struct arch arch_x86_64, arch_x86, arch_aarch64, arch_arm, arch_s390x, arch_powerpc, arch_riscv64,
	arch_mips, arch_loongarch64, arch_csky;

/*
 * Return the architecture of a uname machine, NULL if unknown. NULL or "" means the machine we
 * run on.
 */
const struct arch *arch_find(const char *machine);
/*
 * Return the architecture that a sample's ABI selects (a 32-bit program on a 64-bit kernel),
 * NULL if we cannot unwind it.
 */
const struct arch *arch_of_abi(const struct arch *a, uint64_t abi);

#endif
