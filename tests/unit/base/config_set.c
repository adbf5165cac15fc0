#include "base/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"

static char dir[64], path[128];

static int setup(void **state)
{
	strcpy(dir, "/tmp/strobe-config-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/config", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void put_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Fail unless a file of the text `before` becomes `after` and has the value; `before` NULL: there is no file. */
static void check(const char *before, const char *key, const char *value, const char *after)
{
	struct config c = { 0 };
	struct err e = { 0 };
	autofree char *text = NULL;

	unlink(path);
	if (before)
		put_file(before);
	if (config_set(path, key, value, &e) < 0)
		fail_msg("%s: %s", key, e.what);
	text = file_read(path, 1 << 20, NULL, &e);
	assert_non_null(text);
	if (after && strcmp(text, after))
		fail_msg("'%s' instead of '%s'", text, after);
	if (config_read(&c, path, false, &e) < 0)
		fail_msg("%s in '%s'", e.what, text);
	assert_non_null(config_find(&c, key));
	assert_string_equal(config_find(&c, key), value);
	config_release(&c);
}

static void a_setting_is_added_to_its_section(void **state)
{
	check(NULL, "report.children", "no", "[report]\n\tchildren = no\n");
	check("", "report.children", "no", "[report]\n\tchildren = no\n");
	check("[report]\n", "report.children", "no", "[report]\n\tchildren = no\n");
	check("# mine\n[Report]\n  limit = 5 ; of all\n[top]\n\tx = 1\n", "report.children", "no",
	      "# mine\n[Report]\n  limit = 5 ; of all\n\tchildren = no\n[top]\n\tx = 1\n");
	check("[top]\n\tx = 1", "report.children", "no", "[top]\n\tx = 1\n[report]\n\tchildren = no\n");
	/* names that begin alike */
	check("[report]\n\tchildren-of = 1\n\tchild = 2\n[reports]\n\tchildren = 3\n", "report.children", "no",
	      "[report]\n\tchildren-of = 1\n\tchild = 2\n\tchildren = no\n[reports]\n\tchildren = 3\n");
}

static void a_setting_is_replaced_where_it_stands(void **state)
{
	check("[report]\n  CHILDREN=yes # why\n\tlimit = 5\n", "report.children", "no",
	      "[report]\n\tchildren = no\n\tlimit = 5\n");
	check("[report]\n\tchildren\n", "report.children", "no", "[report]\n\tchildren = no\n");
	check("[report]\r\n\tchildren\r\n", "report.children", "no", "[report]\r\n\tchildren = no\n");
	check("[report]\n\tchildren;x\n\tchildren = 2\n", "report.children", "no", "[report]\n\tchildren = no\n");
	/* of two sections, the first one has it then; that of another section stays */
	check("[report]\n[top]\n\tchildren = 1\n[report]\n\tchildren = 2\n", "report.children", "no",
	      "[report]\n\tchildren = no\n[top]\n\tchildren = 1\n[report]\n");
}

/* The line of a section may have a setting. The last value counts, so this one must go. */
static void a_setting_behind_its_section_is_replaced(void **state)
{
	check("[report] children = yes # why\n\tlimit = 5\n", "report.children", "no",
	      "[report]\n\tchildren = no\n\tlimit = 5\n");
	check("[report]\n\tchildren = 1\n[report]children\n", "report.children", "no",
	      "[report]\n\tchildren = no\n[report]\n");
	check("[report] limit = 5\n", "report.children", "no", "[report] limit = 5\n\tchildren = no\n");
	check("[report]\n\tlimit = 5\n[report \"]\"] children = 1\n", "report.children", "no",
	      "[report]\n\tlimit = 5\n\tchildren = no\n[report \"]\"] children = 1\n");
}

static void sections_have_parts(void **state)
{
	check("[a \"b c\"]\n\tx = 1\n[a \"b\"]\n\tx = 2\n[a]\n\tx = 3\n", "a.b.x", "4",
	      "[a \"b c\"]\n\tx = 1\n[a \"b\"]\n\tx = 4\n[a]\n\tx = 3\n");
	check("[a \"b]\"]\n\tx = 3\n", "a.b.x", "4", "[a \"b]\"]\n\tx = 3\n[a.b]\n\tx = 4\n");
	check("[a.b]\n\tx = 2\n", "a.b.x", "4", "[a.b]\n\tx = 4\n");
	check("[a]\n", "a.b.x", "4", "[a]\n[a.b]\n\tx = 4\n");
}

static void any_value_is_read_again(void **state)
{
	static const char *const values[] = { "",           "a b",
					      " a",         "a ",
					      "a #b",       "a;b",
					      "say \"hi\"", "back\\slash",
					      "\\",         "two\nlines",
					      "a\tb",       "\r",
					      "a\r",        "\303\251\001\033[m",
					      "[x]",        " \" " };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		check("[a]\n\tx = 1\n", "a.x", values[i], NULL);
}

/* What a file of settings cannot have must not get into it: nobody could read the file again. */
static void other_names_are_refused(void **state)
{
	static const char *const keys[] = { "",      "x",     ".x",     "a.",         "a.1",    "a.-x",
					    "a b.x", "a.x y", "a.x=1",  "a]b.x",      "a#.x",   "a.x;",
					    "a/b.x", "a.x/y", "a\\b.x", "a.\303\251", "a\"b.x", "a.x\n" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct err e = { 0 };

		if (config_set(path, keys[i], "1", &e) == 0)
			fail_msg("'%s' is accepted", keys[i]);
		assert_int_equal(access(path, F_OK), -1);
	}
}

static void long_names_are_found_again(void **state)
{
	autofree char *name = NULL, *before = NULL, *after = NULL;
	char section[1000];

	memset(section, 's', sizeof(section) - 1);
	section[sizeof(section) - 1] = '\0';
	name = xasprintf("%s.x", section);
	before = xasprintf("[%s]\n\tx = 1\n", section);
	after = xasprintf("[%s]\n\tx = 2\n", section);
	check(NULL, name, "1", before);
	check(before, name, "2", after);
}

static void what_cannot_be_written_is_an_error(void **state)
{
	struct err e = { 0 };

	mkdir(path, 0700);
	assert_int_equal(config_set(path, "a.x", "1", &e), -1);
	assert_non_null(strstr(e.what, path));
	rmdir(path);
}

/* Settings can hold passwords, and users link their settings from elsewhere. */
static void the_mode_and_a_link_to_the_file_stay(void **state)
{
	autofree char *target = xasprintf("%s/real", dir), *text = NULL;
	struct err e = { 0 };
	struct stat st;

	assert_int_equal(symlink("real", path), 0);
	assert_int_equal(config_set(target, "a.x", "1", &e), 0);
	assert_int_equal(chmod(target, 0600), 0);
	assert_int_equal(config_set(path, "a.x", "2", &e), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	text = file_read(target, 100, NULL, &e);
	assert_string_equal(text, "[a]\n\tx = 2\n");
	unlink(target);
}

/* A text ends at a NUL byte, so what is behind it would be lost. */
static void a_file_with_a_nul_byte_stays_unchanged(void **state)
{
	static const char bytes[] = "[a]\n\tx = 1\n\0\n[b]\n";
	struct err e = { 0 };
	struct stat st;
	FILE *file = fopen(path, "w");

	fwrite(bytes, 1, sizeof(bytes) - 1, file);
	fclose(file);
	assert_int_equal(config_set(path, "a.x", "2", &e), -1);
	assert_non_null(strstr(e.what, "NUL byte"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, sizeof(bytes) - 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_setting_is_added_to_its_section),
		T(a_setting_is_replaced_where_it_stands),
		T(a_setting_behind_its_section_is_replaced),
		T(sections_have_parts),
		T(any_value_is_read_again),
		T(other_names_are_refused),
		T(long_names_are_found_again),
		T(the_mode_and_a_link_to_the_file_stay),
		T(a_file_with_a_nul_byte_stays_unchanged),
		T(what_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
