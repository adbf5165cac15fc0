/* Compressed files and sections: what comes out, and that damage is seen. */
#include "symbols/file/decompress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static uint8_t plain[100000], packed[200000];

static int fill(void **state)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i / 100);
	return 0;
}

static size_t gzipped(void)
{
	z_stream z = { .next_in = plain, .avail_in = sizeof(plain), .next_out = packed, .avail_out = sizeof(packed) };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t xzipped(void)
{
	size_t len = 0;

	assert_int_equal(
		lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, plain, sizeof(plain), packed, &len, sizeof(packed)),
		LZMA_OK);
	return len;
}

static size_t zstded(void) { return ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 1); }

static void whole_and_cut(size_t (*pack)(void))
{
	size_t len = pack(), got = 0;
	uint8_t *out = decompress(packed, len, &got);

	assert_non_null(out);
	assert_int_equal(got, sizeof(plain));
	assert_memory_equal(out, plain, sizeof(plain));
	free(out);
	assert_null(decompress(packed, len / 2, &got));
	packed[len / 2] ^= 0x55;
	/* The frame of zstd has no checksum here: it may decompress, but to other bytes. */
	out = decompress(packed, len, &got);
	if (out)
		assert_true(got != sizeof(plain) || memcmp(out, plain, got) != 0);
	free(out);
}

static void files_of_gzip(void **state) { whole_and_cut(gzipped); }
static void files_of_xz(void **state) { whole_and_cut(xzipped); }
static void files_of_zstd(void **state) { whole_and_cut(zstded); }

static void other_files_are_none(void **state)
{
	size_t len;

	assert_null(decompress((const uint8_t *)"\177ELF and more", 13, &len));
	assert_null(decompress((const uint8_t *)"", 0, &len));
	assert_null(decompress((const uint8_t *)"\x1f\x8b", 2, &len));
}

static void sections_have_exactly_their_length(void **state)
{
	static uint8_t to[sizeof(plain) + 1];
	uLongf len = sizeof(packed);
	size_t n;

	assert_int_equal(compress(packed, &len, plain, sizeof(plain)), Z_OK);
	assert_true(decompress_section(1, packed, len, to, sizeof(plain), sizeof(plain)));
	assert_memory_equal(to, plain, sizeof(plain));
	assert_false(decompress_section(1, packed, len, to, sizeof(plain) + 1, sizeof(plain) + 1));
	assert_false(decompress_section(1, packed, len, to, sizeof(plain) - 1, sizeof(plain) - 1));
	assert_false(decompress_section(1, packed, len / 2, to, sizeof(plain), sizeof(plain)));
	n = zstded();
	assert_true(decompress_section(2, packed, n, to, sizeof(plain), sizeof(plain)));
	assert_memory_equal(to, plain, sizeof(plain));
	assert_false(decompress_section(2, packed, n / 2, to, sizeof(plain), sizeof(plain)));
	assert_false(decompress_section(77, packed, n, to, sizeof(plain), sizeof(plain)));
}

static void only_the_beginning_may_be_wanted(void **state)
{
	static uint8_t to[sizeof(plain)];
	uLongf len = sizeof(packed);

	assert_int_equal(compress(packed, &len, plain, sizeof(plain)), Z_OK);
	assert_true(decompress_section(1, packed, len, to, sizeof(plain), 1000));
	assert_memory_equal(to, plain, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_gzip),
		cmocka_unit_test(files_of_xz),
		cmocka_unit_test(files_of_zstd),
		cmocka_unit_test(other_files_are_none),
		cmocka_unit_test(sections_have_exactly_their_length),
		cmocka_unit_test(only_the_beginning_may_be_wanted),
	};

	return cmocka_run_group_tests(tests, fill, NULL);
}
