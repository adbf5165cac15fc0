#ifndef SYMBOLS_CODE_DISASM_DATA_PRIV_H
#define SYMBOLS_CODE_DISASM_DATA_PRIV_H

#include "symbols/code/disasm.h"

/* Registers and memory that an instruction uses. */

enum { NO_REGISTER = -1 };
/*
 * A memory operand. Registers have DWARF numbers. `is_static`: at a known address, plus an
 * index register if any.
 */
struct memory_operand {
	bool there, is_static;
	char segment; /* 'f', 'g', 0 = none */
	int base, index;
	int64_t offset;
	uint64_t address;
};
enum data_flow { FLOW_NONE, FLOW_COPY, FLOW_LOAD, FLOW_ADDRESS, FLOW_ADD };
/*
 * What an instruction does with values. `flow` says how the register `to` gets a value that may
 * be a pointer: it copies `from`, loads the memory operand, takes its address, or adds `from`
 * (or `add`) to itself. `writes` has a bit for each register that changes.
 */
struct insn_data {
	uint64_t address, target, writes;
	struct memory_operand memory; /* memory it reads or writes, except by `on_stack` */
	uint8_t kind, flow;
	bool has_target;
	bool on_stack; /* it pushes, pops, calls or returns */
	/*
	 * the CPU may fuse it with the next one; then samples of both have the next one's
	 * address
	 */
	bool fuses;
	int to, from;
	int64_t add;
};
/*
 * Like disasm_next(), for a disassembler opened with DISASM_INTEL. Only supports x86: other
 * machines get no operands.
 */
bool disasm_data(struct disasm *d, struct code_cursor *at, struct insn_data *data);

#endif
