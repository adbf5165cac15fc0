#include "format/spe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static void a_load_has_all_its_parts(void **state)
{
	const uint8_t trace[] = {
		0x00, 0x65, 8,    0,    0, 0,                      /* context of thread 8 */
		0xb0, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0x80,          /* code 0x401000, not secure */
		0x49, 0x00,                                        /* load */
		0x52, 0x16, 0x00,                                  /* retired, L1 and TLB */
		0x98, 20,   0,    0x9a, 1, 0,                      /* latency, translation */
		0xb2, 0x40, 0x00, 0x48, 0, 0, 0, 0, 0x5a,          /* data 0x480040 with a tag */
		0xb3, 0x40, 0x70, 0,    0, 0, 0, 0, 0x80, 0x43, 9, /* physical 0x7040; from a peer */
		0x71, 0xe8, 3,    0,    0, 0, 0, 0, 0,             /* at 1000 */
	};
	struct spe_cursor c = { trace, trace + sizeof(trace), 0 };
	struct spe_record r;

	assert_true(spe_next(&c, &r));
	assert_int_equal(r.has, 0xff & ~SPE_HAS_TARGET);
	assert_int_equal(r.class, SPE_MEMORY);
	assert_int_equal(r.op & SPE_STORE, 0);
	assert_int_equal(r.events, 1 << SPE_RETIRED | 1 << SPE_L1D_ACCESS | 1 << SPE_TLB_ACCESS);
	assert_int_equal(r.pc, 0x401000);
	assert_int_equal(r.address, 0x480040);
	assert_int_equal(r.physical, 0x7040);
	assert_int_equal(r.latency, 20);
	assert_int_equal(r.source, 9);
	assert_int_equal(r.context, 8);
	assert_int_equal(r.time, 1000);
	assert_false(spe_next(&c, &r));
	assert_int_equal(c.bad, 0);
}

static void addresses_of_the_kernel_are_canonical(void **state)
{
	const uint8_t trace[] = { 0xb0, 0,    0x10, 0,    0x10, 0,    0x80, 0xff, 0xa0, 0x4a, 1,   0xb1,
				  0,    0x20, 0,    0x10, 0,    0x80, 0xff, 0xa0, 0x42, 0x80, 0x01 };
	struct spe_cursor c = { trace, trace + sizeof(trace), 0 };
	struct spe_record r;

	assert_true(spe_next(&c, &r)); /* an end packet stands in place of a timestamp */
	assert_int_equal(r.pc, 0xffff800010001000);
	assert_int_equal(r.target, 0xffff800010002000);
	assert_int_equal(r.class, SPE_BRANCH);
	assert_int_equal(r.events, 1 << SPE_MISPREDICTED);
	assert_false(r.has & SPE_HAS_TIME);
}

static void extended_headers_and_alignment(void **state)
{
	/* alignment; counter 8, which is none of ours; events of 8 bytes; end */
	const uint8_t trace[] = { 0x21, 0x00, 0x21, 0x98, 7, 0, 0x72, 2, 0, 0, 0, 0, 0, 0, 0x80, 0x01 };
	struct spe_cursor c = { trace, trace + sizeof(trace), 0 };
	struct spe_record r;

	assert_true(spe_next(&c, &r));
	assert_int_equal(r.latency, 0);
	assert_int_equal(r.events, 1ull << 63 | 2);
	assert_int_equal(c.bad, 0);
}

static void bad_bytes_are_counted_and_skipped(void **state)
{
	const uint8_t trace[] = { 0xff, 0xfe, 0x49, 0x01, 0x01, 0x49, 0x00, 0xb0, 1, 2 };
	struct spe_cursor c = { trace, trace + sizeof(trace), 0 };
	struct spe_record r;

	assert_true(spe_next(&c, &r));
	assert_int_equal(r.op, SPE_STORE);
	assert_int_equal(c.bad, 2);
	assert_false(spe_next(&c, &r)); /* cut off */
	assert_int_equal(c.bad, 2);
}

static void the_branch_before_is_kept(void **state)
{
	const uint8_t trace[] = { 0xb0, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0x80, 0x4a, 0x0b,
				  0xb4, 0x00, 0x50, 0x40, 0, 0, 0, 0, 0x80, 0x01 };
	struct spe_cursor c = { trace, trace + sizeof(trace), 0 };
	struct spe_record r;

	assert_true(spe_next(&c, &r));
	assert_int_equal(r.has, SPE_HAS_PC | SPE_HAS_CLASS | SPE_HAS_PREVIOUS);
	assert_int_equal(r.previous, 0x405000);
	assert_int_equal(r.op & SPE_CALLS, SPE_CALL);
}

/* Packets of 1 to 9 bytes; cut off anywhere they end the trace. A copy of exact size shows the sanitizer each read. */
static void packets_of_each_length(void **state)
{
	for (unsigned log = 0; log < 4; log++) {
		uint8_t trace[10] = { (uint8_t)(0x42 | log << 4) };
		size_t len = 1 + (1u << log);
		uint64_t events = 0;

		for (size_t i = 1; i < len; i++) {
			trace[i] = (uint8_t)(0x10 * i + i);
			events |= (uint64_t)trace[i] << 8 * (i - 1);
		}
		trace[len] = 0x01; /* end */
		for (size_t n = 1; n <= len + 1; n++) {
			autofree uint8_t *copy = xmalloc(n);
			struct spe_cursor c = { copy, copy + n, 0 };
			struct spe_record r = { 0 };

			memcpy(copy, trace, n);
			assert_int_equal(spe_next(&c, &r), n == len + 1);
			assert_int_equal(c.bad, 0);
			assert_ptr_equal(c.at, c.end);
			if (n == len + 1)
				assert_int_equal(r.events, events);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_has_all_its_parts),
		cmocka_unit_test(addresses_of_the_kernel_are_canonical),
		cmocka_unit_test(extended_headers_and_alignment),
		cmocka_unit_test(bad_bytes_are_counted_and_skipped),
		cmocka_unit_test(the_branch_before_is_kept),
		cmocka_unit_test(packets_of_each_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
