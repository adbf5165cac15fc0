#include "base/parallel.h"
#include "report/stacks/data.h"
#include "report/stacks/export.h"

enum {
	AT_ONCE = 64, /* stacks that one thread prints in a piece, which then stays in the cache */
	AHEAD = 8     /* prefetch the names of this many stacks: they are not in the order of printing */
};

struct printing {
	const struct stacks *st;
	bool compared;
};
/* The last line of a piece: usually the next one has the same beginning. */
struct last_line {
	const struct stack *stack;
	size_t at;        /* in the output */
	VEC(size_t) ends; /* by name: where it ends in the line */
};

/* Copy what the line shares with the last one. Return the number of names. */
static uint32_t repeat_names(const struct stack *s, const struct last_line *last, struct out *o)
{
	uint32_t n = 0, most = last->stack ? MIN(s->n, last->stack->n) : 0;
	char *to;

	while (n < most && s->names[n] == last->stack->names[n])
		n++;
	if (!n)
		return 0;
	to = out_room(o, last->ends.items[n - 1]);
	memcpy(to, o->buf + last->at, last->ends.items[n - 1]);
	o->len += last->ends.items[n - 1];
	return n;
}

static void print_names(const struct printing *p, const struct stack *s, struct last_line *last, struct out *o)
{
	size_t at = o->len;
	uint32_t k = repeat_names(s, last, o);

	vec_reserve(&last->ends, s->n);
	for (; k < s->n; k++) {
		const struct stack_name *name = &p->st->names.items[s->names[k]];
		char *to = out_room(o, name->len + 1);

		*to = ';';
		memcpy(to + (k > 0), name->text, name->len);
		o->len += name->len + (k > 0);
		last->ends.items[k] = o->len - at;
	}
	last->stack = s;
	last->at = at;
}

static void print_line(const struct printing *p, const struct stack *s, struct last_line *last, struct out *o)
{
	print_names(p, s, last, o);
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
	struct last_line last = { 0 };

	(void)worker;
	for (size_t i = item * AT_ONCE; i < end; i++) {
		if (i + AHEAD < p->st->stacks.len)
			stack_fetch_names(&p->st->stacks.items[i + AHEAD]);
		print_line(p, &p->st->stacks.items[i], &last, o);
	}
	vec_free(&last.ends);
}

void export_collapsed(const struct stacks *st, bool compared, struct out *o)
{
	struct printing p = { st, compared };

	parallel_text((st->stacks.len + AT_ONCE - 1) / AT_ONCE, parallel_threads(), print_lines, &p, NULL, o);
}
