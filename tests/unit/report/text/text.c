#include "report/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/rows/fields.h"
#include "tests/lib/build.h"

#define CHAINS (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN)

struct wanted {
	const char *sort;
	bool children, caller_first, flat, history;
	enum graph_form form;
	double threshold;
	uint32_t max_stack;
	unsigned threads;
	uint64_t chunk_size;
	uint32_t print_limit;
	const char *separator;
};

/* Nothing is mapped, so each function is an address; the sample is at the innermost one. */
static void sample(struct build *b, uint64_t time, uint64_t period, size_t n, ...)
{
	uint64_t chain[16] = { CHAIN_USER };
	va_list ap;

	va_start(ap, n);
	for (size_t i = 1; i <= n; i++)
		chain[i] = va_arg(ap, unsigned);
	va_end(ap);
	build_sample(b, .pid = 7, .tid = 7, .time = time, .ip = chain[1], .period = period, .chain = chain,
		     .n_chain = n + 1);
}

static char *text_of_profile(struct profile *p, const struct wanted *w, const struct fields *fields,
			     const struct key **keys, size_t n_keys)
{
	struct fold *f = fold_new(p, &(struct fold_opts){ .keys = keys, .n_keys = n_keys, .children = w->children });
	const struct view_opts vo = { .fields = fields->columns.items,
				      .n_fields = fields->columns.len,
				      .sort = fields->sort.items,
				      .n_sort = fields->sort.len,
				      .self_title = fields->self_title,
				      .children = w->children,
				      .chains = w->form != GRAPH_NONE,
				      .caller_first = w->caller_first };
	struct view *v = view_new(f, &vo, (uint32_t[]){ 0 }, 1);
	struct out out;
	char *copy;

	out_init_mem(&out);
	text_view(v,
		  &(struct text_opts){ .separator = w->separator,
				       .graph_flags = w->history,
				       .graph = { .form = w->form, .min_percent = w->threshold },
				       .print_limit = w->print_limit },
		  &out);
	copy = xstrdup(out_text(&out));
	out_release(&out);
	view_free(v);
	fold_free(f);
	return copy;
}

/* The text of the first event's table; the caller frees it. */
static char *text_of(struct build *b, const struct wanted *w)
{
	char *path = build_file(b), *copy;
	struct session *s =
		session_open(path, &(struct session_opts){ .force = true, .chunk_size = w->chunk_size }, NULL);
	struct profile_filter filter = { 0 };
	struct fields fields = { 0 };
	VEC(const struct sample_key *) of_samples = { 0 };
	VEC(const struct key *) of_sites = { 0 };

	unlink(path);
	free(path);
	assert_non_null(s);
	assert_int_equal(session_walk(s, NULL), 0);
	assert_int_equal(fields_parse(&fields, &(struct fields_opts){ .sort = w->sort, .children = w->children }, NULL),
			 0);
	for (size_t i = 0; i < fields.sort.len; i++) {
		if (fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&of_samples, &fields.sort.items[i]->sample);
		else if (fields.sort.items[i]->site)
			vec_push(&of_sites, fields.sort.items[i]);
	}
	struct profile *p =
		profile_new(s,
			    &(struct profile_opts){ .keys = of_samples.items,
						    .n_keys = of_samples.len,
						    .chains = !w->flat,
						    .branch_history = w->history,
						    .graph_by = w->history ? GRAPH_BY_ADDRESS : GRAPH_BY_FUNCTION,
						    .caller_first = w->caller_first,
						    .max_stack = w->max_stack ? w->max_stack : 127,
						    .threads = w->threads ? w->threads : 1,
						    .time_quantum = 1 },
			    &filter);
	profile_decode(p);
	profile_name(p);
	copy = text_of_profile(p, w, &fields, of_sites.items, of_sites.len);
	profile_free(p);
	fields_free(&fields);
	vec_free(&of_samples);
	vec_free(&of_sites);
	session_close(s);
	return copy;
}

#define CHECK(b, want, ...) \
	do { \
		char *got = text_of(&(b), &(struct wanted){ __VA_ARGS__ }); \
		assert_string_equal(got, want); \
		free(got); \
		build_release(&(b)); \
	} while (0)

static void equal_rows_are_one(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 30, 1, 0x10);
	sample(&b, 2, 60, 1, 0x20);
	sample(&b, 3, 10, 1, 0x10);
	CHECK(b,
	      "    60.00%  [.] 0x0000000000000020\n"
	      "    40.00%  [.] 0x0000000000000010\n",
	      .sort = "sym");
}

static void callers_have_what_they_call(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 30, 3, 0x30, 0x20, 0x10);
	sample(&b, 2, 70, 2, 0x20, 0x10);
	CHECK(b,
	      "   100.00%     0.00%  [.] 0x0000000000000010\n"
	      "   100.00%    70.00%  [.] 0x0000000000000020\n"
	      "    30.00%    30.00%  [.] 0x0000000000000030\n",
	      .sort = "sym", .children = true, .caller_first = true, .form = GRAPH_ABSOLUTE, .threshold = 101);
}

static void recursion_counts_once(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 40, 5, 0x20, 0x20, 0x20, 0x20, 0x10);
	sample(&b, 2, 60, 5, 0x30, 0x20, 0x10, 0x20, 0x10);
	CHECK(b,
	      "   100.00%    40.00%  [.] 0x0000000000000020\n"
	      "   100.00%     0.00%  [.] 0x0000000000000010\n"
	      "    60.00%    60.00%  [.] 0x0000000000000030\n",
	      .sort = "sym", .children = true);
}

static void a_graph_forks_where_chains_do(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 60, 4, 0x40, 0x30, 0x20, 0x10);
	sample(&b, 2, 40, 4, 0x40, 0x50, 0x20, 0x10);
	CHECK(b,
	      "   100.00%  :7     \n"
	      "            |\n"
	      "            ---0x10\n"
	      "               0x20\n"
	      "               |          \n"
	      "               |--60.00%--0x30\n"
	      "               |          0x40\n"
	      "               |          \n"
	      "                --40.00%--0x50\n"
	      "                          0x40\n"
	      "\n",
	      .sort = "comm", .caller_first = true, .form = GRAPH_ABSOLUTE);
}

static void a_chain_that_ends_makes_a_fork(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 90, 2, 0x20, 0x10);
	sample(&b, 2, 10, 3, 0x30, 0x20, 0x10);
	CHECK(b,
	      "   100.00%  :7     \n"
	      "            |\n"
	      "            ---0x10\n"
	      "               0x20\n"
	      "               |          \n"
	      "                --10.00%--0x30\n"
	      "\n",
	      .sort = "comm", .caller_first = true, .form = GRAPH_ABSOLUTE);
}

static void branches_below_the_threshold_are_left_out(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 95, 2, 0x20, 0x10);
	sample(&b, 2, 4, 2, 0x30, 0x10);
	sample(&b, 3, 1, 2, 0x40, 0x10);
	CHECK(b,
	      "   100.00%  :7     \n"
	      "            |\n"
	      "            ---0x10\n"
	      "               |          \n"
	      "                --95.00%--0x20\n"
	      "\n",
	      .sort = "comm", .caller_first = true, .form = GRAPH_ABSOLUTE, .threshold = 5);
}

static void shares_of_the_parent_tell_the_rest(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 90, 3, 0x20, 0x11, 0x10);
	sample(&b, 2, 8, 3, 0x30, 0x11, 0x10);
	sample(&b, 3, 2, 3, 0x40, 0x11, 0x10);
	CHECK(b,
	      "   100.00%  :7     \n"
	      "            |\n"
	      "            ---0x10\n"
	      "               0x11\n"
	      "               |          \n"
	      "               |--90.00%--0x20\n"
	      "               |          \n"
	      "               |--8.00%--0x30\n"
	      "                --2.00%--[...]\n"
	      "\n",
	      .sort = "comm", .caller_first = true, .form = GRAPH_FRACTAL, .threshold = 5);
}

static void the_graph_of_a_caller_begins_at_it(void **state)
{
	struct build b = build_start(CHAINS);
	char *got;

	sample(&b, 1, 100, 3, 0x30, 0x20, 0x10);
	got = text_of(&b, &(struct wanted){
				  .sort = "dso,sym", .children = true, .caller_first = true, .form = GRAPH_ABSOLUTE });
	assert_non_null(strstr(got, "  [unknown]         [.] 0x0000000000000020\n            |\n            ---0x20\n  "
				    "             0x30\n\n"));
	/* The row of the sampled function shows the path to it. */
	assert_non_null(strstr(got, "  [unknown]         [.] 0x0000000000000030\n            |\n            ---0x10\n  "
				    "             0x20\n               0x30\n\n"));
	free(got);
	build_release(&b);
}

static void chains_as_lines(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 60, 3, 0x30, 0x20, 0x10);
	sample(&b, 2, 40, 2, 0x20, 0x10);
	CHECK(b,
	      "   100.00%  :7     \n"
	      "60.00% 0x10;0x20;0x30\n"
	      "40.00% 0x10;0x20\n",
	      .sort = "comm", .caller_first = true, .form = GRAPH_FOLDED);
}

static void max_stack_keeps_one_end(void **state)
{
	struct build b = build_start(CHAINS);

	sample(&b, 1, 100, 4, 0x40, 0x30, 0x20, 0x10);
	CHECK(b, "   100.00%  :7     \n100.00% 0x10;0x20\n", .sort = "comm", .caller_first = true, .form = GRAPH_FOLDED,
	      .max_stack = 2);
	b = build_start(CHAINS);
	sample(&b, 1, 100, 4, 0x40, 0x30, 0x20, 0x10);
	CHECK(b, "   100.00%  :7     \n100.00% 0x40;0x30\n", .sort = "comm", .form = GRAPH_FOLDED, .max_stack = 2);
}

static void a_chain_with_a_marker_nobody_knows_is_none(void **state)
{
	struct build b = build_start(CHAINS);
	const uint64_t chain[] = { CHAIN_USER, 0x10, (uint64_t)-77, 0x20 };

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x10, .period = 1, .chain = chain, .n_chain = 4);
	CHECK(b, "   100.00%  :7     \n", .sort = "comm", .caller_first = true, .form = GRAPH_FOLDED);
}

static void separators_do_not_occur_in_text(void **state)
{
	struct build b = build_start(CHAINS);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "a,b");
	sample(&b, 2, 1, 1, 0x10);
	CHECK(b, " 100.00%,a.b    ,[.] 0x0000000000000010\n", .sort = "comm,sym", .separator = ",");
}

/* Many random chains, so that workers meet them in different orders. */
static void build_forest(struct build *b)
{
	uint32_t seed = 12345;

	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t chain[12] = { CHAIN_USER };
		size_t n = 1 + i % 11;

		for (size_t k = 1; k <= n; k++) {
			seed = seed * 1103515245 + 12345;
			chain[k] = 0x1000 + (seed >> 16) % 9 * 16;
		}
		build_sample(b, .pid = 7, .tid = 7 + (int32_t)(seed >> 8 & 3), .time = i + 1, .ip = chain[1],
			     .period = 1 + (seed >> 20) % 5, .chain = chain, .n_chain = n + 1);
	}
}

static void workers_do_not_change_the_text(void **state)
{
	struct build one = build_start(CHAINS), many = build_start(CHAINS);
	char *x, *y;

	build_forest(&one);
	build_forest(&many);
	x = text_of(&one, &(struct wanted){ .sort = "pid,sym",
					    .children = true,
					    .caller_first = true,
					    .form = GRAPH_ABSOLUTE,
					    .chunk_size = 4096 });
	y = text_of(&many, &(struct wanted){ .sort = "pid,sym",
					     .children = true,
					     .caller_first = true,
					     .form = GRAPH_ABSOLUTE,
					     .chunk_size = 1000,
					     .threads = 8 });
	assert_true(strlen(x) > 10000);
	assert_string_equal(x, y);
	free(x);
	free(y);
	build_release(&one);
	build_release(&many);
}

/*
 * Without chains, repeats take a short path: it must notice changed names and must skip other
 * records.
 */
static void repeated_samples_count_as_if_met_for_the_first_time(void **state)
{
	static const char *const names[] = { "one", "two", "three" };
	char *texts[3];

	for (int i = 0; i < 3; i++) {
		struct build b = build_start(CHAINS);

		for (int n = 0; n < 3; n++) {
			build_comm(&b, .pid = 7, .tid = 7, .time = 1 + 1000u * (unsigned)n, .comm = names[n]);
			for (unsigned k = 0; k < 300; k++)
				sample(&b, 2 + 1000u * (unsigned)n + k, 1 + k % 3, 1, 0x10 * (1 + k % 7));
			/*
			 * like the previous one, but its chain does not fit: ip, pid and tid, time,
			 * period, length of the chain
			 */
			build_record(&b, RECORD_SAMPLE, CPUMODE_USER,
				     (uint64_t[]){ 0x10, 7ull << 32 | 7, 900 + 1000u * (unsigned)n, 100, 5 }, 40,
				     "88888");
		}
		texts[i] = text_of(
			&b, &(struct wanted){
				    .sort = "comm,sym", .flat = i > 0, .threads = i > 1 ? 8 : 1, .chunk_size = 1000 });
		build_release(&b);
	}
	assert_non_null(strstr(texts[0], "three"));
	assert_string_equal(texts[0], texts[1]);
	assert_string_equal(texts[0], texts[2]);
	for (int i = 0; i < 3; i++)
		free(texts[i]);
}

/* Bit 1 of the flags is "predicted"; cycles begin at bit 4. */
static void branches_are_a_chain_with_what_they_said(void **state)
{
	static const struct build_branch branches[] = { { 0x20, 0x30, 2 | 6 << 4 }, { 0x10, 0x1c, 1 } },
					 again[] = { { 0x20, 0x30, 2 | 2 << 4 }, { 0x10, 0x1c, 2 } };
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x34, .period = 10, .branches = branches,
		     .n_branches = 2);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 0x34, .period = 10, .branches = again, .n_branches = 2);
	CHECK(b,
	      "   100.00%  [.] 0x0000000000000034\n"
	      "            |\n"
	      "            ---0x30\n"
	      "               0x20 (cycles:4)\n"
	      "               0x1c (predicted:50.0%)\n"
	      "               0x10\n"
	      "\n",
	      .sort = "sym", .form = GRAPH_ABSOLUTE, .history = true);
}

static void rounds_of_a_loop_are_counted(void **state)
{
	static const struct build_branch branches[] = { { 0x20, 0x30, 2 | 6 << 4 },
							{ 0x20, 0x30, 2 | 3 << 4 },
							{ 0x10, 0x1c, 2 } };
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x34, .period = 10, .branches = branches,
		     .n_branches = 3);
	CHECK(b,
	      "   100.00%  [.] 0x0000000000000034\n"
	      "            |\n"
	      "            ---0x30\n"
	      "               0x20 (cycles:6)\n"
	      "               0x1c\n"
	      "               0x10 (iter:1 avg_cycles:3)\n"
	      "\n",
	      .sort = "sym", .form = GRAPH_ABSOLUTE, .history = true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_rows_are_one),
		cmocka_unit_test(callers_have_what_they_call),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(a_graph_forks_where_chains_do),
		cmocka_unit_test(a_chain_that_ends_makes_a_fork),
		cmocka_unit_test(branches_below_the_threshold_are_left_out),
		cmocka_unit_test(shares_of_the_parent_tell_the_rest),
		cmocka_unit_test(the_graph_of_a_caller_begins_at_it),
		cmocka_unit_test(chains_as_lines),
		cmocka_unit_test(max_stack_keeps_one_end),
		cmocka_unit_test(a_chain_with_a_marker_nobody_knows_is_none),
		cmocka_unit_test(separators_do_not_occur_in_text),
		cmocka_unit_test(workers_do_not_change_the_text),
		cmocka_unit_test(branches_are_a_chain_with_what_they_said),
		cmocka_unit_test(rounds_of_a_loop_are_counted),
		cmocka_unit_test(repeated_samples_count_as_if_met_for_the_first_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
