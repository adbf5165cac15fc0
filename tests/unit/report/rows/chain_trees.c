/* Prefix trees of chains, against trees that are drawn by hand. A chain "cba" is a calls b calls c. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/chain_trees_priv.h"

struct planted {
	struct made made;
	struct chain_trees trees;
	struct stretch_list *lists;
	uint32_t *wanted;
	size_t n, n_lists;
};

/* Make the trees of all rows, or only of the row of one function. */
static void plant_in(struct planted *t, struct session *session, const char *sort, char only)
{
	const struct fold *f;

	*t = (struct planted){ 0 };
	made_view_of(&t->made, session, sort, true);
	f = t->made.fold;
	t->wanted = xcalloc(f->rows.len, sizeof(*t->wanted));
	for (size_t i = 0; i < f->rows.len; i++)
		if (!only || made_letter(&t->made, f->rows.items[i].first_site) == only)
			t->wanted[i] = (uint32_t)++t->n;
	t->n_lists = f->profile->n_parts * t->n;
	t->lists = xcalloc(t->n_lists, sizeof(*t->lists));
	fold_own_stretches(f, t->wanted, t->n, t->lists);
	chain_trees_make(&t->trees, f, t->wanted, t->n);
}

static void plant(struct planted *t, const struct made_sample *samples, size_t n, const char *sort, char only)
{
	plant_in(t, made_session(samples, n), sort, only);
}
#define PLANT(t, samples, sort, only) plant(t, samples, ARRAY_SIZE(samples), sort, only)

static void fell(struct planted *t)
{
	chain_trees_release(&t->trees);
	for (size_t i = 0; i < t->n_lists; i++)
		vec_free(&t->lists[i]);
	free(t->lists);
	free(t->wanted);
	made_release(&t->made);
}

/* ---- trees as text ---- */

/*
 * Print the later siblings of a node, then the node: its functions, its period, `+own` if a part of it ends there, and
 * its children in parentheses.
 */
static void put_node(const struct planted *t, const struct chain_tree *tree, uint32_t node, struct out *o)
{
	const struct tree_node *n = &tree->nodes.items[node], *parent = &tree->nodes.items[n->parent];

	if (n->sibling) {
		put_node(t, tree, n->sibling, o);
		out_char(o, ' ');
	}
	assert_int_equal(n->depth, parent->depth + parent->n);
	for (uint32_t i = 0; i < n->n; i++)
		out_char(o, made_letter(&t->made, n->sites[i]));
	out_u64(o, n->period);
	if (n->own)
		out_fmt(o, "+%llu", (unsigned long long)n->own);
	if (n->child) {
		out_char(o, '(');
		put_node(t, tree, n->child, o);
		out_char(o, ')');
	}
}

static void tree_is(const struct made_sample *samples, size_t n, const char *want)
{
	struct planted t;
	struct out o;

	plant(&t, samples, n, "sym", 0);
	out_init_mem(&o);
	for (size_t i = 0; i < t.trees.n_trees; i++) {
		out_str(&o, i ? " | " : "");
		put_node(&t, &t.trees.trees[i], 0, &o);
	}
	assert_string_equal(out_text(&o), want);
	out_release(&o);
	fell(&t);
}
#define TREE_IS(want, ...) \
	tree_is((const struct made_sample[]){ __VA_ARGS__ }, \
		sizeof((const struct made_sample[]){ __VA_ARGS__ }) / sizeof(struct made_sample), want)

static void chains_share_what_they_begin_with(void **state)
{
	TREE_IS("3(a3(b1+1 c2+2))", { 7, "ba", 1 }, { 7, "ca", 2 });
	TREE_IS("15(a15(b7+4(c1+1 d2+2) x8+8))", { 7, "cba", 1 }, { 7, "dba", 2 }, { 7, "ba", 4 }, { 7, "xa", 8 });
	TREE_IS("7(abc7(d3(e1+1 f2+2) g4+4))", { 7, "edcba", 1 }, { 7, "fdcba", 2 }, { 7, "gcba", 4 });
	TREE_IS("7(a3+2(b1+1) c4+4)", { 7, "c", 4 }, { 7, "ba", 1 }, { 7, "a", 2 });
	TREE_IS("5(abab5+1(a4+4))", { 7, "ababa", 4 }, { 7, "baba", 1 });
}

/* Entries of different events, or with different values of other keys, are in different rows. */
static void each_group_has_a_tree(void **state)
{
	static const struct made_sample samples[] = { { 7, "ba", 1 }, { 7, "ba", 2, 1 }, { 8, "ca", 4 } };
	uint64_t periods = 0;
	struct planted t;

	PLANT(&t, samples, "comm,sym", 0);
	assert_int_equal(t.trees.n_trees, 3);
	for (size_t i = 0; i < 3; i++)
		periods |= t.trees.trees[i].nodes.items[0].period;
	assert_int_equal(periods, 7);
	fell(&t);
}

static void without_samples_there_is_no_tree(void **state)
{
	struct planted t;

	plant(&t, NULL, 0, "sym", 0);
	assert_int_equal(t.trees.n_trees, 0);
	assert_int_equal(t.trees.n_lists, 0);
	fell(&t);
}

/* ---- places of rows ---- */

static void put_path(const struct planted *t, const struct chain_tree *tree, uint32_t node, uint32_t n, struct out *o)
{
	const struct tree_node *at = &tree->nodes.items[node];

	if (node)
		put_path(t, tree, at->parent, tree->nodes.items[at->parent].n, o);
	for (uint32_t i = 0; i < n; i++)
		out_char(o, made_letter(&t->made, at->sites[i]));
}

/* What goes through a node for a row of this class: without the row's own entries, which the row counts by chain. */
static uint64_t passing(const struct chain_tree *tree, uint32_t node, uint32_t class)
{
	const struct tree_self *self = chain_tree_self(tree, node, class);

	return tree->nodes.items[node].period - (self ? self->period : 0);
}

/* Where a function begins as a caller: the path up to and with it, and what goes through. */
static void starts_are(const struct made_sample *samples, size_t n, char letter, const char *want)
{
	const struct start_list *list;
	struct planted t;
	struct out o;

	plant(&t, samples, n, "sym", letter);
	out_init_mem(&o);
	assert_int_equal(t.n, 1);
	list = &t.trees.lists[0];
	for (size_t i = 0; i < list->len; i++) {
		const struct tree_start *s = &list->items[i];
		const struct chain_tree *tree = &t.trees.trees[s->tree];
		uint32_t class = t.made.fold->classes.of.items[tree->nodes.items[s->node].sites[s->at]];

		put_path(&t, tree, s->node, s->at + 1, &o);
		out_fmt(&o, " %llu\n", (unsigned long long)passing(tree, s->node, class));
	}
	assert_string_equal(out_text(&o), want);
	out_release(&o);
	fell(&t);
}
#define STARTS_ARE(samples, letter, want) starts_are(samples, ARRAY_SIZE(samples), letter, want)

static void callers_begin_once_on_each_branch(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "cba", 1 }, { 7, "dba", 2 }, { 7, "ba", 4 }, { 7, "bxa", 8 }, { 7, "cbxbax", 16 },
	};

	STARTS_ARE(samples, 'a', "xa 16\na 15\n");
	STARTS_ARE(samples, 'b', "xab 16\nab 3\n"); /* its own 4 and 8 are not those of a caller */
	STARTS_ARE(samples, 'x', "x 16\nax 8\n");
	STARTS_ARE(samples, 'c', ""); /* it calls nothing */
}

/* A function that calls itself is no caller for the samples that are its own. */
static void own_samples_are_left_out_where_a_function_calls_itself(void **state)
{
	static const struct made_sample only[] = { { 7, "ababa", 1 } },
					others[] = { { 7, "ababa", 1 }, { 7, "xa", 2 } };
	const struct tree_self *self;
	const struct chain_tree *tree;
	struct planted t;
	uint32_t a;

	STARTS_ARE(only, 'a', "");
	STARTS_ARE(only, 'b', "ab 1\n");
	STARTS_ARE(others, 'a', "a 2\n");
	PLANT(&t, others, "sym", 'a');
	tree = &t.trees.trees[0];
	a = t.made.fold->classes.of.items[tree->nodes.items[tree->nodes.items[0].child].sites[0]];
	for (uint32_t node = 1; node < tree->nodes.len; node++) {
		const struct tree_node *n = &tree->nodes.items[node];
		bool ends = !n->child;

		self = chain_tree_self(tree, node, a);
		if (made_letter(&t.made, n->sites[0]) == 'x') {
			assert_null(self);
			continue;
		}
		assert_int_equal(self->period, 1);
		assert_int_equal(self->samples, 1);
		assert_int_equal(self->own, ends);
		assert_int_equal(self->own_samples, ends);
	}
	assert_null(chain_tree_self(tree, 1, a + 1));
	fell(&t);
}

/* ---- many chains ---- */

/* Each node has the sums of what ends there and goes on, and its children begin with different sites. */
static void check_node(const struct chain_tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.items[node];
	uint64_t period = n->own, samples = n->own_samples;

	for (uint32_t i = n->child; i; i = t->nodes.items[i].sibling) {
		assert_int_equal(t->nodes.items[i].parent, node);
		period += t->nodes.items[i].period;
		samples += t->nodes.items[i].samples;
		for (uint32_t k = t->nodes.items[i].sibling; k; k = t->nodes.items[k].sibling)
			assert_int_not_equal(t->nodes.items[i].sites[0], t->nodes.items[k].sites[0]);
	}
	assert_int_equal(n->period, period);
	assert_int_equal(n->samples, samples);
}

/* A row counts its own entries, and at each start what goes through. */
static void check_row(const struct planted *t, size_t row)
{
	const struct row *r = &t->made.fold->rows.items[row];
	uint64_t sum = r->sums.period;

	for (unsigned part = 0; part < t->made.profile->n_parts; part++) {
		const struct start_list *list = &t->trees.lists[part * t->n + t->wanted[row] - 1];

		for (size_t i = 0; i < list->len; i++)
			sum += passing(&t->trees.trees[list->items[i].tree], list->items[i].node, r->site);
	}
	assert_int_equal(sum, r->sums.children);
}

static void the_sums_of_many_chains_are_those_of_the_rows(void **state)
{
	enum { CHAINS = 600, LONGEST = 9 };
	struct made_sample samples[CHAINS];
	char calls[CHAINS][LONGEST + 1] = { 0 };
	uint32_t seed = 1;
	struct planted t;

	for (size_t i = 0; i < CHAINS; i++) {
		seed = seed * 1103515245 + 12345;
		for (size_t k = 0, n = 1 + (seed >> 16) % LONGEST; k < n; k++) {
			seed = seed * 1103515245 + 12345;
			calls[i][k] = (char)('a' + (seed >> 16) % 3);
		}
		samples[i] = (struct made_sample){ 7 + i % 2, calls[i], 1 + i };
	}
	plant(&t, samples, CHAINS, "comm,sym", 0);
	for (size_t i = 0; i < t.trees.n_trees; i++)
		for (uint32_t node = 0; node < t.trees.trees[i].nodes.len; node++)
			check_node(&t.trees.trees[i], node);
	for (size_t i = 0; i < t.made.fold->rows.len; i++)
		check_row(&t, i);
	fell(&t);
}

/*
 * Chains "ba" whose sampled addresses are in b, in c, and in b again; and a sample of b without a chain. A processor
 * may report an address that the kernel does not find in the chain.
 */
static struct session *session_of_other_places(void)
{
	static const char places[] = "bcbb";
	const uint64_t chain[] = { CHAIN_KERNEL, made_address('b') + 0x10, made_address('a') + 0x10 };
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_PERIOD | SAMPLE_CALLCHAIN);
	struct session *s;

	for (char c = 'a'; c <= 'c'; c++)
		build_ksymbol(&b, .time = 1, .addr = made_address(c), .len = 0x100, .type = 1,
			      .name = (char[]){ c, 0 });
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "seven");
	for (size_t i = 0; places[i]; i++)
		build_sample(&b, .pid = 7, .tid = 7, .time = 2 + i, .ip = made_address(places[i]) + 0x10 + i,
			     .period = 1ull << i, .chain = chain, .n_chain = i < 3 ? ARRAY_SIZE(chain) : 0,
			     .misc = CPUMODE_KERNEL);
	s = walked(&b, &(struct session_opts){ 0 });
	build_release(&b);
	return s;
}

static void entries_of_one_chain_may_differ_in_their_place(void **state)
{
	const struct chain_tree *tree;
	struct planted t;
	uint32_t b;

	plant_in(&t, session_of_other_places(), "sym", 0);
	tree = &t.trees.trees[0];
	assert_int_equal(tree->nodes.len, 2);
	assert_int_equal(tree->nodes.items[0].period, 1 + 2 + 4); /* not those without a chain */
	assert_int_equal(tree->nodes.items[1].period, 1 + 2 + 4);
	assert_int_equal(tree->nodes.items[1].own, 1 + 2 + 4);
	b = t.made.fold->classes.of.items[tree->nodes.items[1].sites[1]];
	assert_int_equal(chain_tree_self(tree, 1, b)->own, 1 + 4);
	for (size_t i = 0; i < t.made.fold->rows.len; i++)
		check_row(&t, i);
	fell(&t);
}

/* ---- whether trees pay ---- */

/* `n` chains of seven functions, which differ in the last one. */
static bool pays(size_t n)
{
	struct made_sample samples[26];
	char calls[26][8];
	struct made m;
	bool pay;

	for (size_t i = 0; i < n; i++) {
		snprintf(calls[i], sizeof(calls[i]), "%cfedcba", (char)('a' + i));
		samples[i] = (struct made_sample){ 7, calls[i], 1 };
	}
	made_view(&m, samples, n, "sym", true);
	pay = chain_trees_pay(m.fold);
	made_release(&m);
	return pay;
}

static void trees_pay_if_three_quarters_are_shared(void **state)
{
	assert_false(pays(1));
	assert_false(pays(7)); /* 36 of 49 */
	assert_true(pays(8));  /* 42 of 56 */
	assert_true(pays(26));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_share_what_they_begin_with),
		cmocka_unit_test(each_group_has_a_tree),
		cmocka_unit_test(without_samples_there_is_no_tree),
		cmocka_unit_test(callers_begin_once_on_each_branch),
		cmocka_unit_test(own_samples_are_left_out_where_a_function_calls_itself),
		cmocka_unit_test(the_sums_of_many_chains_are_those_of_the_rows),
		cmocka_unit_test(entries_of_one_chain_may_differ_in_their_place),
		cmocka_unit_test(trees_pay_if_three_quarters_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
