/* Continue cut stacks with earlier or later stacks of their threads. */
#include "record/unwind/rewriter_priv.h"
#include "record/unwind/target_memory_priv.h"

/* Keep a stack to continue cut ones, if it is as complete as stacks of its kind can be. */
static void remember(struct rewriter *l, const struct unwind_round *r, const struct round_entry *entry)
{
	const struct unwound_stack *res = &entry->result;
	const uint64_t *words = words_of(r, res);

	if (res->end == UNWOUND_WHOLE || res->end == UNWOUND_JOINED || res->end == UNWOUND_NO_INFO ||
	    res->end == UNWOUND_GUESSED)
		known_stacks_add(l->known, entry->thread, words, words + res->n, res->n,
				 res->end == UNWOUND_JOINED ? UNWOUND_WHOLE : res->end);
}

/* Continue a cut stack with another stack of its thread. */
static void join(struct rewriter *l, struct unwind_round *r, struct round_entry *entry)
{
	struct unwound_stack *res = &entry->result, joined = { .at = r->words[0].len };
	const uint64_t *words = words_of(r, res);
	uint32_t at = known_stacks_find(l->known, entry->thread, words[res->n - 1], words[2 * res->n - 1]), n = res->n;
	const struct known_frame *frame = known_stacks_frame(l->known, at), *next;
	uint64_t *to;

	if (!frame->caller)
		return;
	for (next = frame; next->caller; n++)
		next = known_stacks_frame(l->known, next->caller);
	joined.n = n;
	joined.end = next->end == UNWOUND_WHOLE ? UNWOUND_JOINED : next->end;
	to = vec_add(&r->words[0], 2 * (size_t)n);
	words = words_of(r, res); /* the words may have moved */
	memcpy(to, words, res->n * sizeof(*to));
	memcpy(to + n, words + res->n, res->n * sizeof(*to));
	for (n = res->n; frame->caller; n++) {
		frame = known_stacks_frame(l->known, frame->caller);
		to[n] = frame->ip;
		to[joined.n + n] = frame->sp;
	}
	*res = joined;
}

/*
 * Return true if the rest of a stack, from frame `n` on, was the same in a read of memory before
 * this round's samples.
 */
static bool was_same(struct rewriter *l, const struct unwind_round *r, uint64_t thread, size_t from, size_t n)
{
	const struct rewrite_worker *w = l->workers[0];
	uint64_t hash = hash_bytes(w->ips + from, (n - from) * 8, hash_bytes(w->sps + from, (n - from) * 8, 0));
	uint32_t *at;
	struct stack_rest *rest;
	bool is_new;

	if (l->rests.len >= RESTS_MAX) {
		vec_clear(&l->rests);
		u64map_free(&l->rest_by_place);
	}
	at = u64map_put(&l->rest_by_place, hash_mix(thread, w->sps[from]), &is_new);
	if (is_new) {
		*at = (uint32_t)l->rests.len;
		vec_push(&l->rests, (struct stack_rest){ 0 });
	}
	rest = &l->rests.items[*at];
	if (!is_new && rest->hash == hash)
		return r->number >= rest->round + READ_BEFORE;
	*rest = (struct stack_rest){ hash, atomic_load(&l->n_rounds) };
	return false;
}

/*
 * Look for the rest of a cut stack in the process's memory. The thread has continued since the sample. But if the rest
 * leads to the start, and was the same before the sample, it belongs to the sample.
 */
static void read_rest(struct rewriter *l, const struct unwind_round *r, const struct round_entry *entry,
		      struct target_memory *memory)
{
	const struct unwound_stack *res = &entry->result;
	struct rewrite_worker *w = l->workers[0];
	struct unwind_args args;
	struct unwind_stop stop;
	uint64_t sp = words_of(r, res)[res->n]; /* start of the missing part */
	int32_t pid;
	size_t n;

	if (!entry->maps || !rewriter_args(l, entry, &args, &pid))
		return;
	if (memory->pid != pid) {
		memory->pid = pid;
		memory->n = 0;
	}
	/* Read the page, so that the copies of the next samples do not end there. */
	if (args.stack_ends)
		target_memory_touch(memory, sp + args.stack_size, sp + l->opts.window);
	args.memory = target_memory_read;
	args.memory_ctx = memory;
	n = unwind_by_tables(w->cache, &entry->maps->view, &args, w->ips, w->sps, FRAMES_MAX, &stop);
	if (n > res->n && stop.end == UNWIND_DONE && was_same(l, r, entry->thread, res->n, n))
		known_stacks_add(l->known, entry->thread, w->ips, w->sps, n, rewriter_end_of(&stop));
}

static void join_entries(struct rewriter *l, struct unwind_round *r, bool again)
{
	for (size_t i = 0; i < r->entries.len; i++) {
		struct round_entry *entry = &r->entries.items[i];
		bool cut = entry->result.cut;

		if (cut)
			join(l, r, entry);
		if (entry->result.n && (cut || !again))
			remember(l, r, entry);
	}
}

static void count_cut(struct unwind_round *r)
{
	r->n_cut = 0;
	for (size_t i = 0; i < r->entries.len; i++)
		r->n_cut += r->entries.items[i].result.cut && r->entries.items[i].result.stop != UNWIND_NO_CFI;
}

static bool any_cut(const struct unwind_round *r)
{
	for (size_t i = 0; i < r->entries.len; i++)
		if (r->entries.items[i].result.cut)
			return true;
	return false;
}

/* Join cut stacks with earlier stacks of their threads, otherwise with later ones, or with the process's memory. */
void rewriter_join(struct rewriter *l, struct unwind_round *r)
{
	autofree struct target_memory *memory = NULL;
	bool cut = any_cut(r);
	unsigned reads = 0;

	/* Most programs never have a cut stack, so do not keep stacks for it before the first one. */
	l->joins |= cut;
	if (!l->joins)
		return;
	join_entries(l, r, false);
	if (!cut)
		return;
	memory = xmalloc(sizeof(*memory)); /* too large for some stacks */
	memory->refused = false;
	memory->pid = -1;
	for (size_t i = r->entries.len; i-- && reads < READS_MAX && !memory->refused;)
		if (r->entries.items[i].result.cut) {
			read_rest(l, r, &r->entries.items[i], memory);
			reads++;
		}
	join_entries(l, r, true);
	count_cut(r);
}

void rewriter_join_again(struct rewriter *l, struct unwind_round *r)
{
	if (!r->n_cut)
		return;
	join_entries(l, r, true);
	count_cut(r);
}
