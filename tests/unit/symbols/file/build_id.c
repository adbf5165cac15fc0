#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <signal.h>
#include <sys/resource.h>

#include "symbols/file/elf_make.h"
#include "tests/unit/symbols/fixture.h"

/* A note of GNU's build-id: sizes of name and id, type, name, id. Source: elf(5), "Notes (Nhdr)". */
struct id_note {
	uint32_t name_size, id_size, type;
	char name[4];
	uint8_t id[20];
};
static const struct id_note note = { 4, 20, NT_GNU_BUILD_ID, "GNU", { 0xab, 0xcd, [19] = 0x0f } };
static const char hex[] = "abcd00000000000000000000000000000000000f";

static void write_object(const char *name, const char *section)
{
	struct elf_part part = { .name = section, .type = SHT_NOTE, .align = 4, .data = &note, .len = sizeof(note) };
	size_t len;
	autofree void *bytes = elf_make(ET_DYN, 0, &part, 1, &len);

	if (!strcmp(section, ".comment"))
		((Elf64_Shdr *)((char *)bytes + ((Elf64_Ehdr *)bytes)->e_shoff))[1].sh_type = SHT_PROGBITS;
	fixture_write_bytes(name, bytes, len);
}

static void the_id_of_an_object_is_read_from_its_note(void **state)
{
	struct build_id id;
	struct err e = { 0 };
	char text[41];

	write_object("object", ".note.gnu.build-id");
	assert_int_equal(build_id_of_file(fixture_path("object"), &id, &e), 0);
	build_id_format(&id, text);
	assert_string_equal(text, hex);
	assert_int_equal(id.size, 20);
}

static void notes_of_sysfs_are_read_as_they_are(void **state)
{
	struct build_id id;
	struct err e = { 0 };

	fixture_write_bytes("notes", &note, sizeof(note));
	assert_int_equal(build_id_of_notes(fixture_path("notes"), &id, &e), 0);
	assert_memory_equal(id.bytes, note.id, 20);
	fixture_write_bytes("cut", &note, sizeof(note) - 1);
	assert_int_equal(build_id_of_notes(fixture_path("cut"), &id, &e), -1);
	assert_int_equal(id.size, 0);
	assert_non_null(strstr(e.what, "holds no build-id"));
}

static void files_without_an_id_are_refused_by_name(void **state)
{
	struct build_id id;
	struct err e = { 0 };

	write_object("bare", ".comment");
	assert_int_equal(build_id_of_file(fixture_path("bare"), &id, &e), -1);
	assert_non_null(strstr(e.what, "bare' has no build-id"));
	fixture_write("text", "hello\n");
	assert_int_equal(build_id_of_file(fixture_path("text"), &id, &e), -1);
	assert_non_null(strstr(e.what, "no build-id of '"));
}

static void a_module_is_named_not_a_path(void **state)
{
	struct build_id id;
	struct err e = { 0 };

	assert_int_equal(build_id_of_module("../../etc", &id, &e), -1);
	assert_string_equal(e.what, "'../../etc' is no module's name");
}

/* The layout of the cache is perf's: .build-id/ab/cdef... leads to the copy. Source: perf-buildid-cache(1). */
static void the_cache_holds_a_copy_that_its_id_leads_to(void **state)
{
	struct build_id id = { .size = 20 };
	struct err e = { 0 };
	autofree char *in_cache = NULL;
	char found[4096] = "";
	autofree char *copy = NULL;

	memcpy(id.bytes, note.id, sizeof(note.id));
	write_object("cached", ".note.gnu.build-id");
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("cached"), &id, &e), 0);
	in_cache = xasprintf("%s/.build-id/ab/%s", fixture_path("cache"), hex + 2);
	assert_true(readlink(in_cache, found, sizeof(found) - 1) > 0);
	copy = xasprintf("%s/elf", in_cache);
	assert_int_equal(build_id_of_file(copy, &id, &e), 0);
}

/* "..", a part of its own, would lead out of the cache; two dots in a name do not. */
static void an_object_with_two_dots_in_its_name_is_found_again(void **state)
{
	struct build_id id = { .size = 20 };
	struct err e = { 0 };
	autofree char *up = NULL, *place = NULL;

	memcpy(id.bytes, note.id, sizeof(note.id));
	id.bytes[0] = 0x77;
	write_object("lib..so", ".note.gnu.build-id");
	assert_int_equal(build_id_cache_add(fixture_path("cache"), fixture_path("lib..so"), &id, &e), 0);
	place = build_id_cache_place(fixture_path("cache"), &id);
	assert_non_null(place);
	assert_non_null(strstr(place, "/lib..so/77cd"));
	assert_int_equal(build_id_cache_remove(fixture_path("cache"), &id, &e), 0);
	up = xasprintf("%s/../lib..so", fixture_path("x"));
	assert_int_equal(build_id_cache_add_as(fixture_path("cache"), fixture_path("lib..so"), up, &id, &e), -1);
}

/* A full disk must not leave half of the vdso in the cache, where it would stay. */
static void a_vdso_that_cannot_be_written_is_not_kept(void **state)
{
	const struct rlimit little = { 100, RLIM_INFINITY }, no_limit = { RLIM_INFINITY, RLIM_INFINITY };
	struct build_id id;
	struct err e = { 0 };

	fixture_need_vdso();
	assert_int_equal(build_id_of_vdso(&id, &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), "[vdso]", &id, &e), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
	assert_int_equal(build_id_cache_add(fixture_path("cache"), "[vdso]", &id, &e), 0);
	{
		autofree char *place = build_id_cache_place(fixture_path("cache"), &id);
		autofree char *file = xasprintf("%s/%s/vdso", fixture_path("cache"), place);
		struct build_id found;

		assert_int_equal(build_id_of_file(file, &found, &e), 0);
		assert_true(build_id_equal(&found, &id));
	}
}

static void an_id_leads_to_its_path_in_the_cache_and_below_usr_lib_debug(void **state)
{
	struct build_id id = { .size = 3, .bytes = { 0xab, 0xcd, 0x0f } }, one = { .size = 1, .bytes = { 0xab } };
	autofree char *cached = build_id_path("/cache", &id, "/elf"), *packaged = build_id_debug_path(&id);

	assert_string_equal(cached, "/cache/.build-id/ab/cd0f/elf");
	assert_string_equal(packaged, "/usr/lib/debug/.build-id/ab/cd0f.debug");
	assert_null(build_id_path(NULL, &id, ""));
	assert_null(build_id_debug_path(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_of_an_object_is_read_from_its_note),
		cmocka_unit_test(an_id_leads_to_its_path_in_the_cache_and_below_usr_lib_debug),
		cmocka_unit_test(notes_of_sysfs_are_read_as_they_are),
		cmocka_unit_test(files_without_an_id_are_refused_by_name),
		cmocka_unit_test(a_module_is_named_not_a_path),
		cmocka_unit_test(the_cache_holds_a_copy_that_its_id_leads_to),
		cmocka_unit_test(an_object_with_two_dots_in_its_name_is_found_again),
		cmocka_unit_test(a_vdso_that_cannot_be_written_is_not_kept),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
