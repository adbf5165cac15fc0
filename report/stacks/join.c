#include "base/parallel.h"
#include "report/stacks/stacks_priv.h"

/*
 * Merge trees of places to one tree of names. The few nodes with large subtrees come first, on one
 * thread. Every other subtree belongs to one of as many groups as there are threads: the hash of
 * its first step decides, so subtrees with equal names are in one group, from whatever part. Each
 * group grows a tree of its own; the trees are then put behind each other.
 */
enum { TOP = 0, PIECES = 32, AHEAD = 12 };
#define IN_TOP 0x80000000u /* the parent of a group's node is in the top, not in the group */

struct merger {
	const struct stack_trees *m;
	struct part_nodes {
		uint32_t *became; /* by node: its number in the top or in its group; in the end, in the merged tree */
		uint8_t *group;   /* TOP, or that of a subtree, from 1 */
		uint32_t *below;  /* number of nodes in its subtree, itself included */
	} * parts;
	struct stack_tree *groups; /* [TOP] is not used */
	size_t *begin;             /* where each group's nodes begin in the merged tree */
	unsigned n_groups;
	uint32_t large; /* nodes of a subtree whose root is in the top */
};

/* The names of the step to a node. */
static const uint32_t *step_names(const struct merger *r, size_t part, const struct stack_node *n, uint32_t *count)
{
	const struct named_place *place;

	if (!n->parent) {
		*count = 1;
		return &r->m->tasks[part][n->key];
	}
	place = &r->m->places->items.items[n->key];
	*count = place->n;
	return r->m->names + place->first;
}

/* Prefetch the slot of a node whose turn comes soon, if its parent is in the same tree and had its turn. */
static void fetch_soon(const struct merger *r, size_t p, size_t i, uint8_t group)
{
	const struct stack_part *part = &r->m->parts[p];
	const struct part_nodes *nodes = &r->parts[p];
	const struct stack_node *n = &part->tree.nodes.items[i + AHEAD];
	const uint32_t *names;
	uint32_t count;

	if (i + AHEAD >= part->tree.nodes.len || nodes->group[i + AHEAD] != group)
		return;
	if (nodes->group[n->parent] != group || !nodes->became[n->parent])
		return;
	names = step_names(r, p, n, &count);
	if (count)
		stack_tree_fetch(group ? &r->groups[group] : r->m->tree, nodes->became[n->parent], *names);
}

static void measure_part(void *ctx, size_t p, unsigned worker)
{
	struct merger *r = ctx;
	const struct stack_part *part = &r->m->parts[p];
	size_t size = stack_tree_size(&part->tree);
	struct part_nodes *nodes = &r->parts[p];

	(void)worker;
	*nodes = (struct part_nodes){ xcalloc(size, sizeof(*nodes->became)), xcalloc(size, 1), NULL };
	if (r->large == UINT32_MAX)
		return;
	nodes->below = xcalloc(size, sizeof(*nodes->below));
	for (size_t i = size; i-- > 1;)
		nodes->below[part->tree.nodes.items[i].parent] += ++nodes->below[i];
}

/* Take the nodes with large subtrees into the merged tree. */
static void take_top(struct merger *r, size_t p)
{
	const struct stack_part *part = &r->m->parts[p];
	struct part_nodes *nodes = &r->parts[p];

	for (size_t i = 1; nodes->below && i < part->tree.nodes.len; i++) {
		const struct stack_node *n = &part->tree.nodes.items[i];
		uint32_t count, node = nodes->became[n->parent];
		const uint32_t *names;

		if (nodes->below[i] < r->large)
			continue;
		fetch_soon(r, p, i, TOP);
		names = step_names(r, p, n, &count);
		for (uint32_t k = 0; k < count; k++)
			node = stack_tree_child(r->m->tree, node, names[k]);
		nodes->became[i] = node;
	}
	free(nodes->below);
}

/* Give each other node of a part its group. */
static void choose_groups(void *ctx, size_t p, unsigned worker)
{
	struct merger *r = ctx;
	struct part_nodes *nodes = &r->parts[p];
	const struct stack_part *part = &r->m->parts[p];

	(void)worker;
	for (size_t i = 1; i < part->tree.nodes.len; i++) {
		const struct stack_node *n = &part->tree.nodes.items[i];
		uint32_t count, node = nodes->became[n->parent], next;
		const uint32_t *names;

		nodes->group[i] = nodes->group[n->parent];
		if (nodes->became[i] || nodes->group[i])
			continue;
		names = step_names(r, p, n, &count);
		for (; count && (next = stack_tree_find(r->m->tree, node, *names)); names++, count--)
			node = next;
		if (count)
			nodes->group[i] = (uint8_t)(1 + hash_mix(node, *names) % r->n_groups);
		else
			nodes->became[i] = node;
	}
}

static void grow_group(void *ctx, size_t group, unsigned worker)
{
	struct merger *r = ctx;
	struct stack_tree *t = &r->groups[++group];

	(void)worker;
	for (size_t p = 0; p < r->m->n_parts; p++) {
		const struct stack_part *part = &r->m->parts[p];
		struct part_nodes *nodes = &r->parts[p];
		size_t n_own = 0;

		for (size_t i = 1; i < part->tree.nodes.len; i++)
			n_own += nodes->group[i] == group;
		stack_tree_reserve(t, n_own); /* parts overlap much */
		for (size_t i = 1; i < part->tree.nodes.len; i++) {
			const struct stack_node *n = &part->tree.nodes.items[i];
			uint32_t count, next, node = nodes->became[n->parent];
			const uint32_t *names;

			if (nodes->group[i] != group)
				continue;
			fetch_soon(r, p, i, (uint8_t)group);
			names = step_names(r, p, n, &count);
			if (!nodes->group[n->parent]) {
				for (; (next = stack_tree_find(r->m->tree, node, *names)); names++, count--)
					node = next;
				node |= IN_TOP;
			}
			for (uint32_t k = 0; k < count; k++)
				node = stack_tree_child(t, node, names[k]);
			nodes->became[i] = node;
		}
	}
}

/* Put the groups' nodes behind the top. */
static void append_group(void *ctx, size_t group, unsigned worker)
{
	struct merger *r = ctx;
	const struct stack_tree *t = &r->groups[++group];
	size_t before = r->begin[group] - 1;
	struct stack_node *to = r->m->tree->nodes.items + before;

	(void)worker;
	for (size_t i = 1; i < t->nodes.len; i++) {
		struct stack_node n = t->nodes.items[i];

		n.parent = n.parent & IN_TOP ? n.parent & ~IN_TOP : n.parent + (uint32_t)before;
		to[i] = n;
	}
	for (size_t p = 0; p < r->m->n_parts; p++)
		for (size_t i = 1; i < r->m->parts[p].tree.nodes.len; i++)
			if (r->parts[p].group[i] == group)
				r->parts[p].became[i] += (uint32_t)before;
}

static void join_groups(struct merger *r)
{
	struct stack_tree *t = r->m->tree;
	size_t end = stack_tree_size(t);

	for (unsigned g = 1; g <= r->n_groups; g++) {
		r->begin[g] = end;
		end += stack_tree_size(&r->groups[g]) - 1;
	}
	if (end == stack_tree_size(t))
		return;
	vec_add(&t->nodes, end - t->nodes.len);
	stack_tree_forget(t);
	parallel_for(r->n_groups, r->n_groups, append_group, r);
}

/* Small trees are not worth a thread each; trees to which others were merged before have no groups. */
static unsigned count_groups(const struct stack_trees *m, size_t nodes)
{
	enum { LEAST = 4096 };

	return (unsigned)MIN(MAX(nodes / LEAST, 1), m->n_parts);
}

uint32_t **stack_trees_join(const struct stack_trees *m)
{
	struct merger r = { .m = m, .parts = xcalloc(m->n_parts, sizeof(*r.parts)) };
	uint32_t **became = xcalloc(m->n_parts, sizeof(*became));
	size_t nodes = 0;

	for (size_t p = 0; p < m->n_parts; p++)
		nodes += m->parts[p].tree.nodes.len;
	r.n_groups = count_groups(m, nodes);
	r.groups = xcalloc(r.n_groups + 1, sizeof(*r.groups));
	r.begin = xcalloc(r.n_groups + 1, sizeof(*r.begin));
	if (!m->tree->nodes.len)
		r.large = r.n_groups == 1 ? UINT32_MAX : (uint32_t)(nodes / m->n_parts / r.n_groups / PIECES) + 1;
	stack_tree_reserve(m->tree, 0);
	parallel_for(m->n_parts, r.n_groups, measure_part, &r);
	for (size_t p = 0; p < m->n_parts; p++)
		take_top(&r, p);
	parallel_for(m->n_parts, r.n_groups, choose_groups, &r);
	parallel_for(r.n_groups, r.n_groups, grow_group, &r);
	join_groups(&r);
	for (size_t p = 0; p < m->n_parts; p++) {
		became[p] = r.parts[p].became;
		free(r.parts[p].group);
	}
	for (unsigned g = 0; g <= r.n_groups; g++)
		stack_tree_release(&r.groups[g]);
	free(r.parts);
	free(r.groups);
	free(r.begin);
	return became;
}
