/* Lines of kprobe_events and uprobe_events: parsed and written. */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "probe/tracefs.h"

static struct arena arena;

static struct trace_probe parsed(const char *line, bool user)
{
	struct trace_probe p;
	struct err e = { 0 };

	if (trace_probe_parse(&p, line, user, &arena, &e) < 0)
		fail_msg("%s", e.what);
	return p;
}

static void a_kernel_place_has_module_symbol_and_offset(void **state)
{
	struct trace_probe p = parsed("p:grp/ev mod:func+0x10 n=%di:s32 %si", false);

	assert_string_equal(p.group, "grp");
	assert_string_equal(p.event, "ev");
	assert_string_equal(p.module, "mod");
	assert_string_equal(p.symbol, "func");
	assert_int_equal(p.offset, 16);
	assert_false(p.is_return);
	assert_null(p.path);
	assert_int_equal(p.args.len, 2);
	assert_string_equal(p.args.items[0].name, "n");
	assert_string_equal(p.args.items[0].fetch, "%di:s32");
	assert_string_equal(p.args.items[1].name, "");
	assert_string_equal(p.args.items[1].fetch, "%si");
	trace_probe_release(&p);
}

static void returns_are_marked_by_letter_or_suffix(void **state)
{
	struct trace_probe p = parsed("r16:g/e func+0", false);

	assert_true(p.is_return);
	assert_string_equal(p.symbol, "func");
	trace_probe_release(&p);
	p = parsed("p:g/e func%return", false);
	assert_true(p.is_return);
	assert_string_equal(p.symbol, "func");
	trace_probe_release(&p);
	p = parsed("p:g/e /bin/x:0x20%return", true);
	assert_true(p.is_return);
	assert_int_equal(p.offset, 0x20);
	trace_probe_release(&p);
}

static void an_address_needs_no_symbol(void **state)
{
	struct trace_probe p = parsed("p:g/e 0xffffffff81000010", false);

	assert_null(p.symbol);
	assert_int_equal(p.offset, 0xffffffff81000010);
	trace_probe_release(&p);
}

static void files_may_have_blanks_and_a_reference_counter(void **state)
{
	struct trace_probe p = parsed("p:g/e /opt/my prog:0x0000000000000123(0x40) a=\"x=1\"", true);

	assert_string_equal(p.path, "/opt/my prog");
	assert_int_equal(p.offset, 0x123);
	assert_int_equal(p.reference, 0x40);
	assert_string_equal(p.args.items[0].name, "a");
	assert_string_equal(p.args.items[0].fetch, "\"x=1\"");
	trace_probe_release(&p);
	p = parsed("p:g/e /opt/a:0x1/b:0x:0x20 %si", true);
	assert_string_equal(p.path, "/opt/a:0x1/b:0x");
	assert_int_equal(p.offset, 0x20);
	assert_int_equal(p.args.len, 1);
	trace_probe_release(&p);
}

static void foreign_lines_are_refused(void **state)
{
	static const char *const kernel[] = {
		"",          "p",           "p:g func", "p:g/ func",    "x:g/e func",   "p:g/e", "px:g/e func",
		"p:/e func", "p:g/e 0x12z", "p:g/e m:", "p:g/e func+z", "p:g/e %return"
	};
	static const char *const user[] = { "p:g/e /bin/x",         "p:g/e /bin/x:12",        "p:g/e /bin/x:0x",
					    "p:g/e /bin/x:0x1(0x2", "p:g/e /bin/x:0x1%retur", "p:g/e" };
	struct trace_probe p;
	struct err e = { 0 };

	for (size_t i = 0; i < sizeof(kernel) / sizeof(*kernel); i++)
		if (trace_probe_parse(&p, kernel[i], false, &arena, &e) == 0)
			fail_msg("'%s' was taken", kernel[i]);
	for (size_t i = 0; i < sizeof(user) / sizeof(*user); i++)
		if (trace_probe_parse(&p, user[i], true, &arena, &e) == 0)
			fail_msg("'%s' was taken", user[i]);
}

static void written_data_reads_the_same(void **state)
{
	static const struct {
		const char *line;
		bool user;
	} lines[] = { { "p:g/e func+16 n=%di:s32 %si", false },
		      { "r:g/e mod:func+0 $retval", false },
		      { "p:g/e 0xffffffff81000010", false },
		      { "p:g/e /bin/x:0x123", true },
		      { "r:g/e /bin/x:0x123(0x456) arg1=+8(%sp):u64", true } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct trace_probe p = parsed(lines[i].line, lines[i].user);
		autofree char *text = trace_probe_format(&p);

		assert_string_equal(text, lines[i].line);
		trace_probe_release(&p);
	}
}

static void find_asks_for_group_and_event(void **state)
{
	struct trace_probes l = { 0 };

	vec_push(&l.v, parsed("p:a/x f", false));
	vec_push(&l.v, parsed("p:b/x g", false));
	assert_string_equal(trace_probes_find(&l, "b", "x")->symbol, "g");
	assert_null(trace_probes_find(&l, "b", "y"));
	assert_null(trace_probes_find(&l, "c", "x"));
	trace_probes_release(&l);
}

/* Whoever undoes its own work has no use for a second error. */
static void a_failed_removal_needs_no_error(void **state)
{
	assert_int_equal(trace_probe_remove("strobe_unit", "no_such_event", true, NULL), -1);
	assert_int_equal(trace_probe_remove("strobe_unit", "no_such_event", false, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_place_has_module_symbol_and_offset),
		cmocka_unit_test(returns_are_marked_by_letter_or_suffix),
		cmocka_unit_test(an_address_needs_no_symbol),
		cmocka_unit_test(files_may_have_blanks_and_a_reference_counter),
		cmocka_unit_test(foreign_lines_are_refused),
		cmocka_unit_test(written_data_reads_the_same),
		cmocka_unit_test(find_asks_for_group_and_event),
		cmocka_unit_test(a_failed_removal_needs_no_error),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
