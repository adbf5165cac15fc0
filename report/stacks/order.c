/*
 * Sort stacks by their names. A key has the ranks of the next few names. We sort a group of stacks, which are equal so
 * far, by their keys, and those with equal keys become a group again. So we compare the first names, which most stacks
 * share, only once, and never compare two whole stacks.
 */
#include "base/parallel.h"
#include "base/sort/radix.h"
#include "report/stacks/stacks_priv.h"

struct stack_sorting {
	const struct stack_order *o;
	struct sorted_stack {
		const uint32_t *names;
		uint64_t weight;
	} * stacks;
	unsigned rank_bits, depth; /* of a name in a key; names in a key */
	struct radix_item *items;  /* key, and the number of a stack */
	struct radix_item *spare;
	struct ordered_stack *sorted;
};

/* The stacks at these positions of the order have the same first `depth` names. */
struct equal_stacks {
	size_t from, to;
	uint32_t depth;
};
/* Stacks of a group that have equal keys. */
struct key_run {
	size_t from, to;
	uint64_t key, weight;
};
struct stack_sorter {
	VEC(struct equal_stacks) open;
	VEC(struct key_run) runs;
};

/* Make the key of the next names. A name after the end of the stack has rank 0. */
static uint64_t load_key(const struct stack_sorting *s, const uint32_t *names)
{
	uint64_t key = 0;

	for (unsigned shift = 64 - s->rank_bits, left = s->depth; left && *names; shift -= s->rank_bits, left--) {
		uint32_t name = *names++;

		key |= (uint64_t)s->o->ranks[2 * (size_t)name + !*names] << shift;
	}
	return key;
}

static bool has_ended(const struct stack_sorting *s, uint64_t key)
{
	return !(key << (s->rank_bits * (s->depth - 1)) >> (64 - s->rank_bits));
}

/* Join the stacks [from .. to) to one of this many names. */
static void settle(struct stack_sorting *s, size_t from, size_t to, uint32_t names)
{
	s->sorted[from].names = names;
	for (size_t i = from + 1; i < to; i++)
		s->sorted[i].names = 0;
}

static void end_run(struct stack_sorting *s, struct stack_sorter *w, const struct key_run *r, uint32_t depth)
{
	if (r->to - r->from == 1 || has_ended(s, r->key))
		settle(s, r->from, r->to, STACK_ALL_NAMES);
	else
		vec_push(&w->open, (struct equal_stacks){ r->from, r->to, depth + s->depth });
}

/* End the runs [from .. to). They have the same first `depth` names; `level` of these are in their keys. */
static void end_runs(struct stack_sorting *s, struct stack_sorter *w, size_t from, size_t to, uint32_t depth,
		     unsigned level)
{
	const struct key_run *runs = w->runs.items;
	unsigned rest = 64 - (level + 1) * s->rank_bits;
	uint64_t weight = 0;

	for (size_t i = from; i < to; i++)
		weight += runs[i].weight;
	if (depth && weight < s->o->least) {
		settle(s, runs[from].from, runs[to - 1].to, depth);
		return;
	}
	if (level == s->depth || to - from == 1) {
		end_run(s, w, &runs[from], depth - level);
		return;
	}
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && runs[end].key >> rest == runs[i].key >> rest;)
			end++;
		end_runs(s, w, i, end, depth + 1, level + 1);
	}
}

static void find_runs(struct stack_sorting *s, struct stack_sorter *w, const struct equal_stacks *g)
{
	vec_clear(&w->runs);
	for (size_t i = g->from; i < g->to;) {
		struct key_run r = { .from = i, .key = s->items[i].key };

		for (; i < g->to && s->items[i].key == r.key; i++)
			r.weight += s->o->least ? s->stacks[s->items[i].value].weight : 0;
		r.to = i;
		vec_push(&w->runs, r);
	}
}

/* Load the keys of a group. `end`: up to there, no other thread works on the items. */
static void load_keys(struct stack_sorting *s, size_t from, size_t to, uint32_t depth, size_t end)
{
	enum { AHEAD = 8 };

	/* prefetch beyond `to`, too: usually the next group is the one after this */
	for (size_t i = from; i < to; i++) {
		if (i + 2 * AHEAD < end)
			__builtin_prefetch(&s->stacks[s->items[i + 2 * AHEAD].value]);
		if (i + AHEAD < end)
			__builtin_prefetch(s->stacks[s->items[i + AHEAD].value].names + depth);
		s->items[i].key = load_key(s, s->stacks[s->items[i].value].names + depth);
	}
}

/* Sort a group by its keys; what is still equal becomes open groups. */
static void sort_keys(struct stack_sorting *s, struct stack_sorter *w, const struct equal_stacks *g)
{
	radix_sort(s->items + g->from, s->spare + g->from, g->to - g->from);
	find_runs(s, w, g);
	if (s->o->least)
		end_runs(s, w, 0, w->runs.len, g->depth, 0);
	else
		for (size_t i = 0; i < w->runs.len; i++)
			end_run(s, w, &w->runs.items[i], g->depth);
}

/* ---- on several threads ---- */

/* Several threads load the keys of a large group. This takes most of the time: the names are not in the cache. */
struct key_job {
	struct stack_sorting *s;
	struct equal_stacks group;
};
enum { KEYS_AT_ONCE = 1 << 13 };

static void load_some_keys(void *ctx, size_t item, unsigned worker)
{
	const struct key_job *j = ctx;
	size_t from = j->group.from + item * KEYS_AT_ONCE, to = MIN(from + KEYS_AT_ONCE, j->group.to);

	(void)worker;
	load_keys(j->s, from, to, j->group.depth, to);
}

static void sort_large(struct stack_sorting *s, struct stack_sorter *w, struct equal_stacks g)
{
	struct key_job j = { s, g };

	parallel_for((g.to - g.from + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE, parallel_threads(), load_some_keys, &j);
	sort_keys(s, w, &g);
}

struct stack_sort_job {
	struct stack_sorting *s;
	VEC(struct equal_stacks) groups;
	VEC(size_t) cuts; /* the groups from one cut to the next are one item */
};

static void sort_groups(void *ctx, size_t item, unsigned worker)
{
	const struct stack_sort_job *j = ctx;
	size_t end = j->groups.items[j->cuts.items[item + 1] - 1].to;
	struct stack_sorter w = { 0 };

	(void)worker;
	for (size_t i = j->cuts.items[item]; i < j->cuts.items[item + 1]; i++) {
		vec_push(&w.open, j->groups.items[i]);
		while (w.open.len) {
			struct equal_stacks g = w.open.items[--w.open.len];

			load_keys(j->s, g.from, g.to, g.depth, end);
			sort_keys(j->s, &w, &g);
		}
	}
	vec_free(&w.open);
	vec_free(&w.runs);
}

/* Sort the large groups on this thread, until only many small ones are left, which all threads sort. */
static void sort_all(struct stack_sorting *s, size_t n)
{
	enum { ITEMS = 16, LEAST = 1024 }; /* ITEMS: of each thread, because their sizes differ */
	unsigned threads = parallel_threads();
	size_t large = MAX(n / threads / ITEMS, (size_t)LEAST), together = 0;
	struct stack_sort_job j = { .s = s };
	struct stack_sorter w = { 0 };

	vec_push(&w.open, (struct equal_stacks){ 0, n, 0 });
	while (w.open.len) {
		struct equal_stacks g = w.open.items[--w.open.len];

		if (g.to - g.from > large)
			sort_large(s, &w, g);
		else if (g.to > g.from)
			vec_push(&j.groups, g);
	}
	for (size_t i = 0; i < j.groups.len / 2; i++) { /* they came from the last one to the first */
		struct equal_stacks g = j.groups.items[i];

		j.groups.items[i] = j.groups.items[j.groups.len - 1 - i];
		j.groups.items[j.groups.len - 1 - i] = g;
	}
	for (size_t i = 0; i < j.groups.len; i++) {
		if (!i || together > large) {
			vec_push(&j.cuts, i);
			together = 0;
		}
		together += j.groups.items[i].to - j.groups.items[i].from;
	}
	vec_push(&j.cuts, j.groups.len);
	parallel_for(j.cuts.len - 1, threads, sort_groups, &j);
	vec_free(&j.groups);
	vec_free(&j.cuts);
	vec_free(&w.open);
	vec_free(&w.runs);
}

struct ordered_stack *stack_order_sort(const struct stack_order *order, bool all, size_t *n)
{
	const struct stacks *st = order->st;
	size_t most = st->stacks.len;
	struct stack_sorting s = { .o = order, .rank_bits = 1 };

	while ((uint64_t)order->most >> s.rank_bits)
		s.rank_bits++;
	s.depth = 64 / s.rank_bits;
	s.stacks = xlarge((most + 1) * sizeof(*s.stacks));
	s.items = xlarge((most + 1) * sizeof(*s.items));
	*n = 0;
	for (size_t i = 0; i < most; i++) {
		const struct stack *stack = &st->stacks.items[i];

		s.stacks[i] = (struct sorted_stack){ stack->names, stack->weight[0] };
		if (all || stack->samples[0] || stack->samples[1])
			s.items[(*n)++].value = i;
	}
	s.spare = xlarge((*n + 1) * sizeof(*s.spare));
	s.sorted = xlarge((*n + 1) * sizeof(*s.sorted));
	sort_all(&s, *n);
	for (size_t i = 0; i < *n; i++)
		s.sorted[i].stack = (uint32_t)s.items[i].value;
	free(s.stacks);
	free(s.items);
	free(s.spare);
	return s.sorted;
}
