#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <elf.h>
#include <unistd.h>

#include "symbols/file/image.h"
#include "symbols/name/jitdump.h"
#include "tests/unit/symbols/fixture.h"

/* A jitdump in a directory of the test, as its specification describes it, in host byte order. */
struct dump {
	uint8_t bytes[1024];
	size_t len;
};

static void put(struct dump *d, uint64_t v, size_t size)
{
	const uint32_t v4 = (uint32_t)v;

	assert_true(d->len + size <= sizeof(d->bytes));
	memcpy(d->bytes + d->len, size == 8 ? (const void *)&v : &v4, size);
	d->len += size;
}

static void put_bytes(struct dump *d, const void *bytes, size_t len)
{
	assert_true(d->len + len <= sizeof(d->bytes));
	memcpy(d->bytes + d->len, bytes, len);
	d->len += len;
}

static struct dump begin(void)
{
	struct dump d = { .len = 0 };

	put(&d, 0x4a695444, 4), put(&d, 1, 4), put(&d, JITDUMP_HEADER, 4), put(&d, EM_X86_64, 4), put(&d, 0, 4);
	put(&d, 77, 4), put(&d, 5, 8), put(&d, 0, 8);
	return d;
}

static void load(struct dump *d, uint64_t time, uint64_t at, uint64_t index, const char *name, const char *code)
{
	put(d, JITDUMP_LOAD, 4), put(d, 16 + 40 + strlen(name) + 1 + strlen(code), 4), put(d, time, 8);
	put(d, 77, 4), put(d, 77, 4), put(d, at, 8), put(d, at, 8), put(d, strlen(code), 8), put(d, index, 8);
	put_bytes(d, name, strlen(name) + 1);
	put_bytes(d, code, strlen(code));
}

static void move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t len, uint64_t index)
{
	put(d, JITDUMP_MOVE, 4), put(d, 16 + 48, 4), put(d, time, 8);
	put(d, 77, 4), put(d, 77, 4), put(d, to, 8), put(d, from, 8), put(d, to, 8), put(d, len, 8), put(d, index, 8);
}

static void line(struct dump *d, uint64_t at)
{
	put(d, JITDUMP_DEBUG, 4), put(d, 16 + 16 + 16 + 2, 4), put(d, 1, 8);
	put(d, at, 8), put(d, 1, 8), put(d, at, 8), put(d, 9, 4), put(d, 0, 4);
	put_bytes(d, "f", 2);
}

/* ---- what is written ---- */

struct files {
	struct jit_file *items;
	size_t n;
	struct err e;
	int status;
};

static struct files written(const struct dump *d)
{
	struct symbols *s = fixture_store(NULL);
	struct files f = { .n = 99 };

	fixture_write_bytes("jit-77.dump", d->bytes, d->len);
	f.status = jit_files_write(s, fixture_path("jit-77.dump"), 77, 0, &f.items, &f.n, &f.e);
	symbols_free(s);
	return f;
}

/* The files of the directory besides the dump: no half-written ones stay. */
static size_t n_in_directory(void)
{
	DIR *dir = opendir(fixture_dir);
	size_t n = 0;

	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.' && strcmp(entry->d_name, "jit-77.dump") != 0;
	closedir(dir);
	return n;
}

static void file_is(const struct jit_file *f, const char *name, uint64_t time_ns, uint64_t start, uint64_t len)
{
	assert_string_equal(f->path, fixture_path(name));
	assert_int_equal(f->time_ns, time_ns);
	assert_int_equal(f->start, start);
	assert_int_equal(f->len, len);
	assert_int_equal(f->pgoff, 0x80); /* perf puts the code there */
}

static void opened(struct image *im, struct file_map *m, const char *name)
{
	struct err e = { 0 };

	if (file_map(m, fixture_path(name), &e) < 0)
		fail_msg("%s", e.what);
	assert_int_equal(image_open_memory(im, m->data, m->len, NULL, NULL), 0);
	assert_int_equal(im->machine, EM_X86_64);
}

static void section_is(const char *name, const char *section, const char *wanted)
{
	struct image im;
	struct file_map m;
	GElf_Shdr h;
	size_t len;
	const uint8_t *bytes;

	opened(&im, &m, name);
	assert_int_equal(image_section(&im, section, &h) != NULL, wanted != NULL);
	if (wanted) {
		bytes = image_section_bytes(&im, &h, &len);
		assert_int_equal(len, strlen(wanted));
		assert_memory_equal(bytes, wanted, len);
	}
	image_close(&im);
	file_unmap(&m);
}

static void each_piece_of_code_has_a_file_with_one_function(void **state)
{
	struct dump d = begin();
	struct symbols *s;
	struct files f;
	uint32_t dso;

	load(&d, 11, 0x1000, 0, "one", "abcd");
	load(&d, 12, 0x2000, 18446744073709551615u, "two", "efghij");
	f = written(&d);
	assert_int_equal(f.status, 0);
	assert_int_equal(f.n, 2);
	file_is(&f.items[0], "jitted-77-0.so", 11, 0x1000, 4);
	file_is(&f.items[1], "jitted-77-18446744073709551615.so", 12, 0x2000, 6);
	assert_int_equal(n_in_directory(), 2);
	section_is("jitted-77-0.so", ".text", "abcd");
	section_is("jitted-77-18446744073709551615.so", ".text", "efghij");
	section_is("jitted-77-0.so", ".debug_line", NULL);
	s = fixture_store(NULL);
	dso = fixture_file(s, f.items[0].path);
	assert_string_equal(fixture_name(s, dso, 0x7f), "");
	assert_string_equal(fixture_name(s, dso, 0x80), "one");
	assert_string_equal(fixture_name(s, dso, 0x83), "one");
	assert_string_equal(fixture_name(s, dso, 0x84), "");
	symbols_free(s);
	jit_files_free(f.items, f.n);
}

static void code_that_moved_stays_in_its_file(void **state)
{
	struct dump d = begin();
	struct files f;
	struct stat st;

	load(&d, 11, 0x1000, 3, "one", "abcd");
	move(&d, 12, 0x1000, 0x5000, 4, 3);
	f = written(&d);
	assert_int_equal(f.status, 0);
	assert_int_equal(f.n, 2);
	file_is(&f.items[0], "jitted-77-3.so", 11, 0x1000, 4);
	file_is(&f.items[1], "jitted-77-3.so", 12, 0x5000, 4);
	assert_int_equal(stat(f.items[0].path, &st), 0);
	assert_int_equal(f.items[0].ino, st.st_ino);
	assert_int_equal(n_in_directory(), 1);
	jit_files_free(f.items, f.n);
}

static void only_code_with_lines_has_debug_sections(void **state)
{
	struct dump d = begin();
	struct files f;
	struct image im;
	struct file_map m;
	GElf_Shdr h;

	line(&d, 0x1000);
	load(&d, 11, 0x1000, 1, "one", "abcd");
	load(&d, 12, 0x2000, 2, "two", "abcd");
	f = written(&d);
	assert_int_equal(f.n, 2);
	opened(&im, &m, "jitted-77-1.so");
	assert_non_null(image_section(&im, ".debug_line", &h));
	assert_non_null(image_section(&im, ".debug_info", &h));
	assert_non_null(image_section(&im, ".debug_abbrev", &h));
	image_close(&im);
	file_unmap(&m);
	section_is("jitted-77-2.so", ".debug_line", NULL);
	jit_files_free(f.items, f.n);
}

/* Write one piece of code, and copy the note with its build-id: 16 bytes of head, then 20. */
static void note_of(const char *name, const char *code, uint8_t note[36])
{
	struct dump d = begin();
	struct files f;
	struct image im;
	struct file_map m;
	GElf_Shdr h;
	size_t len;
	const uint8_t *bytes;

	load(&d, 11, 0x1000, 0, name, code);
	f = written(&d);
	assert_int_equal(f.status, 0);
	opened(&im, &m, "jitted-77-0.so");
	assert_non_null(image_section(&im, ".note.gnu.build-id", &h));
	bytes = image_section_bytes(&im, &h, &len);
	assert_int_equal(len, 36);
	memcpy(note, bytes, len);
	image_close(&im);
	file_unmap(&m);
	jit_files_free(f.items, f.n);
}

static void build_ids_depend_on_name_and_code(void **state)
{
	static const uint32_t head[] = { 4, 20, NT_GNU_BUILD_ID };
	uint8_t one[36], same[36], other_code[36], other_name[36];

	note_of("f", "abcd", one);
	note_of("f", "abcd", same);
	note_of("f", "abce", other_code);
	note_of("g", "abcd", other_name);
	assert_memory_equal(one, head, sizeof(head));
	assert_memory_equal(one + 12, "GNU", 4);
	assert_memory_equal(one, same, 36);
	assert_memory_not_equal(one, other_code, 36);
	assert_memory_not_equal(one, other_name, 36);
}

static void our_file_of_an_earlier_run_is_replaced(void **state)
{
	struct dump d = begin();
	struct files f;

	fixture_write("jitted-77-0.so", "old");
	load(&d, 11, 0x1000, 0, "one", "abcd");
	f = written(&d);
	assert_int_equal(f.status, 0);
	section_is("jitted-77-0.so", ".text", "abcd");
	assert_int_equal(n_in_directory(), 1);
	jit_files_free(f.items, f.n);
}

/* ---- what is refused ---- */

static void links_and_directories_are_not_replaced(void **state)
{
	for (int is_link = 0; is_link < 2; is_link++) {
		struct dump d = begin();
		struct files f;

		fixture_run("rm -rf jitted-*");
		fixture_write("victim", "precious");
		assert_int_equal(fixture_run(is_link ? "ln -s victim jitted-77-1.so" : "mkdir jitted-77-1.so"), 0);
		load(&d, 11, 0x1000, 0, "zero", "abcd");
		load(&d, 12, 0x2000, 1, "one", "abcd");
		f = written(&d);
		assert_int_equal(f.status, -1);
		assert_null(f.items);
		assert_int_equal(f.n, 0);
		assert_non_null(strstr(f.e.what, "jitted-77-1.so' is there already and is not ours"));
		assert_int_equal(fixture_run("test \"$(cat victim)\" = precious"), 0);
		assert_int_equal(n_in_directory(), 3); /* the victim, what is in the way, and the first file */
	}
}

static void other_files_than_jitdumps_make_nothing(void **state)
{
	struct dump d = begin();
	struct files f;

	d.bytes[0] ^= 1;
	load(&d, 11, 0x1000, 0, "one", "abcd");
	f = written(&d);
	assert_int_equal(f.status, -1);
	assert_null(f.items);
	assert_int_equal(f.n, 0);
	assert_non_null(strstr(f.e.what, "cannot use the jitdump '"));
	assert_true(f.e.why[0]);
	assert_int_equal(n_in_directory(), 0);
	d.len = 0;
	f = written(&d);
	assert_int_equal(f.status, -1);
}

static void a_dump_that_is_cut_has_the_code_before_the_cut(void **state)
{
	struct dump d = begin(), cut;
	size_t first;

	load(&d, 11, 0x1000, 0, "one", "abcd");
	first = d.len;
	load(&d, 12, 0x2000, 1, "two", "abcd");
	for (size_t len = JITDUMP_HEADER; len <= d.len; len++) {
		struct files f;

		cut = d;
		cut.len = len;
		f = written(&cut);
		assert_int_equal(f.status, 0);
		assert_int_equal(f.n, (len >= first) + (len == d.len));
		jit_files_free(f.items, f.n);
	}
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_piece_of_code_has_a_file_with_one_function),
		CASE(code_that_moved_stays_in_its_file),
		CASE(only_code_with_lines_has_debug_sections),
		CASE(build_ids_depend_on_name_and_code),
		CASE(our_file_of_an_earlier_run_is_replaced),
		CASE(links_and_directories_are_not_replaced),
		CASE(other_files_than_jitdumps_make_nothing),
		CASE(a_dump_that_is_cut_has_the_code_before_the_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
