#ifndef SYMBOLS_CODE_DISASM_H
#define SYMBOLS_CODE_DISASM_H

#include "symbols/symbols.h"

/*
 * Machine code to text. The bytes are foreign: whatever they are, each call makes one instruction of at least one byte,
 * so a span of n bytes is done after at most n calls.
 */
struct disasm;

enum disasm_syntax { DISASM_ATT, DISASM_INTEL }; /* of x86; other CPUs have one syntax */

struct disasm_target {
	uint16_t machine; /* EM_ of elf.h */
	bool is_64;       /* ELFCLASS64: tells mips64 from mips, riscv64 from riscv32 */
	bool big_endian;  /* of the code, which for EM_ARM may differ from the data's */
	bool thumb;       /* EM_ARM: the function's symbol has an odd value */
	enum disasm_syntax syntax;
};

/* The machine this was built for, 64 bit, AT&T: for code of our own memory. */
struct disasm_target disasm_target_here(void);
/* By the uname machine of a recording ("x86_64", "aarch64"), NULL = ours: for code without an ELF header. machine 0
 * (EM_NONE) when unknown. */
struct disasm_target disasm_target_of(const char *uname_machine);

/* One per thread. NULL with e set when the machine cannot be disassembled here. */
struct disasm *disasm_open(const struct disasm_target *t, struct err *e);
void disasm_close(struct disasm *d); /* NULL is fine */

enum insn_kind {
	INSN_PLAIN,
	INSN_JUMP, /* always */
	INSN_JUMP_IF,
	INSN_CALL,
	INSN_RETURN,
};

/*
 * An instruction. Its text is that of objdump: "mov", "%rax,%rdx"; a direct target stands in the operands as a plain
 * hex number ("401136") for the reader to add its symbol. What is none has `bad` set and the text "(bad)" or a data
 * directive.
 */
struct insn {
	uint64_t address;
	uint64_t target;      /* has_target: of a direct jump or call */
	uint64_t data;        /* has_data: where an operand relative to the instruction pointer lies */
	const uint8_t *bytes; /* in the caller's span */
	uint8_t size, kind;   /* bytes; enum insn_kind */
	bool has_target, has_data, bad;
	char mnemonic[40];  /* prefixes included: "lock cmpxchg" */
	char operands[216]; /* "" = none. Without comments and symbols */
};

/* A place in a span of code; `address` is that of `bytes`. */
struct code_cursor {
	const uint8_t *bytes;
	size_t left;
	uint64_t address;
};
/* The instruction at the cursor, which moves behind it. False at the end of the span. */
bool disasm_next(struct disasm *d, struct code_cursor *at, struct insn *insn);

/* ---- what it does with registers and memory ---- */

enum { NO_REGISTER = -1 };
/* Registers bear their DWARF numbers. `is_static`: at a known address, plus an index that is not known. */
struct memory_operand {
	bool there, is_static;
	char segment; /* 'f', 'g', 0 = none */
	int base, index;
	int64_t offset;
	uint64_t address;
};
enum data_flow { FLOW_NONE, FLOW_COPY, FLOW_LOAD, FLOW_ADDRESS, FLOW_ADD };
/*
 * `flow` is how the register `to` gets a value that may be a pointer: that of `from`, what the memory operand has, its
 * address, or its own plus `from` (or plus `add`). `writes` has a bit for each register that has another value
 * afterwards.
 */
struct insn_data {
	uint64_t address, target, writes;
	struct memory_operand memory; /* what is read or written, but not by `on_stack` */
	uint8_t kind, flow;
	bool has_target;
	bool on_stack; /* pushes, pops, calls and returns */
	bool fuses;    /* the CPU may execute it as one with the next: samples of both bear the next one's address */
	int to, from;
	int64_t add;
};
/* As disasm_next, of a disassembler opened with DISASM_INTEL. Only x86 is known: others tell no operands. */
bool disasm_data(struct disasm *d, struct code_cursor *at, struct insn_data *data);

/* Mnemonic and operands in objdump's columns, cut at `size`. Returns buf. */
char *insn_text(const struct insn *insn, char *buf, size_t size);

/* ---- the code of an object ---- */

/*
 * Code bytes of an object at its own addresses [address, address + len), see dso_address. They are what ran as far as
 * can be told: of the object's file (its build-id was compared), a jitdump, the running kernel's memory.
 */
struct code {
	const uint8_t *bytes;
	size_t len;       /* may be less than asked where the object ends */
	uint64_t address; /* where they lie: the object's own address, of a module's code that was read from memory the
			     recorded one there */
	uint64_t shift;   /* of `address` from the object's own: of such a module, else 0 */
	uint64_t file_address; /* the same place as the ELF file `from` counts, if others can read it there, which
				  `in_file` tells */
	bool in_file;
	struct disasm_target target;
	const char *from;    /* path of the file they are in, NULL = of no file. Lives as long as the struct symbols */
	const char *section; /* it lies in, NULL = not told. Foreign text; lives as long as `from` */
	void *heap;          /* private */
};
/* -1 with e set: what is missing and how to get it. Thread-safe. */
int dso_code(struct symbols *s, uint32_t dso, uint64_t address, uint64_t len, struct code *c, struct err *e);
void code_release(struct code *c);

#endif
