/* Format files of tracepoints: their fields. */
#include "report/tracepoint/trace_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define HEAD "name: ev\nID: 42\nformat:\n"

static void parsed(struct trace_format *f, const char *text)
{
	struct err e = { 0 };

	if (trace_format_parse(f, text, strlen(text), 8, &e) < 0)
		fail_msg("%s", e.what);
}

static void field_is(const char *line, const char *name, uint32_t offset, uint32_t size, uint32_t element,
		     uint32_t flags)
{
	char text[512];
	struct trace_format f;

	snprintf(text, sizeof(text), HEAD "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:%s\n",
		 line);
	parsed(&f, text);
	assert_int_equal(f.fields.len, 2);
	assert_string_equal(f.fields.items[1].name, name);
	assert_int_equal(f.fields.items[1].offset, offset);
	assert_int_equal(f.fields.items[1].size, size);
	assert_int_equal(f.fields.items[1].element_size, element);
	assert_int_equal(f.fields.items[1].flags, flags);
	trace_format_release(&f);
}

static void fields_have_place_and_kind(void **state)
{
	field_is("u32 word;\toffset:8;\tsize:4;\tsigned:0;", "word", 8, 4, 4, 0);
	field_is("short minus;\toffset:8;\tsize:2;\tsigned:1;", "minus", 8, 2, 2, TRACE_FIELD_SIGNED);
	field_is("unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;", "ip", 8, 8, 8, TRACE_FIELD_LONG);
	field_is("const void * call;\toffset:8;\tsize:8;\tsigned:0;", "call", 8, 8, 8, TRACE_FIELD_POINTER);
	field_is("char comm[16];\toffset:8;\tsize:16;\tsigned:0;", "comm", 8, 16, 1,
		 TRACE_FIELD_ARRAY | TRACE_FIELD_STRING);
	field_is("u16 list[4];\toffset:8;\tsize:8;\tsigned:0;", "list", 8, 8, 2, TRACE_FIELD_ARRAY);
	field_is("__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;", "name", 8, 4, 1,
		 TRACE_FIELD_DYNAMIC | TRACE_FIELD_STRING);
	field_is("__rel_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;", "name", 8, 4, 1,
		 TRACE_FIELD_DYNAMIC | TRACE_FIELD_RELATIVE | TRACE_FIELD_STRING);
}

static void common_fields_end_at_the_empty_line(void **state)
{
	struct trace_format f;

	parsed(&f, HEAD "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			"\tfield:int own;\toffset:8;\tsize:4;\tsigned:1;\n");
	assert_string_equal(f.name, "ev");
	assert_int_equal(f.id, 42);
	assert_true(f.fields.items[0].flags & TRACE_FIELD_COMMON);
	assert_false(f.fields.items[1].flags & TRACE_FIELD_COMMON);
	trace_format_release(&f);
}

static void longs_have_the_size_of_the_machine(void **state)
{
	static const char text[] = HEAD "\tfield:unsigned long list[4];\toffset:8;\tsize:16;\tsigned:0;\n";
	struct trace_format f;

	assert_int_equal(trace_format_parse(&f, text, sizeof(text) - 1, 4, NULL), 0);
	assert_int_equal(f.fields.items[0].element_size, 4);
	trace_format_release(&f);
}

static void foreign_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"name: ev\nID: 42\nformat:\n",
		"name: ev\nID: 0\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n",
		"ID: 42\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n",
		HEAD "\tfield:int a\toffset:8\n",
		HEAD "\tfield:int a;\toffset:65535;\tsize:65535;\tsigned:1;\n",
		HEAD "\tfield:int a;\toffset:99999999999;\tsize:4;\tsigned:1;\n",
		HEAD "\tfield:__data_loc char[] a;\toffset:8;\tsize:8;\tsigned:0;\n",
		HEAD "\tfield:;\toffset:8;\tsize:4;\tsigned:0;\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct trace_format f;

		if (trace_format_parse(&f, bad[i], strlen(bad[i]), 8, NULL) == 0)
			fail_msg("case %zu was taken", i);
		trace_format_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_place_and_kind),
		cmocka_unit_test(common_fields_end_at_the_empty_line),
		cmocka_unit_test(longs_have_the_size_of_the_machine),
		cmocka_unit_test(foreign_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
