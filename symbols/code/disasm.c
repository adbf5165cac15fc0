/* Disassemble with capstone: choose the mode for the machine, classify jumps, write the text. */
#include "symbols/code/disasm_priv.h"

#include <elf.h>
#include <endian.h>

#include "symbols/arch/arch.h"

/*
 * Branches of CPUs whose instructions capstone 4 does not put into groups. A trailing '*'
 * matches any rest.
 */
struct branch_mnemonic {
	const char *mnemonic;
	enum insn_kind kind;
};

/* Source: z/Architecture Principles of Operation, "Branch" instructions and their extended mnemonics. */
static const struct branch_mnemonic s390_branches[] = {
	{ "brasl", INSN_CALL },
	{ "jasl", INSN_CALL },
	{ "bras", INSN_CALL },
	{ "jas", INSN_CALL },
	{ "basr", INSN_CALL },
	{ "balr", INSN_CALL },
	{ "j", INSN_JUMP },
	{ "jg", INSN_JUMP },
	{ "jnop", INSN_PLAIN },
	{ "br", INSN_RETURN },
	{ "b", INSN_JUMP },
	{ "j*", INSN_JUMP_IF },
	{ "brc*", INSN_JUMP_IF },
	{ "brx*", INSN_JUMP_IF },
	{ "crj*", INSN_JUMP_IF },
	{ "cgrj*", INSN_JUMP_IF },
	{ "cij*", INSN_JUMP_IF },
	{ "cgij*", INSN_JUMP_IF },
	{ "clrj*", INSN_JUMP_IF },
	{ "clgrj*", INSN_JUMP_IF },
	{ "clij*", INSN_JUMP_IF },
	{ "clgij*", INSN_JUMP_IF },
	{ 0 },
};
/* Source: Power ISA, Book I, "Branch Facility". */
static const struct branch_mnemonic ppc_branches[] = {
	{ "bl", INSN_CALL },
	{ "bla", INSN_CALL },
	{ "bctrl", INSN_CALL },
	{ "blrl", INSN_CALL },
	{ "blr", INSN_RETURN },
	{ "bctr", INSN_JUMP },
	{ "b", INSN_JUMP },
	{ "ba", INSN_JUMP },
	{ "bc*", INSN_JUMP_IF },
	{ "bd*", INSN_JUMP_IF },
	{ "beq*", INSN_JUMP_IF },
	{ "bne*", INSN_JUMP_IF },
	{ "blt*", INSN_JUMP_IF },
	{ "bgt*", INSN_JUMP_IF },
	{ "ble*", INSN_JUMP_IF },
	{ "bge*", INSN_JUMP_IF },
	{ "bso*", INSN_JUMP_IF },
	{ "bns*", INSN_JUMP_IF },
	{ 0 },
};
/* Source: MIPS Architecture for Programmers, volume II. */
static const struct branch_mnemonic mips_branches[] = {
	{ "jal*", INSN_CALL },
	{ "bal", INSN_CALL },
	{ "bgezal*", INSN_CALL },
	{ "bltzal*", INSN_CALL },
	{ "j", INSN_JUMP },
	{ "b", INSN_JUMP },
	{ "jr*", INSN_JUMP },
	{ "break", INSN_PLAIN },
	{ "bitswap", INSN_PLAIN },
	{ "b*", INSN_JUMP_IF },
	{ 0 },
};
/* Source: The SPARC Architecture Manual, version 9, appendix A. */
static const struct branch_mnemonic sparc_branches[] = {
	{ "call", INSN_CALL }, { "ret", INSN_RETURN }, { "retl", INSN_RETURN }, { "jmp", INSN_JUMP },
	{ "ba*", INSN_JUMP },  { "b", INSN_JUMP },     { "b*", INSN_JUMP_IF },  { 0 },
};
/* Source: The RISC-V Instruction Set Manual, volume I, chapters 2 and "C". */
__attribute__((unused)) static const struct branch_mnemonic riscv_branches[] = {
	{ "jal", INSN_CALL },   { "jalr", INSN_CALL },  { "c.jal*", INSN_CALL },  { "call", INSN_CALL },
	{ "ret", INSN_RETURN }, { "j", INSN_JUMP },     { "c.j", INSN_JUMP },     { "jr", INSN_JUMP },
	{ "c.jr", INSN_JUMP },  { "b*", INSN_JUMP_IF }, { "c.b*", INSN_JUMP_IF }, { 0 },
};

/*
 * Machines. To add one: a row with the modes for 32 and 64 bit, and the smallest unit of code,
 * which is the size of an undecodable instruction. `branches` NULL: use capstone's groups.
 */
static const struct machine machines[] = {
	{ EM_X86_64, 1, CS_ARCH_X86, CS_MODE_64, CS_MODE_64, NULL },
	{ EM_386, 1, CS_ARCH_X86, CS_MODE_32, CS_MODE_32, NULL },
	{ EM_AARCH64, 4, CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM, NULL },
	{ EM_ARM, 4, CS_ARCH_ARM, CS_MODE_ARM, CS_MODE_ARM, NULL },
	{ EM_S390, 2, CS_ARCH_SYSZ, CS_MODE_BIG_ENDIAN, CS_MODE_BIG_ENDIAN, s390_branches },
	{ EM_PPC, 4, CS_ARCH_PPC, CS_MODE_32, CS_MODE_32, ppc_branches },
	{ EM_PPC64, 4, CS_ARCH_PPC, CS_MODE_64, CS_MODE_64, ppc_branches },
	{ EM_MIPS, 4, CS_ARCH_MIPS, CS_MODE_MIPS32, CS_MODE_MIPS64, mips_branches },
	{ EM_SPARC, 4, CS_ARCH_SPARC, 0, 0, sparc_branches },
	{ EM_SPARCV9, 4, CS_ARCH_SPARC, CS_MODE_V9, CS_MODE_V9, sparc_branches },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, 2, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC, CS_MODE_RISCV64 | CS_MODE_RISCVC,
	  riscv_branches },
#endif
};

static const struct machine *find_machine(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

/*
 * Return the target for the uname machine of a recording ("x86_64", "aarch64"), NULL = ours.
 * For code without an ELF header. machine is 0 (EM_NONE) when unknown.
 */
static struct disasm_target disasm_target_of(const char *uname_machine)
{
	const struct arch *a = arch_find(uname_machine);

	if (!a)
		return (struct disasm_target){ 0 };
	return (struct disasm_target){ .machine = a->elf_machine, .is_64 = a->word == 8, .big_endian = a->big_endian };
}

struct disasm_target disasm_target_here(void) { return disasm_target_of(NULL); }

static unsigned mode_of(const struct machine *m, const struct disasm_target *t)
{
	unsigned mode = t->is_64 ? m->mode_64 : m->mode_32;

	if (m->machine == EM_ARM && t->thumb)
		mode |= CS_MODE_THUMB;
	if (t->big_endian && m->arch != CS_ARCH_X86 && m->arch != CS_ARCH_SPARC)
		mode |= CS_MODE_BIG_ENDIAN;
	if (m->arch == CS_ARCH_SPARC)
		mode |= CS_MODE_BIG_ENDIAN;
	return mode;
}

struct disasm *disasm_open(const struct disasm_target *t, struct err *e)
{
	const struct machine *m = find_machine(t->machine);
	struct disasm *d;
	csh handle;

	if (m && capstone_ready(e) < 0)
		return NULL;
	if (!m || capstone()->cs_open((cs_arch)m->arch, (cs_mode)mode_of(m, t), &handle) != CS_ERR_OK) {
		err_set(e, "cannot disassemble code of ELF machine %u", t->machine);
		err_why(e, "the disassembler in this program does not know it");
		err_try(e, "--objdump PATH, with an objdump that does");
		return NULL;
	}
	capstone()->cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (m->arch == CS_ARCH_X86 && t->syntax == DISASM_ATT)
		capstone()->cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d = xcalloc(1, sizeof(*d));
	d->handle = handle;
	d->insn = capstone()->cs_malloc(handle);
	d->machine = m;
	d->target = *t;
	return d;
}

void disasm_close(struct disasm *d)
{
	if (!d)
		return;
	capstone()->cs_free(d->insn, 1);
	capstone()->cs_close(&d->handle);
	free(d);
}

/* ---- jumps ---- */

static bool in_group(const cs_detail *detail, uint8_t group)
{
	for (uint8_t i = 0; i < detail->groups_count; i++)
		if (detail->groups[i] == group)
			return true;
	return false;
}

static bool like(const char *pattern, const char *text)
{
	size_t len = strlen(pattern);

	return pattern[len - 1] == '*' ? !strncmp(pattern, text, len - 1) : !strcmp(pattern, text);
}

static enum insn_kind kind_by_name(const struct branch_mnemonic *b, const char *mnemonic)
{
	for (; b->mnemonic; b++)
		if (like(b->mnemonic, mnemonic))
			return b->kind;
	return INSN_PLAIN;
}

/* Return the last immediate operand: the target of direct branches on all CPUs. */
static bool last_immediate(const struct disasm *d, const cs_detail *detail, uint64_t *value)
{
	bool found = false;

#define LAST_IMMEDIATE(cpu, type_imm) \
	for (unsigned i = 0; i < detail->cpu.op_count; i++) \
		if (detail->cpu.operands[i].type == type_imm) { \
			*value = (uint64_t)detail->cpu.operands[i].imm; \
			found = true; \
		}
	switch (d->machine->arch) {
	case CS_ARCH_X86: LAST_IMMEDIATE(x86, X86_OP_IMM) break;
	case CS_ARCH_ARM64: LAST_IMMEDIATE(arm64, ARM64_OP_IMM) break;
	case CS_ARCH_ARM: LAST_IMMEDIATE(arm, ARM_OP_IMM) *value = (uint32_t)*value; break;
	case CS_ARCH_SYSZ: LAST_IMMEDIATE(sysz, SYSZ_OP_IMM) break;
	case CS_ARCH_PPC: LAST_IMMEDIATE(ppc, PPC_OP_IMM) break;
	case CS_ARCH_MIPS: LAST_IMMEDIATE(mips, MIPS_OP_IMM) break;
	case CS_ARCH_SPARC: LAST_IMMEDIATE(sparc, SPARC_OP_IMM) break;
	default: break;
	}
#undef LAST_IMMEDIATE
	return found;
}

static enum insn_kind kind_by_group(const struct disasm *d, const cs_insn *c)
{
	const cs_detail *detail = c->detail;

	if (in_group(detail, CS_GRP_CALL) ||
	    (d->machine->arch == CS_ARCH_ARM64 && (!strcmp(c->mnemonic, "bl") || !strncmp(c->mnemonic, "blr", 3))))
		return INSN_CALL;
	if (in_group(detail, CS_GRP_RET) || (d->machine->arch == CS_ARCH_ARM64 && !strncmp(c->mnemonic, "ret", 3)))
		return INSN_RETURN;
	if (d->machine->arch == CS_ARCH_ARM) {
		if (!strncmp(c->mnemonic, "bl", 2) && strcmp(c->mnemonic, "bls") && strcmp(c->mnemonic, "ble") &&
		    strcmp(c->mnemonic, "blt") && strncmp(c->mnemonic, "bls.", 4) && strncmp(c->mnemonic, "ble.", 4) &&
		    strncmp(c->mnemonic, "blt.", 4))
			return INSN_CALL;
		if (!strcmp(c->mnemonic, "bx") && !strcmp(c->op_str, "lr"))
			return INSN_RETURN;
	}
	if (!in_group(detail, CS_GRP_JUMP))
		return INSN_PLAIN;
	switch (d->machine->arch) {
	case CS_ARCH_X86: return c->id == X86_INS_JMP || c->id == X86_INS_LJMP ? INSN_JUMP : INSN_JUMP_IF;
	case CS_ARCH_ARM64:
		return !strcmp(c->mnemonic, "b") || !strncmp(c->mnemonic, "br", 2) ? INSN_JUMP : INSN_JUMP_IF;
	default: return detail->arm.cc == ARM_CC_AL && strncmp(c->mnemonic, "cb", 2) ? INSN_JUMP : INSN_JUMP_IF;
	}
}

void disasm_classify(const struct disasm *d, const cs_insn *c, struct insn *insn)
{
	insn->kind =
		(uint8_t)(d->machine->branches ? kind_by_name(d->machine->branches, c->mnemonic) : kind_by_group(d, c));
	if (insn->kind != INSN_PLAIN && insn->kind != INSN_RETURN)
		insn->has_target = last_immediate(d, c->detail, &insn->target);
	if (d->machine->machine == EM_386)
		insn->target = (uint32_t)insn->target;
	if (d->machine->arch != CS_ARCH_X86)
		return;
	for (uint8_t i = 0; i < c->detail->x86.op_count; i++) {
		const cs_x86_op *op = &c->detail->x86.operands[i];

		if (op->type == X86_OP_MEM && (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP)) {
			insn->has_data = true;
			insn->data = c->address + c->size + (uint64_t)op->mem.disp;
		}
	}
}

/* ---- text ---- */

static void set_text(char *to, size_t size, const char *from)
{
	size_t len = strlen(from);

	len = MIN(len, size - 1);
	memcpy(to, from, len);
	to[len] = 0;
}

/* Write the "#0x401000" at the end of the operands as a plain number, as objdump writes targets. */
static void plain_target(struct insn *insn)
{
	char *last = strrchr(insn->operands, ','), number[24];

	last = last ? last + 1 + (last[1] == ' ') : insn->operands;
	snprintf(number, sizeof(number), "%llx", (unsigned long long)insn->target);
	set_text(last, (size_t)(insn->operands + sizeof(insn->operands) - last), number);
}

static void describe(const struct disasm *d, const cs_insn *c, struct insn *insn)
{
	insn->size = (uint8_t)c->size;
	disasm_classify(d, c, insn);
	if (d->machine->arch == CS_ARCH_X86) {
		disasm_text_x86(d->handle, c, d->target.syntax == DISASM_ATT, insn);
	} else {
		set_text(insn->mnemonic, sizeof(insn->mnemonic), c->mnemonic);
		set_text(insn->operands, sizeof(insn->operands), c->op_str);
		if (d->machine->arch == CS_ARCH_ARM64)
			disasm_text_arm64(c, insn);
	}
	if (insn->has_target)
		plain_target(insn);
}

/*
 * Describe bytes that capstone cannot decode: one unit as data, so that the next instruction is
 * read from its start.
 */
static void describe_bad(const struct disasm *d, const struct code_cursor *at, struct insn *insn)
{
	unsigned unit = d->target.thumb ? 2 : d->machine->unit;
	uint64_t value = 0;

	insn->bad = true;
	if (d->machine->arch == CS_ARCH_X86) {
		insn->size = (uint8_t)disasm_length_x86(at->bytes, at->left);
		set_text(insn->mnemonic, sizeof(insn->mnemonic), "(bad)");
		return;
	}
	/* The first two bits give the length: z/Architecture Principles of Operation, "Instruction formats". */
	if (d->machine->machine == EM_S390)
		unit = at->bytes[0] < 0x40 ? 2 : at->bytes[0] < 0xc0 ? 4 : 6;
	insn->size = (uint8_t)MIN(unit, at->left);
	for (unsigned i = 0; i < insn->size; i++)
		value |= (uint64_t)at->bytes[d->target.big_endian ? insn->size - 1u - i : i] << 8 * i;
	set_text(insn->mnemonic, sizeof(insn->mnemonic),
		 insn->size == 6   ? ".insn"
		 : insn->size == 4 ? ".inst"
		 : insn->size == 2 ? ".short"
				   : ".byte");
	snprintf(insn->operands, sizeof(insn->operands), "0x%0*llx", insn->size * 2, (unsigned long long)value);
}

bool disasm_next(struct disasm *d, struct code_cursor *at, struct insn *insn)
{
	const uint8_t *bytes = at->bytes;
	size_t left = at->left;
	uint64_t address = at->address;

	if (!left)
		return false;
	memset(insn, 0, offsetof(struct insn, mnemonic));
	insn->mnemonic[0] = insn->operands[0] = 0;
	insn->address = address;
	insn->bytes = bytes;
	if (capstone()->cs_disasm_iter(d->handle, &bytes, &left, &address, d->insn) && d->insn->size &&
	    d->insn->size <= at->left)
		describe(d, d->insn, insn);
	else
		describe_bad(d, at, insn);
	at->bytes += insn->size;
	at->left -= insn->size;
	at->address += insn->size;
	return true;
}

char *insn_text(const struct insn *insn, char *buf, size_t size)
{
	if (insn->operands[0])
		snprintf(buf, size, "%-6s %s", insn->mnemonic, insn->operands);
	else
		snprintf(buf, size, "%s", insn->mnemonic);
	return buf;
}
