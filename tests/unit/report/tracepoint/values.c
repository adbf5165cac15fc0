/* What the kernel's print helpers print: flags, names, bytes, arrays, masks. */
#include "tests/unit/report/tracepoint/printed.h"

static void flags_are_joined_and_the_rest_is_a_number(void **state)
{
	static const char print[] =
		"\"%s\", __print_flags(REC->small, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 12, \"CD\" })";
	struct printed_payload raw = { .small = 3 };

	printed(&raw, print, "A|B");
	raw.small = 0;
	printed(&raw, print, "");
	raw.small = 14;
	printed(&raw, print, "B|CD");
	raw.small = 4; /* half of CD */
	printed(&raw, print, "0x4");
	raw.small = 0x81;
	printed(&raw, print, "A|0x80");
}

static void symbols_stand_for_whole_values(void **state)
{
	static const char print[] =
		"\"%s\", __print_symbolic(REC->tiny, { 0, \"NONE\" }, { 1, \"ONE\" }, { -1, \"ALL\" })";
	struct printed_payload raw = { .tiny = 1 };

	printed(&raw, print, "ONE");
	raw.tiny = 0;
	printed(&raw, print, "NONE");
	raw.tiny = -1;
	printed(&raw, print, "ALL");
	raw.tiny = 3;
	printed(&raw, print, "0x3");
}

static void bytes_are_printed_up_to_their_count(void **state)
{
	struct printed_payload raw = { .bytes = { 0xde, 0xad, 0xbe, 0xef, 1 }, .small = 4 };

	printed(&raw, "\"%s\", __print_hex(REC->bytes, 4)", "de ad be ef");
	printed(&raw, "\"%s\", __print_hex_str(REC->bytes, REC->small)", "deadbeef");
	printed(&raw, "\"%s\", __print_hex_str(REC->bytes, 0)", "");
	printed(&raw, "\"%s\", __print_array(REC->bytes, 2, 1)", "222 173");
	printed(&raw, "\"%s\", __print_array(REC->bytes, 1, 2)", "44510");
	printed(&raw, "\"%s\", __print_array(REC->bytes, 99, 8)", "8317218270 0 0"); /* no further than the field */
	printed(&raw, "\"%s\", __print_array(REC->bytes, 2, 3)", "");
}

static void a_condition_chooses_a_text(void **state)
{
	struct printed_payload raw = { .number = 1, .text = "end" };

	printed(&raw, "\"%s\", REC->number ? \"yes\" : \"no\"", "yes");
	raw.number = 0;
	printed(&raw, "\"%s\", REC->number ? \"yes\" : \"no\"", "no");
	printed(&raw, "\"%s\", REC->number ? \"yes\" : (char *)REC->text", "end");
}

static void texts_end_at_their_nul_or_field(void **state)
{
	struct printed_payload raw = { .text = "ab\1c" };

	printed(&raw, "\"%s\", REC->text", "ab\\x01c");
	memcpy(raw.text, "12345678", 8);
	printed(&raw, "\"%s.\", REC->text", "12345678.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_joined_and_the_rest_is_a_number),
		cmocka_unit_test(symbols_stand_for_whole_values),
		cmocka_unit_test(bytes_are_printed_up_to_their_count),
		cmocka_unit_test(a_condition_chooses_a_text),
		cmocka_unit_test(texts_end_at_their_nul_or_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
