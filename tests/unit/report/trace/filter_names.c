#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include "report/trace/trace.h"

static void expect(const char *event, const char *filter, const char *text)
{
	struct err e = { 0 };
	autofree char *got = trace_filter_numbers(syscall_names_of("x86_64"), event, filter, &e);

	if (text)
		assert_string_equal(got, text);
	else
		assert_true(!got && e.exit_code == EXIT_BAD_USAGE);
}

static void names_become_numbers(void **state)
{
	expect("syscalls:sys_enter_lseek", "whence == END", "whence == 0x2");
	expect("syscalls:sys_enter_lseek", "whence==SEEK_END&&offset>7", "whence==0x2&&offset>7");
	expect("syscalls:sys_enter_mmap", "prot & WRITE || prot == READ|EXEC", "prot & 0x2 || prot == 0x5");
	expect("raw_syscalls:sys_exit", "id == openat || id == 3", "id == 0x101 || id == 3");
	expect("signal:signal_generate", "(sig != KILL)", "(sig != 0x9)");
}

static void all_else_stays(void **state)
{
	expect("sched:sched_switch", "prev_pid > 0 && next_comm ~ \"a==B*\"", "prev_pid > 0 && next_comm ~ \"a==B*\"");
	expect("syscalls:sys_enter_lseek", "whence == 2", "whence == 2");
	expect("sched:sched_process_exec", "filename == \"x\"", "filename == \"x\"");
	expect("sched:sched_switch", "prev_comm == bash", "prev_comm == bash");
	expect("x:y", "", "");
	expect("x:y", "==", "==");
	expect("x:y", "a == \"open", "a == \"open");
}

static void unknown_names_are_errors(void **state)
{
	expect("syscalls:sys_enter_lseek", "whence == NOWHERE", NULL);
	expect("syscalls:sys_enter_lseek", "whence == SET|", NULL);
	expect("raw_syscalls:sys_enter", "id == nosuch", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_numbers),
		cmocka_unit_test(all_else_stays),
		cmocka_unit_test(unknown_names_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
