#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/config.h"

static int parse(struct config *c, const char *text, struct err *e)
{
	err_clear(e);
	return config_parse(c, text, strlen(text), "x", e);
}

static void keys_and_values(void **state)
{
	struct config c = { 0 };
	struct err e = { 0 };

	assert_int_equal(parse(&c,
			       "# first\n; second\n[record]\n\tbuild-id = no-cache  # tail\n  flag\n[call-graph] "
			       "record-mode=dwarf , 8\r\n"
			       "[session \"a b\"]\nrun = \"  q\\\"\\\\\\t#\" end \n[record]\nBUILD-ID = skip",
			       &e),
			 0);
	assert_string_equal(config_find(&c, "record.build-id"), "skip");
	assert_string_equal(config_find(&c, "RECORD.flag"), "true");
	assert_string_equal(config_find(&c, "call-graph.record-mode"), "dwarf , 8");
	assert_string_equal(config_find(&c, "session.a b.run"), "  q\"\\\t# end");
	assert_null(config_find(&c, "record.nothing"));
	config_release(&c);
}

static void bad_lines_are_numbered(void **state)
{
	static const char *const bad[] = { "\nx = 1",    "[a]\n= 1",     "[a]\n1x = 1",  "[a\nx",
					   "[]\nx",      "[a]\nx \"1\"", "[a]\nx = \"1", "[a]\nx = \"\\q\"",
					   "[a \"b]\nx", "[a]x y",       "\n[a] ]" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct config c = { 0 };
		struct err e = { 0 };

		assert_int_equal(parse(&c, bad[i], &e), -1);
		assert_non_null(strstr(e.what, "bad config file line "));
		config_release(&c);
	}
	/* the settings before the bad line are kept; a NUL is not text */
	for (size_t i = 0; i < 2; i++) {
		struct config c = { 0 };
		struct err e = { 0 };

		assert_int_equal(config_parse(&c, "[a]\nb = 1\nc = \0", 15, "x", &e), -1);
		assert_string_equal(e.what, "bad config file line 3 in x");
		assert_string_equal(config_find(&c, "a.b"), "1");
		config_release(&c);
	}
}

static void truths(void **state)
{
	bool b = false;

	assert_true(config_bool("Yes", &b) && b);
	assert_true(config_bool("off", &b) && !b);
	assert_false(config_bool("2", &b));
}

static void files(void **state)
{
	struct config c = { 0 };
	struct err e = { 0 };

	assert_int_equal(config_read(&c, "/nonexistent/file", false, &e), 0);
	assert_int_equal(config_read(&c, "/dev/null", false, &e), 0);
	assert_int_equal(config_read(&c, "/", false, &e), 0);
	assert_int_equal(c.entries.len, 0);
	config_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_values),
		cmocka_unit_test(bad_lines_are_numbered),
		cmocka_unit_test(truths),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
