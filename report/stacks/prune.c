#include "report/stacks/data.h"
#include "report/stacks/prune.h"

/* The weight of each node with all that it calls; the caller frees it. */
static uint64_t *add_up(const struct stacks *st)
{
	size_t size = stack_tree_size(&st->tree);
	uint64_t *sums = xmalloc(size * sizeof(*sums));

	for (size_t i = 0; i < size; i++)
		sums[i] = st->weights.items[i].weight[0];
	for (size_t i = size; i-- > 1;) /* callees have larger numbers */
		sums[st->tree.nodes.items[i].parent] += sums[i];
	return sums;
}

static void add_weight(struct stack_weight *to, const struct stack_weight *w)
{
	for (int i = 0; i < 2; i++) {
		to->weight[i] += w->weight[i];
		to->samples[i] += w->samples[i];
	}
}

/*
 * A light node keeps one child, which gets the weight of all that the node calls: like this, the
 * node keeps its place among its siblings, because "a;b" and "a" sort differently beside "a.b".
 */
void stacks_prune(struct stacks *st, uint64_t least)
{
	size_t size = st->tree.nodes.len, n = 1;
	autofree uint64_t *sums = add_up(st);
	autofree uint32_t *became = xcalloc(size + 1, sizeof(*became)), *only = xcalloc(size + 1, sizeof(*only));
	autofree bool *heavy = xcalloc(size + 1, sizeof(*heavy));

	heavy[0] = true;
	for (uint32_t i = 1; i < size; i++) {
		struct stack_node node = st->tree.nodes.items[i];
		struct stack_weight weight = st->weights.items[i];
		uint32_t parent = became[node.parent];

		heavy[i] = heavy[node.parent] && sums[i] >= least;
		if (!heavy[node.parent] && only[node.parent]) {
			became[i] = only[i] = only[node.parent];
			add_weight(&st->weights.items[became[i]], &weight);
			continue;
		}
		became[i] = (uint32_t)n;
		if (!heavy[node.parent])
			only[i] = only[node.parent] = became[i];
		st->tree.nodes.items[n] = (struct stack_node){ .parent = parent, .key = node.key };
		st->weights.items[n++] = weight;
	}
	if (size)
		st->tree.nodes.len = st->weights.len = n;
	stack_tree_forget(&st->tree);
}
