#include "base/signal.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void stop_signals_set_the_flag(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT };

	signal(SIGHUP, SIG_DFL);
	stop_on_signals();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		stop_requested = 0;
		raise(signals[i]);
		assert_int_equal(stop_requested, signals[i]);
	}
	raise(SIGHUP);
	assert_int_equal(stop_requested, SIGHUP);
}

static void ignored_hangup_stays_ignored(void **state)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	stop_on_signals();
	stop_requested = 0;
	raise(SIGHUP);
	assert_int_equal(stop_requested, 0);
	raise(SIGINT);
	assert_int_equal(stop_requested, SIGINT);
}

static void closed_pipes_are_errors_here_and_deaths_in_children(void **state)
{
	int fds[2], status;
	pid_t pid;

	signal(SIGPIPE, SIG_DFL);
	ignore_sigpipe();
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(write(fds[1], "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	pid = fork();
	if (!pid) {
		execlp("sh", "sh", "-c", "kill -PIPE $$", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stop_signals_set_the_flag),
		cmocka_unit_test(ignored_hangup_stays_ignored),
		cmocka_unit_test(closed_pipes_are_errors_here_and_deaths_in_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
