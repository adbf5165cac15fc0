#include "report/script/brinsn_priv.h"

#include "tests/unit/report/script/code.h"

#define TYPE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_BRANCH_STACK)

/* Bits of an entry's third word. Source: linux/perf_event.h, struct perf_branch_entry. */
#define PREDICTED    2ull
#define MISPREDICTED 1ull
#define CYCLES(n)    ((uint64_t)(n) << 4)

/* Print what ran, by these branches (the latest first), up to a sample at `ip`. */
static void check(const struct build_branch *branches, size_t n, uint64_t ip, const char *fields, const char *want)
{
	struct build b = build_start(TYPE);
	char *path = code_map(&b);

	build_attr(&b, 0)->branch_sample_type = BRANCH_ANY;
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .ip = ip, .misc = CPUMODE_USER, .branches = branches,
		     .n_branches = n);
	code_check(&b, path, fields, want);
}

static void the_code_between_two_branches_ran_once(void **state)
{
	static const struct build_branch branches[] = {
		{ CODE_START + 6, CODE_START + 10, PREDICTED | CYCLES(2) },
		{ CODE_START + 11, CODE_START, MISPREDICTED | CYCLES(10) },
	};

	/* Four instructions in two cycles are 2 IPC; the cycles of both branches add up to 12. */
	check(branches, 2, CODE_START + 10, "brstackinsn",
	      "\n"
	      "\twork+11:\n"
	      "\t000000000040008b\tinsn: c3                      \t# MISPRED 10 cycles [10]\n"
	      "\t0000000000400080\tinsn: 55 \n"
	      "\t0000000000400081\tinsn: 48 89 e5 \n"
	      "\t0000000000400084\tinsn: 85 ff \n"
	      "\t0000000000400086\tinsn: 75 02                   \t# PRED 2 cycles [12] 2.00 IPC\n"
	      "\t000000000040008a\tinsn: 5d \n\n");
}

static void a_branch_from_within_an_instruction_does_not_fit_the_code(void **state)
{
	static const struct build_branch branches[] = {
		{ CODE_START + 2, CODE_START + 10, 0 },
		{ CODE_START + 11, CODE_START, 0 },
	};

	check(branches, 2, CODE_START + 10, "brstackinsn",
	      "\n"
	      "\twork+11:\n"
	      "\t000000000040008b\tinsn: c3                      \t#\n"
	      "\t0000000000400080\tinsn: 55 \n"
	      "\t0000000000400081\tinsn: 48 89 e5 \n"
	      "\t0000000000400084\tinsn: 85 ff \n"
	      "\t0000000000400086\tinsn: 75 02 \n"
	      "\t0000000000400088\tinsn: 89 d0 \n"
	      "\t000000000040008a\tinsn: 5d \n"
	      "\t000000000040008b\tinsn: c3 \n"
	      "\t000000000040008c\t<bad>\n"
	      "\tmismatch of LBR data and executable\n"
	      "\twork+10:\n"
	      "\t000000000040008a\tinsn: 5d \n\n");
}

static void code_to_the_sample_ends_at_an_instruction_that_leaves(void **state)
{
	static const struct build_branch branches[] = { { CODE_START + 11, CODE_START + 8, 0 } };

	check(branches, 1, CODE_START + 12, "brstackinsn",
	      "\n"
	      "\twork+11:\n"
	      "\t000000000040008b\tinsn: c3                      \t#\n"
	      "\t0000000000400088\tinsn: 89 d0 \n"
	      "\t000000000040008a\tinsn: 5d \n"
	      "\t000000000040008b\tinsn: c3 \n"
	      "\t... not reaching sample ...\n\n");
}

static void instructions_are_printed_as_text_with_their_lengths(void **state)
{
	static const struct build_branch branches[] = { { CODE_START + 6, CODE_START + 10, PREDICTED } };

	check(branches, 1, CODE_START + 10, "brstackdisasm",
	      "\n"
	      "\twork+6:\n"
	      "\t0000000000400086\tjne    8a\t# PRED\n"
	      "\t000000000040008a\tpop    %rbp\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_between_two_branches_ran_once),
		cmocka_unit_test(a_branch_from_within_an_instruction_does_not_fit_the_code),
		cmocka_unit_test(code_to_the_sample_ends_at_an_instruction_that_leaves),
		cmocka_unit_test(instructions_are_printed_as_text_with_their_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
