#include "report/script/print_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Apply the lists in turn; the last one may fail with this exit status. Return the warnings. */
static const char *apply(struct print_fields *f, const char *const *lists, int status)
{
	static struct out warnings;
	struct err e = { 0 };

	out_release(&warnings);
	print_fields_init(f);
	for (; *lists; lists++) {
		int rc = print_fields_parse(f, *lists, &warnings, &e);

		assert_int_equal(rc, status && !lists[1] ? -1 : 0);
	}
	assert_int_equal(e.exit_code, status);
	return out_text(&warnings);
}
#define APPLY(f, status, ...) apply((f), (const char *const[]){ __VA_ARGS__, NULL }, (status))

static void the_usual_fields_depend_on_the_kind(void **state)
{
	struct print_fields f;

	print_fields_init(&f);
	assert_true(f.shown[PRINT_HARDWARE] & BIT(IP));
	assert_true(f.shown[PRINT_HARDWARE] & BIT(PERIOD));
	assert_false(f.shown[PRINT_HARDWARE] & BIT(ADDR));
	assert_true(f.shown[PRINT_RAW] & BIT(ADDR));
	assert_true(f.shown[PRINT_TRACEPOINT] & BIT(TRACE));
	assert_false(f.shown[PRINT_TRACEPOINT] & BIT(IP));
	assert_int_equal(f.asked[PRINT_HARDWARE], 0);
}

static void a_list_replaces_the_fields_of_every_kind(void **state)
{
	struct print_fields f;
	const char *warnings = APPLY(&f, 0, "comm,tid,trace");

	assert_int_equal(f.shown[PRINT_SOFTWARE], BIT(COMM) | BIT(TID));
	assert_int_equal(f.shown[PRINT_TRACEPOINT], BIT(COMM) | BIT(TID) | BIT(TRACE));
	assert_int_equal(f.asked[PRINT_SOFTWARE], f.shown[PRINT_SOFTWARE]);
	assert_non_null(strstr(warnings, "'trace' not valid for hardware, software, "));
	assert_null(strstr(warnings, "tracepoint"));
	assert_ptr_equal(strchr(warnings, '\n'), warnings + strlen(warnings) - 1); /* one line for all kinds */
}

static void a_prefix_chooses_one_kind(void **state)
{
	struct print_fields f;

	APPLY(&f, 0, "sw:comm", "trace:");
	assert_int_equal(f.shown[PRINT_SOFTWARE], BIT(COMM));
	assert_int_equal(f.asked[PRINT_SOFTWARE], 0);
	assert_int_equal(f.shown[PRINT_TRACEPOINT], 0);
	assert_true(f.must_exist[PRINT_TRACEPOINT]);
	assert_false(f.must_exist[PRINT_SOFTWARE]);
	assert_true(f.shown[PRINT_HARDWARE] & BIT(IP));
}

static void plus_and_minus_change_what_was_there(void **state)
{
	struct print_fields f;

	APPLY(&f, 0, "+misc,-comm", "raw:-addr");
	assert_true(f.shown[PRINT_SOFTWARE] & BIT(MISC));
	assert_true(f.asked[PRINT_SOFTWARE] & BIT(MISC));
	assert_false(f.shown[PRINT_SOFTWARE] & BIT(COMM));
	assert_false(f.shown[PRINT_RAW] & BIT(ADDR));
	assert_true(f.chosen[PRINT_TRACEPOINT]);
	APPLY(&f, 0, "+flags");
	assert_false(f.chosen[PRINT_TRACEPOINT]);
}

static void a_later_list_overrides_and_says_so(void **state)
{
	struct print_fields f;

	assert_string_equal(APPLY(&f, 0, "comm", "tid"), "Overriding previous field request for all events.\n");
	assert_int_equal(f.shown[PRINT_SOFTWARE], BIT(TID));
	assert_string_equal(APPLY(&f, 0, "comm", "sw:tid"), "Overriding previous field request for software events.\n");
	assert_int_equal(f.shown[PRINT_SOFTWARE], BIT(TID));
	assert_int_equal(f.shown[PRINT_HARDWARE], BIT(COMM));
}

static void empty_words_are_passed_over(void **state)
{
	struct print_fields f;

	APPLY(&f, 0, "comm,,tid,");
	assert_int_equal(f.shown[PRINT_SOFTWARE], BIT(COMM) | BIT(TID));
}

static void nonsense_is_bad_usage(void **state)
{
	struct print_fields f;

	APPLY(&f, 129, "bogus");
	APPLY(&f, 129, "comm,bogus");
	APPLY(&f, 129, " comm");
	APPLY(&f, 129, "");
	APPLY(&f, 129, "foo:comm");
	APPLY(&f, 129, ":comm");
	APPLY(&f, 129, "sw:trace");
	APPLY(&f, 129, "comm,+tid");
	APPLY(&f, 129, "+tid,comm");
	APPLY(&f, 129, "+");
}

static void lists_of_fields_differ_from_other_words(void **state)
{
	assert_true(print_fields_are("comm"));
	assert_true(print_fields_are("comm,ip,sym"));
	assert_false(print_fields_are("comm,"));
	assert_false(print_fields_are(""));
	assert_false(print_fields_are("perf.data"));
	assert_false(print_fields_are("+comm"));
}

static void every_field_has_a_name_of_its_own(void **state)
{
	for (unsigned i = 0; i < FIELDS; i++) {
		assert_non_null(print_field_table[i].name);
		assert_true(print_fields_are(print_field_table[i].name));
		assert_true(!print_field_table[i].needs == !print_field_table[i].needs_name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(print_field_table[i].name, print_field_table[k].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_fields_depend_on_the_kind),
		cmocka_unit_test(a_list_replaces_the_fields_of_every_kind),
		cmocka_unit_test(a_prefix_chooses_one_kind),
		cmocka_unit_test(plus_and_minus_change_what_was_there),
		cmocka_unit_test(a_later_list_overrides_and_says_so),
		cmocka_unit_test(empty_words_are_passed_over),
		cmocka_unit_test(nonsense_is_bad_usage),
		cmocka_unit_test(lists_of_fields_differ_from_other_words),
		cmocka_unit_test(every_field_has_a_name_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
