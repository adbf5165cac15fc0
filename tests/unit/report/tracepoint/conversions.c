/* What conversions print; for numbers and strings printf itself is asked. */
#include "tests/unit/report/tracepoint/printed.h"

static void numbers_look_as_printf_makes_them(void **state)
{
	static const char *const shapes[] = { "%d", "%5d",   "%-5d|", "%05d", "%+d",    "% d",  "%.4d", "%8.4d",
					      "%x", "%#x",   "%X",    "%#X",  "%o",     "%#o",  "%08x", "%3x",
					      "%u", "%-8u|", "%i",    "%+5d", "%-+6d|", "%06d", "%.0d" };
	static const int values[] = { 0, 1, 6, -1, -42, 4711, INT32_MAX, INT32_MIN };

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			struct printed_payload raw = { .number = values[k] };
			char print[64], wanted[64];

			if (!strcmp(shapes[i], "%.0d") && !values[k])
				continue; /* printf prints nothing for it, the kernel's reader "0" */
			snprintf(print, sizeof(print), "\"%s\", REC->number", shapes[i]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(wanted, sizeof(wanted), shapes[i], values[k]);
#pragma GCC diagnostic pop
			printed(&raw, print, wanted);
		}
}

static void widths_may_be_arguments(void **state)
{
	struct printed_payload raw = { .number = 42, .small = 6, .text = "abcdefg" };

	printed(&raw, "\"%*d|\", REC->small, REC->number", "    42|");
	printed(&raw, "\"%*d|\", 0 - 6, REC->number", "42    |");
	printed(&raw, "\"%.*s|\", 3, REC->text", "abc|");
	printed(&raw, "\"%9s|\", REC->text", "  abcdefg|");
	printed(&raw, "\"%-9.2s|\", REC->text", "ab       |");
	printed(&raw, "\"%c%c\", REC->text[0], 'z'", "az");
}

static void a_length_cuts_the_value(void **state)
{
	struct printed_payload raw = { .wide = 0x1122334455667788, .tiny = -1 };

	printed(&raw, "\"%hhx\", REC->wide", "88");
	printed(&raw, "\"%hx\", REC->wide", "7788");
	printed(&raw, "\"%x\", REC->wide", "55667788");
	printed(&raw, "\"%llx\", REC->wide", "1122334455667788");
	printed(&raw, "\"%x\", REC->tiny", "ffffffff");
	printed(&raw, "\"%hhd\", REC->tiny", "-1");
}

static void addresses_of_networks_have_their_forms(void **state)
{
	struct printed_payload raw = { .bytes = { 192, 168, 0, 7 } };
	const uint8_t ip6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, middle[16] = { 0, 1, [13] = 2, [15] = 3 };

	printed(&raw, "\"%pI4\", REC->bytes", "192.168.0.7");
	printed(&raw, "\"%pi4\", REC->bytes", "192.168.000.007");
	printed(&raw, "\"%pM\", REC->bytes", "c0:a8:00:07:00:00");
	memcpy(raw.bytes, ip6, sizeof(ip6));
	printed(&raw, "\"%pI6c\", REC->bytes", "2001:db8::1");
	memcpy(raw.bytes, middle, sizeof(middle));
	printed(&raw, "\"%pI6c\", REC->bytes", "1::2:3");
	memcpy(raw.bytes, "\0\1\0\2\0\0\0\0\0\3\0\4\0\5\0\6", 16);
	printed(&raw, "\"%pI6c\", REC->bytes", "1:2::3:4:5:6");
	memset(raw.bytes, 0, sizeof(raw.bytes));
	printed(&raw, "\"%pI6c\", REC->bytes", "::");
	memcpy(raw.bytes, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf", 16);
	printed(&raw, "\"%pUb\", REC->bytes", "00010203-0405-0607-0809-0a0b0c0d0e0f");
}

static void sockets_have_a_family_and_a_port(void **state)
{
	struct printed_payload raw = { .bytes = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 } };

	printed(&raw, "\"%pISpc\", REC->bytes", "127.0.0.1:8080");
	printed(&raw, "\"%pISc\", REC->bytes", "127.0.0.1");
	memset(raw.bytes, 0, sizeof(raw.bytes));
	raw.bytes[0] = 10;
	raw.bytes[3] = 80;
	raw.bytes[23] = 1;
	printed(&raw, "\"%pISpc\", REC->bytes", "[::1]:80");
}

/*
 * Numbers that lie in the payload are read in one step where eight bytes follow. Compare with C's own conversions, and
 * with a payload that ends behind the field.
 */
static void numbers_of_all_widths(void **state)
{
	static const struct {
		const char *name;
		size_t end;
		bool is_signed;
		unsigned size;
	} fields[] = {
		{ "number", offsetof(struct printed_payload, number) + 4, true, 4 },
		{ "small", offsetof(struct printed_payload, small) + 1, false, 1 },
		{ "tiny", offsetof(struct printed_payload, tiny) + 1, true, 1 },
		{ "half", offsetof(struct printed_payload, half) + 2, false, 2 },
		{ "wide", offsetof(struct printed_payload, wide) + 8, false, 8 },
	};
	static const char *const lengths[] = { "hh", "h", "", "l" }, *const kinds[] = { "d", "u", "x" };
	static const unsigned sizes[] = { 1, 2, 4, 8 };

	for (unsigned i = 0; i < ARRAY_SIZE(fields) * ARRAY_SIZE(lengths) * ARRAY_SIZE(kinds) * 4; i++) {
		unsigned f = i / 4 % ARRAY_SIZE(fields), l = i / 20 % ARRAY_SIZE(lengths), k = i / 80;
		uint64_t value = (const uint64_t[]){ 0, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080, ~0ull }[i % 4];
		struct printed_payload raw;
		char print[64], want[64], format[8];
		struct trace_format parsed;
		struct out o;

		memset(&raw, (int)(value & 0xff), sizeof(raw));
		value = trace_cast(trace_cast(value, fields[f].size, fields[f].is_signed), sizes[l], k == 0);
		snprintf(format, sizeof(format), "%%ll%s", kinds[k]);
		snprintf(want, sizeof(want), format, (unsigned long long)value);
		snprintf(print, sizeof(print), "\"%%%s%s\", REC->%s", lengths[l], kinds[k], fields[f].name);
		printed(&raw, print, want);
		printed_parse(&parsed, print);
		out_init_mem(&o);
		trace_format_print(&parsed, NULL, false, (const uint8_t *)&raw, fields[f].end, &o);
		assert_string_equal(out_text(&o), want);
		out_release(&o);
		trace_format_release(&parsed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_all_widths),
		cmocka_unit_test(numbers_look_as_printf_makes_them),
		cmocka_unit_test(widths_may_be_arguments),
		cmocka_unit_test(a_length_cuts_the_value),
		cmocka_unit_test(addresses_of_networks_have_their_forms),
		cmocka_unit_test(sockets_have_a_family_and_a_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
