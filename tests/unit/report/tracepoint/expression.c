/*
 * Expressions in "print fmt" give the same as in C. They are printed with %d or %x, without a
 * payload.
 */
#include "report/tracepoint/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "report/tracepoint/trace_format.h"

/*
 * Tell whether it is understood; then print '"FORMAT", EXPRESSION' for a payload whose u32 `v` is
 * 6.
 */
static bool print(const char *format, const char *expression, char *to, size_t room)
{
	static const struct {
		uint8_t common[8];
		uint32_t v;
	} raw = { .v = 6 };
	char text[2048];
	struct trace_format f;
	struct out o;
	bool understood;

	snprintf(text, sizeof(text),
		 "name: ev\nID: 42\nformat:\n\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: \"%s\", %s\n",
		 format, expression);
	assert_int_equal(trace_format_parse(&f, text, strlen(text), 8, NULL), 0);
	understood = f.understood;
	out_init_mem(&o);
	if (understood)
		trace_format_print(&f, NULL, false, (const uint8_t *)&raw, sizeof(raw), &o);
	snprintf(to, room, "%s", out_text(&o));
	out_release(&o);
	trace_format_release(&f);
	return understood;
}

static void gives(const char *format, const char *expression, const char *wanted)
{
	char text[256];

	if (!print(format, expression, text, sizeof(text)))
		fail_msg("%s was not understood", expression);
	if (strcmp(text, wanted))
		fail_msg("%s gives %s instead of %s", expression, text, wanted);
}

static void operators_bind_as_in_c(void **state)
{
	gives("%d", "2 + 3 * 4", "14");
	gives("%d", "(2 + 3) * 4", "20");
	gives("%d", "20 / 3 - 1", "5");
	gives("%d", "10 - 4 - 3", "3");
	gives("%d", "1 << 2 + 1", "8");
	gives("%d", "6 & 3 == 3", "0");
	gives("%d", "1 | 6 & 4", "5");
	gives("%d", "6 ^ 3", "5");
	gives("%d", "1 || 0 && 0", "1");
	gives("%d", "-7 % 3", "-1");
	gives("%d", "~0", "-1");
	gives("%d", "!5", "0");
	gives("%d", "0 ? 1 : 2 ? 3 : 4", "3");
}

static void numbers_in_all_bases(void **state)
{
	gives("%d", "0x1F", "31");
	gives("%d", "010", "8");
	gives("%lu", "18446744073709551615UL", "18446744073709551615");
	gives("%d", "'A'", "65");
}

static void fields_are_read_from_the_payload(void **state)
{
	gives("%d", "REC->v * 7", "42");
	gives("%d", "REC->v & 4 ? 10 : 20", "10");
	gives("%s", "REC->v == 6 ? \"six\" : \"else\"", "six");
}

static void casts_cut_and_extend(void **state)
{
	gives("%d", "(u8)300", "44");
	gives("%d", "(s8)255", "-1");
	gives("%llu", "(unsigned long long)(int)-1", "18446744073709551615");
	gives("%u", "(u16)-1", "65535");
}

static void undefined_results_in_c_are_zero(void **state)
{
	gives("%d", "1 / 0", "0");
	gives("%d", "1 % 0", "0");
	gives("%d", "1 << 77", "0");
}

static void names_of_values(void **state)
{
	gives("%s", "__print_symbolic(REC->v, { 5, \"five\" }, { 6, \"six\" })", "six");
	gives("%s", "__print_symbolic(REC->v, { 5, \"five\" })", "0x6");
	gives("%s", "__print_flags(REC->v, \"|\", { 2, \"TWO\" }, { 4, \"FOUR\" })", "TWO|FOUR");
	gives("%s", "__print_flags(REC->v, \"|\", { 2, \"TWO\" })", "TWO|0x4");
}

static void unknown_input_is_refused_as_a_whole(void **state)
{
	static const char *const bad[] = { "2 +", "(2", "REC->nosuch", "f(2)", "2 2", "\"open", "__print_flags(2)" };
	char text[256], deep[1201];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (print("%d", bad[i], text, sizeof(text)))
			fail_msg("'%s' was understood", bad[i]);
	memset(deep, '(', 600);
	deep[600] = '1';
	memset(deep + 601, ')', 599);
	deep[1200] = 0;
	assert_false(print("%d", deep, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(numbers_in_all_bases),
		cmocka_unit_test(fields_are_read_from_the_payload),
		cmocka_unit_test(casts_cut_and_extend),
		cmocka_unit_test(undefined_results_in_c_are_zero),
		cmocka_unit_test(names_of_values),
		cmocka_unit_test(unknown_input_is_refused_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
