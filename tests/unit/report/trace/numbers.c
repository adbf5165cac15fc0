#include "report/trace/numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/syscall.h>

/* Facts of each machine's asm/unistd.h. */
static void each_machine_has_its_own_numbers(void **state)
{
	static const struct {
		const char *machine, *name;
		int number;
	} facts[] = {
		{ "x86_64", "read", 0 },        { "x86_64", "openat", 257 },    { "x86_64", "exit_group", 231 },
		{ "i686", "read", 3 },          { "i686", "openat", 295 },      { "i686", "exit_group", 252 },
		{ "aarch64", "read", 63 },      { "aarch64", "openat", 56 },    { "aarch64", "newfstatat", 79 },
		{ "aarch64", "mmap", 222 },     { "s390x", "read", 3 },         { "s390x", "openat", 288 },
		{ "s390x", "exit_group", 248 }, { "s390x", "chown", 212 },      { "s390x", "pkey_free", 386 },
		{ "s390x", "msgctl", 402 },     { "x86_64", "clone3", 435 },    { "s390x", "clone3", 435 },
		{ "aarch64", "mseal", 462 },    { "i686", "futex_waitv", 449 },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct syscall_names *names = syscall_names_of(facts[i].machine);

		assert_int_equal(syscall_number(names, facts[i].name), facts[i].number);
		assert_string_equal(syscall_name(names, facts[i].number), facts[i].name);
	}
}

static void what_is_no_call_has_no_name(void **state)
{
	const struct syscall_names *names = syscall_names_of("x86_64");

	assert_null(syscall_name(names, -1));
	assert_null(syscall_name(names, 400));
	assert_null(syscall_name(names, SYSCALLS_MOST));
	assert_null(syscall_name(syscall_names_of("vax"), 1));
	assert_null(syscall_name(syscall_names_of(NULL), 1));
	assert_int_equal(syscall_number(names, "nosuch"), -1);
}

#ifdef __x86_64__
static void numbers_are_those_of_the_headers(void **state)
{
	const struct syscall_names *names = syscall_names_of("x86_64");

	assert_int_equal(syscall_number(names, "futex"), SYS_futex);
	assert_int_equal(syscall_number(names, "rseq"), SYS_rseq);
	assert_int_equal(syscall_number(names, "process_vm_readv"), SYS_process_vm_readv);
	assert_int_equal(syscall_number(names, "statx"), SYS_statx);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_machine_has_its_own_numbers),
		cmocka_unit_test(what_is_no_call_has_no_name),
#ifdef __x86_64__
		cmocka_unit_test(numbers_are_those_of_the_headers),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
