/* base64 as RFC 4648 has it, and gzip that comes back. */
#include "base/encode/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

static void base64_is_that_of_the_rfc(void **state)
{
	static const char *const pairs[][2] = { { "", "" },
						{ "f", "Zg==" },
						{ "fo", "Zm8=" },
						{ "foo", "Zm9v" },
						{ "foob", "Zm9vYg==" },
						{ "fooba", "Zm9vYmE=" },
						{ "foobar", "Zm9vYmFy" },
						{ "\xff\xfe\xfd", "//79" } };

	for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct out o;

		out_init_mem(&o);
		base64_to(&o, pairs[i][0], strlen(pairs[i][0]));
		assert_string_equal(out_text(&o), pairs[i][1]);
		out_release(&o);
	}
}

static void gzip_comes_back(void **state)
{
	enum { SIZE = 300000 };
	autofree uint8_t *bytes = xmalloc(SIZE), *back = xmalloc(SIZE + 1);
	z_stream z = { 0 };
	struct out o;

	for (unsigned i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * i >> 7);
	out_init_mem(&o);
	gzip_to(&o, bytes, SIZE);
	assert_true(o.len < SIZE);
	z.next_in = (uint8_t *)o.buf;
	z.avail_in = (uInt)o.len;
	z.next_out = back;
	z.avail_out = SIZE + 1;
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, SIZE);
	assert_memory_equal(bytes, back, SIZE);
	inflateEnd(&z);
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_is_that_of_the_rfc),
		cmocka_unit_test(gzip_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
