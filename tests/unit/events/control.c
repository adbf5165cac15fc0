#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

#include "events/control.h"

struct ends {
	int in[2], back[2];
	struct control c;
};

static struct ends connect_both(void)
{
	struct ends ends;
	struct err e = { 0 };
	char spec[64];

	assert_int_equal(pipe(ends.in), 0);
	assert_int_equal(pipe(ends.back), 0);
	snprintf(spec, sizeof(spec), "fd:%d,%d", ends.in[0], ends.back[1]);
	assert_int_equal(control_open(&ends.c, spec, &e), 0);
	return ends;
}

static void disconnect(struct ends *ends)
{
	control_close(&ends->c);
	close(ends->in[0]);
	close(ends->in[1]);
	close(ends->back[0]);
	close(ends->back[1]);
}

static void send(const struct ends *ends, const char *text, size_t len)
{
	assert_int_equal(write(ends->in[1], text, len), (ssize_t)len);
}

static void commands_end_with_newline_or_nul(void **state)
{
	struct ends ends = connect_both();
	struct control_command got;

	assert_int_equal(control_next(&ends.c, &got), 0);
	send(&ends, "enable\ndisable cpu-clock\0pi", 27);
	assert_int_equal(control_next(&ends.c, &got), 1);
	assert_int_equal(got.word, CONTROL_ENABLE);
	assert_string_equal(got.rest, "");
	assert_int_equal(control_next(&ends.c, &got), 1);
	assert_int_equal(got.word, CONTROL_DISABLE);
	assert_string_equal(got.rest, " cpu-clock");
	assert_int_equal(control_next(&ends.c, &got), 0);
	send(&ends, "ng\n", 3);
	assert_int_equal(control_next(&ends.c, &got), 1);
	assert_int_equal(got.word, CONTROL_PING);
	disconnect(&ends);
}

static void unknown_or_too_long_lines_are_skipped(void **state)
{
	struct ends ends = connect_both();
	struct control_command got;
	char text[300];

	memset(text, 'e', sizeof(text));
	memcpy(text, "stop", 4); /* the start of a line that is too long is no command either */
	text[sizeof(text) - 1] = '\n';
	send(&ends, "bogus\n\n\0", 8);
	send(&ends, text, sizeof(text));
	send(&ends, "evlist -v\n", 10);
	assert_int_equal(control_next(&ends.c, &got), 1);
	assert_int_equal(got.word, CONTROL_EVLIST);
	assert_string_equal(got.rest, " -v");
	disconnect(&ends);
}

static void acknowledgements_have_five_bytes(void **state)
{
	struct ends ends = connect_both();
	char answer[16];

	control_ack(&ends.c);
	assert_int_equal(read(ends.back[0], answer, sizeof(answer)), 5);
	assert_memory_equal(answer, "ack\n", 5);
	disconnect(&ends);
}

static void the_end_is_told(void **state)
{
	struct ends ends = connect_both();
	struct control_command got;

	close(ends.in[1]);
	assert_int_equal(control_next(&ends.c, &got), -1);
	ends.in[1] = -1;
	disconnect(&ends);
}

static void descriptors_are_not_passed_on(void **state)
{
	struct ends ends = connect_both();

	assert_true(fcntl(ends.in[0], F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(ends.back[1], F_GETFD) & FD_CLOEXEC);
	disconnect(&ends);
}

static void bad_places(void **state)
{
	static const char *const bad[] = { "",      "x",     "fd",       "fd:",
					   "fd:x",  "fd:-1", "fd:99999", "fd:99999999999",
					   "fd:0,", "fifo:", "fifo:/",   "fifo:/nowhere/x" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct control c;
		struct err e = { 0 };

		assert_int_equal(control_open(&c, bad[i], &e), -1);
		assert_int_equal(e.exit_code, 129);
		assert_true(e.what[0]);
		assert_int_equal(c.fd, -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_end_with_newline_or_nul),
		cmocka_unit_test(unknown_or_too_long_lines_are_skipped),
		cmocka_unit_test(acknowledgements_have_five_bytes),
		cmocka_unit_test(the_end_is_told),
		cmocka_unit_test(descriptors_are_not_passed_on),
		cmocka_unit_test(bad_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
