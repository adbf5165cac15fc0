/* Keep call chains by name: each once, and not more than a limit. */
#include "report/waits/waits_priv.h"

/*
 * Limits, so that a recording cannot fill our memory. We cut further stacks to their functions of the kernel, which say
 * what a wait is for. If these are too many again, we keep only the kind of the wait. CHAINS_MOST limits a cache that
 * finds stacks by the addresses of chains.
 */
enum { FRAMES_MOST = 127, STACKS_MOST = 1 << 17, CHAINS_MOST = 1 << 18 };
static const char cut_name[] = "[further stacks]";

static uint64_t chain_key(const struct trace_event *t, enum wait_context context)
{
	uint64_t seed = hash_mix(t->task.space, t->task.space_version) + context;

	return hash_words(t->sample.chain, t->sample.n_chain, seed);
}

/*
 * Is this the kernel's entry for interrupts? Frames outside of it belong to the interrupted thread. Exceptions and
 * system calls (asm_exc_page_fault, el0t_64_sync) do not count: the thread itself causes them.
 */
static bool is_interrupt_entry(const char *name)
{
	static const char *const entries[] = { "asm_common_",      "asm_sysvec_", "asm_spurious_", "asm_exc_xen_",
					       "common_interrupt", "el0t_64_irq", "el0t_64_fiq",   "el0t_32_irq",
					       "el0t_32_fiq",      "el1h_64_irq", "el1h_64_fiq",   "ext_int_",
					       "io_int_",          "irq_entries" };

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}

/* Return the stack with the frames that were added last; keep it if it is new. `limited`: not if there are too many. */
static uint32_t intern_stack(struct waits *w, const struct wait_stack *s, bool limited)
{
	uint64_t hash = hash_mix(s->n_kernel, (uint64_t)s->context << 16 | (uint64_t)s->kind << 8 | (uint64_t)s->end);
	uint32_t *at, found;
	bool is_new;

	for (uint32_t i = 0; i < s->n; i++)
		hash = hash_mix(hash, w->frames.items[s->from + i]);
	if (limited && w->stacks.len >= STACKS_MOST) {
		at = u64map_find(&w->stack_names, hash);
		found = at ? *at : 0;
		if (found)
			w->frames.len = s->from;
		return found;
	}
	at = u64map_put(&w->stack_names, hash, &is_new);
	if (!is_new) {
		w->frames.len = s->from;
		return *at;
	}
	vec_push(&w->stacks, *s);
	*at = (uint32_t)w->stacks.len;
	return *at;
}

/* Return the stack with only the kernel's functions of the frames that were added last. */
static uint32_t intern_cut(struct waits *w, struct wait_stack s)
{
	if (w->stacks.len >= 2 * STACKS_MOST)
		s.n_kernel = 0;
	w->frames.len = s.from + s.n_kernel;
	vec_push(&w->frames, strtab_intern(&w->names, cut_name));
	s.n = s.n_kernel + 1;
	return intern_stack(w, &s, false);
}

/*
 * Does the thread itself empty the queue of packets between local sockets, after it has put a packet there? Then there
 * is neither an interrupt nor ksoftirqd in the chain. Packets of a network card come from the card's own function
 * instead.
 */
static bool is_sending(const struct calls *calls)
{
	bool backlog = false;

	for (size_t i = 0; i < calls->len; i++) {
		const char *name = calls->items[i].name;

		if (name && (is_interrupt_entry(name) || !strcmp(name, "run_ksoftirqd")))
			return false;
		backlog |= name && !strcmp(name, "process_backlog");
	}
	return backlog;
}

/* Return the innermost context: interrupts may interrupt softirqs. */
static enum wait_context context_of(const struct calls *calls)
{
	for (size_t i = 0; i < calls->len; i++) {
		const char *name = calls->items[i].name;

		if (name && (!strcmp(name, "handle_softirqs") || !strcmp(name, "__do_softirq")))
			return CONTEXT_SOFTIRQ;
		if (name && is_interrupt_entry(name))
			return CONTEXT_HARDIRQ;
	}
	return CONTEXT_THREAD;
}

static uint32_t new_stack(struct waits *w, const struct trace_event *t, enum wait_context context)
{
	bool interrupt;
	struct wait_stack s = { .from = (uint32_t)w->frames.len, .kind = WAIT_OTHER };
	uint32_t stack;

	calls_of(&w->calls, w->session, t, FRAMES_MOST, true);
	s.context = context == CONTEXT_BY_STACK ? context_of(&w->calls) : context;
	interrupt = s.context != CONTEXT_THREAD;
	for (size_t i = 0; i < w->calls.len; i++) {
		const char *name = w->calls.items[i].name;

		vec_push(&w->frames, strtab_intern(&w->names, name ? name : "[unknown]"));
		s.n_kernel += w->calls.items[i].kernel;
		if (interrupt && name && is_interrupt_entry(name))
			w->calls.len = i + 1;
	}
	s.n = (uint32_t)w->frames.len - s.from;
	s.kind = wait_kind_of(w, &w->calls);
	if (s.kind == WAIT_OTHER && wait_is_idle_kthread(&w->calls))
		s.kind = WAIT_IDLE;
	s.end = wait_end_of(&w->calls, interrupt);
	s.sends = s.context == CONTEXT_SOFTIRQ && is_sending(&w->calls);
	stack = intern_stack(w, &s, true);
	return stack ? stack : intern_cut(w, s);
}

uint32_t wait_stack_of(struct waits *w, const struct trace_event *t, enum wait_context context)
{
	uint32_t *at, stack;
	bool is_new;

	if (!t->sample.n_chain)
		return 0;
	if (w->stack_index.len >= CHAINS_MOST)
		u64map_free(&w->stack_index);
	at = u64map_put(&w->stack_index, chain_key(t, context), &is_new);
	if (!is_new)
		return *at;
	stack = new_stack(w, t, context);
	*at = stack;
	return stack;
}

uint32_t wait_stack_cut(struct waits *w, uint32_t stack)
{
	struct wait_stack s;

	if (!stack)
		return 0;
	s = w->stacks.items[stack - 1];
	for (uint32_t i = 0; i < s.n_kernel; i++)
		vec_push(&w->frames, w->frames.items[s.from + i]);
	s.from = (uint32_t)w->frames.len - s.n_kernel;
	return intern_cut(w, s);
}
