/* Without memory, each failed allocation ends the program with one line. */
#include "base/err.h"
#include "base/mem.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

void *__libc_malloc(size_t size);

static int needs_our_malloc(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	print_message("skipped: the sanitizer's malloc is another one\n");
	exit(77);
#endif
	return 0;
}

/* Use up all memory, down to the smallest blocks; only the stack has some left. */
static void exhaust(void)
{
	struct rlimit none = { 0 };
	char stack[64 << 10];

	explicit_bzero(stack, sizeof(stack));
	setrlimit(RLIMIT_AS, &none);
	for (size_t size = 1 << 20; size >= 16; size /= 2)
		while (__libc_malloc(size))
			;
}

static void *ask_for_more(void *barrier)
{
	pthread_barrier_wait(barrier);
	while (xmalloc(100))
		;
	return NULL;
}

static void fail_alone(void)
{
	exhaust();
	free(xmalloc(100));
}

static void fail_in_threads(void)
{
	pthread_barrier_t barrier;
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_for_more, &barrier), 0);
	exhaust();
	ask_for_more(&barrier);
}

static void no_more_at_the_end(void) { free(xmalloc(200)); }

static void fail_at_the_end(void)
{
	atexit(no_more_at_the_end);
	fail_alone();
}

static void ends_with_one_line(void (*run_out)(void))
{
	char said[1000] = "";
	ssize_t n;
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		dup2(pipes[1], STDERR_FILENO);
		run_out();
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = read(pipes[0], said, sizeof(said) - 1);
	close(pipes[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILED);
	assert_true(n > 0 && strstr(said, ": out of memory: cannot get 100 bytes\n"));
	assert_ptr_equal(strchr(said, '\n'), said + n - 1);
}

static void a_failed_allocation_ends_the_program(void **state) { ends_with_one_line(fail_alone); }
static void one_of_several_threads_says_it(void **state) { ends_with_one_line(fail_in_threads); }
static void another_one_at_the_end_does_not_wait(void **state) { ends_with_one_line(fail_at_the_end); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_allocation_ends_the_program),
		cmocka_unit_test(one_of_several_threads_says_it),
		cmocka_unit_test(another_one_at_the_end_does_not_wait),
	};

	return cmocka_run_group_tests(tests, needs_our_malloc, NULL);
}
