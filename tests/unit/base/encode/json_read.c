#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/encode/json_read.h"

static void values_keep_their_order_and_text(void **state)
{
	static const char text[] = " {\"a\": [1, -2.5e3, true, null, \"x\"], \"b\": {\"c\": \"\"}, \"d\": \"last\"} ";
	struct json_document d = { 0 };
	const struct json_value *v;

	assert_int_equal(json_read(&d, text, strlen(text), NULL), 0);
	v = json_first(&d, json_find(&d, json_root(&d), "a"));
	assert_string_equal(v->text, "1");
	v = json_next(&d, v);
	assert_string_equal(v->text, "-2.5e3");
	assert_int_equal(v->kind, JSON_NUMBER);
	v = json_next(&d, json_next(&d, json_next(&d, v)));
	assert_int_equal(v->kind, JSON_TEXT);
	assert_null(json_next(&d, v));
	assert_string_equal(json_member(&d, json_root(&d), "d"), "last");
	assert_string_equal(json_member(&d, json_root(&d), "a"), "");
	assert_null(json_find(&d, v, "d"));
	json_release(&d);
}

static void escapes_become_characters(void **state)
{
	static const char text[] = "\xef\xbb\xbf\"\\\"\\\\\\/\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"";
	struct json_document d = { 0 };

	assert_int_equal(json_read(&d, text, strlen(text), NULL), 0);
	assert_string_equal(json_root(&d)->text, "\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	json_release(&d);
}

static void bad_texts_are_told_with_their_line(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "", "bad JSON in line 1: the text ends too early" },
		{ "{\n\"a\": 1,}", "bad JSON in line 2: a name in quotes is expected" },
		{ "[1\n2]", "bad JSON in line 2: ',' or ']' is expected" },
		{ "{\"a\" 1}", "bad JSON in line 1: ':' is expected" },
		{ "[\"abc", "bad JSON in line 1: a text is not closed" },
		{ "[\"a\nc\"]", "bad JSON in line 1: a text is not closed" },
		{ "[nothing]", "bad JSON in line 1: a value is expected" },
		{ "[1] 2", "bad JSON in line 1: nothing more is expected" },
		{ "\"\\x\"", "bad JSON in line 1: an unknown character follows '\\'" },
		{ "\"\\u00\"", "bad JSON in line 1: four hex digits are expected behind \\u" },
		{ "\"\\u0000\"", "bad JSON in line 1: \\u is followed by no character" },
		{ "\"\\ud800\\u0041\"", "bad JSON in line 1: half a character behind \\u" },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "bad JSON in line 1: nested too deep" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json_document d = { 0 };
		struct err e = { 0 };

		assert_int_equal(json_read(&d, rows[i].text, strlen(rows[i].text), &e), -1);
		assert_string_equal(e.what, rows[i].what);
		json_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_keep_their_order_and_text),
		cmocka_unit_test(escapes_become_characters),
		cmocka_unit_test(bad_texts_are_told_with_their_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
