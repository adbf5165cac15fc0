#ifndef TESTS_UNIT_SYMBOLS_FIXTURE_H
#define TESTS_UNIT_SYMBOLS_FIXTURE_H

/* A directory for files of a test, and the compiler to make them. Include after cmocka.h. */
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "symbols/symbols.h"

static char fixture_dir[64];

__attribute__((unused)) static const char *fixture_path(const char *name)
{
	static char paths[8][4096];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, 4096, "%s/%s", fixture_dir, name);
	return path;
}

/* Run a shell command inside the directory. Only for commands that the test itself contains. */
__attribute__((unused)) static int fixture_run(const char *command)
{
	autofree char *line = xasprintf("cd '%s' && { %s ; } >/dev/null 2>&1", fixture_dir, command);
	int status = system(line);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

__attribute__((unused)) static int fixture_setup(void **state)
{
	strcpy(fixture_dir, "/tmp/strobe-symbols-XXXXXX");
	return mkdtemp(fixture_dir) ? 0 : -1;
}

__attribute__((unused)) static int fixture_teardown(void **state)
{
	autofree char *line = xasprintf("rm -rf '%s'", fixture_dir);

	return system(line);
}

__attribute__((unused)) static void fixture_write_bytes(const char *name, const void *bytes, size_t len)
{
	FILE *f = fopen(fixture_path(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

__attribute__((unused)) static void fixture_write(const char *name, const char *text)
{
	fixture_write_bytes(name, text, strlen(text));
}

/* Skip the test when this tool is missing. */
__attribute__((unused)) static void fixture_need(const char *tool)
{
	autofree char *line = xasprintf("command -v %s", tool);

	if (fixture_run(line)) {
		print_message("skipped: no %s here\n", tool);
		skip();
	}
}

__attribute__((unused)) static void fixture_need_vdso(void)
{
	if (!getauxval(AT_SYSINFO_EHDR)) {
		print_message("skipped: no vdso here\n");
		skip();
	}
}

__attribute__((unused)) static struct symbols *fixture_store(const char *symfs)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null", .symfs = symfs };

	return symbols_new(&opts);
}

__attribute__((unused)) static uint32_t fixture_file(struct symbols *s, const char *path)
{
	return symbols_dso(s, &(struct dso_args){ .filename = path, .exec = true });
}

/* Return the name shown for an offset of the object, "" for none. */
__attribute__((unused)) static const char *fixture_name(struct symbols *s, uint32_t dso, uint64_t off)
{
	uint32_t symbol = dso_find(s, dso, off);

	return symbol ? symbol_name(s, dso, symbol) : "";
}

/* Return the file offset of the symbol with this name; the test fails when there is none. */
__attribute__((unused)) static uint64_t fixture_offset(struct symbols *s, uint32_t dso, const char *name)
{
	for (uint64_t off = 0; off < 0x10000; off++)
		if (!strcmp(fixture_name(s, dso, off), name))
			return off;
	fail_msg("no symbol '%s'", name);
	return 0;
}

#endif
