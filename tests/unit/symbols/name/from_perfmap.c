#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/symbols/fixture.h"

/* Map files must lie in /tmp; a pid that no machine assigns avoids real ones. */
static int32_t pid;
static char path[64];

static int setup(void **state)
{
	pid = 1000000000 + getpid();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	return fixture_setup(state);
}

static int teardown(void **state)
{
	unlink(path);
	return fixture_teardown(state);
}

static void write_map(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static uint32_t jit(struct symbols *s)
{
	return symbols_dso(s, &(struct dso_args){ .filename = "//anon", .pid = pid, .exec = true });
}

static void lines_become_symbols(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t d = jit(s);

	write_map("1000 10 first\n"
		  "1100 100 outer\n"
		  "1120 10 inner\n"
		  "1300 10 a\n"
		  "0x1400 0x10 with 0x\n"
		  "1500 10 _ZN3fooEv\n"
		  "1710 10 \tlead  space \n"
		  "2000 80 old\n"
		  "2000 40 new\n"
		  "ffffffffffffff00 1000 wraps\n"
		  "ffffffffffffffff 1 nothing\n"
		  "2200 10 last");
	assert_string_equal(fixture_name(s, d, 0x1000), "first");
	assert_string_equal(fixture_name(s, d, 0x100f), "first");
	assert_string_equal(fixture_name(s, d, 0x1010), "");
	assert_string_equal(fixture_name(s, d, 0x111f), "outer");
	assert_string_equal(fixture_name(s, d, 0x1120), "inner");
	assert_string_equal(fixture_name(s, d, 0x1130), "outer");
	assert_string_equal(fixture_name(s, d, 0x1300), "a");
	assert_string_equal(fixture_name(s, d, 0x1408), "with 0x");
	assert_string_equal(fixture_name(s, d, 0x1500), "_ZN3fooEv"); /* perf shows these as they are, too */
	assert_string_equal(fixture_name(s, d, 0x1710), "\tlead  space ");
	assert_string_equal(fixture_name(s, d, 0x2000), "new");
	assert_string_equal(fixture_name(s, d, 0x220f), "last");
	assert_string_equal(fixture_name(s, d, UINT64_MAX - 1), "wraps");
	assert_null(dso_problem(s, d));
	symbols_free(s);
}

static void odd_lines_are_passed_over(void **state)
{
	static const char odd[] = "\n \nx\n1000\n1000 \n1000 10\n1000 10 \n10000000000000000 10 too_long\n1000 "
				  "10000000000000000 too_long\n-1 10 minus\n"
				  "1000 0 no_size\n 1000 10 blank\n1000\t10 tab\n1800 8 good\n1000 8";
	struct symbols *s = fixture_store(NULL);
	uint32_t d = jit(s);

	write_map(odd);
	assert_string_equal(fixture_name(s, d, 0x1800), "good");
	assert_int_equal(dso_find(s, d, 0x1000), 0);
	symbols_free(s);
}

static const char *refused(bool force)
{
	struct symbols_opts opts = { .buildid_dir = "/dev/null", .force = force };
	struct symbols *s = symbols_new(&opts);
	uint32_t d = jit(s), found = dso_find(s, d, 0x1000);
	static char problem[128];

	snprintf(problem, sizeof(problem), "%s", found ? "used" : dso_problem(s, d));
	symbols_free(s);
	return problem;
}

/* Anybody can put a file there under that name. */
static void only_plain_files_of_ours_are_used(void **state)
{
	unlink(path);
	assert_string_equal(refused(false), "generated code that nobody tells the names of");
	fixture_write("elsewhere", "1000 10 x\n");
	assert_int_equal(symlink(fixture_path("elsewhere"), path), 0);
	assert_string_equal(refused(true), "the map file is a symbolic link");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	/* and we do not wait for a writer */
	assert_string_equal(refused(true), "the map file is not a regular file");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_string_equal(refused(true), "the map file is not a regular file");
	rmdir(path);
	write_map("");
	assert_string_equal(refused(false), "the map file has no symbols");
	write_map("1000 10 x\n");
	assert_string_equal(refused(false), "used");
	if (geteuid()) {
		print_message("not root: files of others are not tried\n");
		return;
	}
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_string_equal(refused(false), "the map file belongs to another user (-f uses it)");
	assert_string_equal(refused(true), "used");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_symbols),
		cmocka_unit_test(odd_lines_are_passed_over),
		cmocka_unit_test(only_plain_files_of_ours_are_used),
	};

	return cmocka_run_group_tests_name("from_perfmap", tests, setup, teardown);
}
