#include "report/session/reference.h"

#include <linux/perf_event.h>

void reference_keep(struct reference *r, uint32_t tid, const struct chain_words *c)
{
	bool is_new;
	uint32_t *at = u64map_put(&r->threads, tid, &is_new);
	struct reference_stack *s;

	if (is_new) {
		*at = (uint32_t)r->stacks.len;
		vec_add(&r->stacks, 1);
	}
	s = &r->stacks.items[*at];
	s->words.len = 0;
	s->unwound = c->unwound;
	vec_append(&s->words, c->words, c->n);
}

static uint64_t marker_of(unsigned cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL: return (uint64_t)PERF_CONTEXT_KERNEL;
	case CPUMODE_GUEST_KERNEL: return (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
	case CPUMODE_GUEST_USER: return (uint64_t)PERF_CONTEXT_GUEST_USER;
	case CPUMODE_HYPERVISOR: return (uint64_t)PERF_CONTEXT_HV;
	default: return (uint64_t)PERF_CONTEXT_USER;
	}
}

/*
 * Find where the callers of an address of this mode begin in the kept stack: after the innermost frame of the same
 * mode, because the address replaces that frame. If the kept stack has no kernel frames, the thread has entered the
 * kernel since then, and the whole stack called the address.
 */
static uint64_t callers_of(const struct reference_stack *s, uint64_t marker)
{
	for (uint64_t i = 0; i < s->words.len; i++)
		if (s->words.items[i] == marker)
			return i + 2;
	return marker == (uint64_t)PERF_CONTEXT_USER ? s->words.len : 0;
}

void reference_borrow(struct reference *r, uint32_t tid, uint64_t ip, unsigned cpumode, struct chain_words *c)
{
	const uint32_t *at = u64map_find(&r->threads, tid);
	const struct reference_stack *s;
	uint64_t callers;

	if (!at)
		return;
	s = &r->stacks.items[*at];
	callers = callers_of(s, marker_of(cpumode));
	r->made.len = 0;
	vec_push(&r->made, marker_of(cpumode));
	vec_push(&r->made, ip);
	*c = (struct chain_words){ .unwound = r->made.len + MAX(s->unwound, callers) - callers };
	for (uint64_t i = callers; i < s->words.len; i++)
		vec_push(&r->made, s->words.items[i]);
	c->words = (const uint8_t *)r->made.items;
	c->n = r->made.len;
}

void reference_clear(struct reference *r)
{
	for (size_t i = 0; i < r->stacks.len; i++)
		vec_free(&r->stacks.items[i].words);
	r->stacks.len = 0;
	u64map_free(&r->threads);
	r->threads = (struct u64map){ 0 };
}

void reference_release(struct reference *r)
{
	reference_clear(r);
	vec_free(&r->stacks);
	vec_free(&r->made);
}
