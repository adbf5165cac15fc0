/* Call chains in the kernel's form, whatever they were recorded as. */
#include "tests/unit/report/session/chains.h"

enum { TYPES = SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_CALLCHAIN };

static void frame_pointers_are_taken_as_they_are(void **state)
{
	struct build b = build_start(TYPES);
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x10, 0x20 };
	struct chains all;

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x10, .chain = chain, .n_chain = 5);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 0x10);
	all = chains_of(&b, false);
	assert_int_equal(all.n, 2);
	chain_is(&all, 0, CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x10, 0x20);
	assert_int_equal(all.len[1], 0);
}

static void branches_become_the_user_part(void **state)
{
	struct build b = build_start(TYPES | SAMPLE_BRANCH_STACK);
	const struct build_branch branches[] = { { 0x30, 0x10, 0 }, { 0x40, 0x30, 0 } };
	const uint64_t both[] = { CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x10, 0x99 },
		       kernel[] = { CHAIN_KERNEL, 5 };
	struct chains all;

	build_attr(&b, 0)->branch_sample_type = BRANCH_CALL_STACK;
	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x15, .chain = both, .n_chain = 5, .branches = branches,
		     .n_branches = 2);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .ip = 0x15, .chain = kernel, .n_chain = 2, .branches = branches,
		     .n_branches = 2);
	all = chains_of(&b, false);
	chain_is(&all, 0, CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x15, 0x30, 0x40);
	chain_is(&all, 1, CHAIN_KERNEL, 5); /* no user part to replace */
}

static void other_branches_leave_the_chain_alone(void **state)
{
	struct build b = build_start(TYPES | SAMPLE_BRANCH_STACK);
	const struct build_branch branches[] = { { 0x30, 0x10, 0 } };
	const uint64_t chain[] = { CHAIN_USER, 0x10, 0x20 };
	struct chains all;

	build_attr(&b, 0)->branch_sample_type = BRANCH_ANY;
	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .ip = 0x15, .chain = chain, .n_chain = 3, .branches = branches,
		     .n_branches = 1);
	all = chains_of(&b, false);
	chain_is(&all, 0, CHAIN_USER, 0x10, 0x20);
}

static void user_parts_that_came_later_are_joined_by_cookie_and_thread(void **state)
{
	struct build b = build_start(TYPES);
	const uint64_t first[] = { CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER_DEFERRED, 77 };
	const uint64_t other[] = { CHAIN_KERNEL, 0xffffffff81000002, CHAIN_USER_DEFERRED, 78 };
	const struct {
		uint64_t cookie, n, ips[2];
		uint32_t pid, tid;
		uint64_t time;
	} later = { 77, 2, { 0x10, 0x20 }, 7, 7, 9 };
	struct chains all;

	build_sample(&b, .pid = 7, .tid = 7, .time = 1, .chain = first, .n_chain = 4);
	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .chain = other, .n_chain = 4);
	build_sample(&b, .pid = 7, .tid = 8, .time = 3, .chain = first, .n_chain = 4);
	build_record(&b, RECORD_CALLCHAIN_DEFERRED, CPUMODE_USER, &later, sizeof(later), "8888448");
	all = chains_of(&b, false);
	chain_is(&all, 0, CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER, 0x10, 0x20);
	chain_is(&all, 1, CHAIN_KERNEL, 0xffffffff81000002, CHAIN_USER_DEFERRED, 78);
	chain_is(&all, 2, CHAIN_KERNEL, 0xffffffff81000001, CHAIN_USER_DEFERRED, 77);
}

static void markers_tell_the_mode(void **state)
{
	assert_int_equal(chain_marker_mode(CHAIN_USER), CPUMODE_USER);
	assert_int_equal(chain_marker_mode(CHAIN_KERNEL), CPUMODE_KERNEL);
	assert_int_equal(chain_marker_mode(CHAIN_USER - 1), -1);
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t old = *a;

	*a = *b;
	*b = old;
}

static void chains_that_differ_have_different_hashes(void **state)
{
	enum { N = 40 };
	uint64_t words[N], hashes[3 * N * N];
	size_t n = 0;

	for (uint64_t i = 0; i < N; i++)
		words[i] = 0x401000 + 16 * i;
	for (uint64_t length = 0; length <= N; length++) {
		hashes[n++] = chain_hash((const uint8_t *)words, length);
		for (uint64_t i = 0; i < length; i++) {
			words[i] ^= 1;
			hashes[n++] = chain_hash((const uint8_t *)words, length);
			words[i] ^= 1;
		}
		for (uint64_t i = 1; i < length; i++) {
			swap(&words[i - 1], &words[i]);
			hashes[n++] = chain_hash((const uint8_t *)words, length);
			swap(&words[i - 1], &words[i]);
		}
	}
	for (uint64_t cycle = 1; cycle <= 5; cycle++) { /* recursion of one to five functions */
		for (uint64_t i = 0; i < N; i++)
			words[i] = 0x100000 * (cycle + 8) + 16 * (i % cycle);
		for (uint64_t length = 1; length <= N; length++)
			hashes[n++] = chain_hash((const uint8_t *)words, length);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(hashes[i] != hashes[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_pointers_are_taken_as_they_are),
		cmocka_unit_test(branches_become_the_user_part),
		cmocka_unit_test(other_branches_leave_the_chain_alone),
		cmocka_unit_test(user_parts_that_came_later_are_joined_by_cookie_and_thread),
		cmocka_unit_test(markers_tell_the_mode),
		cmocka_unit_test(chains_that_differ_have_different_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
