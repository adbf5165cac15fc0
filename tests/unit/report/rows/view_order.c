/* The order of rows: that of perf-report(1). Its red-black trees decide if its comparison contradicts itself. */
#include "tests/unit/report/rows/made.h"

#include "report/rows/view_priv.h"

/* What a test changes in the options of a view. */
struct order {
	const char *sort;
	bool children, callee_first, no_chains, own_order;
};

/* The rows from the first to the last one, as letters. */
static void order_is(const struct made_sample *samples, size_t n, const struct order *o, const char *want)
{
	char letters[32] = "";
	struct made m;

	made_view(&m, samples, n, o->sort, o->children);
	view_free(m.view);
	m.opts.caller_first = !o->callee_first;
	m.opts.chains = !o->no_chains;
	m.opts.own_order = o->own_order;
	m.view = view_new(m.fold, &m.opts, &m.event, 1);
	assert_true(m.view->rows.len < sizeof(letters));
	for (size_t i = 0; i < m.view->rows.len; i++)
		letters[i] = made_letter(&m, m.view->rows.items[i].row->first_site);
	assert_string_equal(letters, want);
	made_release(&m);
}
#define ORDER_IS(samples, want, ...) order_is(samples, ARRAY_SIZE(samples), &(struct order){ __VA_ARGS__ }, want)

/* ---- sums and names ---- */

static void larger_sums_come_first_then_names(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "e", 5 },
		{ 8, "d", 5 },
		{ 7, "z", 0 },
		{ 7, "x", 7 },
		{ 7, "f", UINT64_MAX - 1 },
		{ 8, "g", UINT64_MAX / 2 + 2 },
		{ 7, "c", 5 },
	};

	ORDER_IS(samples, "fgxcdez", .sort = "sym");
	ORDER_IS(samples, "fgxcdez", .sort = "dso,sym");
	ORDER_IS(samples, "fgxdcez", .sort = "comm,sym");
}

/* Unnamed addresses, like '{', come behind all names. */
static void unnamed_rows_come_last(void **state)
{
	static const struct made_sample samples[] = { { 7, "{", 5 }, { 7, "z", 5 }, { 7, "y", 5 } };

	ORDER_IS(samples, "yz?", .sort = "sym");
}

static void a_second_sum_decides_before_names(void **state)
{
	static const struct made_sample samples[] = { { 7, "a", 4 }, { 7, "b", 1 }, { 7, "b", 3 }, { 7, "c", 4 } };

	ORDER_IS(samples, "bac", .sort = "sample,sym");
	ORDER_IS(samples, "bac", .sort = "sample,period,sym");
}

/* Our own order takes no time for names: what remains equal stays as it came. */
static void our_own_order_compares_only_sums(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "d", 4 }, { 7, "c", 1 }, { 8, "b", 4 }, { 7, "c", 3 }, { 7, "a", 9 }
	};

	ORDER_IS(samples, "adcb", .sort = "sym", .own_order = true);
	ORDER_IS(samples, "acdb", .sort = "sample,sym", .own_order = true);
	ORDER_IS(samples, "acdb", .sort = "sample,period,sym", .own_order = true);
}

/* ---- several events ---- */

static void check_group(size_t sort_event, const char *want)
{
	static const struct made_sample samples[] = {
		{ 7, "a", 5 },    { 7, "b", 5 },    { 7, "c", 9 },    { 7, "d", 1 },
		{ 7, "a", 1, 1 }, { 7, "b", 2, 1 }, { 7, "c", 1, 1 }, { 7, "d", 1, 1 },
	};
	char letters[8] = "";
	struct made m;

	MADE(&m, samples, "sym", false);
	view_free(m.view);
	m.opts.sort_event = sort_event;
	m.view = view_new(m.fold, &m.opts, (const uint32_t[]){ 0, 1 }, 2);
	for (size_t i = 0; i < m.view->rows.len; i++)
		letters[i] = made_letter(&m, m.view->rows.items[i].row->first_site);
	assert_string_equal(letters, want);
	made_release(&m);
}

/* If the user names another event than the leader, the leader's sums are ignored, as in perf. */
static void the_chosen_event_of_a_group_decides(void **state)
{
	check_group(0, "cbad");
	check_group(1, "bacd");
	check_group(2, "cbad"); /* there is no such event */
}

static void an_event_without_samples_has_no_rows(void **state)
{
	static const struct made_sample samples[] = { { 7, "a", 5, 1 } };

	ORDER_IS(samples, "", .sort = "sym");
}

/* ---- callers ---- */

/* The caller's stretch of chain is longer. That of own samples is their whole chain. */
static void among_equal_sums_depth_decides(void **state)
{
	static const struct made_sample samples[] = { { 7, "cba", 5 }, { 7, "d", 5 }, { 7, "x", 7 } };

	ORDER_IS(samples, "xcabd", .sort = "sym", .children = true);
	ORDER_IS(samples, "xdbca", .sort = "sym", .children = true, .callee_first = true);
	ORDER_IS(samples, "xcdab", .sort = "sym", .children = true, .no_chains = true);
	ORDER_IS(samples, "xcabd", .sort = "sym", .children = true, .own_order = true);
	ORDER_IS(samples, "xdbca", .sort = "sym", .children = true, .own_order = true, .callee_first = true);
}

/* perf compares depths only between rows of one thread: here own samples decide between d and its neighbours. */
static void depths_of_other_threads_do_not_count(void **state)
{
	static const struct made_sample samples[] = { { 7, "cba", 5 }, { 8, "d", 5 } };

	ORDER_IS(samples, "cdab", .sort = "sym", .children = true);
	ORDER_IS(samples, "cabd", .sort = "sym", .children = true, .own_order = true);
}

/* ---- comparisons that contradict themselves ---- */

/*
 * d is before b by depth, b before c by name, and c before d by name, because c is of another thread. perf inserts the
 * rows into a tree by address. After a, b and c, the root is b. So d goes to the left of b, and to the right of a; e
 * goes to the right of b, which is of another thread, and to the left of c.
 */
static void contradicting_depths_give_the_order_of_a_tree(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "a", 2 }, { 7, "da", 5 }, { 8, "ea", 5 }, { 8, "c", 5 }, { 7, "b", 5 },
	};
	ORDER_IS(samples, "adbec", .sort = "sym", .children = true);
	ORDER_IS(samples, "adbec", .sort = "dso,sym", .children = true);
}

/* The same contradiction of b, c and d, whatever comes first in the recording. The tree's root is b. */
static void the_order_of_a_tree_does_not_depend_on_the_samples(void **state)
{
	static const struct made_sample samples[] = {
		{ 7, "b", 5 }, { 8, "c", 5 }, { 7, "dd", 5 }, { 7, "b", 5 }, { 8, "c", 5 },
	};

	for (size_t from = 0; from < 3; from++)
		order_is(samples + from, 3, &(struct order){ .sort = "sym", .children = true }, "dbc");
}

/* Samples at addresses, in this order, and two functions of one name. */
static struct session *session_at(const uint64_t *ips, size_t n)
{
	struct build b = build_start(SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_PERIOD);
	struct session *s;

	for (uint64_t i = 0; i < 2; i++)
		build_ksymbol(&b, .time = 1, .addr = made_address('a') + i * 0x100, .len = 0x100, .type = 1,
			      .name = "same");
	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "seven");
	for (size_t i = 0; i < n; i++)
		build_sample(&b, .pid = 7, .tid = 7, .time = 2 + i, .ip = ips[i], .period = 1,
			     .misc = (int64_t)ips[i] < 0 ? CPUMODE_KERNEL : CPUMODE_USER);
	s = walked(&b, &(struct session_opts){ 0 });
	build_release(&b);
	return s;
}

/* Three addresses, as they are met and as they are shown. */
static void addresses_are(const char *sort, const uint64_t ips[3], const uint64_t want[3])
{
	struct made m;

	made_view_of(&m, session_at(ips, 3), sort, false);
	assert_int_equal(m.view->rows.len, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fold_site(m.fold, m.view->rows.items[i].row)->address, want[i]);
	made_release(&m);
}
#define ADDRESSES(...) ((const uint64_t[3]){ __VA_ARGS__ })

static void rows_that_look_equal_are_sorted_by_address(void **state)
{
	const uint64_t first = made_address('a') + 8, second = made_address('b') + 8, user = 0x1000,
		       below = -0x10000ull;

	addresses_are("sym", ADDRESSES(user, second, first), ADDRESSES(first, second, user));
	/* perf compares with a sign, so the kernel's addresses come first */
	addresses_are("sym", ADDRESSES(user, below, 0x10), ADDRESSES(below, 0x10, user));
}

/*
 * By the sign of their difference, X is before Y, Y before Z, and Z before X. perf inserts them into a tree as it meets
 * them. With some keys it takes them out and inserts them once more.
 */
static void contradicting_addresses_give_the_order_of_a_tree(void **state)
{
	const uint64_t x = 0x10, y = 0x6000000000000010, z = 0xa000000000000010;

	addresses_are("sym", ADDRESSES(x, y, z), ADDRESSES(z, x, y));
	addresses_are("sym", ADDRESSES(y, z, x), ADDRESSES(x, y, z));
	addresses_are("dso,sym", ADDRESSES(z, x, y), ADDRESSES(y, z, x));
	addresses_are("comm,sym", ADDRESSES(x, y, z), ADDRESSES(y, z, x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_sums_come_first_then_names),
		cmocka_unit_test(unnamed_rows_come_last),
		cmocka_unit_test(a_second_sum_decides_before_names),
		cmocka_unit_test(our_own_order_compares_only_sums),
		cmocka_unit_test(the_chosen_event_of_a_group_decides),
		cmocka_unit_test(an_event_without_samples_has_no_rows),
		cmocka_unit_test(among_equal_sums_depth_decides),
		cmocka_unit_test(depths_of_other_threads_do_not_count),
		cmocka_unit_test(contradicting_depths_give_the_order_of_a_tree),
		cmocka_unit_test(the_order_of_a_tree_does_not_depend_on_the_samples),
		cmocka_unit_test(rows_that_look_equal_are_sorted_by_address),
		cmocka_unit_test(contradicting_addresses_give_the_order_of_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
