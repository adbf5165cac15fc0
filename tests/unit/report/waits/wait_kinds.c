#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "report/waits/waits_priv.h"

enum { DEEP = 8 };

/* A chain of kernel functions, innermost first, ended by NULL; "user" begins user code. */
#define chain(...) made_chain((const char *const[]){ __VA_ARGS__, NULL })
static const struct calls *made_chain(const char *const *names)
{
	static struct call items[DEEP];
	static struct calls calls;
	bool kernel = true;

	calls = (struct calls){ .items = items };
	for (; *names; names++) {
		if (!strcmp(*names, "user"))
			kernel = false;
		else
			items[calls.len++] = (struct call){ .name = **names ? *names : NULL, .kernel = kernel };
	}
	return &calls;
}

static void the_outermost_known_function_decides(void **state)
{
	struct waits w = { 0 };

	assert_int_equal(wait_kind_of(&w, chain("schedule", "futex_wait_queue", "do_futex")), WAIT_LOCK);
	assert_int_equal(wait_kind_of(&w, chain("io_schedule", "filemap_fault", "exc_page_fault")), WAIT_FAULT);
	assert_int_equal(wait_kind_of(&w, chain("io_schedule_timeout", "", "ksys_read")), WAIT_IO);
	assert_int_equal(wait_kind_of(&w, chain("schedule", "worker_thread")), WAIT_OTHER);
	assert_int_equal(wait_kind_of(&w, chain("schedule", "user", "do_wait")), WAIT_OTHER);
	/* names without a star must match as a whole */
	assert_int_equal(wait_kind_of(&w, chain("do_wait_for_common")), WAIT_OTHER);
}

static void an_idle_kernel_thread_waits_in_its_main_function(void **state)
{
	assert_true(wait_is_idle_kthread(chain("__schedule", "schedule", "kswapd", "kthread", "ret_from_fork")));
	assert_true(wait_is_idle_kthread(chain("schedule", "wait_for_work", "rcu_gp_kthread", "kthread")));
	assert_false(wait_is_idle_kthread(chain("schedule", "io_schedule", "write_page", "kswapd", "kthread")));
	assert_false(wait_is_idle_kthread(chain("schedule", "kthread")));
	assert_false(wait_is_idle_kthread(chain("schedule", "do_wait")));
	assert_false(wait_is_idle_kthread(chain("schedule", "", "kthread")));
}

static void a_clock_ends_a_wait_only_in_an_interrupt(void **state)
{
	assert_int_equal(wait_end_of(chain("try_to_wake_up", "hrtimer_wakeup"), true), WAIT_END_CLOCK);
	assert_int_equal(wait_end_of(chain("try_to_wake_up", "hrtimer_wakeup"), false), WAIT_END_ORDINARY);
	assert_int_equal(wait_end_of(chain("signal_wake_up", "zap_other_threads"), false), WAIT_END_DEATH);
	assert_int_equal(wait_end_of(chain("try_to_wake_up", "pipe_write"), false), WAIT_END_ORDINARY);
}

static int read_kinds(struct waits *w, const char *text, struct err *e)
{
	char path[] = "/tmp/strobe-wait-kinds-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	rc = wait_kinds_read(w, path, e);
	unlink(path);
	return rc;
}

static void release(struct waits *w)
{
	vec_free(&w->kinds);
	strtab_free(&w->names);
}

static void the_users_functions_come_first(void **state)
{
	struct waits w = { 0 };
	struct err e = { 0 };

	assert_int_equal(read_kinds(&w, "# mine\n\nmy_wait*\tIO\ndo_futex  idle and more\n", &e), 0);
	assert_int_equal(wait_kind_of(&w, chain("schedule", "my_wait_for_it")), WAIT_IO);
	assert_int_equal(wait_kind_of(&w, chain("schedule", "do_futex")), WAIT_IDLE);
	assert_int_equal(wait_kind_of(&w, chain("schedule", "futex_wait_queue")), WAIT_LOCK);
	release(&w);
}

static void a_bad_line_is_named_by_its_number(void **state)
{
	struct waits w = { 0 };
	struct err e = { 0 };

	assert_int_equal(read_kinds(&w, "a lock\n\n\nb sleep\n", &e), -1);
	assert_non_null(strstr(e.what, "line 4 of"));
	release(&w);
	w = (struct waits){ 0 };
	assert_int_equal(read_kinds(&w, "a\n", &e), -1);
	assert_non_null(strstr(e.what, "line 1 of"));
	release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_outermost_known_function_decides),
		cmocka_unit_test(an_idle_kernel_thread_waits_in_its_main_function),
		cmocka_unit_test(a_clock_ends_a_wait_only_in_an_interrupt),
		cmocka_unit_test(the_users_functions_come_first),
		cmocka_unit_test(a_bad_line_is_named_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
