#ifndef RECORD_BPF_EMIT_PRIV_H
#define RECORD_BPF_EMIT_PRIV_H

/*
 * An assembler for programs that the kernel runs (BPF). Each function appends one instruction.
 *
 *	struct emit c = { 0 };
 *	int skip = emit_label(&c);
 *	emit_call(&c, BPF_FUNC_get_smp_processor_id);
 *	emit_jump_if(&c, BPF_JEQ, R0, 0, skip);		CPU 0: do nothing
 *	...
 *	emit_here(&c, skip);
 *	emit_return(&c, 0);
 *	fd = bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "name", &c, &e);
 *	emit_release(&c);
 *
 * Source: linux/bpf.h; Documentation/bpf/standardization/instruction-set.rst.
 */
#include <linux/bpf.h>

#include "base/mem.h"

/*
 * R0: result of a call; R1 to R5: its arguments, lost by the call; R6 to R9 keep their values; FP:
 * end of 512 bytes of stack.
 */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

struct emit {
	VEC(struct bpf_insn);
	VEC(struct emit_jump {
		size_t at;
		int label;
	})
	jumps;
	VEC(size_t) labels; /* places of the labels in the code */
};
void emit_release(struct emit *c);

/* 64-bit arithmetic; op: BPF_MOV, BPF_ADD, ... of linux/bpf.h */
void emit_reg(struct emit *c, unsigned op, int to, int from);
void emit_imm(struct emit *c, unsigned op, int to, int32_t value);
/* size: BPF_B, BPF_H, BPF_W, BPF_DW */
void emit_load(struct emit *c, unsigned size, int to, int base, int off);
void emit_store(struct emit *c, unsigned size, int base, int off, int from);
void emit_store_imm(struct emit *c, unsigned size, int base, int off, int32_t value);
/* Set `to` to the map, as R1 of the map helpers needs it. */
void emit_map(struct emit *c, int to, int map);
void emit_call(struct emit *c, int helper);
/* R1 = map, R2 = FP + key_off; R0 = address of the value, or 0. */
void emit_lookup(struct emit *c, int map, int key_off);
/* Put the value at FP + value_off under the key at FP + key_off; R0 = 0, or an error. */
void emit_update(struct emit *c, int map, int key_off, int value_off);
/* *(u64 *)(base + off) += value */
void emit_add_to(struct emit *c, int base, int off, int from, int scratch);
void emit_return(struct emit *c, int32_t value);

/* Make a label for a later place. emit_here() sets the place, once. */
int emit_label(struct emit *c);
void emit_here(struct emit *c, int label);
void emit_jump(struct emit *c, int label);
/* op: BPF_JEQ, BPF_JNE, BPF_JGT (without sign), BPF_JSGT (with sign), ... */
void emit_jump_if(struct emit *c, unsigned op, int reg, int32_t value, int label);
void emit_jump_reg(struct emit *c, unsigned op, int reg, int with, int label);
/* Write the distances into the jumps. All labels must be set. */
void emit_finish(struct emit *c);

#endif
