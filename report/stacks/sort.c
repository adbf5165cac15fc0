/* The order of stacks: that of collapsed lines. */
#include "base/parallel.h"
#include "base/phases.h"
#include "base/sort/radix.h"
#include "report/stacks/stacks_priv.h"

/* Compare names as parts of whole lines: ';' follows a name that is not the last. */
static int compare_names(const struct stack_name *a, bool a_last, const struct stack_name *b, bool b_last)
{
	size_t n = MIN(a->len, b->len);
	int rc = memcmp(a->text, b->text, n);
	unsigned char x, y;

	if (rc || a->len == b->len)
		return rc ? rc : b_last - a_last;
	x = a->len > n ? (unsigned char)a->text[n] : a_last ? 0 : ';';
	y = b->len > n ? (unsigned char)b->text[n] : b_last ? 0 : ';';
	return x < y ? -1 : x > y;
}

/* Compare two times a name's number, plus one for the last name of a stack. */
static int compare_places(const void *a, const void *b, void *ctx)
{
	const struct stack_name *names = ((const struct stacks *)ctx)->names.items;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_names(&names[x / 2], x & 1, &names[y / 2], y & 1);
}

/*
 * The rank of each name among its siblings: ranks[2 * n] for name n, ranks[2 * n + 1] for it as the
 * last of a stack. The caller frees it.
 */
static uint32_t *rank_names(struct stacks *st)
{
	uint32_t n = (uint32_t)st->names.len * 2, *ranks = xmalloc(n * sizeof(*ranks));
	autofree uint32_t *order = xmalloc(n * sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_places, st);
	for (uint32_t i = 0; i < n; i++)
		ranks[order[i]] = i;
	return ranks;
}

static bool has_samples(const struct stacks *st, size_t node)
{
	return st->weights.items[node].samples[0] || st->weights.items[node].samples[1];
}

/*
 * List the children of each node side by side, in the order of lines. A value is two times the
 * node, plus one if a stack ends there. Return *n of them; the caller frees it.
 */
static struct radix_item *sort_steps(struct stacks *st, size_t *n)
{
	size_t size = st->tree.nodes.len;
	autofree uint32_t *ranks = rank_names(st);
	autofree bool *goes_on = xcalloc(size + 1, sizeof(*goes_on));
	autofree struct radix_item *spare = xmalloc((2 * size + 1) * sizeof(*spare));
	struct radix_item *steps = xmalloc((2 * size + 1) * sizeof(*steps));

	*n = 0;
	for (size_t i = 1; i < size; i++)
		goes_on[st->tree.nodes.items[i].parent] = true;
	for (size_t i = 1; i < size; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		uint64_t beside = (uint64_t)node->parent * st->names.len * 2;

		if (has_samples(st, i))
			steps[(*n)++] =
				(struct radix_item){ .key = beside + ranks[2 * node->key + 1], .value = 2 * i + 1 };
		if (goes_on[i])
			steps[(*n)++] = (struct radix_item){ .key = beside + ranks[2 * node->key], .value = 2 * i };
	}
	radix_sort(steps, spare, *n);
	return steps;
}

/* ---- the walk ---- */

/* Steps from one node, and what leads to it. */
struct branch {
	size_t at, end;
	uint32_t node;
};
/* Stacks of a few branches, in order; `at` counts from the first of them. */
struct listed {
	VEC(struct stack) stacks;
	VEC(uint32_t) words;
};
struct sort_walk {
	const struct stacks *st;
	const struct radix_item *steps;
	size_t *first;  /* by node: its first step; one more at the end */
	size_t *slices; /* by node: its first slice; one more at the end */
	VEC(struct branch) branches;
	struct listed *lists;   /* by branch */
	size_t *stacks, *words; /* by branch: how many come before it */
	struct stacks *to;
};

static struct branch branch_of(const struct sort_walk *w, uint32_t node)
{
	return (struct branch){ w->first[node], w->first[node + 1], node };
}

/* A branch of one stack that ends at the node. */
static bool is_end(const struct sort_walk *w, const struct branch *b)
{
	return b->end - b->at == 1 && w->steps[b->at].value & 1;
}

/* Cut large branches into those of their children. Return false if none was large. */
static bool cut_branches(struct sort_walk *w, const uint32_t *below, uint32_t large)
{
	VEC(struct branch) next = { 0 };
	bool any = false;

	for (size_t i = 0; i < w->branches.len; i++) {
		struct branch b = w->branches.items[i];

		if (below[b.node] < large || is_end(w, &b)) {
			vec_push(&next, b);
			continue;
		}
		any = true;
		for (; b.at < b.end; b.at++) {
			uint64_t step = w->steps[b.at].value;

			if (step & 1)
				vec_push(&next, (struct branch){ b.at, b.at + 1, b.node });
			else
				vec_push(&next, branch_of(w, (uint32_t)(step / 2)));
		}
	}
	vec_move(&w->branches, &next);
	return any;
}

/* Cut the tree into branches, in the order of lines, so that each thread gets several. */
static void cut_tree(struct sort_walk *w, unsigned threads)
{
	enum { BRANCHES = 16 }; /* of each thread: their sizes differ */
	const struct stack_tree *t = &w->st->tree;
	autofree uint32_t *below = xcalloc(stack_tree_size(t), sizeof(*below));

	vec_push(&w->branches, branch_of(w, 0));
	if (threads < 2)
		return;
	for (size_t i = t->nodes.len; i-- > 1;)
		below[t->nodes.items[i].parent] += ++below[i];
	while (cut_branches(w, below, (uint32_t)(t->nodes.len / threads / BRANCHES) + 1))
		;
}

static void list_stack(const struct sort_walk *w, struct listed *to, uint32_t node, const uint32_t *names, size_t n)
{
	const struct stack_weight *weight = &w->st->weights.items[node];

	vec_push(&to->stacks, (struct stack){ .at = to->words.len,
					      .n = (uint32_t)n,
					      .slices = w->slices[node],
					      .n_slices = (uint32_t)(w->slices[node + 1] - w->slices[node]),
					      .weight = { weight->weight[0], weight->weight[1] },
					      .samples = { weight->samples[0], weight->samples[1] } });
	vec_append(&to->words, names, n);
}

static void list_branch(void *ctx, size_t item, unsigned worker)
{
	const struct sort_walk *w = ctx;
	const struct stack_node *nodes = w->st->tree.nodes.items;
	struct listed *to = &w->lists[item];
	VEC(uint32_t) path = { 0 };
	VEC(struct branch) open = { 0 };

	(void)worker;
	vec_push(&open, w->branches.items[item]);
	for (uint32_t node = open.items[0].node; node; node = nodes[node].parent)
		path.len++;
	vec_reserve(&path, path.len + 1);
	for (uint32_t node = open.items[0].node, i = (uint32_t)path.len; node; node = nodes[node].parent)
		path.items[--i] = nodes[node].key;
	while (open.len) {
		struct branch *b = &open.items[open.len - 1];
		uint64_t step;
		uint32_t node;

		if (b->at == b->end) {
			open.len--;
			path.len -= open.len > 0;
			continue;
		}
		step = w->steps[b->at++].value;
		node = (uint32_t)(step / 2);
		vec_push(&path, nodes[node].key);
		if (step & 1)
			list_stack(w, to, node, path.items, path.len--);
		else
			vec_push(&open, branch_of(w, node));
	}
	vec_free(&path);
	vec_free(&open);
}

/* Put a branch's list behind those before it. */
static void append_list(void *ctx, size_t item, unsigned worker)
{
	const struct sort_walk *w = ctx;
	struct listed *from = &w->lists[item];
	struct stack *to = w->to->stacks.items + w->stacks[item];

	(void)worker;
	for (size_t i = 0; i < from->stacks.len; i++) {
		to[i] = from->stacks.items[i];
		to[i].at += w->words[item];
	}
	if (from->words.len)
		memcpy(w->to->words.items + w->words[item], from->words.items, from->words.len * sizeof(uint32_t));
	vec_free(&from->stacks);
	vec_free(&from->words);
}

static void join_lists(struct sort_walk *w)
{
	size_t n = w->branches.len;

	w->stacks = xcalloc(n + 1, sizeof(*w->stacks));
	w->words = xcalloc(n + 1, sizeof(*w->words));
	for (size_t i = 0; i < n; i++) {
		w->stacks[i + 1] = w->stacks[i] + w->lists[i].stacks.len;
		w->words[i + 1] = w->words[i] + w->lists[i].words.len;
	}
	vec_reserve(&w->to->stacks, w->stacks[n]);
	vec_reserve(&w->to->words, w->words[n]);
	w->to->stacks.len = w->stacks[n];
	w->to->words.len = w->words[n];
	parallel_for(n, parallel_threads(), append_list, w);
	free(w->stacks);
	free(w->words);
}

void stacks_sort(struct stacks *st)
{
	const char *before = phase("sort");
	size_t n, size = st->tree.nodes.len;
	autofree struct radix_item *steps = sort_steps(st, &n);
	struct sort_walk w = { .st = st, .steps = steps, .to = st };

	w.first = xcalloc(size + 2, sizeof(*w.first));
	w.slices = sort_slices(st);
	for (size_t i = 0; i < n; i++)
		w.first[st->tree.nodes.items[steps[i].value / 2].parent + 1]++;
	for (size_t i = 0; i < size; i++)
		w.first[i + 1] += w.first[i];
	cut_tree(&w, parallel_threads());
	w.lists = xcalloc(w.branches.len, sizeof(*w.lists));
	parallel_for(w.branches.len, parallel_threads(), list_branch, &w);
	join_lists(&w);
	free(w.first);
	free(w.slices);
	free(w.lists);
	vec_free(&w.branches);
	phase(before);
}
