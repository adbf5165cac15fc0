#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/data_src.h"
#include "report/c2c/c2c_priv.h"

static uint64_t made_access(unsigned op, unsigned level, unsigned snoop)
{
	return DATA_SRC(DATA_SRC_OP, op) | DATA_SRC(DATA_SRC_LEVEL, level) | DATA_SRC(DATA_SRC_SNOOP, snoop);
}

/* Count one access and check that exactly these sums are 1. */
#define counts(data_src, has_address, is_mapped, ...) \
	check(data_src, has_address, is_mapped, (const enum c2c_sum[]){ C2C_ACCESSES, __VA_ARGS__, C2C_SUMS })
static void check(uint64_t data_src, bool has_address, bool is_mapped, const enum c2c_sum *want)
{
	struct c2c_sums s = { 0 }, expected = { 0 };

	for (; *want != C2C_SUMS; want++)
		expected.n[*want] = 1;
	c2c_count(&s, data_src, has_address, is_mapped);
	for (int i = 0; i < C2C_SUMS; i++)
		if (s.n[i] != expected.n[i])
			fail_msg("sum %d is %llu, not %llu", i, (unsigned long long)s.n[i],
				 (unsigned long long)expected.n[i]);
}

static void loads_count_for_what_answered_them(void **state)
{
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L1, 0), true, true, C2C_LOADS, C2C_L1);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L2, 0), true, true, C2C_LOADS, C2C_L2);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_FILL_BUFFER, 0), true, true, C2C_LOADS,
	       C2C_FILL_BUFFER);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_MISS, 0), true, true, C2C_LOADS, C2C_LOAD_MISS);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_RAM, DATA_SNOOP_HIT), true, true, C2C_LOADS,
	       C2C_LOCAL_RAM, C2C_SHARED);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_RAM, DATA_SNOOP_MISS), true, true, C2C_LOADS,
	       C2C_LOCAL_RAM, C2C_EXCLUSIVE);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L1, 0), true, false, C2C_LOADS, C2C_L1,
	       C2C_NO_MAP);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L1, 0), false, true, C2C_LOADS,
	       C2C_LOAD_NO_ADDRESS);
}

/* A load of a line that another CPU has changed: the reason for the command. */
static void modified_lines_are_local_or_remote(void **state)
{
	uint64_t peer = DATA_SRC(DATA_SRC_SNOOPX, DATA_SNOOPX_PEER), remote = DATA_SRC(DATA_SRC_REMOTE, 1);

	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L3, DATA_SNOOP_MODIFIED), true, true, C2C_LOADS,
	       C2C_LOCAL_HITM, C2C_TOTAL_HITM);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_HIT | DATA_LEVEL_L3, 0) | peer, true, true, C2C_LOADS, C2C_LLC,
	       C2C_LOCAL_PEER, C2C_TOTAL_PEER);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_FAR_CACHE, DATA_SNOOP_MODIFIED), true, true, C2C_LOADS,
	       C2C_REMOTE_HITM, C2C_TOTAL_HITM);
	counts(made_access(DATA_OP_LOAD, DATA_LEVEL_FAR_CACHE, DATA_SNOOP_HIT), true, true, C2C_LOADS, C2C_REMOTE_HIT);
	counts(made_access(DATA_OP_LOAD, 0, DATA_SNOOP_MODIFIED) | remote, true, true, C2C_LOADS, C2C_REMOTE_HITM,
	       C2C_TOTAL_HITM);
	/* with hops, "remote" counts for nothing */
	counts(made_access(DATA_OP_LOAD, 0, DATA_SNOOP_MODIFIED) | remote | DATA_SRC(DATA_SRC_HOPS, 1), true, true,
	       C2C_LOADS);
}

static void stores_count_for_the_first_level(void **state)
{
	counts(made_access(DATA_OP_STORE, DATA_LEVEL_HIT | DATA_LEVEL_L1, 0), true, true, C2C_STORES, C2C_STORE_L1_HIT);
	counts(made_access(DATA_OP_STORE, DATA_LEVEL_MISS | DATA_LEVEL_L1, 0), true, true, C2C_STORES,
	       C2C_STORE_L1_MISS);
	counts(made_access(DATA_OP_STORE, DATA_LEVEL_NA, 0), true, true, C2C_STORES, C2C_STORE_NO_LEVEL);
	counts(made_access(DATA_OP_STORE, DATA_LEVEL_NA, 0), false, true, C2C_STORES, C2C_STORE_NO_ADDRESS);
	counts(made_access(DATA_OP_NA, DATA_LEVEL_NA, 0), true, true, C2C_NO_OPERATION);
	/* what loads and stores is a load */
	counts(made_access(DATA_OP_LOAD | DATA_OP_STORE, DATA_LEVEL_HIT | DATA_LEVEL_L1, 0), true, true, C2C_LOADS,
	       C2C_L1);
}

static void sums_add_up(void **state)
{
	struct c2c_sums a = { 0 }, b = { 0 };

	c2c_count(&a, made_access(DATA_OP_STORE, DATA_LEVEL_NA, 0), true, true);
	c2c_count(&b, made_access(DATA_OP_LOAD, DATA_LEVEL_MISS, 0) | DATA_SRC(DATA_SRC_LOCK, DATA_LOCKED), true, true);
	c2c_sums_add(&a, &b);
	assert_int_equal(a.n[C2C_ACCESSES], 2);
	assert_int_equal(a.n[C2C_STORES], 1);
	assert_int_equal(a.n[C2C_LOCKED], 1);
	assert_int_equal(a.n[C2C_LOAD_MISS], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_count_for_what_answered_them),
		cmocka_unit_test(modified_lines_are_local_or_remote),
		cmocka_unit_test(stores_count_for_the_first_level),
		cmocka_unit_test(sums_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
