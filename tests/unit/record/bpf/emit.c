#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "record/bpf/emit_priv.h"

static void jumps_reach_their_labels(void **state)
{
	struct emit c = { 0 };
	int start = emit_label(&c), end = emit_label(&c);

	emit_here(&c, start);
	emit_imm(&c, BPF_MOV, R1, 7);
	emit_jump_if(&c, BPF_JEQ, R1, 7, end); /* at 1, over 3 */
	emit_map(&c, R1, 5);                   /* two words */
	emit_jump(&c, start);                  /* at 4 */
	emit_here(&c, end);
	emit_return(&c, 0);
	emit_finish(&c);
	assert_int_equal(c.len, 7);
	assert_int_equal(c.items[1].code, BPF_JMP | BPF_JEQ | BPF_K);
	assert_int_equal(c.items[1].off, 3);
	assert_int_equal(c.items[2].src_reg, BPF_PSEUDO_MAP_FD);
	assert_int_equal(c.items[2].imm, 5);
	assert_int_equal(c.items[4].off, -5);
	assert_int_equal(c.items[6].code, BPF_JMP | BPF_EXIT);
	emit_release(&c);
}

static void memory_has_base_and_offset(void **state)
{
	struct emit c = { 0 };

	emit_load(&c, BPF_DW, R3, R6, 16);
	emit_store(&c, BPF_W, FP, -4, R3);
	emit_store_imm(&c, BPF_B, FP, -5, 9);
	assert_int_equal(c.items[0].code, BPF_LDX | BPF_MEM | BPF_DW);
	assert_int_equal(c.items[0].dst_reg, R3);
	assert_int_equal(c.items[0].src_reg, R6);
	assert_int_equal(c.items[0].off, 16);
	assert_int_equal(c.items[1].code, BPF_STX | BPF_MEM | BPF_W);
	assert_int_equal(c.items[1].dst_reg, FP);
	assert_int_equal(c.items[1].off, -4);
	assert_int_equal(c.items[2].code, BPF_ST | BPF_MEM | BPF_B);
	assert_int_equal(c.items[2].imm, 9);
	emit_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_reach_their_labels),
		cmocka_unit_test(memory_has_base_and_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
