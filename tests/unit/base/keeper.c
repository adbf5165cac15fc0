#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "base/file.h"
#include "base/keeper.h"

/* What the keeper did: it appends its lines to this file. */
static char log_path[] = "/tmp/keeper-test.XXXXXX";

static bool write_lines(struct keeper_lines *lines)
{
	autoclose int fd = open(log_path, O_WRONLY | O_APPEND);

	for (size_t i = 0; i < lines->len; i++)
		dprintf(fd, "%s;", lines->items[i]);
	return true;
}

static void expect_log(const char *text)
{
	for (int i = 0;; i++) {
		autofree char *got = file_read(log_path, 4096, NULL, NULL);

		if (!strcmp(got, text) || i == KEEPER_TRIES) {
			assert_string_equal(got, text);
			break;
		}
		keeper_pause(i);
	}
	assert_int_equal(truncate(log_path, 0), 0);
}

static struct keeper *started(void)
{
	struct err e = { 0 };
	struct keeper *k = keeper_start("keeper-test", "the tests", write_lines, &e);

	assert_non_null(k);
	assert_int_equal(keeper_hold(k, "one", &e), 0);
	assert_int_equal(keeper_hold(k, "two words", &e), 0);
	return k;
}

static void lines_are_done_at_the_end(void **state)
{
	keeper_end(started());
	expect_log("one;two words;");
	keeper_end(NULL);
}

static void a_killed_user_is_tidied_up_after(void **state)
{
	pid_t pid = fork();

	if (!pid) {
		started();
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	expect_log("one;two words;");
}

static bool write_number(struct keeper_lines *lines)
{
	autoclose int fd = open(log_path, O_WRONLY | O_APPEND);

	dprintf(fd, "%zu, last %s", lines->len, lines->items[lines->len - 1]);
	return true;
}

static void no_line_is_lost_among_many(void **state)
{
	struct err e = { 0 };
	struct keeper *k = keeper_start("keeper-test", "the tests", write_number, &e);

	assert_non_null(k);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(keeper_hold(k, i < 4999 ? "a line" : "the last line", &e), 0);
	keeper_end(k);
	expect_log("5000, last the last line");
}

static int count(void *ctx, struct keeper_lines *lines, struct err *e)
{
	*(size_t *)ctx += lines->len;
	return 1;
}

static void the_living_leave_nothing_over(void **state)
{
	struct keeper *k = started();
	size_t n = 0;

	if (geteuid() == 0) {
		assert_int_equal(keeper_leftovers("keeper-test", "the tests", count, &n, NULL), 0);
		assert_int_equal(n, 0);
	}
	keeper_end(k);
	expect_log("one;two words;");
}

static int note_began(void *ctx, struct keeper_lines *lines, struct err *e)
{
	*(uint64_t *)ctx = lines->began;
	return 1;
}

static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void leftovers_say_when_their_keeper_began(void **state)
{
	autofree char *path = xasprintf("/run/strobe/keeper-test.%d.77", ended_process());
	uint64_t began = 0;
	int fd;

	if (access("/run", W_OK) < 0)
		skip();        /* keepers of root leave files there */
	keeper_end(started()); /* makes the directory */
	expect_log("one;two words;");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	dprintf(fd, "77\na line\n");
	close(fd);
	assert_int_equal(keeper_leftovers("keeper-test", "the tests", note_began, &began, NULL), 0);
	assert_int_equal(began, 77);
	assert_int_equal(access(path, F_OK), -1);
}

/* The user started the keeper: who began later has got the user's pid. */
static void a_later_process_is_not_the_user(void **state)
{
	assert_false(keeper_user_lives(&(struct keeper_lines){ .began = 1 }, getpid()));
	assert_true(keeper_user_lives(&(struct keeper_lines){ .began = UINT64_MAX }, getpid()));
	assert_true(keeper_user_lives(&(struct keeper_lines){ .began = 0 }, getpid()));
	assert_false(keeper_user_lives(&(struct keeper_lines){ .began = UINT64_MAX }, ended_process()));
}

static int make_log(void **state)
{
	int fd = mkstemp(log_path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_log(void **state) { return unlink(log_path); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_done_at_the_end),
		cmocka_unit_test(a_killed_user_is_tidied_up_after),
		cmocka_unit_test(no_line_is_lost_among_many),
		cmocka_unit_test(the_living_leave_nothing_over),
		cmocka_unit_test(leftovers_say_when_their_keeper_began),
		cmocka_unit_test(a_later_process_is_not_the_user),
	};

	return cmocka_run_group_tests(tests, make_log, remove_log);
}
