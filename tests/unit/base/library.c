#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#define FILE_NAME         "libz.so.1" /* exists everywhere, and we never link it */
#define ZLIB_FUNCTIONS(F) F(crc32) F(adler32)
static struct zlib {
	ZLIB_FUNCTIONS(LIBRARY_MEMBER)
} zlib;
#define LIBRARY_TABLE zlib
static const struct library_function functions[] = { ZLIB_FUNCTIONS(LIBRARY_ROW){ 0 } };

static void its_functions_are_called_by_their_addresses(void **state)
{
	static struct library l = { .file = FILE_NAME, .package = "", .functions = functions };
	struct err e = { 0 };

	assert_int_equal(library_open(&l, &e), 0);
	assert_int_equal(library_open(&l, &e), 0);
	assert_int_equal(zlib.adler32(1, (const unsigned char *)"a", 1), 0x620062);
	assert_int_equal(zlib.crc32(0, (const unsigned char *)"a", 1), 0xe8b7be43);
	assert_false(library_untold(&e));
}

static void a_failure_has_a_reason_and_a_cure(void **state)
{
	static struct library l = { .file = "libno-such-thing.so.7", .package = "libno-such7", .functions = functions };
	struct err e = { 0 };

	for (int i = 0; i < 2; i++) {
		err_clear(&e);
		assert_int_equal(library_open(&l, &e), -1);
		assert_string_equal(e.what, "cannot load the library libno-such-thing.so.7");
		assert_non_null(strstr(e.why, "libno-such-thing.so.7"));
		assert_string_equal(e.fix, "install the package that has it: libno-such7");
	}
	assert_false(library_untold(&e));
}

static void a_function_that_it_lacks_is_named(void **state)
{
	static void *place;
	static const struct library_function wanted[] = { { "crc32", (void **)&zlib.crc32 },
							  { "no_such_function", &place },
							  { 0 } };
	static struct library l = { .file = FILE_NAME, .package = "", .functions = wanted };
	struct err e = { 0 };

	assert_int_equal(library_open(&l, &e), -1);
	assert_string_equal(e.why, "it has no 'no_such_function'");
}

/* A caller that goes on without the library leaves the error to the command. */
static void unreported_errors_are_kept(void **state)
{
	static struct library one = { .file = "libno-such-one.so", .package = "", .functions = functions };
	static struct library other = { .file = "libno-such-other.so", .package = "", .functions = functions };
	struct err e = { 0 };

	assert_int_equal(library_open(&one, NULL), -1);
	assert_int_equal(library_open(&one, NULL), -1);
	assert_int_equal(library_open(&other, NULL), -1);
	assert_int_equal(library_open(&other, &e), -1);
	assert_true(library_untold(&e));
	assert_string_equal(e.what, "cannot load the library libno-such-one.so");
	assert_string_equal(e.fix, "install the package that has it");
	assert_false(library_untold(&e));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_functions_are_called_by_their_addresses),
		cmocka_unit_test(a_failure_has_a_reason_and_a_cure),
		cmocka_unit_test(a_function_that_it_lacks_is_named),
		cmocka_unit_test(unreported_errors_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
