#include "record/bpf/emit_priv.h"

enum { NOWHERE = -1 };

void emit_release(struct emit *c)
{
	vec_free(c);
	vec_free(&c->jumps);
	vec_free(&c->labels);
}

static void put(struct emit *c, unsigned code, int to, int from, int off, int32_t value)
{
	vec_push(c, (struct bpf_insn){ .code = (uint8_t)code,
				       .dst_reg = (uint8_t)(to & 15),
				       .src_reg = (uint8_t)(from & 15),
				       .off = (int16_t)off,
				       .imm = value });
}

void emit_reg(struct emit *c, unsigned op, int to, int from) { put(c, BPF_ALU64 | op | BPF_X, to, from, 0, 0); }

void emit_imm(struct emit *c, unsigned op, int to, int32_t value) { put(c, BPF_ALU64 | op | BPF_K, to, 0, 0, value); }

void emit_load(struct emit *c, unsigned size, int to, int base, int off)
{
	put(c, BPF_LDX | size | BPF_MEM, to, base, off, 0);
}

void emit_store(struct emit *c, unsigned size, int base, int off, int from)
{
	put(c, BPF_STX | size | BPF_MEM, base, from, off, 0);
}

void emit_store_imm(struct emit *c, unsigned size, int base, int off, int32_t value)
{
	put(c, BPF_ST | size | BPF_MEM, base, 0, off, value);
}

void emit_map(struct emit *c, int to, int map)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
	put(c, 0, 0, 0, 0, 0); /* the upper half of the number */
}

void emit_call(struct emit *c, int helper) { put(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper); }

static void map_and_key(struct emit *c, int map, int key_off)
{
	emit_map(c, R1, map);
	emit_reg(c, BPF_MOV, R2, FP);
	emit_imm(c, BPF_ADD, R2, key_off);
}

void emit_lookup(struct emit *c, int map, int key_off)
{
	map_and_key(c, map, key_off);
	emit_call(c, BPF_FUNC_map_lookup_elem);
}

void emit_update(struct emit *c, int map, int key_off, int value_off)
{
	map_and_key(c, map, key_off);
	emit_reg(c, BPF_MOV, R3, FP);
	emit_imm(c, BPF_ADD, R3, value_off);
	emit_imm(c, BPF_MOV, R4, BPF_ANY);
	emit_call(c, BPF_FUNC_map_update_elem);
}

void emit_add_to(struct emit *c, int base, int off, int from, int scratch)
{
	emit_load(c, BPF_DW, scratch, base, off);
	emit_reg(c, BPF_ADD, scratch, from);
	emit_store(c, BPF_DW, base, off, scratch);
}

void emit_return(struct emit *c, int32_t value)
{
	emit_imm(c, BPF_MOV, R0, value);
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

int emit_label(struct emit *c)
{
	vec_push(&c->labels, (size_t)NOWHERE);
	return (int)c->labels.len - 1;
}

void emit_here(struct emit *c, int label) { c->labels.items[label] = c->len; }

static void jump(struct emit *c, unsigned op, int reg, int with, int32_t value, int label)
{
	vec_push(&c->jumps, (struct emit_jump){ c->len, label });
	put(c, BPF_JMP | op, reg, with, 0, value);
}

void emit_jump(struct emit *c, int label) { jump(c, BPF_JA, 0, 0, 0, label); }

void emit_jump_if(struct emit *c, unsigned op, int reg, int32_t value, int label)
{
	jump(c, op | BPF_K, reg, 0, value, label);
}

void emit_jump_reg(struct emit *c, unsigned op, int reg, int with, int label)
{
	jump(c, op | BPF_X, reg, with, 0, label);
}

void emit_finish(struct emit *c)
{
	for (size_t i = 0; i < c->jumps.len; i++) {
		const struct emit_jump *j = &c->jumps.items[i];

		c->items[j->at].off = (int16_t)(c->labels.items[j->label] - j->at - 1);
	}
	vec_clear(&c->jumps);
}
