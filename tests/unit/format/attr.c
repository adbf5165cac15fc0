#include "format/attr.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A little-endian attr: `size` in its size field, `config` in its config. */
static void make(uint8_t p[256], uint32_t size)
{
	memset(p, 0, 256);
	p[0] = ATTR_TYPE_RAW;
	p[4] = (uint8_t)size;
	p[5] = (uint8_t)(size >> 8);
	p[8] = 0xcd;
	p[9] = 0xab;
}

static void sizes_of_attrs(void **state)
{
	static const struct {
		uint32_t says, given;
		bool good;
		uint32_t size;
	} cases[] = {
		{ 0, 64, true, 64 }, /* the first kernels wrote no size */
		{ 64, 64, true, 64 }, { 128, 200, true, 128 }, { 144, 144, true, 144 }, { 200, 200, true, 200 },
		{ 64, 63, false, 0 }, { 63, 200, false, 0 },   { 72, 64, false, 0 },    { 0xffff, 200, false, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attr a = { .config = 1 };
		struct err e = { 0 };
		uint8_t p[256];
		bool tail = true;

		make(p, cases[i].says);
		assert_int_equal(attr_decode(&a, p, cases[i].given, false, &tail, &e), cases[i].good ? 0 : -1);
		assert_int_equal(a.config, cases[i].good ? 0xabcd : 1); /* a refused attr changes nothing */
		assert_true(cases[i].good ? a.size == cases[i].size && !tail : e.what[0]);
	}
}

static void bytes_behind_the_known_ones_are_noticed(void **state)
{
	struct attr a;
	uint8_t p[256];
	bool tail = false;

	make(p, 160);
	p[159] = 1;
	assert_int_equal(attr_decode(&a, p, 160, false, &tail, NULL), 0);
	assert_true(tail);
	make(p, 152);
	p[159] = 1; /* behind this attr */
	assert_int_equal(attr_decode(&a, p, 160, false, &tail, NULL), 0);
	assert_false(tail);
}

static void reverse(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = byte;
	}
}

/* A big-endian machine allocates bit-fields from the other end: bit 0 of the flags is its bit 63. */
static void the_other_byte_order_means_the_same(void **state)
{
	struct attr a;
	uint8_t p[256];

	make(p, 64);
	reverse(p, 4);
	reverse(p + 4, 4);
	reverse(p + 8, 8);
	p[40] = 0x80 | 0x20; /* the first and the third flag */
	p[41] = 0x01;        /* precise_ip = 2: the upper bit of the two comes first ... */
	p[42] = 0x00;        /* ... and the lower one next */
	assert_int_equal(attr_decode(&a, p, 64, true, NULL, NULL), 0);
	assert_int_equal(a.type, ATTR_TYPE_RAW);
	assert_int_equal(a.size, 64);
	assert_int_equal(a.config, 0xabcd);
	assert_int_equal(a.flags, ATTR_DISABLED | ATTR_PINNED | 2ull << ATTR_PRECISE_SHIFT);
}

static void the_size_needed_is_one_that_kernels_know(void **state)
{
	static const struct {
		size_t at;
		uint32_t size;
	} cases[] = { { 0, 64 },    { 63, 64 },   { 64, 72 },   { 72, 80 },   { 80, 96 },   { 96, 104 },
		      { 104, 112 }, { 112, 120 }, { 120, 128 }, { 128, 136 }, { 136, 144 }, { 143, 144 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attr a = { 0 };

		((uint8_t *)&a)[cases[i].at] = 1;
		assert_int_equal(attr_needed_size(&a), cases[i].size);
	}
}

static void an_encoded_attr_decodes_to_itself(void **state)
{
	struct attr a = {
		.type = 4, .config = 0x1234, .flags = ATTR_FREQ | ATTR_MMAP2, .sample_period = 99, .clockid = -1
	};
	struct attr b;
	uint8_t p[ATTR_SIZE_MAX];

	attr_encode(&a, sizeof(p), p);
	assert_int_equal(attr_decode(&b, p, sizeof(p), false, NULL, NULL), 0);
	a.size = sizeof(p);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void an_attr_of_the_kernel_is_converted(void **state)
{
	struct perf_event_attr from = { .type = PERF_TYPE_SOFTWARE, .config = 1, .precise_ip = 2, .disabled = 1 };
	struct attr a;

	attr_of_kernel(&a, &from);
	assert_int_equal(a.type, ATTR_TYPE_SOFTWARE);
	assert_int_equal(a.config, 1);
	assert_int_equal(a.flags, ATTR_DISABLED | 2ull << ATTR_PRECISE_SHIFT);
	assert_int_equal(a.size, sizeof(from));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_attrs),
		cmocka_unit_test(bytes_behind_the_known_ones_are_noticed),
		cmocka_unit_test(the_other_byte_order_means_the_same),
		cmocka_unit_test(the_size_needed_is_one_that_kernels_know),
		cmocka_unit_test(an_encoded_attr_decodes_to_itself),
		cmocka_unit_test(an_attr_of_the_kernel_is_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
