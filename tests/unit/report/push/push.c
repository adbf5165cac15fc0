/* URLs to send to, in their parts. What is sent is looked at in tests/e2e/push.sh. */
#include "report/push/push.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void urls_have_parts(void **state)
{
	static const struct {
		const char *url, *base, *path, *query, *shown;
	} rows[] = {
		{ "clickhouse://db", "http://db:8123", "", "", "clickhouse://db:8123" },
		{ "clickhouse://db/", "http://db:8123", "", "", "clickhouse://db:8123" },
		{ "clickhouse+tls://me:p%40ss@db:8443/profiles/?a=b/c", "https://me:p%40ss@db:8443", "/profiles",
		  "a=b/c", "clickhouse+tls://db:8443/profiles" },
		{ "otlp://[::1]/x/y", "http://[::1]:4318", "/x/y", "", "otlp://[::1]:4318/x/y" },
		{ "otlp://[::1]:1", "http://[::1]:1", "", "", "otlp://[::1]:1" },
		{ "parca://h?q", "http://h:7070", "", "q", "parca://h:7070" },
		{ "pyroscope://u@h", "http://u@h:4040", "", "", "pyroscope://h:4040" },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct push_target t;
		struct err e = { 0 };

		assert_int_equal(push_target_parse(&t, rows[i].url, &e), 0);
		assert_string_equal(t.base, rows[i].base);
		assert_string_equal(t.path, rows[i].path);
		assert_string_equal(t.query, rows[i].query);
		assert_string_equal(t.shown, rows[i].shown);
		push_target_free(&t);
	}
}

static void ports_are_numbers_that_tcp_has(void **state)
{
	static const char *const urls[] = {
		"otlp://h:0",           "otlp://h:",        "otlp://h:65536", "otlp://h:99999999999999999999",
		"otlp://u:secret@h:1x", "otlp://[::1]:x/y", "otlp://h:-1"
	};

	for (unsigned i = 0; i < ARRAY_SIZE(urls); i++) {
		struct push_target t;
		struct err e = { 0 };

		assert_int_equal(push_target_parse(&t, urls[i], &e), -1);
		assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
		assert_non_null(strstr(e.what, "bad port"));
		assert_null(strstr(e.what, "secret"));
		push_target_free(&t);
	}
}

static void others_are_refused_without_their_password(void **state)
{
	static const char *const urls[] = { "",
					    "db",
					    "http://db",
					    "clickhouse:db",
					    "clickhouse://",
					    "clickhouse:///x",
					    "clickhouse://u@",
					    "clickhouse://u:secret@",
					    "+tls://db",
					    "clickhouse://a b",
					    "click://u:secret@db",
					    "otlp://a\nb" };

	for (unsigned i = 0; i < ARRAY_SIZE(urls); i++) {
		struct push_target t;
		struct err e = { 0 };

		assert_int_equal(push_target_parse(&t, urls[i], &e), -1);
		assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
		assert_non_null(strstr(e.fix, "clickhouse://"));
		assert_null(strstr(e.what, "secret"));
		push_target_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_have_parts),
		cmocka_unit_test(ports_are_numbers_that_tcp_has),
		cmocka_unit_test(others_are_refused_without_their_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
