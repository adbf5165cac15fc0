#ifndef SYMBOLS_CODE_DISASM_PRIV_H
#define SYMBOLS_CODE_DISASM_PRIV_H

#include "symbols/code/capstone_priv.h"
#include "symbols/code/disasm.h"

struct machine {
	uint16_t machine;
	uint8_t unit;
	int arch;
	unsigned mode_32, mode_64;
	const struct branch_mnemonic *branches;
};

struct disasm {
	csh handle;
	cs_insn *insn;
	const struct machine *machine;
	struct disasm_target target;
};

/* Set kind and targets of an instruction: insn->kind, ->target, ->data. */
void disasm_classify(const struct disasm *d, const cs_insn *c, struct insn *insn);

/*
 * Write the instruction as objdump does, into insn->mnemonic and ->operands. For arm64 these
 * must contain capstone's text.
 */
void disasm_text_arm64(const cs_insn *c, struct insn *insn);
void disasm_text_x86(csh handle, const cs_insn *c, bool att, struct insn *insn);
/*
 * Return the length of an x86 instruction that capstone does not know, at most `left`; 1 when
 * it is unknown.
 */
unsigned disasm_length_x86(const uint8_t *bytes, size_t left);

#endif
