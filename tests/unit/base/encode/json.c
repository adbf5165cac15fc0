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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_separators_of_their_object),
		cmocka_unit_test(names_and_texts_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
