/*
 * Rewrite capstone's x86 text as objdump writes it. Capstone prints "movq $-1, (%rax, %rbx)".
 * objdump prints a size only where no register shows it, numbers in hex, and implied parts:
 * "movq $0xffffffffffffffff,(%rax,%rbx,1)". Source: the GNU assembler's manual, "80386
 * Dependent Features"; Intel SDM, volume 2.
 */
#include "symbols/code/disasm_priv.h"

#include <ctype.h>

/* Text in a buffer of fixed size; the rest is cut. */
struct insn_text {
	char *at, *end;
};

static void put(struct insn_text *t, char c)
{
	if (t->at < t->end)
		*t->at++ = c;
	*t->at = 0;
}

static void puts_text(struct insn_text *t, const char *s)
{
	while (*s)
		put(t, *s++);
}

static void put_hex(struct insn_text *t, uint64_t v)
{
	char number[24];

	snprintf(number, sizeof(number), "0x%llx", (unsigned long long)v);
	puts_text(t, number);
}

static struct insn_text text_in(char *buf, size_t size)
{
	buf[0] = 0;
	return (struct insn_text){ buf, buf + size - 1 };
}

/* ---- mnemonics ---- */

static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(text, *list))
			return true;
	return false;
}

static bool is_general(unsigned reg)
{
	switch (reg) {
	case X86_REG_AH ... X86_REG_EBX:
	case X86_REG_ECX:
	case X86_REG_EDI:
	case X86_REG_EDX:
	case X86_REG_ESI:
	case X86_REG_ESP:
	case X86_REG_RAX:
	case X86_REG_RBP:
	case X86_REG_RBX:
	case X86_REG_RCX:
	case X86_REG_RDI:
	case X86_REG_RDX:
	case X86_REG_RSI:
	case X86_REG_RSP:
	case X86_REG_SI:
	case X86_REG_SIL:
	case X86_REG_SP:
	case X86_REG_SPL:
	case X86_REG_R8 ... X86_REG_R15:
	case X86_REG_R8B ... X86_REG_R15W: return true;
	default: return false;
	}
}

static bool is_segment(unsigned reg)
{
	return reg == X86_REG_CS || reg == X86_REG_DS || reg == X86_REG_ES || reg == X86_REG_FS || reg == X86_REG_GS ||
	       reg == X86_REG_SS;
}

static bool is_shift(unsigned id)
{
	switch (id) {
	case X86_INS_SHL:
	case X86_INS_SHR:
	case X86_INS_SAL:
	case X86_INS_SAR:
	case X86_INS_ROL:
	case X86_INS_ROR:
	case X86_INS_RCL:
	case X86_INS_RCR: return true;
	default: return false;
	}
}

/* Return whether an operand shows the size: a general register, but not the count of a shift. */
static bool tells_size(const cs_insn *c)
{
	const cs_x86 *x = &c->detail->x86;

	if (is_shift(c->id) && starts(c->op_str, "%cl, "))
		return c->op_str[5] == '%' && !strchr(c->op_str, ':');
	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_REG &&
		    (is_general(x->operands[i].reg) || is_segment(x->operands[i].reg)))
			return true;
	return false;
}

static bool has_prefix(const cs_insn *c, uint8_t byte)
{
	static const char prefixes[] = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";

	for (unsigned i = 0; i < c->size && memchr(prefixes, c->bytes[i], sizeof(prefixes) - 1); i++)
		if (c->bytes[i] == byte)
			return true;
	return false;
}

/* The mode implies the size: that of the stack or the instruction pointer. */
static const char *const sized_by_mode[] = { "call", "jmp", "ret", "push", "pop", "leave", "enter", "lret", NULL };
/* These always keep their size suffix. */
static const char *const always_sized[] = { "crc32", "movs", "cmps", "iret", "sysret", "sysexit", "ins", "outs", NULL };
static const struct {
	const char *capstone, *objdump;
} renamed[] = {
	{ "pushfq", "pushf" }, { "popfq", "popf" }, { "pushfl", "pushf" }, { "popfl", "popf" },  { "stosb", "stos" },
	{ "stosw", "stos" },   { "stosl", "stos" }, { "stosq", "stos" },   { "scasb", "scas" },  { "scasw", "scas" },
	{ "scasl", "scas" },   { "scasq", "scas" }, { "lodsb", "lods" },   { "lodsw", "lods" },  { "lodsl", "lods" },
	{ "lodsq", "lods" },   { "wait", "fwait" }, { "int1", "int1" },    { "setpo", "setnp" }, { "sal", "shl" },
	{ "retfq", "lretq" },  { "retf", "lret" },  { "insb", "insb" },
};

/*
 * Write the mnemonic in AT&T syntax without prefixes. *suffix gets the letter of the operand
 * size, 0 = none.
 */
static void base_mnemonic(const cs_insn *c, const char *name, const char *given, struct insn_text *t, char *suffix)
{
	size_t len = strlen(given), base = name ? strlen(name) : 0;
	bool sized = len > 1 && base == len - 1 && !strncmp(given, name, base) && strchr("bwlq", given[len - 1]);

	*suffix = sized ? given[len - 1] : 0;
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(given, renamed[i].capstone)) {
			puts_text(t, renamed[i].objdump);
			return;
		}
	if (name && (c->id == X86_INS_MOVQ || c->id == X86_INS_VMOVQ) && given[len - 1] == 'd')
		len = base, given = name;
	else if (sized && !one_of(name, always_sized) &&
		 ((one_of(name, sized_by_mode) && *suffix != 'w') || tells_size(c)))
		len--;
	for (size_t i = 0; i < len; i++)
		put(t, given[i]);
}

static void prefix(struct insn_text *t, const cs_insn *c, const char *word, size_t len)
{
	if (len == 5 && starts(word, "repne"))
		puts_text(t, "repnz");
	else if (len == 4 && starts(word, "repe"))
		puts_text(t, "repz");
	else
		for (size_t i = 0; i < len; i++)
			put(t, word[i]);
	put(t, ' ');
}

static bool is_nop(const cs_insn *c) { return c->id == X86_INS_NOP; }

/* Write the prefixes that capstone omits or shows elsewhere. */
static void hidden_prefixes(struct insn_text *t, const cs_insn *c)
{
	unsigned n_66 = 0;

	if ((c->id == X86_INS_JMP || c->id == X86_INS_CALL) && has_prefix(c, 0x3e) && c->detail->x86.op_count &&
	    c->detail->x86.operands[0].type != X86_OP_IMM)
		puts_text(t, "notrack ");
	if (c->id == X86_INS_RET && has_prefix(c, 0xf3) && !starts(c->mnemonic, "rep"))
		puts_text(t, "repz ");
	if (!is_nop(c))
		return;
	for (unsigned i = 0; i < c->size && (c->bytes[i] == 0x66 || c->bytes[i] == 0x2e); i++)
		n_66 += c->bytes[i] == 0x66;
	for (; n_66 > 1; n_66--)
		puts_text(t, "data16 ");
	if (has_prefix(c, 0x2e))
		puts_text(t, "cs ");
}

static bool is_string(const cs_insn *c)
{
	switch (c->id) {
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_MOVSB:
	case X86_INS_MOVSW:
	case X86_INS_MOVSQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSQ:
	case X86_INS_INSB:
	case X86_INS_INSW:
	case X86_INS_INSD:
	case X86_INS_OUTSB:
	case X86_INS_OUTSW:
	case X86_INS_OUTSD: return true;
	case X86_INS_MOVSD:
	case X86_INS_CMPSD: /* the SSE instructions of this name have registers */
		return c->size <= 3 && !has_prefix(c, 0xf2);
	default: return false;
	}
}

static void mnemonic(csh handle, const cs_insn *c, bool att, struct insn *insn, char *suffix)
{
	struct insn_text t = text_in(insn->mnemonic, sizeof(insn->mnemonic));
	const char *word = c->mnemonic, *space;

	hidden_prefixes(&t, c);
	for (; (space = strchr(word, ' ')); word = space + 1)
		prefix(&t, c, word, (size_t)(space - word));
	*suffix = 0;
	if (att)
		base_mnemonic(c, capstone()->cs_insn_name(handle, c->id), word, &t, suffix);
	else
		puts_text(&t, word);
	if (!att && is_string(c) && t.at > insn->mnemonic)
		*--t.at = 0; /* the operands show the size */
}

/* ---- operands ---- */

static uint64_t cut_to(int64_t v, char suffix)
{
	return suffix == 'b' ? (uint8_t)v : suffix == 'w' ? (uint16_t)v : suffix == 'l' ? (uint32_t)v : (uint64_t)v;
}

static const char *copy_word(struct insn_text *t, const char *p)
{
	while (isalnum((unsigned char)*p))
		put(t, *p++);
	return p;
}

/* Copy a register; the number in "%st(1)" belongs to its name. */
static const char *att_register(struct insn_text *t, const char *p)
{
	bool st = starts(p, "%st(");

	put(t, *p++);
	p = copy_word(t, p);
	while (st && *p && *p != ')')
		put(t, *p++);
	if (st && *p)
		put(t, *p++);
	return p;
}

/* Write a number ("$-1", "-8(", "0x601040") as objdump does in this place. */
static const char *att_number(struct insn_text *t, const char *p, char suffix, bool immediate)
{
	bool negative = *p == '-';
	char *end;
	uint64_t v = strtoull(p + negative, &end, 0);

	if (immediate) {
		put_hex(t, cut_to(negative ? -(int64_t)v : (int64_t)v, suffix));
	} else if (negative && *end == '(') {
		put(t, '-');
		put_hex(t, v);
	} else {
		put_hex(t, negative ? -v : v);
	}
	return end;
}

/* Turn "(%rax, %rbx)" into "(%rax,%rbx,1)"; the scale stays decimal. */
static const char *att_memory(struct insn_text *t, const char *p)
{
	unsigned commas = 0;

	for (; *p && *p != ')'; p++) {
		commas += *p == ',';
		if (*p == '%') {
			p = att_register(t, p) - 1;
		} else if (*p != ' ') {
			put(t, *p);
		}
	}
	if (commas == 1)
		puts_text(t, ",1");
	if (*p)
		put(t, *p++);
	return p;
}

/*
 * Return the segment that a string instruction implies: ds for the source, es for the
 * destination.
 */
static const char *implied_segment(const cs_insn *c, const char *p)
{
	if (!is_string(c))
		return "";
	return strstr(p, "di)") == p + 3 ? "%es:" : strstr(p, "si)") == p + 3 ? "%ds:" : "";
}

/* Return whether this is a shift by one, where the count is not encoded. */
static bool shifts_by_one(const cs_insn *c) { return is_shift(c->id) && (c->detail->x86.opcode[0] & 0xfe) == 0xd0; }

static void att_operands(const cs_insn *c, char suffix, struct insn_text *t)
{
	const cs_x86 *x = &c->detail->x86;
	bool displaced = false;

	for (const char *p = c->op_str; *p;) {
		if (*p == '%' && is_nop(c) && starts(p, "%cs:")) {
			p += 4;
		} else if (*p == '%') {
			p = att_register(t, p);
		} else if (*p == '$' && p == c->op_str && shifts_by_one(c)) {
			puts_text(t, "$1"); /* implied by the opcode, so not in hex */
			p += 2;
		} else if (*p == '$') {
			put(t, *p++);
			p = att_number(t, p, suffix, true);
		} else if (isdigit((unsigned char)*p) || (*p == '-' && isdigit((unsigned char)p[1]))) {
			p = att_number(t, p, suffix, false);
			displaced = true;
		} else if (*p == '(') {
			puts_text(t, implied_segment(c, p));
			if (!displaced && x->encoding.disp_offset && !x->disp)
				puts_text(t, "0x0");
			p = att_memory(t, p);
		} else if (*p == ' ' || *p == '\t') {
			p++;
		} else {
			displaced = *p != ',' && displaced;
			put(t, *p++);
		}
	}
}

/*
 * Write both operands of an x87 instruction; capstone omits the top of the stack. The opcode
 * decides which of the two is the destination, which AT&T writes last.
 */
static bool float_operands(const cs_insn *c, bool att, struct insn_text *t)
{
	static const char *const arithmetic[] = { "fadd", "fmul", "fsub", "fsubr", "fdiv", "fdivr", NULL };
	static const char *const to_register[] = { "faddp", "fmulp", "fsubp", "fsubrp", "fdivp", "fdivrp", NULL };
	static const char *const compares[] = { "fucomi", "fucompi", "fcomi", "fcompi", "fucomip", "fcomip", NULL };
	bool pops = one_of(c->mnemonic, to_register), adds = one_of(c->mnemonic, arithmetic),
	     to_other = pops || (adds && c->bytes[0] == 0xdc);
	const char *top = att ? "%st" : "st";

	if (!starts(c->op_str, att ? "%st(" : "st(") || strchr(c->op_str, ','))
		return false;
	if (!to_other && !adds && !one_of(c->mnemonic, compares) && !starts(c->mnemonic, "fcmov"))
		return false;
	puts_text(t, to_other == att ? top : c->op_str);
	put(t, ',');
	puts_text(t, to_other == att ? c->op_str : top);
	return true;
}

/* Turn "xword ptr " into "TBYTE PTR ". */
static const char *intel_size(struct insn_text *t, const char *p, const char *ptr)
{
	if (starts(p, "xword ")) {
		puts_text(t, "TBYTE");
		p = ptr;
	}
	for (; p < ptr + 5; p++)
		put(t, (char)toupper((unsigned char)*p));
	return p;
}

/*
 * Copy a register, or a segment before a colon. Behind another register in brackets it is an
 * index: always write its scale.
 */
static const char *intel_word(const cs_insn *c, struct insn_text *t, const char *p, bool inside)
{
	bool index = inside && p - c->op_str > 2 && p[-2] == '+';

	if (is_nop(c) && starts(p, "cs:"))
		return p + 3;
	p = copy_word(t, p);
	if (*p == '(') /* "st(1)" */
		while (*p && *p != ',')
			put(t, *p++);
	if (index && p[0] != '*' && !(p[0] == ' ' && p[1] == '*'))
		puts_text(t, "*1");
	return p;
}

/* Write an opening bracket. A number alone gets no brackets, but a segment. */
static void intel_open(const cs_insn *c, struct insn_text *t, const char *p)
{
	bool segment = p > c->op_str && p[-1] == ':';

	if (is_string(c) && !segment)
		puts_text(t, starts(p + 2, "di]") ? "es:" : starts(p + 2, "si]") ? "ds:" : "");
	if (!isdigit((unsigned char)p[1]))
		put(t, '[');
	else if (!segment)
		puts_text(t, "ds:");
}

/* Write a number, inside brackets or not. Outside, cut it to the size of the other operand. */
static const char *intel_number(const cs_insn *c, struct insn_text *t, const char *p, bool inside)
{
	const cs_x86 *x = &c->detail->x86;
	bool negative = *p == '-', last = !inside && p > c->op_str;
	char *end;
	uint64_t v = strtoull(p + negative, &end, 0);
	uint8_t size = last && x->op_count > 1 ? x->operands[0].size : 8;

	if (inside && p > c->op_str && p[-1] == '*')
		put(t, *p);
	else if (last && shifts_by_one(c) && v == 1)
		put(t, '1');
	else
		put_hex(t, cut_to(negative ? -(int64_t)v : (int64_t)v, size == 1   ? 'b'
								       : size == 2 ? 'w'
								       : size == 4 ? 'l'
										   : 'q'));
	return end;
}

/* Turn "dword ptr [rbp - 4], 1" into "DWORD PTR [rbp-0x4],0x1". */
static void intel_operands(const cs_insn *c, struct insn_text *t)
{
	const cs_x86 *x = &c->detail->x86;
	bool inside = false, number = false;

	for (const char *p = c->op_str, *ptr; *p;) {
		ptr = strstr(p, " ptr ");
		if (ptr && isalpha((unsigned char)*p) && strcspn(p, " ,[") == (size_t)(ptr - p)) {
			p = intel_size(t, p, ptr);
		} else if (isalpha((unsigned char)*p)) {
			p = intel_word(c, t, p, inside);
		} else if (isdigit((unsigned char)*p) || (*p == '-' && isdigit((unsigned char)p[1]))) {
			p = intel_number(c, t, p, inside);
		} else if (*p == '[') {
			inside = true;
			number = isdigit((unsigned char)p[1]);
			intel_open(c, t, p++);
		} else {
			if (*p == ']' && x->encoding.disp_offset && !x->disp && t->at[-1] != '0')
				puts_text(t, "+0x0");
			if (*p != ' ' && !(*p == ']' && number))
				put(t, *p);
			inside &= *p++ != ']';
		}
	}
}

/* Write the accumulator first, as it is encoded. */
static bool exchange_operands(const cs_insn *c, struct insn_text *t)
{
	const char *comma = strstr(c->op_str, ", ");

	if (c->id != X86_INS_XCHG || (c->detail->x86.opcode[0] & 0xf8) != 0x90 || !comma)
		return false;
	puts_text(t, comma + 2);
	put(t, ',');
	for (const char *p = c->op_str; p < comma; p++)
		put(t, *p);
	return true;
}

void disasm_text_x86(csh handle, const cs_insn *c, bool att, struct insn *insn)
{
	struct insn_text t = text_in(insn->operands, sizeof(insn->operands));
	char suffix;

	mnemonic(handle, c, att, insn, &suffix);
	if (!suffix && (c->id == X86_INS_OUT || c->id == X86_INS_IN || c->id == X86_INS_XABORT))
		suffix = 'b';
	if (is_nop(c) && c->size == 2 && c->bytes[0] == 0x66) {
		memcpy(insn->mnemonic, "xchg", 5);
		puts_text(&t, att ? "%ax,%ax" : "ax,ax");
	} else if (float_operands(c, att, &t)) {
		return;
	} else if (!att) {
		intel_operands(c, &t);
	} else if (!exchange_operands(c, &t)) {
		att_operands(c, suffix, &t);
	}
}

/* ---- lengths of instructions that capstone does not know ---- */

/*
 * Return the length of ModRM with SIB and displacement, 0 when the bytes end too early. 64-bit
 * and 32-bit addressing have the same form. Source: Intel SDM, volume 2, 2.1.3 to 2.1.5.
 */
static unsigned modrm_length(const uint8_t *p, size_t left)
{
	unsigned mod, rm, len = 1;

	if (!left)
		return 0;
	mod = p[0] >> 6;
	rm = p[0] & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (left < 2)
			return 0;
		len = 2;
		if (!mod && (p[1] & 7) == 5)
			len += 4;
	} else if (!mod && rm == 5) {
		len += 4;
	}
	return len + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/*
 * Return whether an immediate byte follows, in the maps of VEX and EVEX. Source: Intel SDM,
 * volume 2, appendix A.
 */
static bool has_immediate(unsigned map, uint8_t opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					 (opcode >= 0xc4 && opcode <= 0xc6)));
}

/*
 * Decode the length of newer vector instructions, so that the next instruction is read from its
 * start.
 */
unsigned disasm_length_x86(const uint8_t *p, size_t left)
{
	unsigned map, opcode_at, modrm;

	if (left > 3 && p[0] == 0x62 && !(p[1] & 8)) {
		map = p[1] & 7;
		opcode_at = 4;
	} else if (left > 3 && p[0] == 0xc4) {
		map = p[1] & 31;
		opcode_at = 3;
	} else if (left > 2 && p[0] == 0xc5) {
		map = 1;
		opcode_at = 2;
	} else {
		return 1;
	}
	modrm = opcode_at + 1 < left ? modrm_length(p + opcode_at + 1, left - opcode_at - 1) : 0;
	if (!modrm || !map || opcode_at + 1 + modrm + has_immediate(map, p[opcode_at]) > left)
		return 1;
	return opcode_at + 1 + modrm + has_immediate(map, p[opcode_at]);
}
