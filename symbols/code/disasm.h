#ifndef SYMBOLS_CODE_DISASM_H
#define SYMBOLS_CODE_DISASM_H

#include "symbols/symbols.h"

/*
 * Turn machine code into text. The bytes are hostile. Each call consumes at least one byte, so
 * n bytes take at most n calls.
 */
struct disasm;

enum disasm_syntax { DISASM_ATT, DISASM_INTEL }; /* for x86; other CPUs have one syntax */

struct disasm_target {
	uint16_t machine; /* EM_ of elf.h */
	bool is_64;       /* ELFCLASS64: distinguishes mips64 from mips, riscv64 from riscv32 */
	bool big_endian;  /* byte order of the code; for EM_ARM the data's may differ */
	bool thumb;       /* EM_ARM: the function's symbol has an odd value */
	enum disasm_syntax syntax;
};

/* Return the target for this program's own code: 64 bit, AT&T. */
struct disasm_target disasm_target_here(void);

/*
 * Open a disassembler; each thread needs its own. Return NULL with e set when we cannot
 * disassemble this machine.
 */
struct disasm *disasm_open(const struct disasm_target *t, struct err *e);
void disasm_close(struct disasm *d); /* NULL is fine */

enum insn_kind {
	INSN_PLAIN,
	INSN_JUMP, /* unconditional */
	INSN_JUMP_IF,
	INSN_CALL,
	INSN_RETURN,
};

/*
 * An instruction, with the text that objdump prints: "mov", "%rax,%rdx". A direct target is a
 * plain hex number in the operands ("401136"); the caller adds its symbol. Undecodable bytes
 * have `bad` set and the text "(bad)" or a data directive.
 */
struct insn {
	uint64_t address;
	uint64_t target;      /* has_target: target of a direct jump or call */
	uint64_t data;        /* has_data: address of an operand relative to the instruction pointer */
	const uint8_t *bytes; /* in the caller's bytes */
	uint8_t size, kind;   /* size in bytes; enum insn_kind */
	bool has_target, has_data, bad;
	char mnemonic[40];  /* with prefixes: "lock cmpxchg" */
	char operands[216]; /* "" = none; without comments and symbols */
};

/* A position in the code; `address` is that of `bytes`. */
struct code_cursor {
	const uint8_t *bytes;
	size_t left;
	uint64_t address;
};
/*
 * Decode the instruction at the cursor and advance the cursor. Return false at the end of the
 * code.
 */
bool disasm_next(struct disasm *d, struct code_cursor *at, struct insn *insn);

/* Write mnemonic and operands in objdump's columns, cut at `size`. Return buf. */
char *insn_text(const struct insn *insn, char *buf, size_t size);

/* ---- the code of an object ---- */

/*
 * Code bytes of an object at its own addresses [address, address + len), see dso_address(). As
 * far as we can tell they are what ran: from the object's file (with the recorded build-id), a
 * jitdump, or the running kernel's memory.
 */
struct code {
	const uint8_t *bytes;
	size_t len; /* may be shorter than asked, where the object ends */
	/*
	 * the object's own address; for a module's code read from memory, the recorded address
	 * in memory
	 */
	uint64_t address;
	uint64_t shift; /* `address` minus the object's own address; 0 except for such a module */
	/*
	 * the same place as an address in the ELF file `from`; usable by other programs if
	 * `in_file`
	 */
	uint64_t file_address;
	bool in_file;
	struct disasm_target target;
	/* path of the file with the code, NULL = none. Lives as long as the struct symbols. */
	const char *from;
	/* section of the code, NULL = unknown. Foreign text; lives as long as `from` */
	const char *section;
	void *heap; /* private */
};
/*
 * Get the code. Return -1 with e set to what is missing and how to get it. Release it with
 * code_release(). Thread-safe.
 */
int dso_code(struct symbols *s, uint32_t dso, uint64_t address, uint64_t len, struct code *c, struct err *e);
void code_release(struct code *c);

#endif
