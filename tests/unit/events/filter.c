#include "tests/unit/events/fake.h"
#include <cmocka.h>

static struct filter_complaint c;

static void the_kernels_mark_is_read(void **state)
{
	static const struct {
		const char *filter, *shown, *text;
		size_t at;
		const char *word;
	} cases[] = {
		{ "pid > x", "pid > x\n       ^\nparse_error: Invalid value (did you forget quotes)?\n",
		  "Invalid value (did you forget quotes)?", 7, "" },
		{ "nosuch > 1", "nosuch > 1\n       ^\nparse_error: Field not found\n", "Field not found", 0,
		  "nosuch" },
		{ "a > 1 && b < 2", "a > 1 && b < 2\n           ^\nparse_error: Field not found\n", "Field not found",
		  9, "b" },
		{ "(a > 1", "(a > 1\n^\nparse_error: Too many '('\n", "Too many '('", 0, "" },
		{ "a", "a\n                        ^\nparse_error: Invalid operator", "Invalid operator", 1, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(filter_complaint_read(cases[i].filter, cases[i].shown, &c));
		assert_string_equal(c.text, cases[i].text);
		assert_int_equal(c.at, cases[i].at);
		assert_string_equal(c.word, cases[i].word);
	}
}

static void other_texts_are_not_an_error(void **state)
{
	static const char *const texts[] = { "",
					     "none\n",
					     "a == 1\n",
					     "parse_error: x",
					     "a\nparse_error: x\n",
					     "^\nparse_error: \n",
					     "\nparse_error:",
					     "^" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (filter_complaint_read("a == 1", texts[i], &c))
			fail_msg("'%s': %s", texts[i], c.text);
}

static void unknown_fields_are_found_without_the_kernel(void **state)
{
	static const char fields[] = "prev_comm, prev_pid, next_pid";
	static const struct {
		const char *filter;
		const char *word;
		size_t at;
	} bad[] = {
		{ "nosuch == 1", "nosuch", 0 },
		{ "prev_pid > 1 && pid < 2", "pid", 16 },
		{ "(prev_pid > 1 || !(next == 2))", "next", 19 },
		{ "prev_comm == \"a && b\" && c == 1", "c", 25 },
		{ "prev == 1", "prev", 0 },
	};
	static const char *const good[] = { "",
					    "prev_pid == 1",
					    "prev_comm == prev && next_pid & 3",
					    "prev_comm ~ \"*x\" || common_pid != 3",
					    "prev_comm == 'unclosed",
					    "\"",
					    "&&",
					    "1 == 2" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!filter_complaint_find(bad[i].filter, fields, &c))
			fail_msg("'%s' is taken", bad[i].filter);
		assert_string_equal(c.word, bad[i].word);
		assert_int_equal(c.at, bad[i].at);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (filter_complaint_find(good[i], fields, &c))
			fail_msg("'%s': %s", good[i], c.word);
}

static void a_refused_filter_is_explained(void **state)
{
	struct event event = { .name = "sched:sched_switch",
			       .system = "sched",
			       .tp_name = "sched_switch",
			       .filter = "next > 1 && prev_pidd < 2" };
	struct err e = { 0 };

	fake_begin(state);
	fake_tracepoints();
	assert_int_equal(filter_set(&event, -1, &e), -1);
	assert_memory_equal(e.what, "failed to set filter \"next > 1", 30);
	assert_string_equal(e.what + strspn(e.why, " "),
			    "next > 1 && prev_pidd < 2\" on event sched:sched_switch with 9 (Bad file descriptor)");
	assert_string_equal(e.why + strspn(e.why, " "), "\\___ Field not found");
	assert_non_null(strstr(e.fix, "prev_comm, prev_pid"));
	event.filter = "prev_pid > 1 && prev_pidd < 2";
	filter_set(&event, -1, &e);
	assert_int_equal(strspn(e.why, " "), 22 + 16);
	assert_non_null(strstr(e.fix, "did you mean prev_pid?"));
	event.filter = "prev_pid >> 1";
	filter_set(&event, -1, &e);
	assert_string_equal(e.why, "the kernel does not understand the expression");
	fake_end(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_mark_is_read),
		cmocka_unit_test(other_texts_are_not_an_error),
		cmocka_unit_test(unknown_fields_are_found_without_the_kernel),
		cmocka_unit_test(a_refused_filter_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
