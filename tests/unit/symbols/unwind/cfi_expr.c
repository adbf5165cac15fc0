/* Expressions of CFI: the stack machine of DWARF 5, 2.5. Opcodes are those of its table 7.9. */
#include "symbols/unwind/cfi_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/arch/arch_priv.h"

/* Memory is a table: at address A lies A * 2. */
static bool load(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	*value = addr * 2;
	return addr != 0xbad;
}

static bool eval(const struct arch *a, const uint64_t *cfa, const uint8_t *expr, size_t len, uint64_t *value)
{
	static const uint64_t regs[64] = { [7] = 0x7000 };
	const struct cfi_machine m = { .regs = regs, .known = 1ull << 7, .load = load };
	const struct cfi_rule r = { .expr = expr, .expr_len = (uint32_t)len };

	return cfi_eval(a, false, &r, cfa, &m, value);
}

static void gives(uint64_t wanted, const uint8_t *expr, size_t len)
{
	uint64_t value;

	assert_true(eval(&arch_x86_64, NULL, expr, len, &value));
	if (value != wanted)
		fail_msg("%#llx instead of %#llx", (unsigned long long)value, (unsigned long long)wanted);
}

static void is_refused(const uint8_t *expr, size_t len)
{
	uint64_t value;

	assert_false(eval(&arch_x86_64, NULL, expr, len, &value));
}
#define EXPR(...)          (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define GIVES(wanted, ...) gives((uint64_t)(wanted), EXPR(__VA_ARGS__))
#define REFUSED(...)       is_refused(EXPR(__VA_ARGS__))

static void constants(void **state)
{
	GIVES(5, 0x35);                                         /* lit5 */
	GIVES(0xff, 0x08, 0xff);                                /* const1u */
	GIVES(-1, 0x09, 0xff);                                  /* const1s */
	GIVES(0x1234, 0x0a, 0x34, 0x12);                        /* const2u */
	GIVES(-2, 0x0d, 0xfe, 0xff, 0xff, 0xff);                /* const4s */
	GIVES(300, 0x10, 0xac, 0x02);                           /* constu */
	GIVES(-3, 0x11, 0x7d);                                  /* consts */
	GIVES(0x807060504030201, 0x03, 1, 2, 3, 4, 5, 6, 7, 8); /* addr */
}

static void arithmetic(void **state)
{
	GIVES(7, 0x39, 0x32, 0x1c);                        /* 9 - 2 */
	GIVES(-4, 0x09, 0xf8, 0x32, 0x1b);                 /* -8 / 2, signed */
	GIVES(3, 0x3b, 0x34, 0x1d);                        /* 11 mod 4 */
	GIVES(12, 0x33, 0x34, 0x1e);                       /* 3 * 4 */
	GIVES(8, 0x31, 0x33, 0x24);                        /* 1 << 3 */
	GIVES(-1, 0x09, 0xfe, 0x31, 0x26);                 /* -2 >> 1, signed */
	GIVES(0x7fffffffffffffff, 0x09, 0xff, 0x31, 0x25); /* -1 >> 1 */
	GIVES(2, 0x09, 0xfe, 0x19);                        /* |-2| */
	GIVES(205, 0x35, 0x23, 0xc8, 0x01);                /* 5 + 200 */
	GIVES(0, 0x31, 0x08, 64, 0x24);                    /* 1 << 64: as the machine's word says */
}

static void the_stack_is_moved_about(void **state)
{
	GIVES(4, 0x32, 0x12, 0x22);            /* 2 dup + */
	GIVES(1, 0x31, 0x32, 0x13);            /* 1 2 drop */
	GIVES(1, 0x31, 0x32, 0x14);            /* 1 2 over */
	GIVES(1, 0x31, 0x32, 0x33, 0x15, 2);   /* 1 2 3 pick 2 */
	GIVES(1, 0x31, 0x32, 0x16);            /* 1 2 swap */
	GIVES(2, 0x31, 0x32, 0x33, 0x17);      /* 1 2 3 rot: 3 1 2 */
	REFUSED(0x31, 0x12, 0x13, 0x13, 0x22); /* more is taken than there is */
	REFUSED(0x31, 0x15, 1);                /* pick below the bottom */
}

static void registers_must_be_known(void **state)
{
	GIVES(0x7008, 0x77, 8);       /* breg7 8: the stack pointer of x86-64 */
	GIVES(0x6ff8, 0x77, 0x78);    /* breg7 -8 */
	GIVES(0x7001, 0x92, 7, 1);    /* bregx */
	REFUSED(0x70, 0);             /* breg0: not sampled */
	REFUSED(0x92, 0xff, 0x7f, 0); /* no such register */
}

static void memory_is_asked(void **state)
{
	GIVES(0x20, 0x08, 0x10, 0x06);    /* deref */
	GIVES(0x20, 0x08, 0x10, 0x94, 4); /* deref_size */
	REFUSED(0x08, 0x10, 0x94, 3);     /* of 3 bytes */
	REFUSED(0x08, 0x10, 0x94, 16);
	REFUSED(0x0a, 0xad, 0x0b, 0x06); /* not readable */
}

static void branches_stay_inside_and_end(void **state)
{
	GIVES(2, 0x31, 0x28, 1, 0, 0x31, 0x32); /* if (1) skip lit1; lit2 */
	GIVES(7, 0x37, 0x2f, 1, 0, 0x31);       /* skip lit1 */
	REFUSED(0x31, 0x2f, 9, 0);              /* behind the end */
	REFUSED(0x31, 0x2f, 0xf0, 0xff);        /* before the start */
	REFUSED(0x31, 0x2f, 0xfd, 0xff);        /* to itself */
}

static void cut_or_unknown_input_is_refused(void **state)
{
	REFUSED(0x0a, 0x34);
	REFUSED(0xe0);
	REFUSED(0x32, 0x30, 0x1b); /* 2 / 0 */
	REFUSED(0x32, 0x30, 0x1d);
	assert_false(eval(&arch_x86_64, NULL, NULL, 0, &(uint64_t){ 0 }));
}

static void the_cfa_is_there_from_the_start(void **state)
{
	uint64_t cfa = 0x1000, value;

	assert_true(eval(&arch_x86_64, &cfa, EXPR(0x23, 8), &value));
	assert_int_equal(value, 0x1008);
}

static void words_of_32_bits_wrap(void **state)
{
	uint64_t value;

	assert_true(eval(&arch_x86, NULL, EXPR(0x0c, 0xff, 0xff, 0xff, 0xff, 0x31, 0x22), &value));
	assert_int_equal(value, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(the_stack_is_moved_about),
		cmocka_unit_test(registers_must_be_known),
		cmocka_unit_test(memory_is_asked),
		cmocka_unit_test(branches_stay_inside_and_end),
		cmocka_unit_test(cut_or_unknown_input_is_refused),
		cmocka_unit_test(the_cfa_is_there_from_the_start),
		cmocka_unit_test(words_of_32_bits_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
