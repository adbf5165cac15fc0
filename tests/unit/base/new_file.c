#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/new_file.h"

static char dir[] = "/tmp/strobe-new_file.XXXXXX";

static char *in_dir(const char *name) { return xasprintf("%s/%s", dir, name); }

static void holds(const char *path, const char *text)
{
	autofree char *is = file_read(path, 1000, NULL, NULL);

	assert_non_null(is);
	assert_string_equal(is, text);
}

static unsigned files_there(void)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void takes_its_place_when_whole(void **state)
{
	autofree char *path = in_dir("a");
	struct new_file f;

	assert_int_equal(new_file_open(&f, path, NULL), 0);
	out_str(&f.out, "old");
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(new_file_finish(&f, NULL), 0);
	holds(path, "old");
	assert_int_equal(new_file_open(&f, path, NULL), 0);
	out_str(&f.out, "dropped");
	new_file_drop(&f);
	holds(path, "old");
	assert_int_equal(files_there(), 1);
	unlink(path);
}

static void replaces_a_link(void **state)
{
	autofree char *target = in_dir("target"), *path = in_dir("link");
	struct new_file f;

	assert_int_equal(new_file_open(&f, target, NULL), 0);
	assert_int_equal(new_file_finish(&f, NULL), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(new_file_open(&f, path, NULL), 0);
	out_str(&f.out, "new");
	assert_int_equal(new_file_finish(&f, NULL), 0);
	holds(target, "");
	holds(path, "new");
	unlink(target);
	unlink(path);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

/* A reader that opens a file keeps it: a private file must not be open to others even for a moment. */
static void a_private_file_is_private_from_the_start(void **state)
{
	autofree char *path = in_dir("private");
	mode_t before = umask(022);
	struct new_file f;

	assert_int_equal(new_file_open(&f, path, NULL), 0);
	assert_int_equal(mode_of(f.part), 0644);
	assert_int_equal(new_file_finish(&f, NULL), 0);
	assert_int_equal(new_file_open_private(&f, path, NULL), 0);
	assert_int_equal(mode_of(f.part), 0600);
	assert_int_equal(new_file_finish(&f, NULL), 0);
	assert_int_equal(mode_of(path), 0600);
	umask(before);
	unlink(path);
}

/* There are ordinary files below /dev too. */
static void a_file_in_shared_memory(void **state)
{
	autofree char *path = xasprintf("/dev/shm/strobe-new_file.%d", (int)getpid());
	struct new_file f;

	if (access("/dev/shm", W_OK))
		skip();
	assert_int_equal(new_file_open(&f, path, NULL), 0);
	out_str(&f.out, "new");
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(new_file_finish(&f, NULL), 0);
	holds(path, "new");
	unlink(path);
}

static void a_full_device_is_an_error(void **state)
{
	struct new_file f;
	struct err e = { 0 };

	assert_int_equal(new_file_open(&f, "/dev/full", &e), 0);
	out_str(&f.out, "text");
	assert_int_equal(new_file_finish(&f, &e), -1);
	assert_non_null(strstr(e.what, "'/dev/full'"));
}

static void a_directory_and_no_directory_are_errors(void **state)
{
	struct new_file f;
	struct err e = { 0 };

	assert_int_equal(new_file_open(&f, dir, &e), -1);
	assert_string_equal(e.why, "Is a directory");
	assert_int_equal(new_file_open(&f, "/nowhere/at/all", &e), -1);
	assert_non_null(strstr(e.what, "'/nowhere/at/all'"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_its_place_when_whole),
		cmocka_unit_test(replaces_a_link),
		cmocka_unit_test(a_private_file_is_private_from_the_start),
		cmocka_unit_test(a_full_device_is_an_error),
		cmocka_unit_test(a_file_in_shared_memory),
		cmocka_unit_test(a_directory_and_no_directory_are_errors),
	};
	int rc;

	if (!mkdtemp(dir))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return rc;
}
