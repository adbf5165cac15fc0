#include "symbols/unwind/cfi_priv.h"

/*
 * Evaluate the expressions of CFI on a small stack machine (DWARF 5, 2.5). Refuse operations
 * that have no meaning in CFI (types, pieces, other entries). Opcode numbers: DWARF 5, 7.7.1.
 */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

enum { STACK = 64, MAX_STEPS = 1000 };

struct eval {
	const struct arch *arch;
	const struct cfi_machine *m;
	uint64_t stack[STACK];
	unsigned depth;
	bool bad;
};

static void push(struct eval *ev, uint64_t v)
{
	if (ev->depth == STACK)
		ev->bad = true;
	else
		ev->stack[ev->depth++] = ev->arch->word == 4 ? (uint32_t)v : v;
}

static uint64_t pop(struct eval *ev)
{
	if (!ev->depth) {
		ev->bad = true;
		return 0;
	}
	return ev->stack[--ev->depth];
}

static void push_nth(struct eval *ev, unsigned n)
{
	if (n >= ev->depth)
		ev->bad = true;
	else
		push(ev, ev->stack[ev->depth - 1 - n]);
}

static void push_reg(struct eval *ev, uint64_t dwarf_reg, int64_t offset)
{
	uint8_t reg = dwarf_reg < ev->arch->n_dwarf ? ev->arch->from_dwarf[dwarf_reg] : ARCH_NO_REG;

	if (reg == ARCH_NO_REG || !(ev->m->known & UINT64_C(1) << reg))
		ev->bad = true;
	else
		push(ev, ev->m->regs[reg] + (uint64_t)offset);
}

static void deref(struct eval *ev, unsigned size)
{
	uint64_t v;

	if (!size || size > ev->arch->word || (size & (size - 1)) || !ev->m->load(ev->m->ctx, pop(ev), size, &v))
		ev->bad = true;
	else
		push(ev, v);
}

static void rot(struct eval *ev)
{
	uint64_t a = pop(ev), b = pop(ev), c = pop(ev);

	push(ev, a);
	push(ev, c);
	push(ev, b);
}

static void swap(struct eval *ev)
{
	uint64_t a = pop(ev), b = pop(ev);

	push(ev, a);
	push(ev, b);
}

static int64_t sign(const struct eval *ev, uint64_t v) { return ev->arch->word == 4 ? (int32_t)v : (int64_t)v; }

static void binary(struct eval *ev, uint8_t op)
{
	uint64_t b = pop(ev), a = pop(ev), bits = ev->arch->word * 8u;
	int64_t sa = sign(ev, a), sb = sign(ev, b);

	switch (op) {
	case OP_AND: push(ev, a & b); break;
	case OP_OR: push(ev, a | b); break;
	case OP_XOR: push(ev, a ^ b); break;
	case OP_PLUS: push(ev, a + b); break;
	case OP_MINUS: push(ev, a - b); break;
	case OP_MUL: push(ev, a * b); break;
	case OP_DIV:
		if (!sb)
			ev->bad = true;
		else
			push(ev, sb == -1 ? -(uint64_t)sa : (uint64_t)(sa / sb));
		break;
	case OP_MOD:
		if (!b)
			ev->bad = true;
		else
			push(ev, a % b);
		break;
	case OP_SHL: push(ev, b < bits ? a << b : 0); break;
	case OP_SHR: push(ev, b < bits ? a >> b : 0); break;
	case OP_SHRA: push(ev, (uint64_t)(sa >> (b < bits ? b : bits - 1))); break;
	case OP_EQ: push(ev, sa == sb); break;
	case OP_NE: push(ev, sa != sb); break;
	case OP_GE: push(ev, sa >= sb); break;
	case OP_GT: push(ev, sa > sb); break;
	case OP_LE: push(ev, sa <= sb); break;
	case OP_LT: push(ev, sa < sb); break;
	}
}

static void unary(struct eval *ev, uint8_t op, struct bytes *b)
{
	uint64_t v = pop(ev);

	switch (op) {
	case OP_ABS: push(ev, sign(ev, v) < 0 ? -v : v); break;
	case OP_NEG: push(ev, -v); break;
	case OP_NOT: push(ev, ~v); break;
	case OP_PLUS_UCONST: push(ev, v + bytes_uleb(b)); break;
	}
}

static void constant(struct eval *ev, uint8_t op, struct bytes *b)
{
	switch (op) {
	case OP_ADDR: push(ev, ev->arch->word == 8 ? bytes_u64(b) : bytes_u32(b)); break;
	case OP_CONST1U: push(ev, bytes_u8(b)); break;
	case OP_CONST1S: push(ev, (uint64_t)(int8_t)bytes_u8(b)); break;
	case OP_CONST2U: push(ev, bytes_u16(b)); break;
	case OP_CONST2S: push(ev, (uint64_t)(int16_t)bytes_u16(b)); break;
	case OP_CONST4U: push(ev, bytes_u32(b)); break;
	case OP_CONST4S: push(ev, (uint64_t)(int32_t)bytes_u32(b)); break;
	case OP_CONST8U:
	case OP_CONST8S: push(ev, bytes_u64(b)); break;
	case OP_CONSTU: push(ev, bytes_uleb(b)); break;
	case OP_CONSTS: push(ev, (uint64_t)bytes_sleb(b)); break;
	}
}

/* Take a branch, relative to this place. It must stay inside the expression. */
static void jump(struct eval *ev, struct bytes *b, const uint8_t *start, bool taken)
{
	int64_t by = (int16_t)bytes_u16(b);

	if (!taken || b->bad)
		return;
	if (by < start - b->at || by > b->end - b->at)
		ev->bad = true;
	else
		b->at += by;
}

static void step(struct eval *ev, struct bytes *b, const uint8_t *start)
{
	uint8_t op = bytes_u8(b);
	uint64_t reg;

	if (op >= OP_LIT0 && op <= OP_LIT31)
		push(ev, op - OP_LIT0);
	else if (op >= OP_BREG0 && op <= OP_BREG31)
		push_reg(ev, op - OP_BREG0, bytes_sleb(b));
	else if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
		constant(ev, op, b);
	else if (op == OP_ABS || op == OP_NEG || op == OP_NOT || op == OP_PLUS_UCONST)
		unary(ev, op, b);
	else if ((op >= OP_AND && op <= OP_XOR) || (op >= OP_EQ && op <= OP_NE))
		binary(ev, op);
	else
		switch (op) {
		case OP_DEREF: deref(ev, ev->arch->word); break;
		case OP_DEREF_SIZE: deref(ev, bytes_u8(b)); break;
		case OP_DUP: push_nth(ev, 0); break;
		case OP_OVER: push_nth(ev, 1); break;
		case OP_PICK: push_nth(ev, bytes_u8(b)); break;
		case OP_DROP: pop(ev); break;
		case OP_SWAP: swap(ev); break;
		case OP_ROT: rot(ev); break;
		case OP_SKIP: jump(ev, b, start, true); break;
		case OP_BRA: jump(ev, b, start, pop(ev) != 0); break;
		case OP_BREGX:
			reg = bytes_uleb(b);
			push_reg(ev, reg, bytes_sleb(b));
			break;
		case OP_NOP: break;
		default: ev->bad = true;
		}
}

bool cfi_eval(const struct arch *a, bool swap_bytes, const struct cfi_rule *r, const uint64_t *cfa,
	      const struct cfi_machine *m, uint64_t *value)
{
	struct eval ev = { .arch = a, .m = m };
	struct bytes b = bytes_of(r->expr, r->expr_len, swap_bytes);

	if (cfa)
		push(&ev, *cfa);
	for (unsigned n = 0; b.at < b.end; n++) {
		if (n == MAX_STEPS)
			return false;
		step(&ev, &b, r->expr);
		if (ev.bad || b.bad)
			return false;
	}
	if (!ev.depth)
		return false;
	*value = ev.stack[ev.depth - 1];
	return true;
}
