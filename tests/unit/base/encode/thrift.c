/* Thrift's compact protocol: bytes as its specification has them. */
#include "base/encode/thrift_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void fields_have_the_bytes_of_the_specification(void **state)
{
	struct out o;
	struct thrift t;

	out_init_mem(&o);
	t = thrift_to(&o);
	thrift_i32(&t, 1, -1);
	thrift_i64(&t, 3, 150);
	thrift_text(&t, 4, "ab");
	thrift_struct(&t, 6);
	thrift_i32(&t, 15, 1);
	thrift_end(&t);
	thrift_i32(&t, 7, 0); /* the number of the field goes on where the outer struct was */
	thrift_end(&t);
	assert_int_equal(o.len, 16);
	assert_memory_equal(o.buf,
			    "\x15\x01"
			    "\x26\xac\x02"
			    "\x18\x02"
			    "ab"
			    "\x2c"
			    "\xf5\x02"
			    "\0"
			    "\x15\0"
			    "\0",
			    16);
	out_release(&o);
}

static void lists_tell_their_length(void **state)
{
	struct out o;
	struct thrift t;

	out_init_mem(&o);
	t = thrift_to(&o);
	thrift_list(&t, 1, THRIFT_I32, 2);
	thrift_item_i32(&t, 1);
	thrift_item_i32(&t, -2);
	assert_memory_equal(o.buf, "\x19\x25\x02\x03", 4);
	o.len = 0;
	thrift_list(&t, 2, THRIFT_STRUCT, 15);
	assert_int_equal(o.len, 3);
	assert_memory_equal(o.buf, "\x19\xfc\x0f", 3);
	o.len = 0;
	thrift_item_struct(&t);
	thrift_i32(&t, 1, 0);
	thrift_end(&t);
	thrift_list(&t, 3, THRIFT_BYTES, 1);
	thrift_item_text(&t, "x");
	assert_memory_equal(o.buf, "\x15\0\0\x19\x18\x01x", 7);
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_the_bytes_of_the_specification),
		cmocka_unit_test(lists_tell_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
