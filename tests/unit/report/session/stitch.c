/* Call stacks of branch registers that were too deep: joined with earlier ones of their thread. */
#include "tests/unit/report/session/chains.h"

enum { REGISTERS = 4, TYPES = SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK };
static uint64_t now;

static struct build stacks(uint64_t branch_type)
{
	/* one pair: its name and value, each with a length and padded */
	struct {
		uint32_t n, name_len;
		char name[12];
		uint32_t value_len;
		char value[4];
	} caps = { 1, 12, "branches", 4, "4" };
	struct build b = build_start(TYPES);

	build_attr(&b, 0)->branch_sample_type = branch_type;
	build_feature(&b, FEATURE_CPU_PMU_CAPS, &caps, sizeof(caps));
	now = 0;
	return b;
}

/*
 * A stack of `n` calls, innermost first; a letter is a call's source. `latest`: the register written last.
 */
static void stack(struct build *b, int32_t tid, const char *calls, uint64_t latest)
{
	const uint64_t chain[] = { CHAIN_USER, 0x10 };
	struct build_branch branches[REGISTERS];
	size_t n = strlen(calls);

	for (size_t i = 0; i < n; i++)
		branches[i] = (struct build_branch){ (uint64_t)calls[i], (uint64_t)calls[i] + 0x100, 0 };
	build_sample(b, .pid = 7, .tid = tid, .time = ++now, .ip = 0x10, .chain = chain, .n_chain = 2,
		     .branches = branches, .n_branches = n, .hw_idx = latest);
}
#define STACKS (BRANCH_CALL_STACK | BRANCH_HW_INDEX)

/* main a calls b, c, d: four registers are full. Then d calls e, which overwrites the register of a. */
static void overwritten_calls_come_from_the_sample_before(void **state)
{
	struct build b = stacks(STACKS);
	struct chains all;

	stack(&b, 7, "dcba", 3);
	stack(&b, 7, "edcb", 0);
	stack(&b, 7, "fedc", 1);
	all = chains_of(&b, true);
	assert_null(all.not_stitched);
	chain_is(&all, 0, CHAIN_USER, 0x10, 'd', 'c', 'b', 'a');
	chain_is(&all, 1, CHAIN_USER, 0x10, 'e', 'd', 'c', 'b', 'a');
	chain_is(&all, 2, CHAIN_USER, 0x10, 'f', 'e', 'd', 'c', 'b', 'a');
}

static void without_stitching_they_are_missing(void **state)
{
	struct build b = stacks(STACKS);
	struct chains all;

	stack(&b, 7, "dcba", 3);
	stack(&b, 7, "edcb", 0);
	all = chains_of(&b, false);
	chain_is(&all, 1, CHAIN_USER, 0x10, 'e', 'd', 'c', 'b');
}

static void threads_do_not_mix(void **state)
{
	struct build b = stacks(STACKS);
	struct chains all;

	stack(&b, 7, "dcba", 3);
	stack(&b, 8, "edcb", 0);
	stack(&b, 7, "edcb", 0);
	all = chains_of(&b, true);
	chain_is(&all, 1, CHAIN_USER, 0x10, 'e', 'd', 'c', 'b');
	chain_is(&all, 2, CHAIN_USER, 0x10, 'e', 'd', 'c', 'b', 'a');
}

static void other_calls_end_the_stack(void **state)
{
	struct build b = stacks(STACKS);
	struct chains all;

	stack(&b, 7, "dcba", 3);
	stack(&b, 7, "edcx", 0); /* its outermost register holds another call than before */
	stack(&b, 7, "dcba", 3);
	stack(&b, 7, "hgfe", 3); /* all registers were written again */
	all = chains_of(&b, true);
	chain_is(&all, 1, CHAIN_USER, 0x10, 'e', 'd', 'c', 'x');
	chain_is(&all, 3, CHAIN_USER, 0x10, 'h', 'g', 'f', 'e');
}

static void missing_parts_are_reported(void **state)
{
	struct build b = stacks(BRANCH_CALL_STACK);
	struct chains all;

	stack(&b, 7, "dcba", 3);
	all = chains_of(&b, true);
	assert_non_null(strstr(all.not_stitched, "which register"));
	b = build_start(TYPES);
	build_attr(&b, 0)->branch_sample_type = STACKS;
	stack(&b, 7, "dcba", 3);
	all = chains_of(&b, true);
	assert_non_null(strstr(all.not_stitched, "how many registers"));
	b = stacks(BRANCH_ANY);
	stack(&b, 7, "dcba", 3);
	all = chains_of(&b, true);
	assert_non_null(strstr(all.not_stitched, "no call stacks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overwritten_calls_come_from_the_sample_before),
		cmocka_unit_test(without_stitching_they_are_missing),
		cmocka_unit_test(threads_do_not_mix),
		cmocka_unit_test(other_calls_end_the_stack),
		cmocka_unit_test(missing_parts_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
