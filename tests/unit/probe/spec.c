#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "probe/probe.h"
#include "probe/spec_priv.h"

static struct arena arena;

static struct probe_spec parsed(const char *text)
{
	struct probe_spec p;
	struct err e = { 0 };

	if (probe_spec_parse(&p, text, &arena, &e) < 0)
		fail_msg("%s: %s", text, e.what);
	return p;
}

static void places_are_distinguished(void **state)
{
	struct probe_spec p = parsed("grp:ev=foo@dir/a.c:12 a b");

	assert_int_equal(p.place, PLACE_FUNCTION);
	assert_string_equal(p.group, "grp");
	assert_string_equal(p.event, "ev");
	assert_string_equal(p.function, "foo");
	assert_string_equal(p.file, "dir/a.c");
	assert_int_equal(p.line, 12);
	assert_int_equal(p.args.len, 2);
	probe_spec_release(&p);
	p = parsed("a.c:7");
	assert_int_equal(p.place, PLACE_SOURCE);
	assert_int_equal(p.line, 7);
	p = parsed("a.c;x=*");
	assert_string_equal(p.pattern, "x=*");
	p = parsed("foo;x=*(y)");
	assert_string_equal(p.pattern, "x=*(y)");
	p = parsed("0x1149");
	assert_int_equal(p.place, PLACE_ADDRESS);
	assert_int_equal(p.offset, 0x1149);
	p = parsed("foo+0x10");
	assert_true(p.has_offset && p.offset == 16);
	p = parsed("foo%return");
	assert_true(p.is_return);
	p = parsed("sdt_libc:setjmp");
	assert_int_equal(p.place, PLACE_MARKER);
	assert_string_equal(p.provider, "sdt_libc");
	arena_release(&arena);
}

static void scoped_names_need_no_backslash(void **state)
{
	struct probe_spec p = parsed("ns::Class<int, char>::method(int, char const*):3 this");

	assert_string_equal(p.function, "ns::Class<int, char>::method(int, char const*)");
	assert_int_equal(p.line, 3);
	assert_int_equal(p.args.len, 1);
	probe_spec_release(&p);
	p = parsed("ns\\:\\:f");
	assert_string_equal(p.function, "ns::f");
	arena_release(&arena);
}

static void arguments_have_members_types_and_names(void **state)
{
	struct probe_spec p =
		parsed("f x=a->b.c[3]:u16 +0($retval):string (struct sock*)sk->len@user $vars \\5 %di c:b3@0/8");
	const struct probe_arg *a = p.args.items;

	assert_int_equal(p.args.len, 7);
	assert_string_equal(a[0].name, "x");
	assert_string_equal(a[0].variable, "a");
	assert_string_equal(a[0].type, "u16");
	assert_int_equal(a[0].fields.len, 3);
	assert_true(a[0].fields.items[0].through && !a[0].fields.items[1].through);
	assert_int_equal(a[0].fields.items[2].index, 3);
	assert_string_equal(a[1].raw, "+0($retval)");
	assert_string_equal(a[2].cast, "sock");
	assert_true(a[2].user);
	assert_string_equal(a[3].raw, "$vars");
	assert_string_equal(a[4].raw, "\\5");
	assert_string_equal(a[6].type, "b3@0/8");
	probe_spec_release(&p);
	arena_release(&arena);
}

static void bad_definitions_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   " ",
					   "foo:",
					   "foo:x",
					   "foo+",
					   "foo+1:2",
					   "foo%ret",
					   "a.b=foo",
					   "1x=foo",
					   "foo@",
					   "foo a->",
					   "foo a[",
					   "foo a[x]",
					   "foo a.b.",
					   "foo x=",
					   "foo (struct",
					   "foo a:",
					   "a.c;",
					   "foo;a%return:1;",
					   "%",
					   "foo 1a=b",
					   "foo%return+3",
					   ":3",
					   "foo +",
					   "foo +8",
					   "foo +8(%di",
					   "foo $",
					   "foo %",
					   "foo &x" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct probe_spec p;
		struct err e = { 0 };
		int rc = probe_spec_parse(&p, bad[i], &arena, &e);

		probe_spec_release(&p);
		if (i == 18) /* a pattern takes all of the rest */
			continue;
		if (rc == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_true(e.what[0]);
	}
	arena_release(&arena);
}

static void ranges_of_lines(void **state)
{
	struct line_range r;
	struct err e = { 0 };

	assert_int_equal(line_range_parse(&r, "foo:3-7", &arena, &e), 0);
	assert_string_equal(r.function, "foo");
	assert_true(r.first == 3 && r.last == 7);
	assert_int_equal(line_range_parse(&r, "dir/a.c:3+7", &arena, &e), 0);
	assert_string_equal(r.file, "dir/a.c");
	assert_true(r.first == 3 && r.last == 9);
	assert_int_equal(line_range_parse(&r, "foo@a.c", &arena, &e), 0);
	assert_true(r.function && r.file && !r.last);
	assert_int_equal(line_range_parse(&r, "foo:7-3", &arena, &e), -1);
	assert_int_equal(line_range_parse(&r, "foo:x", &arena, &e), -1);
	arena_release(&arena);
}

static void lazy_patterns_ignore_blanks(void **state)
{
	assert_true(lazy_match("\tlocal += leaf( inblock + i );", "local+=leaf(*);"));
	assert_true(lazy_match("  update_rq_clock(rq);", "update_rq_clock*"));
	assert_false(lazy_match("  x = update_rq_clock(rq);", "update_rq_clock*"));
	assert_true(lazy_match("a = b;", "a=?;"));
	assert_true(lazy_match("x[3]", "x\\[[0-9]]"));
	assert_false(lazy_match("ab", "a"));
	assert_true(lazy_match("", ""));
	assert_true(lazy_match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*b"));
}

static void filters_join_globs(void **state)
{
	struct err e = { 0 };
	struct name_filter *f = name_filter_parse("!_* & (tcp_* | udp_*) & !*_sk", &e);

	assert_non_null(f);
	assert_true(name_filter_match(f, "tcp_sendmsg"));
	assert_false(name_filter_match(f, "_tcp"));
	assert_false(name_filter_match(f, "tcp_sk") || name_filter_match(f, "ip_x"));
	name_filter_free(f);
	assert_null(name_filter_parse("(a", &e));
	assert_null(name_filter_parse("a &", &e));
	assert_null(name_filter_parse("", &e));
}

static void lines_of_tracefs(void **state)
{
	struct trace_probe p;
	struct err e = { 0 };
	char *text;

	assert_int_equal(trace_probe_parse(&p,
					   "p:probe_w/mid /tmp/a b/w:0x0000000000001149 n=%di:x64 arg2=+0(%si):string",
					   true, &arena, &e),
			 0);
	assert_string_equal(p.path, "/tmp/a b/w");
	assert_int_equal(p.offset, 0x1149);
	assert_int_equal(p.args.len, 2);
	assert_string_equal(p.args.items[0].fetch, "%di:x64");
	text = trace_probe_format(&p);
	assert_string_equal(text, "p:probe_w/mid /tmp/a b/w:0x1149 n=%di:x64 arg2=+0(%si):string");
	free(text);
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse(&p, "p:g/e /x:0x10(0x20) a=%di", true, &arena, &e), 0);
	assert_int_equal(p.reference, 0x20);
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse(&p, "r16:probe/f__return ext4:ext4_sync+0 arg1=$retval", false, &arena, &e),
			 0);
	assert_true(p.is_return);
	assert_string_equal(p.module, "ext4");
	assert_string_equal(p.symbol, "ext4_sync");
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse(&p, "p:g/e 0xffffffff81000000", false, &arena, &e), 0);
	assert_null(p.symbol);
	static const char *const bad[] = { "",       "p",     "x:g/e f",   "p:g f",      "p:/e f",
					   "p:g/ f", "p:g/e", "p:g/e f+x", "p:g/e /x:zz" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(trace_probe_parse(&p, bad[i], i == 8, &arena, &e), -1);
		trace_probe_release(&p);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_distinguished),
		cmocka_unit_test(scoped_names_need_no_backslash),
		cmocka_unit_test(arguments_have_members_types_and_names),
		cmocka_unit_test(bad_definitions_are_refused),
		cmocka_unit_test(ranges_of_lines),
		cmocka_unit_test(lazy_patterns_ignore_blanks),
		cmocka_unit_test(filters_join_globs),
		cmocka_unit_test(lines_of_tracefs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
