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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(arm64_leads_out_of_a_handler) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
