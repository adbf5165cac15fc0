/* The text of instructions, with the names of addresses in them. */
#include "report/annotate/annotate_priv.h"

static struct symbols *symbols_of(const struct annotation *a) { return a->hot->session->symbols; }

static uint32_t dso_of(const struct annotation *a) { return a->hot->functions.items[a->function].dso; }

/* Return the object's own symbol at an address in the code; 0 = none. */
static uint32_t symbol_at(const struct annotation *a, uint64_t address, uint64_t *offset)
{
	struct symbols *s = symbols_of(a);
	uint32_t symbol;

	address -= a->code.shift;
	symbol = dso_find(s, dso_of(a), dso_offset(s, dso_of(a), address));
	if (symbol)
		*offset = address - dso_symbol(s, dso_of(a), symbol)->start;
	return symbol;
}

/*
 * Return the name of the symbol at an address in the code. Also look in other kernel objects, because kernel code
 * has its real addresses and calls into them.
 */
static const char *name_at(const struct annotation *a, uint64_t address, uint64_t *offset)
{
	struct symbols *s = symbols_of(a);
	uint32_t symbol = symbol_at(a, address, offset);
	struct map_hit hit;

	if (symbol)
		return symbol_name(s, dso_of(a), symbol);
	if ((!a->code.shift && dso_kind(s, dso_of(a)) != DSO_KIND_KERNEL) ||
	    !space_find(s, SPACE_KERNEL, UINT64_MAX, address, &hit))
		return NULL;
	symbol = dso_find(s, hit.dso, hit.dso_off);
	if (!symbol)
		return NULL;
	*offset = symbol_offset(s, hit.dso, symbol, hit.dso_off);
	return symbol_name(s, hit.dso, symbol);
}

/* Print "sym+0x8". */
static bool put_place(const struct annotation *a, uint64_t address, struct out *o)
{
	uint64_t offset;
	const char *name = name_at(a, address, &offset);

	if (!name)
		return false;
	out_name(o, name);
	if (offset)
		out_fmt(o, "+0x%llx", (unsigned long long)offset);
	return true;
}

static void put_bracketed_place(const struct annotation *a, uint64_t address, struct out *o)
{
	size_t before = o->len;

	out_str(o, " <");
	if (put_place(a, address, o))
		out_char(o, '>');
	else
		o->len = before;
}

static const char *foreign_text(const struct annotation *a, uint32_t insn)
{
	return a->insns.items[insn].text ? a->texts.buf + a->insns.items[insn].text : NULL;
}

void annotation_text(const struct annotation *a, uint32_t i, struct out *o)
{
	const char *told = foreign_text(a, i);
	struct insn insn;
	char text[300];

	if (told) {
		out_name(o, told);
		return;
	}
	annotation_decode(a, i, &insn);
	out_str(o, insn_text(&insn, text, sizeof(text)));
	if (insn.has_target)
		put_bracketed_place(a, insn.target, o);
	if (insn.has_data) {
		out_fmt(o, "        # %llx", (unsigned long long)insn.data);
		put_bracketed_place(a, insn.data, o);
	}
}

/* Replace an address relative to the code by its name: "0x2e(%rip)" becomes "counter+0x8". */
static void put_operands(const struct annotation *a, const struct insn *insn, struct out *o)
{
	const char *ip = insn->has_data ? strstr(insn->operands, "(%rip)") : NULL, *from = ip;
	size_t before;

	while (from && from > insn->operands && strchr("-0123456789abcdefx", from[-1]))
		from--;
	if (!ip) {
		out_str(o, insn->operands);
		return;
	}
	out_mem(o, insn->operands, (size_t)(from - insn->operands));
	before = o->len;
	if (!put_place(a, insn->data, o)) {
		o->len = before;
		out_mem(o, from, strlen(from));
		return;
	}
	out_str(o, ip + strlen("(%rip)"));
}

void annotation_short_text(const struct annotation *a, uint32_t i, struct out *o)
{
	const struct annot_insn *in = &a->insns.items[i];
	const char *told = foreign_text(a, i);
	struct insn insn;

	if (told) {
		out_name(o, told);
		return;
	}
	annotation_decode(a, i, &insn);
	if (!insn.operands[0]) {
		out_str(o, insn.mnemonic);
		return;
	}
	out_fmt(o, "%-6s ", insn.mnemonic);
	if (in->target != NO_TARGET) {
		const char *comma = strrchr(insn.operands, ','); /* e.g. "x0, 1149" */

		if (comma)
			out_mem(o, insn.operands, (size_t)(comma + 1 - insn.operands));
		out_fmt(o, "%s%x", comma ? " " : "", a->insns.items[in->target].offset);
	} else if (insn.has_target) {
		size_t before = o->len;

		if (!put_place(a, insn.target, o)) {
			o->len = before;
			out_str(o, insn.operands);
		}
	} else {
		put_operands(a, &insn, o);
	}
}

bool annotation_callee(const struct annotation *a, uint32_t i, uint32_t *symbol)
{
	struct insn insn;
	uint64_t offset;

	*symbol = 0;
	if (foreign_text(a, i) || a->insns.items[i].target != NO_TARGET)
		return false;
	annotation_decode(a, i, &insn);
	if (insn.has_target)
		*symbol = symbol_at(a, insn.target, &offset);
	return *symbol;
}
