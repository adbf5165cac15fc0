/* Make stacks of samples that still arrive. */
#include "report/stacks/stacks_priv.h"

struct stacks_growth {
	struct stacks *st;
	struct session *session;
	struct places places;
	struct stack_part part;
	struct stacks_worker *decoder;
};

struct stacks_growth *stacks_growth_new(struct stacks *st, struct session *s, const struct profile_filter *filter)
{
	struct stacks_growth *g = xcalloc(1, sizeof(*g));

	g->st = st;
	g->session = s;
	places_init(&g->places, s, &st->opts);
	g->decoder = stack_decoder_new(
		&(struct stack_decoding){ .session = s, .opts = &st->opts, .filter = filter, .places = &g->places },
		&g->part);
	return g;
}

void stacks_growth_take(struct stacks_growth *g, size_t n_chunks) { stack_decoder_take(g->decoder, n_chunks); }

void stacks_growth_mark(struct stacks_growth *g, struct session_roots *roots)
{
	size_t n_strings = g->session->strings.texts.len;

	for (size_t i = 1; i < g->places.items.len; i++)
		roots->dsos[g->places.items.items[i].dso] = true;
	for (size_t i = 0; i < g->part.tasks.len; i++)
		if (g->part.tasks.items[i].comm < n_strings) /* otherwise it stands for a thread without a name */
			roots->strings[g->part.tasks.items[i].comm] = true;
	stack_decoder_forget(g->decoder);
}

int stacks_growth_end(struct stacks_growth *g, struct err *e)
{
	int rc;

	stack_decoder_free(g->decoder);
	rc = stacks_merge(g->st, &g->places, &g->part, 1, 0, e);
	stack_part_release(&g->part);
	places_release(&g->places);
	free(g);
	return rc;
}
