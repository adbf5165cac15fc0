/* Format strings: which conversions are understood, and how they are taken apart. */
#include "tests/unit/report/tracepoint/printed.h"

static void a_conversion_is_taken_apart(void **state)
{
	static const struct {
		const char *text;
		struct trace_piece piece;
	} cases[] = {
		{ "%d", { .conversion = 'd', .width = -1, .precision = -1, .number_size = 4, .number_signed = true } },
		{ "%-8.3s", { .conversion = 's', .width = 8, .precision = 3, .left = true, .number_size = 4 } },
		{ "%08llx",
		  { .conversion = 'x', .width = 8, .precision = -1, .zero = true, .length = 'L', .number_size = 8 } },
		{ "%hhu", { .conversion = 'u', .width = -1, .precision = -1, .length = 'H', .number_size = 1 } },
		{ "%+hi",
		  { .conversion = 'i',
		    .width = -1,
		    .precision = -1,
		    .plus = true,
		    .length = 'h',
		    .number_size = 2,
		    .number_signed = true } },
		{ "%#lo",
		  { .conversion = 'o',
		    .width = -1,
		    .precision = -1,
		    .alternate = true,
		    .length = 'l',
		    .number_size = 8 } },
		{ "% .X", { .conversion = 'X', .width = -1, .precision = 0, .blank = true, .number_size = 4 } },
		{ "%zu", { .conversion = 'u', .width = -1, .precision = -1, .length = 'l', .number_size = 8 } },
		{ "%99999u", { .conversion = 'u', .width = 4096, .precision = -1, .number_size = 4 } },
		{ "%pI6c", { .conversion = 'p', .pointer = "I6", .width = -1, .precision = -1, .number_size = 4 } },
		{ "%pISpc",
		  { .conversion = 'p', .pointer = { 'I', 'S', 'p' }, .width = -1, .precision = -1, .number_size = 4 } },
		{ "%pSR", { .conversion = 'p', .pointer = "S", .width = -1, .precision = -1, .number_size = 4 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct trace_piece *want = &cases[i].piece, *is;
		struct trace_format f;
		char print[64];

		snprintf(print, sizeof(print), "\"%s\", REC->wide + 1", cases[i].text);
		printed_parse(&f, print);
		if (!f.understood || f.pieces.len != 1)
			fail_msg("%s is not one conversion", cases[i].text);
		is = &f.pieces.items[0];
		if (is->conversion != want->conversion || is->width != want->width ||
		    is->precision != want->precision || is->left != want->left || is->zero != want->zero ||
		    is->alternate != want->alternate || is->plus != want->plus || is->blank != want->blank ||
		    is->length != want->length || memcmp(is->pointer, want->pointer, 3) ||
		    is->number_size != want->number_size || is->number_signed != want->number_signed)
			fail_msg("%s is read as something else", cases[i].text);
		assert_null(is->text);
		assert_int_not_equal(is->arg, 0);
		trace_format_release(&f);
	}
}

static void text_lies_between_conversions(void **state)
{
	struct printed_payload raw = { .number = 6, .small = 7 };

	printed(&raw, "\"\"", "");
	printed(&raw, "\"100%%\"", "100%");
	printed(&raw, "\"a=%d, b=%u!\", REC->number, REC->small", "a=6, b=7!");
	printed(&raw, "\"\\tx\"", "\\x09x"); /* control bytes are escaped */
}

static void unknown_input_is_refused_as_a_whole(void **state)
{
	static const char *const refused[] = {
		"\"%y\", 1", "\"%\"", "\"%d\"", "\"%d\", 1, 2", "\"%*d\", 1", "\"%l\", 1", "\"%d\" 1", "REC->number",
	};

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		printed(NULL, refused[i], NULL);
}

static void fields_are_read_where_they_lie(void **state)
{
	static const struct {
		const char *argument;
		unsigned size, offset;
		bool is_signed;
	} cases[] = {
		{ "REC->number", 4, offsetof(struct printed_payload, number), true },
		{ "(u32)REC->number", 4, offsetof(struct printed_payload, number), false },
		{ "(unsigned long)REC->half", 2, offsetof(struct printed_payload, half), false },
		{ "(int)REC->tiny", 1, offsetof(struct printed_payload, tiny), true },
		{ "(u16)REC->tiny", 0, 0, false }, /* changes the value */
		{ "(u8)REC->wide", 0, 0, false },
		{ "REC->number + 1", 0, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct trace_direct *d;
		struct trace_format f;
		char print[64];

		snprintf(print, sizeof(print), "\"%%d\", %s", cases[i].argument);
		printed_parse(&f, print);
		assert_true(f.understood);
		d = &f.pieces.items[0].direct;
		if (d->size != cases[i].size ||
		    (d->size && (d->offset != cases[i].offset || d->is_signed != cases[i].is_signed)))
			fail_msg("%s is read at %u, %u bytes", cases[i].argument, d->offset, d->size);
		trace_format_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_conversion_is_taken_apart),
		cmocka_unit_test(text_lies_between_conversions),
		cmocka_unit_test(unknown_input_is_refused_as_a_whole),
		cmocka_unit_test(fields_are_read_where_they_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
