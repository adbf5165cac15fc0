#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/unwind/walk_priv.h"

/* Walks with places, code and registers made by hand. */

enum { HANDLER = 0x1000, RETURN = 0x2000, INTERRUPTED = 0x3000, SP = 0x7000, LINK = 30, STACK_REG = 31, IP_REG = 32 };

/* A leaf without a frame, and the outermost function. */
static struct cfi_row leaf = { .cfa = { .reg = STACK_REG, .how = CFI_REGISTER }, .ret = LINK };
static struct {
	struct cfi_row row;
	struct cfi_rule rule;
} start = { { .cfa = { .reg = STACK_REG, .how = CFI_REGISTER }, .ret = LINK, .n_rules = 1 },
	    { .reg = LINK, .how = CFI_UNDEFINED } };

static const struct place *place_of(struct walk *k, uint64_t ip)
{
	static struct place p;

	p = (struct place){ .ip = ip, .state = PLACE_NO_CFI };
	if (ip == HANDLER || ip == INTERRUPTED) {
		p.state = PLACE_ROW;
		p.row = ip == HANDLER ? &leaf : &start.row;
	}
	return &p;
}

static bool code_before(struct walk *k, uint64_t ip, uint8_t *code)
{
	if (ip != RETURN + WALK_CODE)
		return false;
	memcpy(code, k->arch->sigreturn, WALK_CODE);
	return true;
}

/* arm64's vdso has no unwind information for the code behind handlers of signals. */
static void arm64_leads_out_of_a_handler(void **state)
{
	uint64_t regs[33] = { [LINK] = RETURN, [STACK_REG] = SP, [IP_REG] = HANDLER }, stack[80] = { 0 }, ips[8],
		 sps[8];
	const struct unwind_args args = { .regs_mask = (UINT64_C(1) << 33) - 1,
					  .regs = (const uint8_t *)regs,
					  .abi = 2,
					  .stack = (const uint8_t *)stack,
					  .stack_size = sizeof(stack) };
	struct walk k = { .args = &args,
			  .arch = arch_find("aarch64"),
			  .place_of = place_of,
			  .code_before = code_before,
			  .sps = sps };
	struct unwind_stop stop;
	/* struct rt_sigframe: siginfo, ucontext up to its sigcontext; there a fault's address, then registers */
	uint64_t *saved = stack + (128 + 176 + 8) / 8;

	saved[5] = 0x5555;
	saved[STACK_REG] = SP + sizeof(stack);
	saved[IP_REG] = INTERRUPTED;
	assert_true(walk_start(&k));
	assert_int_equal(walk_stack(&k, ips, 8, &stop), 3);
	assert_int_equal(stop.end, UNWIND_DONE);
	assert_false(stop.guessed);
	assert_int_equal(ips[0], HANDLER);
	assert_int_equal(ips[1], RETURN);
	assert_int_equal(ips[2], INTERRUPTED); /* and not the byte before it: nothing was called */
	assert_int_equal(sps[2], SP + sizeof(stack));
	assert_int_equal(k.regs[5], 0x5555);
}

/* ---- x86-64: code without unwind information, whose caller is guessed ---- */

enum { BARE = 0x4000, CALLER = 0x5008, STUB = 0x6000, FUNCTION = 0x6100, X86_SP = 7, X86_IP = 8 };

static uint64_t called; /* what the code before CALLER calls */

static struct {
	struct cfi_row row;
	struct cfi_rule rule;
} x86_start = { { .cfa = { .reg = X86_SP, .how = CFI_REGISTER }, .ret = X86_IP, .n_rules = 1 },
		{ .reg = X86_IP, .how = CFI_UNDEFINED } };

static const struct place *x86_place_of(struct walk *k, uint64_t ip)
{
	static struct place p;

	p = (struct place){ .ip = ip, .state = PLACE_ROW, .row = &x86_start.row };
	if (ip == BARE) {
		p.state = PLACE_NO_CFI;
		p.row = NULL;
	}
	return &p;
}

static bool x86_code_before(struct walk *k, uint64_t ip, uint8_t *code)
{
	static const uint8_t call[] = { 0x90, 0x90, 0x90, 0xe8 }, jump[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25 };
	int32_t offset = (int32_t)(called - CALLER);

	memset(code, 0x90, WALK_CODE);
	if (ip == CALLER) {
		memcpy(code, call, sizeof(call));
		memcpy(code + sizeof(call), &offset, sizeof(offset));
	} else if (ip == STUB + WALK_CODE) {
		memcpy(code, jump, sizeof(jump));
	}
	return true;
}

static size_t x86_walk(uint64_t *ips, struct unwind_stop *stop)
{
	uint64_t regs[] = { [X86_SP] = SP, [X86_IP] = BARE }, stack[4] = { 0, CALLER };
	const struct unwind_args args = { .regs_mask = (UINT64_C(1) << (X86_IP + 1)) - 1,
					  .regs = (const uint8_t *)regs,
					  .abi = 2,
					  .stack = (const uint8_t *)stack,
					  .stack_size = sizeof(stack) };
	struct walk k = {
		.args = &args, .arch = arch_find("x86_64"), .place_of = x86_place_of, .code_before = x86_code_before
	};

	assert_true(walk_start(&k));
	return walk_stack(&k, ips, 8, stop);
}

/* The called stub leads to code of another object, which may have no unwind information. */
static void a_caller_may_have_called_through_a_stub(void **state)
{
	uint64_t ips[8];
	struct unwind_stop stop;

	called = STUB;
	assert_int_equal(x86_walk(ips, &stop), 2);
	assert_int_equal(ips[1], CALLER - 1);
	assert_int_equal(stop.end, UNWIND_DONE);
	assert_true(stop.guessed);
}

static void a_call_of_described_code_did_not_lead_here(void **state)
{
	uint64_t ips[8];
	struct unwind_stop stop;

	called = FUNCTION;
	assert_int_equal(x86_walk(ips, &stop), 1);
	assert_int_equal(stop.end, UNWIND_NO_CFI);
	assert_false(stop.guessed);
}

/* ---- x86-64: frames with two saved registers ---- */

enum { BP = 6, FRAME = 32, FRAMES = 4 };
static struct {
	struct cfi_row row;
	struct cfi_rule rules[2];
} frame = { { .cfa = { .reg = X86_SP, .how = CFI_REGISTER, .offset = FRAME },
	      .ret = X86_IP,
	      .n_rules = 2,
	      .low = -24,
	      .high = -8 },
	    { { .reg = BP, .how = CFI_OFFSET, .offset = -24 }, { .reg = X86_IP, .how = CFI_OFFSET, .offset = -8 } } };

static const struct place *frame_everywhere(struct walk *k, uint64_t ip)
{
	static const struct place p = { .state = PLACE_ROW, .row = &frame.row };

	return &p;
}

static size_t walk_frames(struct walk *k, uint64_t sp, size_t stack_size, uint64_t *ips, struct unwind_stop *stop)
{
	static uint64_t stack[FRAMES * FRAME / 8];
	uint64_t regs[9] = { [BP] = 1, [X86_SP] = sp, [X86_IP] = HANDLER };
	struct unwind_args args = { .regs_mask = 1 << BP | 1 << X86_SP | 1 << X86_IP,
				    .regs = (const uint8_t *)(regs + BP),
				    .abi = 2,
				    .stack = (const uint8_t *)stack,
				    .stack_size = stack_size };
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = 0x4000 + i;
	*k = (struct walk){ .args = &args, .arch = arch_find("x86_64"), .place_of = frame_everywhere };
	assert_true(walk_start(k));
	n = walk_stack(k, ips, FRAMES + 1, stop);
	k->args = NULL;
	return n;
}

/* The short way of plain rows leads to the same end, wherever the copy of the stack ends. */
static void plain_rows_need_no_other_way(void **state)
{
	static const uint64_t sps[] = { SP, UINT64_MAX - FRAME, UINT64_MAX - 2 * FRAMES * FRAME };

	for (size_t i = 0; i < ARRAY_SIZE(sps); i++)
		for (size_t size = 0; size <= FRAMES * FRAME; size++) {
			uint64_t ips[2][FRAMES + 1] = { { 0 } };
			struct unwind_stop stops[2];
			struct walk k[2];

			for (int plain = 0; plain < 2; plain++) {
				frame.row.is_plain = plain;
				walk_frames(&k[plain], sps[i], size, ips[plain], &stops[plain]);
			}
			assert_memory_equal(ips[0], ips[1], sizeof(ips[0]));
			assert_int_equal(stops[0].end, stops[1].end);
			assert_int_equal(k[0].known, k[1].known);
			assert_memory_equal(k[0].regs, k[1].regs, sizeof(k[0].regs));
			assert_int_equal(k[0].beyond, k[1].beyond);
		}
	/* and each frame was walked while the copy lasted */
	assert_int_equal(walk_frames(&(struct walk){ 0 }, SP, FRAMES * FRAME, (uint64_t[FRAMES + 1]){ 0 },
				     &(struct unwind_stop){ 0 }),
			 FRAMES + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(arm64_leads_out_of_a_handler),
					    cmocka_unit_test(a_caller_may_have_called_through_a_stub),
					    cmocka_unit_test(a_call_of_described_code_did_not_lead_here),
					    cmocka_unit_test(plain_rows_need_no_other_way) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
