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

void inject_chain_features(struct inject *n, struct features *f)
{
	const struct perfdata *pd = n->s->pd;

	/*
	 * Count the ends of chains, for the feature UNWOUND. But old readers (--compat) do not know this feature. And
	 * if the recorder unwound the stacks, the recording already has these counts.
	 */
	if (!n->opts->chains || n->opts->compat || feature_has(&pd->features, FEATURE_UNWOUND))
		return;
	n->writes_ends = true;
	f->unwound_window = 0;
	f->unwound_events = arena_alloc(f->arena, pd->n_events * sizeof(uint32_t));
	f->n_unwound_events = 0;
	for (uint32_t i = 0; i < pd->n_events; i++)
		if (has_stack(&pd->events[i].attr))
			f->unwound_events[f->n_unwound_events++] = i;
	for (unsigned i = 0; i < N_UNWOUND_ENDS; i++)
		n->chain_ends[i].code = unwound_ends[i];
	f->unwound_ends = n->chain_ends;
	f->n_unwound_ends = N_UNWOUND_ENDS;
	feature_set(f, FEATURE_UNWOUND);
}

/* Return the misc of a converted sample: it says how its stack ended. */
static uint16_t misc_of(struct inject *n, const struct record *r, const struct sample *s,
			const struct chain_words *chain)
{
	bool has_copy = s->stack_user.dyn_size && s->regs_user.values;
	enum unwound_end end = has_copy ? chain_unwound_end(chain) : UNWOUND_NONE;

	if (!n->writes_ends)
		return r->misc;
	n->chain_ends[end].samples++;
	return (uint16_t)((r->misc & ~(UNWOUND_MASK << UNWOUND_SHIFT)) | end << UNWOUND_SHIFT);
}

int inject_converted(struct inject *n, const struct record *r, struct err *e)
{
	int event = perfdata_event_of(n->s->pd, r);
	struct chain_words chain;
	struct sample s;
	uint16_t misc;

	if (event < 0 || !has_stack(&n->s->pd->events[event].attr))
		return 0;
	if (!inject_decode(n, r, (uint32_t)event, &s))
		return 1;
	if (!inject_chain(n, r, &s, MAX_FRAMES, &chain))
		n->not_unwound++;
	misc = misc_of(n, r, &s, &chain);
	s.chain = chain.words;
	s.n_chain = chain.n;
	return inject_write_sample(n, r, &s, (s.type & ~STACK_FIELDS) | SAMPLE_CALLCHAIN, misc, e);
}
