#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/file.h"
#include "record/tracefs/instance.h"

static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/*
 * Make what a run and its keeper leave if both are killed, with directories in place of tracefs. Prune, and return
 * whether the instance is gone.
 */
static bool pruned(pid_t user, uint64_t keeper_began)
{
	char dir[] = "/tmp/instance-test.XXXXXX";
	autofree char *file = xasprintf("/run/strobe/tracefs.%d", ended_process());
	autofree char *instances = NULL, *instance = NULL;
	struct err e = { 0 };
	FILE *left;
	bool gone;

	assert_non_null(mkdtemp(dir));
	instances = xasprintf("%s/instances", dir);
	instance = xasprintf("%s/strobe-%d-0", instances, user);
	assert_int_equal(mkdir(instances, 0700), 0);
	assert_int_equal(mkdir(instance, 0700), 0);
	assert_true(mkdir("/run/strobe", 0700) == 0 || errno == EEXIST);
	left = fopen(file, "wx");
	assert_non_null(left);
	fprintf(left, "%llu\ni %s\n", (unsigned long long)keeper_began, instance);
	assert_int_equal(fclose(left), 0);

	instance_prune(&e);
	gone = access(instance, F_OK) < 0;
	assert_int_equal(access(file, F_OK) < 0, gone);
	unlink(file);
	rmdir(instance);
	rmdir(instances);
	rmdir(dir);
	return gone;
}

static void a_later_process_with_the_pid_keeps_no_instance(void **state)
{
	if (access("/run", W_OK) < 0)
		skip(); /* keepers of root leave files there */
	assert_true(pruned(ended_process(), 1));
	assert_true(pruned(getpid(), 1)); /* we began after this keeper: its user had our pid before us */
	assert_false(pruned(getpid(), UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_later_process_with_the_pid_keeps_no_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
