/*
 * Rewrite capstone's arm64 text as objdump writes it. Capstone prints the encoded instruction,
 * "movz x1, #1". objdump prints the preferred alias, "mov x1, #0x1", with memory offsets and
 * shifts in decimal, everything else in hex. Source: Arm Architecture Reference Manual for
 * A-profile, C6.2, "Alias conditions" of each instruction.
 */
#include "symbols/code/disasm_priv.h"

#include <ctype.h>

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* Replace a hint by its name, if it has one. */
static bool name_hint(struct insn *insn)
{
	static const struct {
		uint8_t number;
		const char *name, *operand;
	} hints[] = {
		{ 0x07, "xpaclri", "" },   { 0x08, "pacia1716", "" }, { 0x0a, "pacib1716", "" },
		{ 0x0c, "autia1716", "" }, { 0x0e, "autib1716", "" }, { 0x10, "esb", "" },
		{ 0x11, "psb", "csync" },  { 0x12, "tsb", "csync" },  { 0x14, "csdb", "" },
		{ 0x18, "paciaz", "" },    { 0x19, "paciasp", "" },   { 0x1a, "pacibz", "" },
		{ 0x1b, "pacibsp", "" },   { 0x1c, "autiaz", "" },    { 0x1d, "autiasp", "" },
		{ 0x1e, "autibz", "" },    { 0x1f, "autibsp", "" },   { 0x20, "bti", "" },
		{ 0x22, "bti", "c" },      { 0x24, "bti", "j" },      { 0x26, "bti", "jc" },
	};
	unsigned long number = insn->operands[0] == '#' ? strtoul(insn->operands + 1, NULL, 0) : 0;

	if (strcmp(insn->mnemonic, "hint"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (hints[i].number == number) {
			strcpy(insn->mnemonic, hints[i].name);
			strcpy(insn->operands, hints[i].operand);
			return true;
		}
	return false;
}

/* Write movz, movn, and orr with the zero register as mov with the whole constant. */
static bool name_move(const cs_insn *c, struct insn *insn)
{
	const cs_arm64 *a = &c->detail->arm64;
	bool inverts = !strcmp(insn->mnemonic, "movn"), sets = inverts || !strcmp(insn->mnemonic, "movz");
	const cs_arm64_op *from = a->op_count ? &a->operands[a->op_count - 1] : NULL;
	char *comma = strchr(insn->operands, ',');
	uint64_t value;

	if (!from || from->type != ARM64_OP_IMM || !comma || (!sets && strcmp(insn->mnemonic, "orr")))
		return false;
	if (!sets && (a->op_count != 3 || (a->operands[1].reg != ARM64_REG_XZR && a->operands[1].reg != ARM64_REG_WZR)))
		return false;
	value = (uint64_t)from->imm << (sets && from->shift.type == ARM64_SFT_LSL ? from->shift.value : 0);
	if (sets && from->shift.type == ARM64_SFT_LSL && from->shift.value && !from->imm)
		return false;
	if (inverts)
		value = ~value;
	if (insn->operands[0] == 'w')
		value = (uint32_t)value;
	strcpy(insn->mnemonic, "mov");
	snprintf(comma, (size_t)(insn->operands + sizeof(insn->operands) - comma), ", #0x%llx",
		 (unsigned long long)value);
	return true;
}

/* Rename the conditions "hs" and "lo". */
static void name_condition(char *word)
{
	if (!strcmp(word, "hs"))
		memcpy(word, "cs", 2);
	else if (!strcmp(word, "lo"))
		memcpy(word, "cc", 2);
}

static bool is_decimal(const struct insn *insn, const char *operands, const char *at)
{
	static const char *const counts[] = { "tbz",  "tbnz",  "lsl",   "lsr",   "asr",   "ror",    "ubfx",
					      "sbfx", "ubfiz", "sbfiz", "bfi",   "bfxil", "bfc",    "extr",
					      "sshr", "ushr",  "shl",   "sshll", "ushll", "sshll2", "ushll2",
					      "ext",  "sli",   "sri",   "shrn",  "shrn2", "fmov",   NULL };
	const char *bracket = strchr(operands, '['), *word = at;

	if ((bracket && bracket < at && strcmp(insn->mnemonic, "ccmp")) || is_one_of(insn->mnemonic, counts))
		return true;
	if (word > operands && word[-1] == ' ') /* "lsl #12" */
		word--;
	return word > operands && isalpha((unsigned char)word[-1]);
}

static void write_numbers(const cs_insn *c, struct insn *insn)
{
	char from[sizeof(insn->operands)], *to = insn->operands, *end = insn->operands + sizeof(insn->operands) - 24;
	bool place = !strcmp(insn->mnemonic, "adrp") || !strcmp(insn->mnemonic, "adr");

	memcpy(from, insn->operands, sizeof(from));
	for (const char *p = from; *p && to < end;) {
		char *behind;
		long long v;

		if (*p != '#' || (!isdigit((unsigned char)p[1]) && p[1] != '-')) {
			*to++ = *p++;
			continue;
		}
		v = (long long)strtoull(p + 1 + (p[1] == '-'), &behind, 0);
		if (*behind == '.') { /* part of a float */
			*to++ = *p++;
			continue;
		}
		v = p[1] == '-' ? -v : v;
		if (place)
			to += snprintf(to, 24, "%llx", (unsigned long long)v);
		else if (is_decimal(insn, from, p))
			to += snprintf(to, 24, "#%lld", v);
		else
			to += snprintf(
				to, 24, "#0x%llx",
				(unsigned long long)(c->detail->arm64.operands[0].type == ARM64_OP_REG && from[0] == 'w'
							     ? (uint32_t)v
							     : (uint64_t)v));
		p = behind;
	}
	*to = 0;
}

void disasm_text_arm64(const cs_insn *c, struct insn *insn)
{
	char *last;

	if (!strcmp(insn->mnemonic, "ins"))
		strcpy(insn->mnemonic, "mov");
	if (name_hint(insn) || name_move(c, insn))
		return;
	if (!strncmp(insn->mnemonic, "b.", 2))
		name_condition(insn->mnemonic + 2);
	write_numbers(c, insn);
	last = strrchr(insn->operands, ' ');
	if (last)
		name_condition(last + 1);
}
