/* Prefix trees of the chains of a fold, and the places of rows in them. */
#include "report/rows/chain_trees_priv.h"

#include "base/parallel.h"
#include "report/rows/fold_priv.h"

/* The chain of an entry. */
struct leaf {
	const uint32_t *sites;
	uint32_t n, entry;
};

struct tree_maker {
	struct chain_trees *trees;
	const struct fold *f;
	const uint32_t *wanted;
	size_t n;
	struct idtable index; /* of wanted rows */
	size_t *first_tree;   /* by part */
};

/* ---- sorting: equal beginnings side by side, shorter chains first ---- */

/* The site at this depth plus 1; 0 = the chain has ended. */
static inline uint64_t site_at(const struct leaf *l, uint32_t depth)
{
	return depth < l->n ? (uint64_t)l->sites[depth] + 1 : 0;
}

static inline void swap(struct leaf *a, struct leaf *b)
{
	struct leaf kept = *a;

	*a = *b;
	*b = kept;
}

struct leaf_range {
	struct leaf *leaves;
	size_t n;
	uint32_t depth; /* up to here all are equal */
};

/* Sort a range by the site at its depth into three: smaller than that of some leaf, equal to it, greater. */
static void sort_in_three(const struct leaf_range *r, struct leaf_range three[3])
{
	struct leaf *l = r->leaves;
	uint64_t middle = site_at(&l[hash_u64(r->n + r->depth) % r->n], r->depth);
	size_t less = 0, at = 0, more = r->n;

	while (at < more) {
		uint64_t site = site_at(&l[at], r->depth);

		if (site < middle)
			swap(&l[less++], &l[at++]);
		else if (site > middle)
			swap(&l[at], &l[--more]);
		else
			at++;
	}
	three[0] = (struct leaf_range){ l, less, r->depth };
	three[1] = (struct leaf_range){ l + less, middle ? more - less : 0, r->depth + 1 };
	three[2] = (struct leaf_range){ l + more, r->n - more, r->depth };
}

/* Three-way radix quicksort. It recurses into the two smaller ranges only, so that its stack stays small. */
static void sort_leaves(struct leaf_range r)
{
	while (r.n > 1) {
		struct leaf_range three[3];
		size_t largest = 0;

		sort_in_three(&r, three);
		for (size_t i = 1; i < 3; i++)
			if (three[i].n > three[largest].n)
				largest = i;
		for (size_t i = 0; i < 3; i++)
			if (i != largest)
				sort_leaves(three[i]);
		r = three[largest];
	}
}

/* ---- building a tree from sorted chains: the last branch stays open ---- */

/* How many sites two chains have in common at their beginning. */
static uint32_t count_common(const struct leaf *a, const struct leaf *b)
{
	uint32_t n = MIN(a->n, b->n), i = 0;

	while (i < n && a->sites[i] == b->sites[i])
		i++;
	return i;
}

/* A node is complete: its parent gets its sums. Return the parent. */
static uint32_t close_node(struct chain_tree *t, uint32_t node)
{
	struct tree_node *n = &t->nodes.items[node], *parent = &t->nodes.items[n->parent];

	parent->period += n->period;
	parent->samples += n->samples;
	return n->parent;
}

/* Give the first `n` sites of a complete node, the last child of its parent, to a new node above it. Return that. */
static uint32_t split_node(struct chain_tree *t, uint32_t node, uint32_t n)
{
	uint32_t above = (uint32_t)t->nodes.len;
	struct tree_node upper = t->nodes.items[node], *lower;

	upper.n = n;
	upper.child = node;
	upper.own = upper.own_samples = 0;
	vec_push(&t->nodes, upper);
	t->nodes.items[upper.parent].child = above;
	lower = &t->nodes.items[node];
	lower->sites += n;
	lower->n -= n;
	lower->depth += n;
	lower->parent = above;
	lower->sibling = 0;
	return above;
}

/* node_of[i] becomes the node at which leaf i ends. */
static void build(struct chain_tree *t, const struct part *part, const struct leaf *leaves, size_t n, uint32_t *node_of)
{
	uint32_t open = 0;

	vec_push(&t->nodes, (struct tree_node){ 0 });
	for (size_t i = 0; i < n; i++) {
		const struct leaf *l = &leaves[i];
		const struct entry *e = &part->entries.items[l->entry];
		uint32_t same = i ? count_common(&leaves[i - 1], l) : 0;
		struct tree_node *at;

		while (open && t->nodes.items[open].depth >= same)
			open = close_node(t, open);
		at = &t->nodes.items[open];
		if (at->depth + at->n > same)
			open = split_node(t, open, same - at->depth);
		if (l->n > same) {
			struct tree_node new = { .sites = l->sites + same,
						 .n = l->n - same,
						 .depth = same,
						 .parent = open,
						 .sibling = t->nodes.items[open].child };

			t->nodes.items[open].child = (uint32_t)t->nodes.len;
			open = (uint32_t)t->nodes.len;
			vec_push(&t->nodes, new);
		}
		at = &t->nodes.items[open];
		node_of[i] = open;
		at->own += e->period;
		at->own_samples += e->samples;
		at->period += e->period;
		at->samples += e->samples;
	}
	while (open)
		open = close_node(t, open);
}

/* ---- the places of rows ---- */

struct placing {
	const struct tree_maker *m;
	struct chain_tree *tree;
	uint32_t tree_number;
	const struct fold_group *group;
	uint32_t group_number; /* from 1 */
	struct start_list *lists;
	const struct part *part;
	struct leaf *leaves; /* of the group, sorted */
	size_t n_leaves;
	uint32_t *node_of;    /* by leaf: where it ends */
	uint32_t *first_leaf; /* by node: index of the first leaf that ends there, plus 1; 0 = none */
	struct placed_class {
		uint32_t first;  /* node on the present branch where the class begins, plus 1; 0 = it does not */
		uint32_t group;  /* `number` is valid for this group */
		uint32_t number; /* of the row, plus 1; 0 = not wanted */
	} * classes;
};

/* The number + 1 of the wanted row in which callers of this class are; 0 = none. */
static uint32_t row_of(struct placing *p, uint32_t class)
{
	struct placed_class *c = &p->classes[class];
	struct row r = { .event = p->group->event,
			 .outer = p->group->outer,
			 .parent = p->group->parent,
			 .stack = p->group->stack,
			 .site = class };
	uint32_t id;

	if (c->group != p->group_number) {
		id = fold_find_row(p->m->f, &p->m->index, &r);
		c->number = id ? p->m->wanted[id - 1] : 0;
		c->group = p->group_number;
	}
	return c->number;
}

static uint32_t self_class(const struct placing *p, size_t leaf)
{
	return p->m->f->classes.of.items[p->part->entries.items[p->leaves[leaf].entry].self];
}

/* Return the class of all entries that go through a node, if it has no nodes below and they are of one class. */
static uint32_t only_class(const struct placing *p, uint32_t node)
{
	size_t first = p->first_leaf[node], i = first;

	if (!first || p->tree->nodes.items[node].child)
		return UINT32_MAX;
	while (i < p->n_leaves && p->node_of[i] == node && self_class(p, i) == self_class(p, first - 1))
		i++;
	return i < p->n_leaves && p->node_of[i] == node ? UINT32_MAX : self_class(p, first - 1);
}

/* List the rows of callers that begin in a node. If their class is the only one, nothing of it is a caller there. */
static void enter(struct placing *p, uint32_t node)
{
	const struct tree_node *n = &p->tree->nodes.items[node];
	uint32_t only = only_class(p, node);

	for (uint32_t i = 0; i < n->n; i++) {
		uint32_t class = p->m->f->classes.of.items[n->sites[i]], number;

		if (p->classes[class].first)
			continue;
		p->classes[class].first = node + 1;
		number = row_of(p, class);
		if (number && class != only)
			vec_push(&p->lists[number - 1],
				 (struct tree_start){ .tree = p->tree_number, .node = node, .at = i });
	}
}

static void leave(struct placing *p, uint32_t node)
{
	const struct tree_node *n = &p->tree->nodes.items[node];

	for (uint32_t i = 0; i < n->n; i++) {
		struct placed_class *c = &p->classes[p->m->f->classes.of.items[n->sites[i]]];

		if (c->first == node + 1)
			c->first = 0;
	}
}

static struct tree_self *get_self(struct chain_tree *t, uint32_t node, uint32_t class)
{
	bool is_new;
	uint32_t *at = u64map_put(&t->self_of, (uint64_t)node << 32 | class, &is_new);

	if (is_new) {
		vec_push(&t->selves, (struct tree_self){ 0 });
		*at = (uint32_t)t->selves.len;
	}
	return &t->selves.items[*at - 1];
}

/* Note an entry that ends at a node, at all nodes from the one on in which its class begins. */
static void note_self(struct placing *p, uint32_t node, const struct entry *e)
{
	uint32_t class = p->m->f->classes.of.items[e->self], first = p->classes[class].first, at = node;

	if (!first || !p->classes[class].number)
		return;
	for (;; at = p->tree->nodes.items[at].parent) {
		struct tree_self *s = get_self(p->tree, at, class);

		s->period += e->period;
		s->samples += e->samples;
		if (at == node) {
			s->own += e->period;
			s->own_samples += e->samples;
		}
		if (at == first - 1)
			return;
	}
}

static void note_selves(struct placing *p, uint32_t node)
{
	uint32_t only = only_class(p, node);

	if (!p->first_leaf[node] || (only != UINT32_MAX && p->classes[only].first == node + 1))
		return;
	for (size_t i = p->first_leaf[node] - 1; i < p->n_leaves && p->node_of[i] == node; i++)
		note_self(p, node, &p->part->entries.items[p->leaves[i].entry]);
}

/* Walk over the tree, callers before those whom they called. */
static void place_rows(struct placing *p)
{
	const struct tree_node *nodes = p->tree->nodes.items;
	uint32_t node = 0;

	for (;;) {
		enter(p, node);
		note_selves(p, node);
		if (nodes[node].child) {
			node = nodes[node].child;
			continue;
		}
		for (leave(p, node); node && !nodes[node].sibling; leave(p, node))
			node = nodes[node].parent;
		if (!node)
			return;
		node = nodes[node].sibling;
	}
}

/* ---- the whole ---- */

static void take_leaves(struct placing *p, const uint32_t *order)
{
	const struct part *part = p->part;

	p->n_leaves = 0;
	for (uint32_t i = p->group->from; i < p->group->to; i++) {
		const struct entry *e = &part->entries.items[order[i]];
		const struct chain *c = &part->chains.items[e->chain];

		if (c->n && fold_entry_passes(p->m->f, p->group, e))
			p->leaves[p->n_leaves++] = (struct leaf){ part->words.items + c->at, c->n, order[i] };
	}
	sort_leaves((struct leaf_range){ p->leaves, p->n_leaves, 0 });
}

static void make_tree(struct placing *p, const uint32_t *order)
{
	take_leaves(p, order);
	build(p->tree, p->part, p->leaves, p->n_leaves, p->node_of);
	p->first_leaf = xcalloc(p->tree->nodes.len, sizeof(*p->first_leaf));
	for (size_t i = p->n_leaves; i-- > 0;)
		p->first_leaf[p->node_of[i]] = (uint32_t)i + 1;
	place_rows(p);
	free(p->first_leaf);
}

static void make_part(void *ctx, size_t item, unsigned worker)
{
	const struct tree_maker *m = ctx;
	const struct fold_part *fp = &m->f->parts[item];
	struct placing p = { .m = m, .part = &m->f->profile->parts[item], .lists = m->trees->lists + item * m->n };

	p.leaves = xcalloc(p.part->entries.len, sizeof(*p.leaves));
	p.node_of = xcalloc(p.part->entries.len, sizeof(*p.node_of));
	p.classes = xcalloc(m->f->classes.sites.len, sizeof(*p.classes));
	for (size_t i = 0; i < fp->n_groups; i++) {
		p.group = &fp->groups[i];
		p.group_number++;
		p.tree_number = (uint32_t)(m->first_tree[item] + i);
		p.tree = &m->trees->trees[p.tree_number];
		make_tree(&p, fp->order);
	}
	free(p.classes);
	free(p.node_of);
	free(p.leaves);
}

enum { LOOK_AT = 1000 }; /* chains of each part */

/* Fill `leaves` with chains from all over the part, sorted. Return their number. */
static size_t pick_leaves(const struct part *part, struct leaf *leaves)
{
	size_t step = part->entries.len / LOOK_AT + 1, n = 0;

	for (size_t i = 0; i < part->entries.len; i += step) {
		const struct chain *c = &part->chains.items[part->entries.items[i].chain];

		leaves[n++] = (struct leaf){ .sites = part->words.items + c->at, .n = c->n };
	}
	sort_leaves((struct leaf_range){ leaves, n, 0 });
	return n;
}

/* Trees of chains that share few sites would be larger than the stretches. */
bool chain_trees_pay(const struct fold *f)
{
	struct leaf leaves[LOOK_AT];
	uint64_t shared = 0, sites = 0;

	for (unsigned part = 0; part < f->profile->n_parts; part++) {
		size_t n = pick_leaves(&f->profile->parts[part], leaves);

		for (size_t i = 0; i < n; i++) {
			shared += i ? count_common(&leaves[i - 1], &leaves[i]) : 0;
			sites += leaves[i].n;
		}
	}
	return 4 * shared >= 3 * sites;
}

void chain_trees_make(struct chain_trees *t, const struct fold *f, const uint32_t *wanted, size_t n)
{
	unsigned n_parts = f->profile->n_parts;
	struct tree_maker m = { .trees = t, .f = f, .wanted = wanted, .n = n };

	*t = (struct chain_trees){ .n_lists = n_parts * n };
	m.first_tree = xcalloc(n_parts, sizeof(*m.first_tree));
	for (unsigned i = 0; i < n_parts; i++) {
		m.first_tree[i] = t->n_trees;
		t->n_trees += f->parts[i].n_groups;
	}
	t->trees = xcalloc(t->n_trees, sizeof(*t->trees));
	t->lists = xcalloc(t->n_lists, sizeof(*t->lists));
	fold_index_rows(f, wanted, &m.index);
	parallel_for(n_parts, n_parts, make_part, &m);
	idtable_free(&m.index);
	free(m.first_tree);
}

void chain_trees_release(struct chain_trees *t)
{
	for (size_t i = 0; i < t->n_trees; i++) {
		vec_free(&t->trees[i].nodes);
		vec_free(&t->trees[i].selves);
		u64map_free(&t->trees[i].self_of);
	}
	for (size_t i = 0; i < t->n_lists; i++)
		vec_free(&t->lists[i]);
	free(t->trees);
	free(t->lists);
}

const struct tree_self *chain_tree_self(const struct chain_tree *t, uint32_t node, uint32_t class)
{
	const uint32_t *at = t->selves.len ? u64map_find(&t->self_of, (uint64_t)node << 32 | class) : NULL;

	return at ? &t->selves.items[*at - 1] : NULL;
}
