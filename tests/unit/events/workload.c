#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/signal.h"
#include "events/caller.h"
#include "events/workload.h"

static struct workload begin(char *const argv[])
{
	struct workload w;
	struct err e = { 0 };

	assert_int_equal(workload_fork(&w, argv, &(struct caller){ 0 }, false, &e), 0);
	assert_true(w.pid > 0);
	assert_false(workload_ended(&w));
	return w;
}

static struct workload start(char *const argv[])
{
	struct workload w = begin(argv);
	struct err e = { 0 };

	assert_int_equal(workload_start(&w, argv[0], &e), 0);
	assert_true(w.cork < 0 && w.report < 0); /* thousands of these would use up the descriptors */
	return w;
}

static void wait_for_end(const struct workload *w)
{
	for (int i = 0; i < 10000 && !workload_ended(w); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(workload_ended(w));
}

static void asking_whether_it_ended_leaves_the_process(void **state)
{
	struct workload w = start((char *[]){ "sh", "-c", "exit 3", NULL });
	pid_t pid = w.pid;

	(void)state;
	wait_for_end(&w);
	assert_true(workload_ended(&w));
	assert_int_equal(w.pid, pid);
	assert_int_equal(kill(pid, 0), 0);
	assert_false(workload_finish(&w)); /* it ended by itself */
	assert_true(WIFEXITED(w.status) && WEXITSTATUS(w.status) == 3);
	assert_int_equal(w.pid, 0);
	assert_int_equal(kill(pid, 0), -1);
	assert_true(workload_ended(&w));
	assert_false(workload_finish(&w));
}

static void a_running_command_is_ended(void **state)
{
	struct workload w = start((char *[]){ "sleep", "1000", NULL });

	(void)state;
	assert_true(workload_finish(&w));
	assert_true(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGTERM);
}

static void a_command_that_never_started_is_ended(void **state)
{
	(void)state;
	/* More than once: it must not end by itself first, because nobody would start it any more. */
	for (int i = 0; i < 50; i++) {
		struct workload w = begin((char *[]){ "true", NULL });

		assert_true(workload_finish(&w));
		assert_true(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGKILL);
	}
}

static void a_missing_program_has_its_exit_code(void **state)
{
	char *argv[] = { "/nowhere/program", NULL };
	struct workload w = begin(argv);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(workload_start(&w, argv[0], &e), -1);
	assert_int_equal(e.exit_code, 127);
	wait_for_end(&w);
	workload_finish(&w);
	assert_true(WIFEXITED(w.status) && WEXITSTATUS(w.status) == 127);
}

static void a_file_that_is_no_program_has_its_exit_code(void **state)
{
	char *argv[] = { "/proc/self/status", NULL };
	struct workload w = begin(argv);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(workload_start(&w, argv[0], &e), -1);
	assert_int_equal(e.exit_code, 126);
	wait_for_end(&w);
	workload_finish(&w);
	assert_true(WIFEXITED(w.status) && WEXITSTATUS(w.status) == 126);
}

/* When the parent dies, nobody measures the command: it must not run. */
static void without_its_parent_it_does_not_start(void **state)
{
	struct workload w = begin((char *[]){ "sh", "-c", "exit 3", NULL });

	(void)state;
	close(w.cork);
	w.cork = -1;
	wait_for_end(&w);
	workload_finish(&w);
	assert_true(WIFEXITED(w.status) && WEXITSTATUS(w.status) == 126);
}

/* Before it starts, it has the name that perf's recordings have, not ours. */
static void it_waits_under_the_name_of_perf(void **state)
{
	struct workload w = begin((char *[]){ "true", NULL });
	char path[64], comm[32] = "";

	(void)state;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)w.pid);
	for (int i = 0; i < 10000 && strcmp(comm, "perf-exec") != 0; i++) {
		assert_true(file_read_line(path, comm, sizeof(comm)) >= 0);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_string_equal(comm, "perf-exec");
	workload_finish(&w);
}

/* If our standard output has the recording, the command must not write into it. */
static void its_output_goes_to_stderr_if_stdout_is_taken(void **state)
{
	char text[32] = "";
	struct err e = { 0 };
	struct workload w;
	int fds[2], old = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	dup2(fds[1], STDERR_FILENO);
	assert_int_equal(workload_fork(&w, (char *[]){ "echo", "here", NULL }, &(struct caller){ 0 }, true, &e), 0);
	dup2(old, STDERR_FILENO);
	close(old);
	close(fds[1]);
	assert_int_equal(workload_start(&w, "echo", &e), 0);
	assert_int_equal(read(fds[0], text, sizeof(text)), 5); /* 0: the far end is closed, nothing came */
	assert_string_equal(text, "here\n");
	close(fds[0]);
	wait_for_end(&w);
	workload_finish(&w);
}

/* ---- commands that do not end at once ---- */

static void a_stopped_command_is_ended(void **state)
{
	struct workload w = start((char *[]){ "sleep", "1000", NULL });
	int status;

	(void)state;
	kill(w.pid, SIGSTOP);
	assert_int_equal(waitpid(w.pid, &status, WUNTRACED), w.pid);
	assert_true(WIFSTOPPED(status));
	assert_true(workload_finish(&w));
	assert_true(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGTERM);
}

/* Start a shell with a handler of SIGTERM, which is installed when this returns. */
static struct workload start_handler(const char *handler)
{
	autofree char *script = xasprintf("trap '%s' TERM; echo >&2; while :; do sleep 0.02; done", handler);
	struct err e = { 0 };
	struct workload w;
	int fds[2], old = dup(STDERR_FILENO);
	char byte;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	dup2(fds[1], STDERR_FILENO);
	assert_int_equal(workload_fork(&w, (char *[]){ "sh", "-c", script, NULL }, &(struct caller){ 0 }, false, &e),
			 0);
	dup2(old, STDERR_FILENO);
	close(old);
	close(fds[1]);
	assert_int_equal(workload_start(&w, "sh", &e), 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	return w;
}

static void nothing(int sig) {}
static void ask_to_stop(int sig) { stop_requested = SIGINT; }

static void alarm_in(int ms, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler }; /* no SA_RESTART */
	struct itimerval timer = { .it_value.tv_usec = ms * 1000, .it_interval.tv_usec = ms * 1000 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void no_alarm(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	signal(SIGALRM, SIG_DFL);
}

/* The first signal that asked us to stop ends the command in peace, whatever other signals come. */
static void a_command_may_take_its_time_to_end(void **state)
{
	struct workload w = start_handler("sleep 0.2; exit 5");

	(void)state;
	stop_requested = SIGINT;
	alarm_in(20, nothing);
	assert_true(workload_finish(&w));
	no_alarm();
	assert_true(WIFEXITED(w.status) && WEXITSTATUS(w.status) == 5);
	assert_int_equal(stop_requested, SIGINT);
	stop_requested = 0;
}

static void another_request_to_stop_kills_it(void **state)
{
	struct workload w = start_handler(":");

	(void)state;
	alarm_in(50, ask_to_stop);
	assert_true(workload_finish(&w));
	no_alarm();
	assert_true(WIFSIGNALED(w.status) && WTERMSIG(w.status) == SIGKILL);
	assert_int_equal(stop_requested, SIGINT);
	stop_requested = 0;
}

static void no_command_has_ended(void **state)
{
	struct workload w;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(workload_fork(&w, NULL, &(struct caller){ 0 }, false, &e), 0);
	assert_int_equal(workload_start(&w, NULL, &e), 0);
	assert_true(workload_ended(&w));
	assert_false(workload_finish(&w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asking_whether_it_ended_leaves_the_process),
		cmocka_unit_test(a_running_command_is_ended),
		cmocka_unit_test(a_command_that_never_started_is_ended),
		cmocka_unit_test(a_missing_program_has_its_exit_code),
		cmocka_unit_test(a_file_that_is_no_program_has_its_exit_code),
		cmocka_unit_test(without_its_parent_it_does_not_start),
		cmocka_unit_test(it_waits_under_the_name_of_perf),
		cmocka_unit_test(its_output_goes_to_stderr_if_stdout_is_taken),
		cmocka_unit_test(a_stopped_command_is_ended),
		cmocka_unit_test(a_command_may_take_its_time_to_end),
		cmocka_unit_test(another_request_to_stop_kills_it),
		cmocka_unit_test(no_command_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
