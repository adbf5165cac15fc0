/*
 * Describe what an x86 instruction does with registers and memory. Source: Intel SDM, volume 2;
 * System V psABI (x86-64, figure 3.36; i386, table 2.14) for DWARF register numbers.
 */
#include "symbols/code/disasm_data_priv.h"
#include "symbols/code/disasm_priv.h"

#include <elf.h>

/*
 * Return the DWARF number of a register on x86-64. Parts of a register count as the whole.
 * number_of() converts to i386.
 */
static int number_64(unsigned reg)
{
	switch (reg) {
	case X86_REG_RAX:
	case X86_REG_EAX:
	case X86_REG_AX:
	case X86_REG_AL:
	case X86_REG_AH: return 0;
	case X86_REG_RDX:
	case X86_REG_EDX:
	case X86_REG_DX:
	case X86_REG_DL:
	case X86_REG_DH: return 1;
	case X86_REG_RCX:
	case X86_REG_ECX:
	case X86_REG_CX:
	case X86_REG_CL:
	case X86_REG_CH: return 2;
	case X86_REG_RBX:
	case X86_REG_EBX:
	case X86_REG_BX:
	case X86_REG_BL:
	case X86_REG_BH: return 3;
	case X86_REG_RSI:
	case X86_REG_ESI:
	case X86_REG_SI:
	case X86_REG_SIL: return 4;
	case X86_REG_RDI:
	case X86_REG_EDI:
	case X86_REG_DI:
	case X86_REG_DIL: return 5;
	case X86_REG_RBP:
	case X86_REG_EBP:
	case X86_REG_BP:
	case X86_REG_BPL: return 6;
	case X86_REG_RSP:
	case X86_REG_ESP:
	case X86_REG_SP:
	case X86_REG_SPL: return 7;
	case X86_REG_R8 ... X86_REG_R15: return 8 + (int)(reg - X86_REG_R8);
	case X86_REG_R8B ... X86_REG_R15B: return 8 + (int)(reg - X86_REG_R8B);
	case X86_REG_R8D ... X86_REG_R15D: return 8 + (int)(reg - X86_REG_R8D);
	case X86_REG_R8W ... X86_REG_R15W: return 8 + (int)(reg - X86_REG_R8W);
	default: return NO_REGISTER;
	}
}

static int number_of(const struct disasm *d, unsigned reg)
{
	static const int i386[] = { 0, 2, 1, 3, 6, 7, 5, 4 };
	int number = number_64(reg);

	if (d->machine->machine != EM_386 || number < 0)
		return number;
	return number < (int)ARRAY_SIZE(i386) ? i386[number] : NO_REGISTER;
}

static void set_memory(const struct disasm *d, const cs_insn *c, const x86_op_mem *mem, struct memory_operand *m)
{
	*m = (struct memory_operand){
		.there = true, .base = number_of(d, mem->base), .index = number_of(d, mem->index), .offset = mem->disp
	};
	m->segment = mem->segment == X86_REG_FS ? 'f' : mem->segment == X86_REG_GS ? 'g' : 0;
	if (mem->base == X86_REG_RIP || mem->base == X86_REG_EIP) {
		m->is_static = true;
		m->address = c->address + c->size + (uint64_t)mem->disp;
	} else if (mem->base == X86_REG_INVALID) {
		m->is_static = true;
		m->address = d->machine->machine == EM_386 ? (uint32_t)mem->disp : (uint64_t)mem->disp;
	}
}

static bool is_move(unsigned id) { return id == X86_INS_MOV || id == X86_INS_MOVABS; }

/*
 * Set how a register gets a possible pointer. Pointers are as wide as the machine's registers:
 * ignore narrower moves.
 */
static void set_flow(const struct disasm *d, const cs_insn *c, struct insn_data *data)
{
	const cs_x86 *x = &c->detail->x86;
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];
	int64_t sign = c->id == X86_INS_SUB ? -1 : 1;

	if (x->op_count != 2 || to->type != X86_OP_REG || to->size != (d->machine->machine == EM_386 ? 4 : 8))
		return;
	data->to = number_of(d, to->reg);
	if (data->to < 0)
		return;
	if (c->id == X86_INS_LEA) {
		data->flow = FLOW_ADDRESS;
	} else if (is_move(c->id) && from->type == X86_OP_MEM) {
		data->flow = FLOW_LOAD;
	} else if (is_move(c->id) && from->type == X86_OP_REG) {
		data->from = number_of(d, from->reg);
		data->flow = data->from < 0 ? FLOW_NONE : FLOW_COPY;
	} else if (is_move(c->id) && from->type == X86_OP_IMM) {
		/* An address, in position-dependent code. */
		data->flow = FLOW_ADDRESS;
		data->memory = (struct memory_operand){
			.is_static = true, .address = (uint64_t)from->imm, .base = NO_REGISTER, .index = NO_REGISTER
		};
	} else if ((c->id == X86_INS_ADD || c->id == X86_INS_SUB) && from->type == X86_OP_IMM) {
		data->flow = FLOW_ADD;
		data->add = sign * from->imm;
	} else if (c->id == X86_INS_ADD && from->type == X86_OP_REG) {
		data->from = number_of(d, from->reg);
		data->flow = FLOW_ADD;
	}
}

static void set_writes(const struct disasm *d, const cs_insn *c, struct insn_data *data)
{
	cs_regs read, written;
	uint8_t n_read = 0, n_written = 0;

	if (capstone()->cs_regs_access(d->handle, c, read, &n_read, written, &n_written) != CS_ERR_OK)
		return;
	for (uint8_t i = 0; i < n_written; i++) {
		int number = number_of(d, written[i]);

		if (number >= 0)
			data->writes |= 1ull << number;
	}
}

static bool uses_stack(unsigned id, unsigned kind)
{
	switch (id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHAL:
	case X86_INS_PUSHAW:
	case X86_INS_PUSHF:
	case X86_INS_PUSHFD:
	case X86_INS_PUSHFQ:
	case X86_INS_POP:
	case X86_INS_POPAL:
	case X86_INS_POPAW:
	case X86_INS_POPF:
	case X86_INS_POPFD:
	case X86_INS_POPFQ: return true;
	default: return kind == INSN_CALL || kind == INSN_RETURN;
	}
}

/* Source: Intel 64 and IA-32 Architectures Optimization Reference Manual, "macro-fusion". */
static bool fuses(unsigned id)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_INC:
	case X86_INS_DEC: return true;
	default: return false;
	}
}

static void describe_data(const struct disasm *d, const cs_insn *c, struct insn_data *data)
{
	const cs_x86 *x = &c->detail->x86;

	for (uint8_t i = x->op_count; i--;)
		if (x->operands[i].type == X86_OP_MEM)
			set_memory(d, c, &x->operands[i].mem, &data->memory);
	set_flow(d, c, data);
	set_writes(d, c, data);
	data->fuses = fuses(c->id);
	data->on_stack = uses_stack(c->id, data->kind);
	if (c->id == X86_INS_NOP || c->id == X86_INS_LEA)
		data->memory.there = false;
}

bool disasm_data(struct disasm *d, struct code_cursor *at, struct insn_data *data)
{
	const uint8_t *bytes = at->bytes;
	size_t left = at->left;
	uint64_t address = at->address;
	struct insn insn = { 0 };
	unsigned size;

	if (!left)
		return false;
	*data = (struct insn_data){ .address = address,
				    .to = NO_REGISTER,
				    .from = NO_REGISTER,
				    .memory = { .base = NO_REGISTER, .index = NO_REGISTER } };
	if (d->machine->arch == CS_ARCH_X86 &&
	    capstone()->cs_disasm_iter(d->handle, &bytes, &left, &address, d->insn) && d->insn->size &&
	    d->insn->size <= at->left) {
		disasm_classify(d, d->insn, &insn);
		data->kind = insn.kind;
		data->has_target = insn.has_target;
		data->target = insn.target;
		describe_data(d, d->insn, data);
		size = d->insn->size;
	} else {
		size = d->machine->arch == CS_ARCH_X86 ? disasm_length_x86(at->bytes, at->left)
						       : (unsigned)MIN((size_t)d->machine->unit, at->left);
	}
	at->bytes += size;
	at->left -= size;
	at->address += size;
	return true;
}
