/* Filters for names: globs with ! & | and parentheses. */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>

#include "probe/probe.h"

static bool matches(const char *filter, const char *name)
{
	struct err e = { 0 };
	struct name_filter *f = name_filter_parse(filter, &e);
	bool yes;

	if (!f)
		fail_msg("%s: %s", filter, e.why);
	yes = name_filter_match(f, name);
	name_filter_free(f);
	return yes;
}

static void globs_of_each_form(void **state)
{
	assert_true(matches("tcp_sendmsg", "tcp_sendmsg"));
	assert_false(matches("tcp_sendmsg", "tcp_sendmsg_locked"));
	assert_true(matches("tcp_*", "tcp_sendmsg"));
	assert_false(matches("tcp_*", "udp_sendmsg"));
	assert_true(matches("*_sk", "inet_sk"));
	assert_false(matches("*_sk", "sk"));
	assert_true(matches("t?p_[rs]*msg", "tcp_recvmsg"));
	assert_false(matches("t?p_[rs]*msg", "tcp_xmsg"));
}

static void and_binds_closer_than_or(void **state)
{
	assert_true(matches("a | b & !*", "a"));
	assert_false(matches("(a | b) & !*", "a"));
	assert_true(matches("!a & !b", "c"));
	assert_false(matches("!a & !b", "b"));
	assert_true(matches("!!a", "a"));
}

static void no_filter_takes_everything(void **state) { assert_true(name_filter_match(NULL, "x")); }

static void refused(const char *filter, const char *why)
{
	struct err e = { 0 };

	assert_null(name_filter_parse(filter, &e));
	if (!strstr(e.why, why))
		fail_msg("'%s': '%s' instead of '%s'", filter, e.why, why);
}

static void bad_filters_are_reported_with_their_position(void **state)
{
	char deep[400];

	refused("", "at character 1 a name or glob is missing");
	refused("a &", "at character 4 a name or glob is missing");
	refused("(a", "a ')' is missing");
	refused("a b", "at character 3 '&' or '|' is missing");
	memset(deep, '!', sizeof(deep));
	deep[sizeof(deep) - 1] = 0;
	refused(deep, "it nests too deep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs_of_each_form),
		cmocka_unit_test(and_binds_closer_than_or),
		cmocka_unit_test(no_filter_takes_everything),
		cmocka_unit_test(bad_filters_are_reported_with_their_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
