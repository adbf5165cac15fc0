#include "report/profile/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/build.h"
#include "tests/lib/walked.h"

#define CODE          0xffffffffa0000000ull
#define FLAGS(cycles) (2 | (uint64_t)(cycles) << 4) /* predicted */

static struct blocks *blocks_of(struct build *b, struct session **s, struct profile **p)
{
	static const struct profile_filter filter;

	*s = walked(b, &(struct session_opts){ 0 });
	*p = profile_new(*s, &(struct profile_opts){ .kind = PROFILE_BRANCHES, .threads = 1, .time_quantum = 1 },
			 &filter);
	return blocks_new(*p, 0);
}

static void release(struct build *b, struct session *s, struct profile *p, struct blocks *k)
{
	blocks_free(k);
	profile_free(p);
	session_close(s);
	build_release(b);
}

static void code_between_two_branches_is_a_block(void **state)
{
	/* The newest branch first: from +0x30 to +0x10; the one before: from +0x50 to +0x20. */
	static const struct build_branch branches[] = { { CODE + 0x30, CODE + 0x10, FLAGS(7) },
							{ CODE + 0x50, CODE + 0x20, FLAGS(5) } };
	static const struct build_branch again[] = { { CODE + 0x30, CODE + 0x10, FLAGS(10) },
						     { CODE + 0x30, CODE + 0x10, FLAGS(0) } };
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);
	struct session *s;
	struct profile *p;
	struct blocks *k;

	build_ksymbol(&b, .time = 1, .addr = CODE, .len = 0x100, .name = "code");
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = CODE, .period = 1, .branches = branches, .n_branches = 2);
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = CODE, .period = 1, .branches = again, .n_branches = 2);
	k = blocks_of(&b, &s, &p);
	assert_int_equal(k->items.len, 2);
	assert_int_equal(k->cycles, 22);
	assert_int_equal(k->averages, 8 + 5);
	assert_int_equal(k->items.items[0].from & 0xff, 0x10); /* the longest one with this end */
	assert_int_equal(k->items.items[0].to & 0xff, 0x30);
	assert_int_equal(k->items.items[0].cycles, 17);
	assert_int_equal(k->items.items[0].n, 2);
	assert_int_equal(k->items.items[0].n_seen, 1); /* the short one did not have the full length */
	assert_int_equal(k->items.items[0].seen[0], 10);
	assert_int_equal(k->items.items[1].from & 0xff, 0); /* nothing tells where it begins */
	assert_false(k->items.items[1].started);
	assert_int_equal(k->items.items[1].to & 0xff, 0x50);
	release(&b, s, p, k);
}

static void code_without_a_symbol_has_no_blocks(void **state)
{
	static const struct build_branch branches[] = { { 0x30, 0x10, FLAGS(7) }, { 0x50, 0x20, FLAGS(5) } };
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);
	struct session *s;
	struct profile *p;
	struct blocks *k;

	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 0x10, .period = 1, .branches = branches, .n_branches = 2);
	k = blocks_of(&b, &s, &p);
	assert_int_equal(k->items.len, 0);
	release(&b, s, p, k);
}

static void large_counts_are_shortened(void **state)
{
	struct build b = build_start(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);
	struct build_branch branch = { CODE + 0x30, CODE + 0x10, FLAGS(1100) };
	struct session *s;
	struct profile *p;
	struct blocks *k;
	struct out o;

	build_ksymbol(&b, .time = 1, .addr = CODE, .len = 0x100, .name = "code");
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = CODE, .period = 1, .branches = &branch, .n_branches = 1);
	k = blocks_of(&b, &s, &p);
	out_init_mem(&o);
	blocks_print(k, 0, false, false, &o);
	assert_non_null(strstr(out_text(&o), "          100.00%            1.1K      100.00%        1.1K  "));
	assert_non_null(strstr(out_text(&o), "[code+0 -> code+48]"));
	o.len = 0;
	blocks_print(k, 101, false, false, &o);
	assert_string_equal(out_text(&o), "");
	out_release(&o);
	release(&b, s, p, k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_between_two_branches_is_a_block),
		cmocka_unit_test(code_without_a_symbol_has_no_blocks),
		cmocka_unit_test(large_counts_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
