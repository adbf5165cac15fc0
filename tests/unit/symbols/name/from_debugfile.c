#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/symbols/fixture.h"

static const char source[] = "__attribute__((noinline)) int worker(int n) { return n * 3; }\nint main(int argc, char "
			     "**argv) { return worker(argc); }\n";

/* A program, the same without symbols, and its separate debug file. */
static void make(const char *id_flag)
{
	autofree char *command = xasprintf(
		"rm -rf usr .debug p p.debug link.debug && gcc -O1 -g -Wl,--build-id=%s -o full p.c && cp full p && "
		"objcopy --only-keep-debug full split && strip p",
		id_flag);

	fixture_need("gcc");
	fixture_need("objcopy");
	fixture_write("p.c", source);
	assert_int_equal(fixture_run(command), 0);
}

static uint32_t told_id(struct symbols *s, const char *path, const struct build_id *id)
{
	return symbols_dso(s, &(struct dso_args){ .filename = path, .id = id, .exec = true });
}

static bool has_worker(struct symbols *s, uint32_t d)
{
	for (uint64_t off = 0x1000; off < 0x2000; off++)
		if (!strcmp(fixture_name(s, d, off), "worker"))
			return true;
	return false;
}

static bool found_in(const char *symfs, const char *path)
{
	struct symbols *s = fixture_store(symfs);
	bool found = has_worker(s, fixture_file(s, path));

	symbols_free(s);
	return found;
}

static void a_debug_link_leads_to_the_split_file(void **state)
{
	static const char *const places[] = { "link.debug", ".debug/link.debug" };

	make("sha1");
	assert_int_equal(
		fixture_run("cp split link.debug && objcopy --add-gnu-debuglink=link.debug p && rm link.debug"), 0);
	assert_false(found_in(NULL, fixture_path("p")));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		autofree char *command = xasprintf("rm -rf link.debug .debug; mkdir .debug; cp split %s", places[i]);

		assert_int_equal(fixture_run(command), 0);
		assert_true(found_in(NULL, fixture_path("p")));
	}
}

static void a_split_file_of_another_build_is_refused(void **state)
{
	make("sha1");
	assert_int_equal(fixture_run("cp split link.debug && objcopy --add-gnu-debuglink=link.debug p && gcc -O1 -g "
				     "-DX -Wl,--build-id=0x0102030405 -o other p.c && "
				     "objcopy --only-keep-debug other link.debug"),
			 0);
	assert_false(found_in(NULL, fixture_path("p")));
}

static void without_build_ids_the_checksum_decides(void **state)
{
	make("none");
	assert_int_equal(fixture_run("cp split link.debug && objcopy --add-gnu-debuglink=link.debug p"), 0);
	assert_true(found_in(NULL, fixture_path("p")));
	assert_int_equal(fixture_run("printf x >>link.debug"), 0);
	assert_false(found_in(NULL, fixture_path("p")));
}

static void debug_packages_are_found_below_the_symfs(void **state)
{
	struct build_id id;
	char hex[41];
	autofree char *command = NULL;

	make("sha1");
	assert_int_equal(build_id_of_file(fixture_path("p"), &id, NULL), 0);
	build_id_format(&id, hex);
	command = xasprintf("mkdir -p usr/lib/debug/.build-id/%.2s && cp split usr/lib/debug/.build-id/%.2s/%s.debug",
			    hex, hex, hex + 2);
	assert_false(found_in(fixture_dir, "/p"));
	assert_int_equal(fixture_run(command), 0);
	assert_true(found_in(fixture_dir, "/p"));
}

static void a_recorded_build_id_must_fit(void **state)
{
	struct symbols *s = fixture_store(NULL);
	struct build_id id = { { 1, 2, 3, 4 }, 4 };
	uint32_t d;

	make("sha1");
	d = told_id(s, fixture_path("full"), &id);
	assert_false(has_worker(s, d));
	assert_string_equal(dso_problem(s, d), "build-id differs from the recorded one");
	assert_int_equal(build_id_of_file(fixture_path("full"), &id, NULL), 0);
	assert_int_equal(id.size, 20);
	assert_true(has_worker(s, told_id(s, fixture_path("full"), &id)));
	assert_string_equal(dso_file(s, told_id(s, fixture_path("full"), &id)), fixture_path("full"));
	make("none");
	d = told_id(s, fixture_path("p"), &id);
	assert_false(has_worker(s, d));
	assert_string_equal(dso_problem(s, d), "it has no build-id to compare with the recorded one");
	symbols_free(s);
}

/* A recording may contain any name; below --symfs no name may reach a file outside. */
static void nothing_leads_out_of_the_symfs(void **state)
{
	autofree char *outside = NULL;

	make("sha1");
	outside = xasprintf("/../%s/full", strrchr(fixture_dir, '/') + 1);
	assert_int_equal(fixture_run("mkdir -p root && ln -s ../full root/up && ln -s \"$PWD/full\" root/absolute && "
				     "cp full root/inside && ln -s inside root/near"),
			 0);
	assert_true(found_in(fixture_path("root"), "/inside"));
	assert_true(found_in(fixture_path("root"), "/near"));
	assert_true(found_in(fixture_path("root"), "/../../inside")); /* as in a real root, the parent of / is / */
	assert_false(found_in(fixture_path("root"), "/../full"));
	assert_false(found_in(fixture_path("root"), outside));
	assert_false(found_in(fixture_path("root"), "/up"));
	assert_false(found_in(fixture_path("root"), "/absolute"));
}

static void the_cache_knows_an_object_by_its_id(void **state)
{
	struct symbols_opts opts = { .foreign = true };
	struct symbols *s;
	struct build_id id, short_id = { { 7 }, 1 };
	char hex[41];
	autofree char *link = NULL;
	uint32_t d;

	make("sha1");
	assert_int_equal(build_id_of_file(fixture_path("full"), &id, NULL), 0);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("full"), &id, NULL), 0);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("full"), &id, NULL),
			 0); /* again: fine */
	assert_int_equal(build_id_cache_add(fixture_path("cache"), "/a/../../b", &id, NULL), -1);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("full"), &short_id, NULL), -1);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("missing"), &id, NULL), -1);
	build_id_format(&id, hex);
	link = xasprintf("cache/.build-id/%.2s/%s", hex, hex + 2);
	assert_int_equal(fixture_run("test -f \"cache/$PWD/full/$(ls cache/$PWD/full)/elf\""), 0);
	assert_int_equal(access(fixture_path(link), F_OK), 0);
	opts.buildid_dir = fixture_path("cache");
	s = symbols_new(&opts);
	d = told_id(s, "/not/here/any/more", &id);
	assert_true(has_worker(s, d));
	assert_string_equal(strrchr(dso_file(s, d), '/'), "/elf");
	symbols_free(s);
	/* A file under a wrong id is not used. */
	assert_int_equal(fixture_run("for f in $(find cache -name elf); do cat split >$f; printf '\\0' | dd of=$f bs=1 "
				     "seek=0 conv=notrunc; done"),
			 0);
	s = symbols_new(&opts);
	assert_false(has_worker(s, told_id(s, "/not/here/any/more", &id)));
	symbols_free(s);
}

static void ids_are_read_and_written(void **state)
{
	struct build_id id = { { 0x00, 0xab, 0xff }, 3 };
	char hex[41];

	build_id_format(&id, hex);
	assert_string_equal(hex, "00abff");
	fixture_write("none", "text");
	assert_int_equal(build_id_of_file(fixture_path("none"), &id, NULL), -1);
	assert_int_equal(id.size, 0);
	assert_int_equal(build_id_of_module("../../etc", &id, NULL), -1);
	if (!access("/sys/kernel/notes", R_OK))
		assert_int_equal(build_id_of_kernel(&id, NULL), 0);
	if (!build_id_of_vdso(&id, NULL))
		assert_true(id.size > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_debug_link_leads_to_the_split_file),
		cmocka_unit_test(a_split_file_of_another_build_is_refused),
		cmocka_unit_test(without_build_ids_the_checksum_decides),
		cmocka_unit_test(debug_packages_are_found_below_the_symfs),
		cmocka_unit_test(a_recorded_build_id_must_fit),
		cmocka_unit_test(nothing_leads_out_of_the_symfs),
		cmocka_unit_test(the_cache_knows_an_object_by_its_id),
		cmocka_unit_test(ids_are_read_and_written),
	};

	return cmocka_run_group_tests_name("from_debugfile", tests, fixture_setup, fixture_teardown);
}
