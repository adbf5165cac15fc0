#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cmd/trace/selection_priv.h"
#include "record/record.h"

/* The numbers of calls are those of x86_64: asm/unistd_64.h. Groups are those of strace(1), "Filtering". */
static struct selection made(const struct syscall_names *names, const char *const *words, size_t n, struct err *e)
{
	struct opt_list list = { 0 };
	struct selection s = { 0 };
	int rc;

	for (size_t i = 0; i < n; i++)
		vec_push(&list, words[i]);
	rc = selection_make(&s, &list, names, e);
	vec_free(&list);
	if (e->what[0])
		assert_int_equal(rc, -1);
	else
		assert_int_equal(rc, 0);
	return s;
}

static struct selection made_of(const char *word, struct err *e)
{
	return made(syscall_names_of("x86_64"), &word, 1, e);
}

static size_t n_calls(const struct selection *s)
{
	size_t n = 0;

	for (int i = 0; i < SYSCALLS_MOST; i++)
		n += s->calls[i];
	return n;
}

/* Fail unless the word selects exactly these calls. */
static void check_calls(const char *word, const char *calls)
{
	const struct syscall_names *names = syscall_names_of("x86_64");
	struct err e = { 0 };
	struct selection s = made_of(word, &e);
	autofree char *copy = xstrdup(calls);
	char *rest = NULL;
	size_t n = 0;

	if (e.what[0])
		fail_msg("%s: %s", word, e.what);
	for (char *call = strtok_r(copy, " ", &rest); call; call = strtok_r(NULL, " ", &rest), n++)
		if (!s.calls[syscall_number(names, call)])
			fail_msg("%s does not select %s", word, call);
	if (n_calls(&s) != n)
		fail_msg("%s selects %zu calls instead of %zu", word, n_calls(&s), n);
	assert_true(s.any);
	assert_int_equal(s.events.len, 0);
	selection_release(&s);
}

static void names_globs_and_patterns(void **state)
{
	check_calls("read", "read");
	check_calls("read,write,read", "read write");
	check_calls("trace=read,close", "read close");
	check_calls("clone*", "clone clone3");
	check_calls("dup?", "dup2 dup3");
	check_calls("mun[l-m]*", "munlock munlockall munmap");
	check_calls("/^dup", "dup dup2 dup3");
	check_calls("/^(read|write)$,close", "read write close");
}

static void groups_of_calls(void **state)
{
	check_calls(
		"%signal",
		"kill pause pidfd_send_signal rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait "
		"rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend sigaltstack signalfd signalfd4 tgkill tkill");
	check_calls("memory", "brk madvise mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall munmap "
			      "pkey_alloc pkey_free pkey_mprotect");
	check_calls("%net,read",
		    "accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg "
		    "recvmsg sendmmsg sendmsg sendto setsockopt shutdown socket socketpair read");
	check_calls("%process",
		    "clone clone3 execve execveat exit exit_group fork kill pidfd_open pidfd_send_signal tgkill "
		    "tkill unshare vfork wait4 waitid");
}

/* What takes a path is about files and has a text. */
static void groups_contain_their_calls(void **state)
{
	static const char *const with[] = { "open", "openat", "stat", "execve", "rename", "unlinkat", "chmod" };
	static const char *const without[] = { "read", "close", "mmap", "fstat", "dup" };
	const struct syscall_names *names = syscall_names_of("x86_64");

	for (int string = 0; string < 2; string++) {
		struct err e = { 0 };
		struct selection s = made_of(string ? "string" : "%file", &e);

		for (size_t i = 0; i < ARRAY_SIZE(with); i++)
			assert_true(s.calls[syscall_number(names, with[i])]);
		for (size_t i = 0; i < ARRAY_SIZE(without); i++)
			assert_false(s.calls[syscall_number(names, without[i])]);
		selection_release(&s);
	}
}

/* perf-trace(1), -e: '!' before the list negates it. */
static void lists_can_be_negated(void **state)
{
	const struct syscall_names *names = syscall_names_of("x86_64");
	size_t all = 0;
	struct err e = { 0 };
	struct selection s = made_of("!read,dup*", &e);

	for (int i = 0; i < SYSCALLS_MOST; i++)
		all += names->names[i] != NULL;
	assert_int_equal(n_calls(&s), all - 4);
	assert_false(s.calls[0] || s.calls[32] || s.calls[33] || s.calls[292]); /* read dup dup2 dup3 */
	assert_true(s.calls[1]);
	selection_release(&s);
	s = made_of("read,!write", &e);
	assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
	assert_non_null(strstr(e.what, "'!' before 'write'"));
	selection_release(&s);
}

/* Each -e adds to what the others select. */
static void several_lists_add_up(void **state)
{
	static const char *const words[] = { "read", "write,cpu-clock", "trace=page-faults,close", "task-clock" };
	struct err e = { 0 };
	struct selection s = made(syscall_names_of("x86_64"), words, 4, &e);

	assert_int_equal(n_calls(&s), 3);
	assert_true(s.any && s.calls[0] && s.calls[1] && s.calls[3]);
	assert_int_equal(s.events.len, 3);
	assert_string_equal(s.events.items[0], "cpu-clock");
	assert_string_equal(s.events.items[1], "page-faults");
	selection_release(&s);
}

static void events_alone_select_no_call(void **state)
{
	static const char *const words[] = { "{cpu-clock,page-faults},cpu-clock/period=5,name=x/,task-clock" };
	struct err e = { 0 };
	struct selection s = made(syscall_names_of("x86_64"), words, 1, &e);

	if (e.what[0])
		fail_msg("%s", e.what);
	assert_false(s.any);
	assert_int_equal(s.events.len, 3);
	assert_string_equal(s.events.items[0], "{cpu-clock,page-faults}");
	assert_string_equal(s.events.items[1], "cpu-clock/period=5,name=x/");
	assert_string_equal(s.events.items[2], "task-clock");
	assert_int_equal(s.limits.len, 0);
	assert_null(selection_kernel_filter(&s, syscall_names_of("x86_64")));
	selection_release(&s);
}

static void events_may_have_a_limit(void **state)
{
	static const char *const words[] = { "cpu-clock/nr=5/,task-clock" };
	struct err e = { 0 };
	struct selection s = made(syscall_names_of("x86_64"), words, 1, &e);

	if (e.what[0])
		fail_msg("%s", e.what);
	assert_int_equal(s.limits.len, 1);
	assert_string_equal(s.limits.items[0].event, "cpu-clock/nr=5/");
	assert_int_equal(s.limits.items[0].lines, 5);
	selection_release(&s);
}

static void impossible_words_are_refused(void **state)
{
	static const char *const words[] = {
		"nosuchcall", "%nosuch", "nosuch*", "/nosuch", "/[", "read,nosuchcall", "{"
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct err e = { 0 };
		struct selection s = made_of(words[i], &e);

		if (!e.what[0])
			fail_msg("'%s' selects something", words[i]);
		selection_release(&s);
	}
}

static void empty_lists_select_nothing(void **state)
{
	static const char *const words[] = { "", "trace=", "!" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct err e = { 0 };
		struct selection s = made_of(words[i], &e);

		assert_true(!s.any && !n_calls(&s) && !s.events.len && !e.what[0]);
		selection_release(&s);
	}
}

/* A filter belongs to the event before it, and may have names instead of numbers. */
static void filters_follow_their_events(void **state)
{
	const char *words[] = { "read,cpu-clock,task-clock", selection_is_filter, "id == write", "page-faults" };
	const char *alone[] = { selection_is_filter, "x > 1" };
	struct err e = { 0 };
	struct selection s = made(syscall_names_of("x86_64"), words, 4, &e);

	assert_int_equal(s.events.len, 5);
	assert_string_equal(s.events.items[1], "task-clock");
	assert_ptr_equal(s.events.items[2], record_is_filter);
	assert_string_equal(s.events.items[3], "id == write");
	assert_string_equal(s.events.items[4], "page-faults");
	selection_release(&s);
	s = made(syscall_names_of("x86_64"), alone, 2, &e);
	assert_int_equal(e.exit_code, EXIT_BAD_USAGE);
	assert_non_null(strstr(e.what, "should follow a -e tracepoint"));
	selection_release(&s);
}

/* Both are for the same event. */
static void an_event_may_have_two_filters(void **state)
{
	const char *words[] = { selection_is_filter, "id == write", selection_is_filter, "id == openat" };
	struct opt_list list = { .items = words, .len = ARRAY_SIZE(words) };
	struct selection s = { 0 };
	struct err e = { 0 };

	vec_push(&s.events, "sched:sched_switch,raw_syscalls:sys_exit");
	assert_int_equal(selection_make(&s, &list, syscall_names_of("x86_64"), &e), 0);
	assert_int_equal(s.events.len, 5);
	assert_string_equal(s.events.items[2], "id == 0x1");
	assert_ptr_equal(s.events.items[3], record_is_filter);
	assert_string_equal(s.events.items[4], "id == 0x101");
	selection_release(&s);
}

/* ---- the kernel's filter ---- */

static void check_filter(const struct syscall_names *names, const char *word, const char *want)
{
	struct err e = { 0 };
	struct selection s = made(names, &word, 1, &e);
	const char *filter = selection_kernel_filter(&s, names);

	if (want)
		assert_string_equal(filter, want);
	else
		assert_null(filter);
	selection_release(&s);
}

/* Of four calls: the shorter one of the list and its complement. */
static void the_shorter_filter(void **state)
{
	static const struct syscall_names four = { { [1] = "a", [3] = "b", [4] = "c", [511] = "d" } };

	check_filter(&four, "a", "id == 1");
	check_filter(&four, "d,a", "id == 1 || id == 511");
	check_filter(&four, "a,b,c", "id != 511");
	check_filter(&four, "!b", "id != 3");
	check_filter(&four, "!b,c", "id == 1 || id == 511");
	check_filter(&four, "!a,b,c", "id == 511");
	check_filter(&four, "*", NULL);
	check_filter(&four, "cpu-clock", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_globs_and_patterns),      cmocka_unit_test(groups_of_calls),
		cmocka_unit_test(groups_contain_their_calls),    cmocka_unit_test(lists_can_be_negated),
		cmocka_unit_test(several_lists_add_up),          cmocka_unit_test(events_alone_select_no_call),
		cmocka_unit_test(events_may_have_a_limit),       cmocka_unit_test(impossible_words_are_refused),
		cmocka_unit_test(empty_lists_select_nothing),    cmocka_unit_test(filters_follow_their_events),
		cmocka_unit_test(an_event_may_have_two_filters), cmocka_unit_test(the_shorter_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
