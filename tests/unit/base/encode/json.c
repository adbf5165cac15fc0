#include "base/encode/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void members_have_separators_of_their_object(void **state)
{
	struct out o;
	struct json j = { .o = &o, .comma = ", ", .colon = ": " };
	struct json lines = { .o = &o, .comma = ",", .before = "\n\t", .colon = " : " };

	out_init_mem(&o);
	json_text(&j, "a", "x");
	json_number(&j, "b", -7);
	json_unsigned(&j, "c", UINT64_MAX);
	json_hex(&j, "d", 0xdeadbeefcafe0001);
	json_bool(&j, "e", true);
	json_bool(&j, "f", false);
	json_key(&j, "g");
	out_str(&o, "[1]");
	assert_string_equal(out_text(&o), "\"a\": \"x\", \"b\": -7, \"c\": 18446744073709551615, "
					  "\"d\": \"0xdeadbeefcafe0001\", \"e\": true, \"f\": false, \"g\": [1]");
	o.len = 0;
	json_number(&lines, "a", 1);
	json_number(&lines, "b", 2);
	assert_string_equal(out_text(&o), "\n\t\"a\" : 1,\n\t\"b\" : 2");
	o.len = 0;
	lines.more = 0;
	json_array(&lines, "c");
	json_number(&lines, NULL, 1);
	json_end_spaced(&lines, "\n", "]");
	json_number(&lines, "d", 2);
	assert_string_equal(out_text(&o), "\n\t\"c\" : [\n\t1\n],\n\t\"d\" : 2");
	out_release(&o);
}

static void names_and_texts_are_escaped(void **state)
{
	struct out o;
	struct json j = { .o = &o, .colon = ":" };

	out_init_mem(&o);
	json_text(&j, "a\"b", "\"\\\n\x01");
	assert_string_equal(out_text(&o), "\"a\\\"b\":\"\\\"\\\\\\u000a\\u0001\"");
	o.len = 0;
	json_quote(&o, "");
	assert_string_equal(out_text(&o), "\"\"");
	out_release(&o);
}

static void objects_and_arrays_lie_in_each_other(void **state)
{
	struct out o, others;
	struct json j = json_compact(&o), part = json_compact(&others);
	char name[] = "a\"b"; /* no constant: must be escaped */

	out_init_mem(&o);
	out_init_mem(&others);
	json_object(&j, NULL);
	json_array(&j, "a");
	json_unsigned(&j, NULL, 1);
	json_number(&j, NULL, -2);
	json_array(&j, NULL);
	json_end(&j, "]");
	json_object(&j, NULL);
	json_null(&j, "n");
	json_decimal(&j, "d", 12345, 3);
	json_decimal(&j, "e", 7, 6);
	json_end(&j, "}]");
	json_newline(&j);
	json_text(&j, name, "x");
	json_newline(&j);
	json_object(&j, "o");
	json_newline(&j);
	json_hex(&j, "h", 31);
	json_end(&j, "}");
	json_bool(&j, "last", false);
	json_number(&part, "p", 1);
	json_number(&part, "q", 2);
	json_members(&j, &others);
	json_end(&j, "}");
	assert_string_equal(out_text(&o),
			    "{\"a\":[1,-2,[],{\"n\":null,\"d\":12.345,\"e\":0.000007}],\n\"a\\\"b\":\"x\","
			    "\n\"o\":{\n\"h\":\"0x1f\"},\"last\":false,\"p\":1,\"q\":2}");
	out_release(&o);
	out_release(&others);
}

/* What needs no escape is copied at once; what does must be found at its start, within and at its end. */
static void escapes_are_found_anywhere(void **state)
{
	static const struct {
		const char *text, *escaped;
	} rows[] = {
		{ "<a>", "\\u003ca>" },
		{ "a\tb", "a\\u0009b" },
		{ "ab\x7f", "ab\\u007f" },
		{ "\xc3\xa4x", "\xc3\xa4x" },
		{ "x\xff", "x\xef\xbf\xbd" },
		{ "\xe2\x80\xa8", "\\u2028" },
		{ "back\\slash", "back\\\\slash" },
		{ "", "" },
	};
	struct out o;

	out_init_mem(&o);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		o.len = 0;
		out_json(&o, rows[i].text);
		assert_string_equal(out_text(&o), rows[i].escaped);
	}
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_separators_of_their_object),
		cmocka_unit_test(names_and_texts_are_escaped),
		cmocka_unit_test(objects_and_arrays_lie_in_each_other),
		cmocka_unit_test(escapes_are_found_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
