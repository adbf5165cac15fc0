#include "report/stacks/export.h"

void export_collapsed(const struct stacks *st, bool compared, struct out *o)
{
	for (size_t i = 0; i < st->stacks.len; i++) {
		const struct stack *s = &st->stacks.items[i];

		for (uint32_t k = 0; k < s->n; k++) {
			const struct stack_name *name = &st->names.items[st->words.items[s->at + k]];

			if (k)
				out_char(o, ';');
			out_mem(o, name->text, name->len);
		}
		if (compared) {
			out_char(o, ' ');
			out_u64(o, s->weight[1]);
		}
		out_char(o, ' ');
		out_u64(o, s->weight[0]);
		out_char(o, '\n');
	}
}
