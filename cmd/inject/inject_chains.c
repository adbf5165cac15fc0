/*
 * inject --convert-callchain: unwind copied stacks, and store call chains in the samples instead of
 * stacks and registers.
 */
#include "cmd/commands.h"
#include "cmd/inject/inject_priv.h"

/* Also the limit of perf. */
enum { MAX_FRAMES = 127 };

#define STACK_FIELDS (SAMPLE_REGS_USER | SAMPLE_STACK_USER)

static bool has_stack(const struct attr *a) { return (a->sample_type & STACK_FIELDS) == STACK_FIELDS; }

int inject_check_chains(const struct inject *n, struct err *e)
{
	for (size_t i = 0; i < n->s->pd->n_events; i++)
		if (has_stack(&n->s->pd->events[i].attr))
			return 0;
	err_set(e, "--convert-callchain requires DWARF call graph.");
	err_why(e, "no event of '%s' was recorded with copies of the stack", n->opts->input);
	return err_try(e, "%s record --call-graph dwarf", tool_name());
}

void inject_convert_attr(struct attr *a)
{
	if (!has_stack(a))
		return;
	a->sample_type = (a->sample_type & ~STACK_FIELDS) | SAMPLE_CALLCHAIN;
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
	a->flags &= ~ATTR_EXCLUDE_CALLCHAIN_USER;
}

int inject_converted(struct inject *n, const struct record *r, struct err *e)
{
	int event = perfdata_event_of(n->s->pd, r);
	struct chain_words chain;
	struct sample s;

	if (event < 0 || !has_stack(&n->s->pd->events[event].attr))
		return 0;
	if (!inject_decode(n, r, (uint32_t)event, &s))
		return 1;
	if (!inject_chain(n, r, &s, MAX_FRAMES, &chain))
		n->not_unwound++;
	s.chain = chain.words;
	s.n_chain = chain.n;
	return inject_write_sample(n, r, &s, (s.type & ~STACK_FIELDS) | SAMPLE_CALLCHAIN, r->misc, e);
}
