/* Call graphs of a row: what is joined, how it is ordered, and what is too small to be shown. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/graph.h"

static void put_node(const struct made *m, const struct graph *g, uint32_t node, struct out *o)
{
	const struct graph_node *n = &g->nodes.items[node];

	for (uint32_t i = 0; i < n->n_frames; i++)
		out_char(o, made_letter(m, g->frames.items[n->first_frame + i]));
	out_fmt(o, "%llu", (unsigned long long)n->hits);
	for (uint32_t i = 0; i < n->n_children; i++) {
		out_char(o, i ? ' ' : '(');
		put_node(m, g, n->first_child + i, o);
	}
	if (n->n_children)
		out_char(o, ')');
}

/* The graph of the only row that shows `letter`, each node as its functions and hits, children in brackets. */
static void graph_is(const struct made *m, char letter, double min_percent, const char *wanted)
{
	struct graph_opts opts = { .form = GRAPH_ABSOLUTE, .min_percent = min_percent };
	uint32_t row = UINT32_MAX;
	struct graph *g;
	struct out o;

	for (uint32_t i = 0; i < m->fold->rows.len; i++) {
		if (made_letter(m, m->fold->rows.items[i].first_site) == letter)
			row = i;
		opts.total += m->fold->rows.items[i].sums.period;
	}
	assert_true(row != UINT32_MAX);
	g = graphs_new(m->fold, &row, 1, &opts);
	out_init_mem(&o);
	put_node(m, g, 0, &o);
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
	graph_release(g);
	free(g);
}

static void runs_without_a_fork_are_one_node(void **state)
{
	static const struct made_sample samples[] = { { 7, "dcba", 10 }, { 7, "dcba", 5 } };
	struct made m;

	MADE(&m, samples, "sym", false);
	graph_is(&m, 'd', 0, "15(abcd15)");
	made_release(&m);
}

static void forks_have_children_with_most_hits_first(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "dba", 10 }, { 7, "dca", 30 }, { 7, "dca", 1 }, { 7, "dx", 5 }, { 7, "dbea", 100 },
	};
	struct made m;

	MADE(&m, samples, "sym", false);
	graph_is(&m, 'd', 0, "146(a141(ebd100 cd31 bd10) xd5)");
	made_release(&m);
}

static void small_branches_are_left_out(void **state)
{
	static const struct made_sample samples[] = { { 7, "dba", 90 }, { 7, "dca", 9 }, { 7, "dea", 1 } };
	struct made m;

	MADE(&m, samples, "sym", false);
	graph_is(&m, 'd', 5, "100(a100(bd90 cd9))");
	graph_is(&m, 'd', 0.5, "100(a100(bd90 cd9 ed1))");
	made_release(&m);
}

static void with_children_a_caller_has_the_stretch_below_it(void **state)
{
	static const struct made_sample samples[] = { { 7, "cba", 10 }, { 7, "ba", 3 } };
	struct made m;

	MADE(&m, samples, "sym", true);
	graph_is(&m, 'b', 0, "13(bc10 ab3)"); /* a sampled function has its callers */
	graph_is(&m, 'a', 0, "13(ab13(c10))");
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_without_a_fork_are_one_node),
		cmocka_unit_test(forks_have_children_with_most_hits_first),
		cmocka_unit_test(small_branches_are_left_out),
		cmocka_unit_test(with_children_a_caller_has_the_stretch_below_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
