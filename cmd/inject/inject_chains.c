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
	struct chain_place place = { .pos = session_pos(r->stream, r->pos), .max = MAX_FRAMES };
	struct chain_words chain;
	struct sample s;
	struct task task;
	size_t size;
	struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { r->type, r->misc, 0 };

	if (event < 0 || !has_stack(&n->s->pd->events[event].attr))
		return 0;
	if (sample_decode(n->s->pd, r, (uint32_t)event, &s, NULL) < 0) {
		n->s->notes.format.bad_samples++;
		return 1;
	}
	place.sample = &s;
	place.task = &task;
	place.moment = session_moment(n->s, &n->hits.lookup, s.time, place.pos);
	session_task(n->s, &n->hits.lookup, (int32_t)s.pid, (int32_t)s.tid, place.moment, &task);
	if (!chain_of_sample(n->s, &place, &n->hits.buffer, &chain))
		n->not_unwound++;
	s.chain = chain.words;
	s.n_chain = chain.n;
	size = sample_encode(n->s->pd, r, &s, (s.type & ~STACK_FIELDS) | SAMPLE_CALLCHAIN, n->buffer + 8,
			     RECORD_ROOM - 8);
	if (!size) { /* larger than any record; the kernel writes none that would become so large */
		n->s->notes.format.bad_samples++;
		return 1;
	}
	head.size = (uint16_t)(8 + size);
	memcpy(n->buffer, &head, 8);
	return writer_record(n->writer, n->buffer, 8 + size, e) < 0 ? -1 : 1;
}
