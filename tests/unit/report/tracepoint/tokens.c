/* What the words, numbers and literals of a print fmt are read as. */
#include "tests/unit/report/tracepoint/printed.h"

static const struct printed_payload raw = { .number = 6 };

static void numbers_have_the_types_of_c(void **state)
{
	printed(&raw, "\"%d\", 0x10", "16");
	printed(&raw, "\"%d\", 010", "8");
	printed(&raw, "\"%d\", 10UL", "10");
	printed(&raw, "\"%llx\", 0xffffffffffffffffULL", "ffffffffffffffff");
	/* signed or not decides a comparison: -1 < 1, but not < 1u */
	printed(&raw, "\"%d\", -1 < 1", "1");
	printed(&raw, "\"%d\", -1 < 1u", "0");
	printed(&raw, "\"%llx\", 0x80000000 << 4", "800000000");
	printed(&raw, "\"%d\", 12abc", NULL);
}

static void literals_are_unescaped(void **state)
{
	printed(&raw, "\"a\\x41\\x4a\\\"%d\", 1", "aAJ\"1");
	printed(&raw, "\"%d\", 'A'", "65");
	printed(&raw, "\"%d\", '\\n'", "10");
	printed(&raw, "\"%d\", '\\x7f'", "127");
	printed(&raw, "\"%s\", \"one\" \"two\"", "onetwo");
	printed(&raw, "\"never closed", NULL);
	printed(&raw, "\"%d\", 'x", NULL);
	printed(&raw, "\"ends in a backslash\\", NULL);
}

static void operators_of_two_letters_come_first(void **state)
{
	printed(&raw, "\"%d\", 1<<3", "8");
	printed(&raw, "\"%d\", 8>>1", "4");
	printed(&raw, "\"%d %d %d %d\", 1<=1, 1>=2, 1==1, 1!=1", "1 0 1 0");
	printed(&raw, "\"%d %d\", 2&&0, 2||0", "0 1");
	printed(&raw, "\"%d %d\", 2&3, 2|1", "2 3");
	printed(&raw, "\"%d\", 1 \x80 1", NULL);
}

static void blanks_and_names_end_words(void **state)
{
	printed(&raw, "\"%d\",REC->number+1", "7");
	printed(&raw, "  \"%d\" ,\t( REC -> number )", "6");
	printed(&raw, "\"%d\", REC->number2", NULL);
	printed(&raw, "\"%d\", REC->numbe", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_types_of_c),
		cmocka_unit_test(literals_are_unescaped),
		cmocka_unit_test(operators_of_two_letters_come_first),
		cmocka_unit_test(blanks_and_names_end_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
