#include "report/tracepoint/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/tracepoint/trace_format.h"
#include "tests/lib/walked.h"

/*
 * The payload of an invented event: u8, s16, u32, s64, long, a comm, four bytes; a name and an
 * array follow the fields.
 */
#define FIELDS \
	"name: test\nID: 77\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" \
	"\n" \
	"\tfield:unsigned char small;\toffset:8;\tsize:1;\tsigned:0;\n" \
	"\tfield:short minus;\toffset:10;\tsize:2;\tsigned:1;\n" \
	"\tfield:u32 word;\toffset:12;\tsize:4;\tsigned:0;\n" \
	"\tfield:s64 big;\toffset:16;\tsize:8;\tsigned:1;\n" \
	"\tfield:unsigned long where;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:char comm[16];\toffset:32;\tsize:16;\tsigned:0;\n" \
	"\tfield:__u8 four[4];\toffset:48;\tsize:4;\tsigned:0;\n" \
	"\tfield:__data_loc char[] name;\toffset:52;\tsize:4;\tsigned:0;\n" \
	"\tfield:__rel_loc u16[] list;\toffset:56;\tsize:4;\tsigned:0;\n" \
	"\n" \
	"print fmt: "

struct raw {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint8_t small, pad;
	int16_t minus;
	uint32_t word;
	int64_t big;
	uint64_t where;
	char comm[16];
	uint8_t four[4];
	uint16_t name_offset, name_len, list_offset, list_len;
	char name[8];
	uint16_t list[4];
};

static const struct raw raw = {
	.type = 77,
	.pid = 5,
	.small = 200,
	.minus = -3,
	.word = 0xfffffffe,
	.big = -4000000000,
	.where = 0xffffffff81000000,
	.comm = "a comm",
	.four = { 10, 0, 0, 255 },
	.name_offset = 60,
	.name_len = 6,
	.list_offset = 8,
	.list_len = 8,
	.name = "a name",
	.list = { 1, 2, 300, 65535 },
};

static void check(const char *print_fmt, const char *want)
{
	char text[4096];
	struct trace_format f;
	struct out o;

	snprintf(text, sizeof(text), FIELDS "%s\n", print_fmt);
	assert_int_equal(trace_format_parse(&f, text, strlen(text), 8, NULL), 0);
	out_init_mem(&o);
	trace_format_print(&f, NULL, false, (const uint8_t *)&raw, sizeof(raw), &o);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
	trace_format_release(&f);
}

static void numbers_have_the_size_and_sign_of_their_fields(void **state)
{
	check("\"%d %d %u %x %lld %llx\", REC->small, REC->minus, REC->word, REC->word, REC->big, REC->big",
	      "200 -3 4294967294 fffffffe -4000000000 ffffffff1194d800");
	check("\"%d %hd %hhu %p %lu\", REC->word, REC->word, REC->word, (void *)REC->where, REC->where",
	      "-2 -2 254 0xffffffff81000000 18446744071578845184");
}

static void shapes_are_those_of_printf(void **state)
{
	check("\"[%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%08lx|%o|%#o]\", REC->small, REC->small, REC->minus, REC->small, "
	      "REC->small, 7, REC->small, REC->where, 8, 8",
	      "[  200|200  |-0003|+200| 200|007|0xc8|ffffffff81000000|10|010]");
	check("\"[%10s|%-10s|%.3s|%.*s|%*d] 100%%\", REC->comm, REC->comm, REC->comm, 2, REC->comm, 4, 7",
	      "[    a comm|a comm    |a c|a |   7] 100%");
}

static void expressions_are_those_of_c(void **state)
{
	check("\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 10 - 4 - 3", "7 9 3");
	check("\"%d %d %d\", REC->small > 199 && REC->minus < 0, !REC->small, 0 || REC->pid",
	      "[FAILED TO PARSE] small=200 minus=-3 word=4294967294 "
	      "big=-4000000000 where=0xffffffff81000000 comm=a comm four=ARRAY[0a, 00, 00, ff] name=a name "
	      "list=ARRAY[01, 00, 02, 00, 2c, 01, ff, ff]");
	check("\"%d %d %d\", REC->small > 199 && REC->minus < 0, !REC->small, 0 || REC->common_pid", "1 0 1");
	check("\"%s %s\", REC->minus < 0 ? \"less\" : \"more\", REC->word == -2 ? \"equal\" : \"other\"", "less equal");
	check("\"%u %u %u\", (u8)REC->word, (unsigned int)REC->word >> 4, ((REC->word) & ((1U << 20) - 1))",
	      "254 268435455 1048574");
	check("\"%d %d %d\", REC->small / 0, REC->small % 0, 1 << 70", "0 0 0");
	check("\"%d %zu\", (REC)->small, sizeof(unsigned long)", "200 8");
	check("\"%d\", __builtin_expect(!!(REC->small), 0) ? 4 : 5", "4");
}

static void flags_and_names(void **state)
{
	check("\"%s\", __print_flags(REC->small, \"|\", { 0x80, \"A\" }, { 1 << 6, \"B\" }, {(unsigned long)0x1000, "
	      "\"C\"}, { 0, ((void *)0) })",
	      "A|B|0x8");
	check("\"%s%s\", __print_flags(REC->small & 1, \"|\", { 1, \"A\" }), \"none\"", "none");
	check("\"%s %s %s\", __print_symbolic(REC->small, { 200, \"two\" \" hundred\" }), __print_symbolic(REC->word, "
	      "{ -2, \"minus two\" }), "
	      "__print_symbolic(REC->small, { SOME_ENUM, \"x\" })",
	      "two hundred minus two 0xc8");
}

static void bytes_and_arrays(void **state)
{
	check("\"%s %s\", __get_str(name), REC->comm", "a name a comm");
	check("\"%s %s\", __print_hex(REC->four, 4), __print_hex_str(REC->four, sizeof(u32))", "0a 00 00 ff 0a0000ff");
	check("\"%s|%s\", __print_dynamic_array(list, 2), __print_dynamic_array(list, 4)",
	      "1 2 300 65535|131073 4294902060");
	check("\"%llu.%09u\", __print_ns_to_secs(REC->where & 0xffffffff), __print_ns_without_secs(REC->where & "
	      "0xffffffff)",
	      "2.164260864");
	check("\"%s %d %d\", __print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / 2, 2), "
	      "REC->four[3], "
	      "((u16 *)__get_rel_dynamic_array(list))[2]",
	      "1 2 300 65535 255 300");
	check("\"%pI4 %pi4 %pM\", REC->four, REC->four, REC->comm", "10.0.0.255 010.000.000.255 61:20:63:6f:6d:6d");
}

static void nothing_outside_the_payload_is_read(void **state)
{
	struct raw bad = raw;
	char text[] = FIELDS "\"%s|%s|%s|%d|%llx\", __get_str(name), __print_hex(REC->four, REC->word), "
			     "__print_array(__get_rel_dynamic_array(list), -1, 8), "
			     "REC->four[REC->word], REC->big\n";
	struct trace_format f;
	struct out o;

	bad.name_offset = 0xffff;
	bad.list_len = 0xffff;
	assert_int_equal(trace_format_parse(&f, text, strlen(text), 8, NULL), 0);
	assert_true(f.understood);
	for (size_t size = 0; size <= sizeof(bad); size++) {
		uint8_t *copy = xmalloc(size + 1);

		memcpy(copy, &bad, size);
		out_init_mem(&o);
		trace_format_print(&f, NULL, size % 2, copy, size, &o);
		out_release(&o);
		free(copy);
	}
	trace_format_release(&f);
}

static void payloads_of_the_other_byte_order(void **state)
{
	char text[] = FIELDS "\"%x %s\", REC->word, __get_str(name)\n";
	struct raw other = raw;
	struct trace_format f;
	struct out o;

	other.word = __builtin_bswap32(0x1234);
	/* one word: u16 length and u16 offset */
	*(uint32_t *)(void *)&other.name_offset = __builtin_bswap32(6u << 16 | 60);
	assert_int_equal(trace_format_parse(&f, text, strlen(text), 8, NULL), 0);
	out_init_mem(&o);
	trace_format_print(&f, NULL, true, (const uint8_t *)&other, sizeof(other), &o);
	assert_string_equal(out_text(&o), "1234 a name");
	out_release(&o);
	trace_format_release(&f);
}

static void control_bytes_are_shown_and_not_sent(void **state)
{
	struct raw evil = raw;
	struct trace_format f;
	struct out o;
	char text[] = FIELDS "\"\x1b[31m%s %c\\n\", REC->comm, 27\n";

	strcpy(evil.comm, "\x1b[2J\n");
	assert_int_equal(trace_format_parse(&f, text, strlen(text), 8, NULL), 0);
	out_init_mem(&o);
	trace_format_print(&f, NULL, false, (const uint8_t *)&evil, sizeof(evil), &o);
	assert_string_equal(out_text(&o), "\\x1b[31m\\x1b[2J\\x0a \\x1b\\x0a");
	out_release(&o);
	trace_format_release(&f);
}

/* Bad formats are refused, and formats that nest too deep are not understood; both without damage. */
static void hostile_formats(void **state)
{
	static const char *const bad[] = { "",
					   "name: x\n",
					   "name: x\nID: 1\n",
					   "name: x\nID: 1\n\tfield:int a;\toffset:70000;\tsize:4;\tsigned:1;\n",
					   "name: x\nID: 1\n\tfield:;\toffset:0;\tsize:4;\n",
					   "name: x\nID: 1\n\tfield:__data_loc char[] a;\toffset:0;\tsize:8;\n" };
	static const char *const fill[] = { "(", "!", "1+", "1?1:", "REC->four[", "{", "-", "(u8)", "__print_hex(" };
	struct trace_format f;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(trace_format_parse(&f, bad[i], strlen(bad[i]), 8, NULL), -1);
		trace_format_release(&f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fill); i++) {
		struct out o;

		out_init_mem(&o);
		out_str(&o, FIELDS "\"%d\", ");
		while (o.len < 100000)
			out_str(&o, fill[i]);
		assert_int_equal(trace_format_parse(&f, o.buf, o.len, 8, NULL), 0);
		assert_false(f.understood);
		trace_format_release(&f);
		out_release(&o);
	}
}

/* Source of the layout: strobe.data(5), "TRACING_DATA". */
static void build_format(struct build *b, const char *format)
{
	const uint64_t len = strlen(format);
	struct out o;

	out_init_mem(&o);
	out_mem(&o, "\x17\x08\x44tracing0.5\0\0\x8\0\x10\0\0", 20);
	out_mem(&o, "header_page\0\0\0\0\0\0\0\0\0header_event\0\0\0\0\0\0\0\0\0", 41);
	out_mem(&o, "\0\0\0\0\1\0\0\0system\0\1\0\0\0", 19);
	out_mem(&o, (const char *)&len, 8);
	out_str(&o, format);
	out_pad(&o, '\0', 8); /* no addresses, no formats of printk */
	build_feature(b, FEATURE_TRACING_DATA, o.buf, o.len);
	out_release(&o);
}

/* A small file may hold thousands of events with the number of one long format: read it once. */
static void events_with_one_number_share_name_and_format(void **state)
{
	struct build b = build_start(SAMPLE_IDENTIFIER | SAMPLE_RAW);
	struct session *s;
	struct trace_text *t;

	build_attr(&b, 0)->type = ATTR_TYPE_TRACEPOINT;
	build_attr(&b, 0)->config = 77;
	b.events.items[0].name = "";
	build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_RAW, "");
	build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_RAW, "");
	build_attr(&b, 2)->config = 78;
	build_format(&b, FIELDS "\"%d\", REC->small\n");
	s = walked(&b, &(struct session_opts){ 0 });
	assert_string_equal(s->pd->events[0].name, "system:test");
	assert_ptr_equal(s->pd->events[0].name, s->pd->events[1].name);
	assert_string_equal(s->pd->events[2].name, "unknown tracepoint id=0x4e");
	t = trace_text_new(s);
	assert_non_null(trace_text_format(t, 0));
	assert_ptr_equal(trace_text_format(t, 0), trace_text_format(t, 1));
	assert_null(trace_text_format(t, 2));
	trace_text_free(t);
	session_close(s);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_size_and_sign_of_their_fields),
		cmocka_unit_test(shapes_are_those_of_printf),
		cmocka_unit_test(expressions_are_those_of_c),
		cmocka_unit_test(flags_and_names),
		cmocka_unit_test(bytes_and_arrays),
		cmocka_unit_test(nothing_outside_the_payload_is_read),
		cmocka_unit_test(payloads_of_the_other_byte_order),
		cmocka_unit_test(control_bytes_are_shown_and_not_sent),
		cmocka_unit_test(hostile_formats),
		cmocka_unit_test(events_with_one_number_share_name_and_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
