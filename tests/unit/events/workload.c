#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

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
	struct workload w = begin((char *[]){ "true", NULL });

	(void)state;
	assert_true(workload_finish(&w));
}

static void a_missing_program_has_its_exit_code(void **state)
{
	char *argv[] = { "/nowhere/program", NULL };
	struct workload w = begin(argv);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(workload_start(&w, argv[0], &e), -1);
	assert_int_equal(e.exit_code, 127);
	workload_finish(&w);
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
		cmocka_unit_test(no_command_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
