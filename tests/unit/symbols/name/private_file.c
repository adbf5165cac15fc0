#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "symbols/name/sources.h"

static char dir[] = "/tmp/strobe-private.XXXXXX";

static char *put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static bool takes(const struct symbols *s, const char *path, uint64_t ino, enum reason *problem)
{
	struct file_map m;

	if (private_file(s, path, path, 0, ino, &m, problem) < 0)
		return false;
	file_unmap(&m);
	return true;
}

static void our_own_file_is_used(void **state)
{
	struct symbols s = { 0 };
	autofree char *path = put("own", "x");
	enum reason problem;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_true(takes(&s, path, 0, &problem));
	assert_true(takes(&s, path, st.st_ino, &problem));
	assert_false(takes(&s, path, st.st_ino + 1, &problem));
	assert_string_equal(reasons[problem].text, "the map file is another than the recorded one");
	s.opts.foreign = true; /* inodes of another machine prove nothing */
	assert_true(takes(&s, path, st.st_ino + 1, &problem));
	unlink(path);
	assert_false(takes(&s, path, 0, &problem));
	assert_string_equal(reasons[problem].text, "no map file");
}

static void links_and_fifos_are_not(void **state)
{
	struct symbols s = { 0 };
	autofree char *path = put("target", "x"), *other = xasprintf("%s/other", dir);
	enum reason problem;

	assert_int_equal(symlink(path, other), 0);
	assert_false(takes(&s, other, 0, &problem));
	assert_string_equal(reasons[problem].text, "the map file is a symbolic link");
	unlink(other);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_false(takes(&s, other, 0, &problem));
	assert_string_equal(reasons[problem].text, "the map file is not a regular file");
	unlink(other);
	unlink(path);
}

static void nor_those_of_others_unless_forced(void **state)
{
	struct symbols s = { 0 };
	autofree char *path = put("foreign", "x");
	enum reason problem;

	if (chown(path, 12345, 12345) < 0) {
		unlink(path);
		skip(); /* only root can give files away */
	}
	assert_false(takes(&s, path, 0, &problem));
	assert_string_equal(reasons[problem].text, "the map file belongs to another user (-f uses it)");
	s.opts.force = true;
	assert_true(takes(&s, path, 0, &problem));
	unlink(path);
}

static void a_process_without_a_name_space_is_called_the_same_inside(void **state)
{
	assert_true(pid_in_namespace(getpid()) > 0);
	assert_int_equal(pid_in_namespace(-5), -5);
}

static int make_dir(void **state) { return mkdtemp(dir) ? 0 : -1; }

static int remove_dir(void **state) { return rmdir(dir); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_file_is_used),
		cmocka_unit_test(links_and_fifos_are_not),
		cmocka_unit_test(nor_those_of_others_unless_forced),
		cmocka_unit_test(a_process_without_a_name_space_is_called_the_same_inside),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
