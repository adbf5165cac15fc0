/* Call graphs of a row: what is joined, how it is ordered, and what is too small to be shown. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/chain_trees_priv.h"
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

static char *graph_text(const struct made *m, const struct graph *g)
{
	struct out o;
	char *text;

	out_init_mem(&o);
	put_node(m, g, 0, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}

/* The graph of the only row that shows `letter`, each node as its functions and hits, children in brackets. */
static void graph_is(const struct made *m, char letter, double min_percent, const char *wanted)
{
	struct graph_opts opts = { .form = GRAPH_ABSOLUTE, .min_percent = min_percent };
	uint32_t row = UINT32_MAX;
	struct graph *g;
	char *text;

	for (uint32_t i = 0; i < m->fold->rows.len; i++) {
		if (made_letter(m, m->fold->rows.items[i].first_site) == letter)
			row = i;
		opts.total += m->fold->rows.items[i].sums.period;
	}
	assert_true(row != UINT32_MAX);
	g = graphs_new(m->fold, &row, 1, &opts);
	text = graph_text(m, g);
	assert_string_equal(text, wanted);
	free(text);
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

enum { MANY = 400, DEEPEST = 28, COMMON = 14 };

/* Samples whose chains begin alike, with recursion, of two threads. */
static void make_many(struct made_sample *samples, char (*calls)[DEEPEST + 1], unsigned seed)
{
	static const unsigned functions = 24;
	char from_top[DEEPEST + 1] = "abcdefghijklab";

	for (size_t i = 0; i < MANY; i++) {
		size_t keep = COMMON + (seed = seed * 1103515245 + 12345) / 65536 % (DEEPEST - COMMON),
		       len = (i % 50 ? COMMON : 1) + (seed = seed * 1103515245 + 12345) / 65536 % (DEEPEST - COMMON);

		for (size_t k = MIN(keep, strlen(from_top)); k < len; k++) {
			seed = seed * 1103515245 + 12345;
			from_top[k] = (char)('a' + seed / 65536 % (i % 3 ? functions : 4));
		}
		from_top[len] = 0;
		for (size_t k = 0; k < len; k++)
			calls[i][k] = from_top[len - 1 - k];
		calls[i][len] = 0;
		samples[i] = (struct made_sample){ i % 5 ? 7 : 8, calls[i], 1 + seed / 65536 % 100 };
	}
}

/* The graphs of many rows together, which are made from trees, are those of each row alone. */
static void same_together(const struct made *m, const struct graph_opts *opts)
{
	uint32_t n = (uint32_t)m->fold->rows.len, *rows = xcalloc(n, sizeof(*rows));
	struct graph *all;

	assert_true(n >= 24 && chain_trees_pay(m->fold));
	for (uint32_t i = 0; i < n; i++)
		rows[i] = i;
	all = graphs_new(m->fold, rows, n, opts);
	for (uint32_t i = 0; i < n; i++) {
		struct graph *alone = graphs_new(m->fold, &rows[i], 1, opts);
		char *want = graph_text(m, alone), *got = graph_text(m, &all[i]);

		assert_string_equal(got, want);
		free(want);
		free(got);
		graph_release(alone);
		graph_release(&all[i]);
		free(alone);
	}
	free(all);
	free(rows);
}

static void rows_together_have_the_graphs_of_each_alone(void **state)
{
	static const char *const keys[] = { "sym", "pid,sym" };
	struct made_sample samples[MANY];
	char calls[MANY][DEEPEST + 1];

	for (unsigned seed = 1; seed <= 10; seed++) {
		make_many(samples, calls, seed);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
			struct graph_opts opts = { .form = GRAPH_ABSOLUTE, .total = 20000 };
			struct made m;

			MADE(&m, samples, keys[k], true);
			same_together(&m, &opts);
			opts.min_percent = 0.5;
			same_together(&m, &opts);
			opts.form = GRAPH_FRACTAL;
			opts.min_percent = 5;
			same_together(&m, &opts);
			made_release(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_without_a_fork_are_one_node),
		cmocka_unit_test(forks_have_children_with_most_hits_first),
		cmocka_unit_test(small_branches_are_left_out),
		cmocka_unit_test(with_children_a_caller_has_the_stretch_below_it),
		cmocka_unit_test(rows_together_have_the_graphs_of_each_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
