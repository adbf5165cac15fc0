/* The wire format of protocol buffers: bytes as its specification has them, and reading of damaged ones. */
#include "base/encode/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The examples of https://protobuf.dev/programming-guides/encoding/ */
static void fields_have_the_bytes_of_the_specification(void **state)
{
	struct out o, part;

	out_init_mem(&o);
	out_init_mem(&part);
	proto_u64(&o, 1, 150);
	proto_text(&o, 2, "testing");
	proto_u64(&part, 1, 150);
	proto_part(&o, 3, &part);
	proto_fixed64(&o, 4, 1);
	assert_int_equal(part.len, 0);
	assert_int_equal(o.len, 3 + 9 + 5 + 9);
	assert_memory_equal(o.buf,
			    "\x08\x96\x01"
			    "\x12\x07testing"
			    "\x1a\x03\x08\x96\x01"
			    "\x21\x01\0\0\0\0\0\0\0",
			    o.len);
	out_release(&o);
	out_release(&part);
}

static void what_means_absent_is_left_out(void **state)
{
	struct out o;

	out_init_mem(&o);
	proto_u64(&o, 1, 0);
	proto_fixed64(&o, 2, 0);
	proto_text(&o, 3, "");
	assert_int_equal(o.len, 0);
	out_release(&o);
}

static void what_was_written_is_read(void **state)
{
	static const uint64_t numbers[] = { 1, 127, 128, 1ull << 32, UINT64_MAX };
	struct proto p;
	struct out o;

	out_init_mem(&o);
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
		proto_u64(&o, i + 1, numbers[i]);
	proto_text(&o, 100, "x");
	p = proto_of(o.buf, o.len);
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_int_equal(proto_next(&p), 1);
		assert_int_equal(p.field, i + 1);
		assert_true(p.number == numbers[i] && !p.bytes);
	}
	assert_int_equal(proto_next(&p), 1);
	assert_true(p.field == 100 && p.len == 1 && *p.bytes == 'x');
	assert_int_equal(proto_next(&p), 0);
	out_release(&o);
}

static void damaged_bytes_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "\x08", 1 },                                              /* no number */
		{ "\x08\x96", 2 },                                          /* a number without its end */
		{ "\x12\x07test", 6 },                                      /* less than the length says */
		{ "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },     /* longer than memory */
		{ "\x21\x01\x02", 3 },                                      /* half of a fixed number */
		{ "\x0b", 1 },                                              /* a group, which nobody writes */
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12 }, /* more than 64 bits */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proto p = proto_of(rows[i].bytes, rows[i].len);

		assert_int_equal(proto_next(&p), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_the_bytes_of_the_specification),
		cmocka_unit_test(what_means_absent_is_left_out),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(damaged_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
