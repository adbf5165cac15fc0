#include "base/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* `length` 0: invalid. */
static const struct {
	const char *bytes;
	size_t given, length;
	uint32_t code;
} forms[] = {
	{ "a", 1, 1, 'a' },
	{ "\x7f", 1, 1, 0x7f },
	{ "\xc2\x80", 2, 2, 0x80 },
	{ "\xdf\xbf", 2, 2, 0x7ff },
	{ "\xe0\xa0\x80", 3, 3, 0x800 },
	{ "\xef\xbf\xbf", 3, 3, 0xffff },
	{ "\xf0\x90\x80\x80", 4, 4, 0x10000 },
	{ "\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff },
	{ "\x80", 1, 0, 0 },     /* begins with a later byte */
	{ "\xc0\x80", 2, 0, 0 }, /* overlong */
	{ "\xc1\xbf", 2, 0, 0 },
	{ "\xe0\x9f\xbf", 3, 0, 0 },
	{ "\xf0\x8f\xbf\xbf", 4, 0, 0 },
	{ "\xed\xa0\x80", 3, 0, 0 }, /* surrogates */
	{ "\xed\xbf\xbf", 3, 0, 0 },
	{ "\xf4\x90\x80\x80", 4, 0, 0 }, /* above U+10FFFF */
	{ "\xf5\x80\x80\x80", 4, 0, 0 },
	{ "\xff", 1, 0, 0 },
	{ "\xc2"
	  "a",
	  2, 0, 0 }, /* the next byte belongs to another character */
	{ "\xe2\x82"
	  "a",
	  3, 0, 0 },
	{ "\xe2\x82\xac", 2, 0, 0 }, /* cut */
	{ "\xf0\x9f\x98\x80", 3, 0, 0 },
};

static void utf8_is_decoded_as_the_rfc_says(void **state)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t code = 0;

		assert_int_equal(utf8_decode(forms[i].bytes, forms[i].given, &code), forms[i].length);
		if (forms[i].length)
			assert_int_equal(code, forms[i].code);
	}
}

static void every_code_point_survives_a_round(void **state)
{
	for (uint32_t code = 0x800; code < 0x110000; code += 0x3d) {
		char s[4] = { (char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 63)), (char)(0x80 | (code & 63)) };
		uint32_t got = 0;
		size_t n = 3;

		if (code >= 0x10000) {
			s[0] = (char)(0xf0 | code >> 18);
			s[1] = (char)(0x80 | (code >> 12 & 63));
			s[2] = (char)(0x80 | (code >> 6 & 63));
			s[3] = (char)(0x80 | (code & 63));
			n = 4;
		}
		if (code >= 0xd800 && code < 0xe000)
			n = 0;
		assert_int_equal(utf8_decode(s, 4, &got), n);
		assert_true(!n || got == code);
	}
}

static void widths(void **state)
{
	assert_int_equal(code_width('a'), 1);
	assert_int_equal(code_width(0xe9), 1);    /* e with acute */
	assert_int_equal(code_width(0x301), 0);   /* combining acute */
	assert_int_equal(code_width(0x20ac), 1);  /* euro */
	assert_int_equal(code_width(0x4e2d), 2);  /* CJK */
	assert_int_equal(code_width(0xac00), 2);  /* Hangul */
	assert_int_equal(code_width(0xff21), 2);  /* full-width A */
	assert_int_equal(code_width(0x1f600), 2); /* emoji */
	assert_int_equal(code_width(0x10ffff), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_decoded_as_the_rfc_says),
		cmocka_unit_test(every_code_point_survives_a_round),
		cmocka_unit_test(widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
