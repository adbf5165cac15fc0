#include "base/parallel.h"
#include "report/stacks/data.h"
#include "report/stacks/export.h"

enum { AT_ONCE = 1024 }; /* stacks that one thread prints in a piece */

struct printing {
	const struct stacks *st;
	bool compared;
};

static void print_line(const struct printing *p, const struct stack *s, struct out *o)
{
	const uint32_t *names = p->st->words.items + s->at;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct stack_name *name = &p->st->names.items[names[k]];

		if (k)
			out_char(o, ';');
		out_mem(o, name->text, name->len);
	}
	if (p->compared) {
		out_char(o, ' ');
		out_u64(o, s->weight[1]);
	}
	out_char(o, ' ');
	out_u64(o, s->weight[0]);
	out_char(o, '\n');
}

static void print_lines(void *ctx, size_t item, unsigned worker, struct out *o)
{
	const struct printing *p = ctx;
	size_t end = MIN((item + 1) * AT_ONCE, p->st->stacks.len);

	(void)worker;
	for (size_t i = item * AT_ONCE; i < end; i++)
		print_line(p, &p->st->stacks.items[i], o);
}

void export_collapsed(const struct stacks *st, bool compared, struct out *o)
{
	struct printing p = { st, compared };

	parallel_text((st->stacks.len + AT_ONCE - 1) / AT_ONCE, parallel_threads(), print_lines, &p, NULL, o);
}
