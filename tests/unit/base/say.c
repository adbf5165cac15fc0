#include "base/say.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct out o;

static void expect(const char *text)
{
	assert_string_equal(out_text(&o), text);
	o.len = 0;
}

static void errors_have_up_to_three_lines(void **state)
{
	struct err e = { 0 };

	out_init_mem(&o);
	err_set(&e, "cannot open 'a\nb'");
	err_print(&o, "strobe record", &e);
	expect("strobe record: cannot open 'a\\x0ab'\n");
	err_why(&e, "it hides");
	err_try(&e, "look");
	err_print(&o, "strobe record", &e);
	expect("strobe record: cannot open 'a\\x0ab'\n  why: it hides\n  try: look\n");
	err_set(&e, "  Error: unknown switch `x'");
	err_print(&o, "strobe", &e);
	expect("  Error: unknown switch `x'\n");
	err_set(&e, "event syntax error: 'x'");
	err_why(&e, "     \\___ unknown");
	err_print(&o, "strobe", &e);
	expect("event syntax error: 'x'\n     \\___ unknown\n");
	out_release(&o);
}

static void messages_are_whole_escaped_lines(void **state)
{
	int fds[2], saved = dup(STDERR_FILENO);
	char text[200];
	ssize_t len;

	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	say("lost '%s'", "a\x1b[0m");
	say_verbose(1, "hidden");
	set_verbosity(1);
	say_verbose(1, "shown");
	set_verbosity(-1);
	say("quiet");
	set_verbosity(0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	len = read(fds[0], text, sizeof(text) - 1);
	assert_true(len > 0);
	text[len] = '\0';
	assert_string_equal(text, "lost 'a\\x1b[0m'\nshown\n");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_up_to_three_lines),
		cmocka_unit_test(messages_are_whole_escaped_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
