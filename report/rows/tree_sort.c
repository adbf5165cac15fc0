#include "report/rows/tree_sort_priv.h"

#include "base/mem.h"

/* A node of the tree. Node i + 1 is item i. Number 0 is no node; it counts as black. */
struct sort_node {
	uint32_t child[2], parent;
	bool red;
};
struct sort_tree {
	struct sort_node *nodes;
	uint32_t root;
};

static void set_child(struct sort_tree *t, uint32_t parent, uint32_t old, uint32_t new)
{
	if (!parent)
		t->root = new;
	else
		t->nodes[parent].child[t->nodes[parent].child[1] == old] = new;
}

/* The node's child on the other side replaces the node; the node becomes its child on `side`. */
static void rotate(struct sort_tree *t, uint32_t node, int side)
{
	struct sort_node *n = t->nodes;
	uint32_t up = n[node].child[!side], inner = n[up].child[side];

	n[node].child[!side] = inner;
	if (inner)
		n[inner].parent = node;
	n[up].parent = n[node].parent;
	set_child(t, n[node].parent, node, up);
	n[up].child[side] = node;
	n[node].parent = up;
}

static void balance(struct sort_tree *t, uint32_t node)
{
	struct sort_node *n = t->nodes;

	while (n[n[node].parent].red) {
		uint32_t parent = n[node].parent, grand = n[parent].parent;
		int side = n[grand].child[1] == parent;
		uint32_t uncle = n[grand].child[!side];

		if (n[uncle].red) {
			n[parent].red = n[uncle].red = false;
			n[grand].red = true;
			node = grand;
			continue;
		}
		if (n[parent].child[!side] == node) {
			rotate(t, parent, side);
			parent = node;
		}
		n[parent].red = false;
		n[grand].red = true;
		rotate(t, grand, !side);
		break;
	}
	n[t->root].red = false;
}

static void insert(struct sort_tree *t, uint32_t node, bool (*before)(void *ctx, uint32_t a, uint32_t b), void *ctx)
{
	uint32_t at = t->root, parent = 0;
	int side = 0;

	while (at) {
		parent = at;
		side = !before(ctx, node - 1, at - 1);
		at = t->nodes[at].child[side];
	}
	t->nodes[node] = (struct sort_node){ .parent = parent, .red = true };
	if (parent)
		t->nodes[parent].child[side] = node;
	else
		t->root = node;
	balance(t, node);
}

static uint32_t leftmost(const struct sort_tree *t, uint32_t node)
{
	while (t->nodes[node].child[0])
		node = t->nodes[node].child[0];
	return node;
}

static uint32_t next(const struct sort_tree *t, uint32_t node)
{
	uint32_t parent;

	if (t->nodes[node].child[1])
		return leftmost(t, t->nodes[node].child[1]);
	while ((parent = t->nodes[node].parent) && t->nodes[parent].child[1] == node)
		node = parent;
	return parent;
}

void tree_sort(uint32_t *order, size_t n, bool (*before)(void *ctx, uint32_t a, uint32_t b), void *ctx)
{
	struct sort_tree t = { .nodes = xcalloc(n + 1, sizeof(*t.nodes)) };
	uint32_t node;

	for (uint32_t i = 1; i <= n; i++)
		insert(&t, i, before, ctx);
	node = t.root ? leftmost(&t, t.root) : 0;
	for (size_t i = 0; node; node = next(&t, node))
		order[i++] = node - 1;
	free(t.nodes);
}
