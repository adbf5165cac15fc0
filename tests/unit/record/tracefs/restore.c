#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "base/file.h"
#include "record/tracefs/instance.h"
#include "record/tracefs/settings.h"

static void scalars_are_written_as_they_were_read(void **state)
{
	static const char *const cases[][2] = {
		{ "function_graph\n", "function_graph" },
		{ "7 (expanded: 1408)\n", "1408" },
		{ "4096\n", "4096" },
		{ "local [global] counter uptime\n", "global" },
		{ "ff,ffffffff\n", "ff,ffffffff" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *value = restore_value("/t/x", cases[i][0]);

		assert_string_equal(value, cases[i][1]);
	}
}

static void write_text(const char *path, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
}

static void expect_text(const char *path, const char *text)
{
	autofree char *got = file_read(path, 4096, NULL, NULL);

	assert_non_null(got);
	assert_string_equal(got, text);
	assert_int_equal(unlink(path), 0);
}

/* A file that is saved as `text` and changed afterwards holds `want` in the end. */
static void restores(const char *dir, const char *file, const char *text, const char *want)
{
	autofree char *path = xasprintf("%s/%s", dir, file);
	struct keeper_lines lines = { 0 };

	write_text(path, "changed\n");
	vec_push(&lines, restore_line(path, text));
	assert_null(strchr(lines.items[0], '\n'));
	assert_true(restore_all(&lines));
	expect_text(path, want);
	free(lines.items[0]);
	vec_free(&lines);
}

static void files_are_restored(void **state)
{
	char dir[] = "/tmp/restore-test.XXXXXX";

	assert_non_null(mkdtemp(dir));
	/* a plain file keeps what lies behind a shorter text, a file of tracefs does not */
	restores(dir, "max_graph_depth", "3\n", "3hanged\n");
	restores(dir, "set_ftrace_filter", "#### all functions enabled ####\n", "");
	restores(dir, "set_ftrace_filter", "vfs_read\next4_sync [ext4]\nschedule:traceoff:unlimited\n",
		 "vfs_read\next4_sync:mod:ext4\n");
	restores(dir, "set_ftrace_pid", "no pid\n", "");
	restores(dir, "set_event", "sched:sched_switch\nirq:irq_handler_entry\n",
		 "sched:sched_switch\nirq:irq_handler_entry\n");
	restores(dir, "set_graph_function", "back\\slash\n", "back\\slash\n");
	rmdir(dir);
}

static void instances_go_with_what_runs_in_them(void **state)
{
	char dir[] = "/tmp/restore-test.XXXXXX";
	struct keeper_lines lines = { 0 };
	struct stat st;

	assert_non_null(mkdtemp(dir));
	vec_push(&lines, xasprintf("i %s", dir));
	assert_true(restore_all(&lines));
	assert_int_equal(stat(dir, &st), -1);
	assert_true(restore_all(&lines)); /* it is gone already */
	free(lines.items[0]);
	vec_free(&lines);
}

static void system_calls_have_the_kernels_names(void **state)
{
	static const char functions[] = "ksys_write\n__x64_sys_write\n__ia32_sys_write\nksys_sync\nfb_sys_read\n"
					"__x64_sys_readv\nfoo [mod]\n__s390x_sys_open [mod]\n";
	static const char *const cases[][2] = {
		{ "sys_write", "__x64_sys_write" },
		{ "sys_sync", "ksys_sync" },
		{ "sys_open", "__s390x_sys_open" },
		{ "sys_read", NULL },
		{ "write", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *alias = ftrace_function_alias(functions, cases[i][0]);

		if (cases[i][1])
			assert_string_equal(alias, cases[i][1]);
		else
			assert_null(alias);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_are_written_as_they_were_read),
		cmocka_unit_test(files_are_restored),
		cmocka_unit_test(instances_go_with_what_runs_in_them),
		cmocka_unit_test(system_calls_have_the_kernels_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
