/*
 * data_src as text. Expected: the bits of union perf_mem_data_src in linux/perf_event.h, the words
 * of perf.
 */
#include "report/rows/memory_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>

static void says(union perf_mem_data_src src, enum memory_part part, const char *wanted)
{
	struct out o;

	out_init_mem(&o);
	memory_text(src.val, part, &o);
	assert_string_equal(out_text(&o), wanted);
	out_release(&o);
}
#define SAYS(part, wanted, ...) says((union perf_mem_data_src){ __VA_ARGS__ }, part, wanted)

static void operations(void **state)
{
	SAYS(MEMORY_OP, "LOAD", .mem_op = PERF_MEM_OP_LOAD);
	SAYS(MEMORY_OP, "STORE", .mem_op = PERF_MEM_OP_STORE);
	SAYS(MEMORY_OP, "N/A", .mem_op = PERF_MEM_OP_NA);
	SAYS(MEMORY_OP, "No", .mem_op = 0);
}

static void levels_by_their_bits(void **state)
{
	SAYS(MEMORY_LEVEL, "L1 hit", .mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT);
	SAYS(MEMORY_LEVEL, "L3 miss", .mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_MISS);
	SAYS(MEMORY_LEVEL, "L1 or L2 hit", .mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT);
	SAYS(MEMORY_LEVEL, "Local RAM hit", .mem_lvl = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT);
	SAYS(MEMORY_LEVEL, "N/A", .mem_lvl = 0);
}

static void levels_by_number_come_first(void **state)
{
	SAYS(MEMORY_LEVEL, "L4 hit", .mem_lvl_num = PERF_MEM_LVLNUM_L4, .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1);
	SAYS(MEMORY_LEVEL, "Remote node, same socket RAM hit", .mem_lvl_num = PERF_MEM_LVLNUM_RAM, .mem_remote = 1,
	     .mem_hops = 2, .mem_lvl = PERF_MEM_LVL_HIT);
	SAYS(MEMORY_LEVEL, "L1 hit", .mem_lvl_num = PERF_MEM_LVLNUM_NA, .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1);
}

static void snoops_have_two_sets_of_bits(void **state)
{
	SAYS(MEMORY_SNOOP, "HitM", .mem_snoop = PERF_MEM_SNOOP_HITM);
	SAYS(MEMORY_SNOOP, "Fwd", .mem_snoopx = PERF_MEM_SNOOPX_FWD);
	SAYS(MEMORY_SNOOP, "Hit or Fwd", .mem_snoop = PERF_MEM_SNOOP_HIT, .mem_snoopx = PERF_MEM_SNOOPX_FWD);
	SAYS(MEMORY_SNOOP, "N/A", .mem_snoop = 0);
}

static void locks_and_translations(void **state)
{
	SAYS(MEMORY_LOCK, "Yes", .mem_lock = PERF_MEM_LOCK_LOCKED);
	SAYS(MEMORY_LOCK, "No", .mem_lock = 0);
	SAYS(MEMORY_LOCK, "N/A", .mem_lock = PERF_MEM_LOCK_NA);
	SAYS(MEMORY_TLB, "L1 or L2 hit", .mem_dtlb = PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT);
	SAYS(MEMORY_TLB, "Walker miss", .mem_dtlb = PERF_MEM_TLB_WK | PERF_MEM_TLB_MISS);
	SAYS(MEMORY_BLOCK, " Data Addr", .mem_blk = PERF_MEM_BLK_DATA | PERF_MEM_BLK_ADDR);
	SAYS(MEMORY_BLOCK, " N/A", .mem_blk = PERF_MEM_BLK_NA);
}

/* Two values that differ in one part only are equal for all other parts. */
static void a_part_is_not_told_apart_by_others(void **state)
{
	static const union perf_mem_data_src of[] = {
		[MEMORY_OP] = { .mem_op = PERF_MEM_OP_STORE },
		[MEMORY_LEVEL] = { .mem_lvl = PERF_MEM_LVL_L2, .mem_lvl_num = 3, .mem_remote = 1, .mem_hops = 1 },
		[MEMORY_SNOOP] = { .mem_snoop = PERF_MEM_SNOOP_HITM, .mem_snoopx = 1 },
		[MEMORY_LOCK] = { .mem_lock = PERF_MEM_LOCK_LOCKED },
		[MEMORY_TLB] = { .mem_dtlb = PERF_MEM_TLB_WK },
		[MEMORY_BLOCK] = { .mem_blk = PERF_MEM_BLK_ADDR },
	};

	for (size_t part = 0; part < 6; part++)
		for (size_t other = 0; other < 6; other++) {
			uint64_t kept = memory_only(of[other].val, (enum memory_part)part);

			assert_true(kept == (part == other ? of[other].val : 0));
			assert_int_equal(memory_bits(of[other].val, (enum memory_part)part) != 0, part == other);
		}
}

static void sizes_of_pages(void **state)
{
	static const struct {
		uint64_t size;
		const char *text;
	} sizes[] = { { 0, "N/A" }, { 4096, "4K" }, { 2 << 20, "2M" }, { 1 << 30, "1G" } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct out o;

		out_init_mem(&o);
		page_size_text(sizes[i].size, &o);
		assert_string_equal(out_text(&o), sizes[i].text);
		out_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),
		cmocka_unit_test(levels_by_their_bits),
		cmocka_unit_test(levels_by_number_come_first),
		cmocka_unit_test(snoops_have_two_sets_of_bits),
		cmocka_unit_test(locks_and_translations),
		cmocka_unit_test(a_part_is_not_told_apart_by_others),
		cmocka_unit_test(sizes_of_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
