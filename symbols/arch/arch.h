#ifndef SYMBOLS_ARCH_ARCH_H
#define SYMBOLS_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The differences between CPU architectures, one row each, as far as no library knows them better.
 * Zero in a column means unknown.
 *
 * Example: print the registers that a sample of an arm64 machine may have.
 *
 *	const struct arch *a = arch_find("aarch64");
 *
 *	for (unsigned i = 0; a && i < a->n_regs; i++)
 *		if (a->regs[i])
 *			printf("%u %s\n", i, a->regs[i]);
 */
enum { ARCH_MAX_REGS = 64, ARCH_NO_REG = 255 };

/*
 * Decode a stub of the procedure linkage table at `address`. Return false if it is none; else set *slot to the address
 * of the memory from which it loads its target.
 */
typedef bool plt_slot_fn(const uint8_t *code, size_t len, uint64_t address, uint64_t *slot);

struct arch {
	/* ---- which machine ---- */
	/* names from uname -m, NULL-terminated; a trailing '*' matches any rest */
	const char *const *machines;
	uint16_t elf_machine; /* EM_*; rows that differ in word size or byte order may share one */
	uint8_t word;         /* size of a pointer in bytes */
	bool big_endian;
	bool native; /* strobe was built for it */
	/* of programs of 32 bits on a kernel of this one; NULL: we cannot unwind these */
	const struct arch *abi_32;

	/*
	 * ---- registers of samples ---- (record, script)
	 * Numbers are those of perf_event_open(2): PERF_SAMPLE_REGS_USER; asm/perf_regs.h of the architecture.
	 */
	const char *const *regs; /* by number, NULL = no such register */
	unsigned n_regs;
	uint64_t user_regs; /* registers that each kernel can sample and that unwinding needs; 0: record none */

	/* ---- unwinding ---- Impossible if n_dwarf is 0. */
	unsigned n_dwarf;
	/* DWARF register number (psABI of the architecture) to ours, ARCH_NO_REG = not sampled */
	const uint8_t *from_dwarf;
	uint8_t ip, sp, fp;
	/*
	 * The register that holds a leaf's return address; recorders of frame pointers sample it,
	 * too. 0 = none. Its number is below those of sp and ip.
	 */
	uint8_t link;
	bool sp_is_cfa; /* the caller's stack pointer is the CFA unless the CFI says otherwise */
	bool fp_chain;  /* fp points to a frame record {caller's frame pointer, return address} */
	/* the upper bits of return addresses may hold a signature (pointer authentication) */
	bool signs_return;
	/* offset from the CFA where calls push the return address; 0 = in a register */
	int8_t ret_at_cfa;
	/*
	 * Return true if these 8 bytes of code, which end at `ip`, end with a call; set *target if the call names its
	 * target. NULL: calls leave nothing on the stack.
	 */
	bool (*calls)(const uint8_t *code, uint64_t ip, uint64_t *target);
	/*
	 * The code that ends a signal's handler, where the vdso has no CFI for it, and how far above the stack
	 * pointer the n_dwarf registers of the interrupted code then are, by number. 0: use the CFI.
	 */
	uint8_t sigreturn[8];
	uint16_t sigreturn_regs;
	uint32_t call_loses; /* bits by DWARF number: registers that a called function may change; 0 = unknown */

	/* ---- ELF ---- (symbols/file, symbols/name) */
	/* types of the relocations that write an absolute address of 8 or 4 bytes; 0 = none */
	uint16_t reloc_64, reloc_32[2];
	/*
	 * Mapping symbols, which separate code from data in a section: '$' and one of these letters. Nothing, or a dot,
	 * follows unless mark_has_text. Source: the ELF supplements of ARM, AArch64 and RISC-V.
	 */
	const char *mark_letters;
	bool mark_has_text;
	const char *label_prefix; /* assembler symbols that are no names begin with this */
	bool thumb_bit;           /* the lowest bit of a function's address selects the encoding of its code */
	uint8_t plt_stub;         /* size of a stub in bytes, whatever the section says */
	uint8_t plt_stub_least;
	plt_slot_fn *plt_slot; /* NULL: stubs are in the order of their relocations */

	/*
	 * ---- probes ---- (probe)
	 * Names in the kernel's fetch arguments. Source: arch/ARCH/kernel/ptrace.c of the kernel
	 * (regs_query_register_offset).
	 */
	const char *const *probe_regs; /* by DWARF number; NULL-terminated */
	const char *const *probe_args; /* of the integer arguments at a function's entry; NULL-terminated */
	/* Further names; with them the list is complete, so others are refused with a hint. */
	const char *const *probe_more;
	const char *probe_hint;
	/*
	 * Arguments beyond those in registers are words on the stack, above the return address if
	 * it is there.
	 */
	bool args_on_stack;

	/* ---- system calls ---- (record/bpf, report/trace) */
	/*
	 * Names by number up to 423, separated by blanks, '-' for an unused number; report/trace/numbers.c has those
	 * from 424 on, which all architectures share. Source: asm/unistd.h and asm-generic/unistd.h of the kernel; for
	 * s390x, arch/s390/kernel/syscalls/syscall.tbl.
	 */
	const char *syscalls;
	uint16_t first_syscall; /* the number of the first name */
	/*
	 * Offset and size in bytes of the running call's number in the kernel's struct pt_regs; size 0 = unknown.
	 * Source: asm/ptrace.h of the kernel.
	 */
	uint16_t syscall_at;
	uint8_t syscall_size;

	/* ---- memory samples ---- (report) As perf shows them. */
	bool names_peers;  /* samples tell that the data came from another cache, but not that it was modified there */
	bool stage_cycles; /* the weights of samples contain p_stage_cyc */
};

/*
 * Return the architecture of a uname machine, NULL if unknown. NULL or "" means the machine we
 * run on.
 */
const struct arch *arch_find(const char *machine);
/* Return the first row of an ELF machine; NULL if unknown. */
const struct arch *arch_of_elf(uint16_t elf_machine);
/* Return the i-th row, NULL behind the last one. */
const struct arch *arch_at(size_t i);
/* Return the architecture that strobe was built for, NULL if unknown. */
const struct arch *arch_native(void);
/*
 * Return the architecture that a sample's ABI selects (a 32-bit program on a 64-bit kernel),
 * NULL if we cannot unwind it.
 */
const struct arch *arch_of_abi(const struct arch *a, uint64_t abi);

#endif
