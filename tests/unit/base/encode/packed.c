/* Parquet's encodings of integers: bytes as their specification has them, and what decodes them again. */
#include "base/encode/packed_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bytes.h"

/* The example of the section on bit packing: 0 to 7 with three bits each. */
static void bits_are_those_of_the_specification(void **state)
{
	uint64_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct out o;

	out_init_mem(&o);
	packed_bits(&o, values, 8, 3);
	assert_int_equal(o.len, 3);
	assert_memory_equal(o.buf, "\x88\xc6\xfa", 3);
	out_release(&o);
}

static uint64_t take_bits(struct bytes *b, unsigned width, unsigned *held, unsigned __int128 *left)
{
	uint64_t v;

	for (; *held < width; *held += 8)
		*left |= (unsigned __int128)bytes_u8(b) << *held;
	v = width == 64 ? (uint64_t)*left : (uint64_t)*left & (((uint64_t)1 << width) - 1);
	*left >>= width;
	*held -= width;
	return v;
}

static void hybrid_comes_back(const uint32_t *values, size_t n, unsigned width)
{
	struct out o;
	struct bytes b;
	size_t i = 0;

	out_init_mem(&o);
	packed_hybrid(&o, values, n, width);
	b = bytes_of(o.buf, o.len, false);
	while (i < n) {
		uint64_t head = bytes_uleb(&b);
		unsigned __int128 left = 0;
		unsigned held = 0;
		uint32_t v = 0;

		if (head & 1) {
			for (uint64_t k = 0; k < (head >> 1) * 8; k++, i++) {
				v = (uint32_t)take_bits(&b, width, &held, &left);
				assert_int_equal(v, i < n ? values[i] : 0);
			}
			continue;
		}
		for (unsigned bits = 0; bits < width; bits += 8)
			v |= (uint32_t)bytes_u8(&b) << bits;
		for (uint64_t k = 0; k < head >> 1; k++, i++)
			assert_int_equal(v, values[i]);
	}
	assert_false(b.bad);
	assert_int_equal(bytes_left(&b), 0);
	out_release(&o);
}

static void runs_and_packed_groups_come_back(void **state)
{
	uint32_t values[1000];

	for (unsigned width = 1; width <= 32; width += 3)
		for (size_t n = 1; n <= ARRAY_SIZE(values); n = n * 3 + 1) {
			for (size_t i = 0; i < n; i++) /* every third hundred is one run */
				values[i] = (i / 100 % 3 ? (uint32_t)(i * 2654435761u) : 1) &
					    (uint32_t)(UINT64_MAX >> (64 - width));
			hybrid_comes_back(values, n, width);
		}
	hybrid_comes_back((uint32_t[]){ 0, 0, 0 }, 3, 0);
}

static void a_run_is_a_number_and_a_value(void **state)
{
	uint32_t values[300];
	struct out o;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = 5;
	out_init_mem(&o);
	packed_hybrid(&o, values, ARRAY_SIZE(values), 3);
	assert_int_equal(o.len, 3);
	assert_memory_equal(o.buf, "\xd8\x04\x05", 3);
	out_release(&o);
}

static int64_t take_zigzag(struct bytes *b)
{
	uint64_t v = bytes_uleb(b);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static void deltas_come_back(const uint64_t *values, size_t n)
{
	struct out o;
	struct bytes b;
	uint64_t last;

	out_init_mem(&o);
	packed_delta(&o, values, n);
	b = bytes_of(o.buf, o.len, false);
	assert_int_equal(bytes_uleb(&b), 128);
	assert_int_equal(bytes_uleb(&b), 4);
	assert_int_equal(bytes_uleb(&b), n);
	last = (uint64_t)take_zigzag(&b);
	if (n)
		assert_int_equal(last, values[0]);
	for (size_t i = 1; i < n;) {
		uint64_t least = (uint64_t)take_zigzag(&b);
		const uint8_t *widths = bytes_take(&b, 4);

		for (unsigned mini = 0; mini < 4 && i < n; mini++) {
			unsigned __int128 left = 0;
			unsigned held = 0;

			for (unsigned k = 0; k < 32; k++, i++) {
				uint64_t delta = take_bits(&b, widths[mini], &held, &left) + least;

				last += delta;
				if (i < n)
					assert_int_equal(last, values[i]);
			}
		}
	}
	assert_false(b.bad);
	assert_int_equal(bytes_left(&b), 0);
	out_release(&o);
}

static void differences_come_back(void **state)
{
	uint64_t values[1000] = { 0 };

	for (size_t n = 0; n <= ARRAY_SIZE(values); n = n * 2 + 1) {
		for (size_t i = 0; i < n; i++)
			values[i] = i * 1000 + i % 7;
		deltas_come_back(values, n);
		for (size_t i = 0; i < n; i++) /* all 64 bits, up and down */
			values[i] = i * 0x9e3779b97f4a7c15u ^ (i & 1 ? UINT64_MAX : 0);
		deltas_come_back(values, n);
	}
}

/* Equal steps need no bits. */
static void equal_steps_take_no_room(void **state)
{
	uint64_t values[] = { 1, 2, 3, 4, 5 };
	struct out o;

	out_init_mem(&o);
	packed_delta(&o, values, ARRAY_SIZE(values));
	assert_int_equal(o.len, 10);
	assert_memory_equal(o.buf, "\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_are_those_of_the_specification),
		cmocka_unit_test(runs_and_packed_groups_come_back),
		cmocka_unit_test(a_run_is_a_number_and_a_value),
		cmocka_unit_test(differences_come_back),
		cmocka_unit_test(equal_steps_take_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
