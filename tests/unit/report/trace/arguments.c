#include "report/trace/trace_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

static void prints(const struct values *v, uint64_t value, bool prefix, const char *text)
{
	struct out o;

	out_init_mem(&o);
	values_print(v, value, prefix, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
}

static void values_have_names(void **state)
{
	prints(&values_open, O_RDONLY, false, "RDONLY");
	prints(&values_open, O_WRONLY | O_CREAT | O_TRUNC, false, "WRONLY|CREAT|TRUNC");
	prints(&values_open, O_RDWR | O_CLOEXEC, true, "O_RDWR|O_CLOEXEC");
	prints(&values_open, O_RDWR | O_TMPFILE, false, "RDWR|TMPFILE");
	prints(&values_open, O_RDONLY | O_DIRECTORY, false, "RDONLY|DIRECTORY");
	prints(&values_open, O_RDONLY | O_SYNC, false, "RDONLY|SYNC");
	prints(&values_prot, PROT_NONE, false, "NONE");
	prints(&values_prot, PROT_READ | PROT_EXEC, false, "READ|EXEC");
	prints(&values_map, MAP_PRIVATE | MAP_ANONYMOUS, true, "MAP_PRIVATE|MAP_ANONYMOUS");
	prints(&values_map, MAP_SHARED_VALIDATE, false, "SHARED_VALIDATE");
	prints(&values_socktype, SOCK_DGRAM | SOCK_NONBLOCK, false, "DGRAM|NONBLOCK");
	prints(&values_family, AF_INET6, false, "INET6");
	prints(&values_mode, S_IFREG | 0644, false, "IFREG|IRUGO|IWUSR");
	prints(&values_mode, 0755, false, "IRUGO|IXUGO|IWUSR");
	prints(&values_mode, 0777, false, "IRWXUGO");
	prints(&values_whence, SEEK_END, false, "END");
}

static void values_without_names_are_numbers(void **state)
{
	prints(&values_whence, 77, false, "0x4d");
	prints(&values_prot, 1 << 30 | PROT_READ, false, "READ|0x40000000");
	prints(&values_eventfd, 0, false, "0");
	prints(&values_open, 1ull << 40, false, "RDONLY|0x10000000000");
}

static void is_of(const char *call, const char *name, const char *type, const struct values *values)
{
	assert_ptr_equal(argument_kind_of(call, name, type)->values, values);
}

static void arguments_are_known_by_call_and_name(void **state)
{
	is_of("openat", "flags", "int", &values_open);
	is_of("mmap", "flags", "unsigned long", &values_map);
	is_of("renameat2", "flags", "unsigned int", &values_rename);
	is_of("newfstatat", "flag", "int", &values_at);
	is_of("kill", "sig", "int", &values_signal);
	is_of("socket", "family", "int", &values_family);
	is_of("brk", "brk", "unsigned long", NULL);
	/* no call has another's name as a part */
	assert_ptr_equal(argument_kind_of("kil", "sig", "int"), argument_kind_of("nosuch", "sig", "int"));
}

static void types_tell_the_rest(void **state)
{
	assert_int_equal(argument_kind_of("nosuch", "filename", "const char *")->points_at, TRACE_POINTS_TEXT);
	assert_int_equal(argument_kind_of("nosuch", "pathname", "const char *")->points_at, TRACE_POINTS_TEXT);
	assert_int_equal(argument_kind_of("write", "buf", "const char *")->points_at, TRACE_POINTS_COUNTED);
	assert_int_equal(argument_kind_of("nosuch", "buf", "char *")->points_at, TRACE_POINTS_NOWHERE);
	assert_ptr_equal(argument_kind_of("read", "fd", "unsigned int"),
			 argument_kind_of("fsync", "fd", "unsigned int"));
	assert_ptr_not_equal(argument_kind_of("openat", "dfd", "int"), argument_kind_of("fsync", "fd", "unsigned int"));
	assert_ptr_not_equal(argument_kind_of("read", "count", "size_t"), argument_kind_of("nosuch", "len", "int"));
}

static void what_the_kernel_fills_is_read_at_the_exit(void **state)
{
	const struct argument_kind *kind = argument_kind_of("read", "buf", "char *");

	assert_int_equal(kind->points_at, TRACE_POINTS_RESULT);
	assert_true(is_read_at(kind, true));
	assert_false(is_read_at(kind, false));
	kind = argument_kind_of("poll", "ufds", "struct pollfd *");
	assert_true(is_read_at(kind, true) && is_read_at(kind, false));
	kind = argument_kind_of("openat", "filename", "const char *");
	assert_true(is_read_at(kind, false));
	assert_false(is_read_at(kind, true));
}

static void errors_have_names(void **state)
{
	assert_string_equal(trace_errno_name(2), "ENOENT");
	assert_string_equal(trace_errno_name(512), "ERESTARTSYS");
	assert_null(trace_errno_name(4000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_names),
		cmocka_unit_test(values_without_names_are_numbers),
		cmocka_unit_test(arguments_are_known_by_call_and_name),
		cmocka_unit_test(types_tell_the_rest),
		cmocka_unit_test(what_the_kernel_fills_is_read_at_the_exit),
		cmocka_unit_test(errors_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
