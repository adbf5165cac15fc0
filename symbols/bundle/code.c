/* Add the code of sampled functions: its bytes, and what a listing of them names. */
#include "symbols/bundle/make_priv.h"
#include "symbols/code/disasm.h"

enum { MAX_FUNCTION = 1 << 20 };

static void add_target(struct maker *m, uint32_t dso, uint64_t address, struct hit_list *hits)
{
	vec_push(hits, (struct bundle_hit){ .dso = dso, .dso_off = dso_offset(m->s, dso, address) });
}

static void add_instructions(struct maker *m, uint32_t dso, const struct code *c, struct hit_list *hits)
{
	struct disasm *disasm = disasm_open(&c->target, NULL);
	struct code_cursor at = { c->bytes, c->len, c->address };
	struct insn insn;

	while (disasm && disasm_next(disasm, &at, &insn)) {
		add_target(m, dso, insn.address - c->shift, hits);
		if (insn.has_target)
			add_target(m, dso, insn.target - c->shift, hits);
		if (insn.has_data)
			add_target(m, dso, insn.data - c->shift, hits);
	}
	disasm_close(disasm);
}

static void add_function(struct maker *m, uint32_t dso, const struct symbol *sym, struct hit_list *hits,
			 struct code_spans *code)
{
	const struct dso *d = symbols_get_dso(m->s, dso);
	uint64_t len = MIN(sym->end - sym->start, MAX_FUNCTION), offset;
	struct code c;

	if (!len || dso_code(m->s, dso, sym->start, len, &c, NULL) < 0)
		return;
	if (d->image && c.bytes >= d->image->data && c.bytes < d->image->data + d->image->len) {
		offset = (uint64_t)(c.bytes - d->image->data);
		vec_push(code, (struct code_span){ offset, c.len });
		add_instructions(m, dso, &c, hits);
		m->counts->functions++;
	}
	code_release(&c);
}

void maker_add_code(struct maker *m, uint32_t dso, struct hit_list *hits, struct code_spans *code)
{
	size_t n = hits->len;
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t symbol = hits->items[i].sampled ? dso_find(m->s, dso, hits->items[i].dso_off) : 0;

		if (symbol && symbol != last)
			add_function(m, dso, dso_symbol(m->s, dso, symbol), hits, code);
		last = symbol ? symbol : last;
	}
}
