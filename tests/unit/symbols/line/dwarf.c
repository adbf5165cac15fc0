#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "base/file.h"
#include "symbols/line/dwarf_priv.h"
#include "symbols/name/sources.h"
#include "symbols/symbols.h"
#include "tests/unit/symbols/self.h"

/* The test reads its own debug information: places of functions, inlined calls, line numbers. */

struct place {
	uint64_t ip;
	uint32_t inner, middle, outer;
};

static __attribute__((noinline)) uint64_t after_call(void) { return (uintptr_t)__builtin_return_address(0); }

static inline __attribute__((always_inline)) void inner_function(struct place *p)
{
	p->inner = __LINE__ + 1; /* the line of the call */
	p->ip = after_call();
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void middle_function(struct place *p)
{
	p->middle = __LINE__ + 1; /* the line of the call */
	inner_function(p);
}

static __attribute__((noinline)) void outer_function(struct place *p)
{
	p->outer = __LINE__ + 1; /* the line of the call */
	middle_function(p);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void plain_function(struct place *p)
{
	p->outer = __LINE__ + 1; /* the line of the call */
	p->ip = after_call();
	__asm__ volatile("" ::: "memory");
}

struct found {
	struct symbols *s;
	uint32_t space;
	struct map_hit hit;
};

static struct found find(uint64_t ip)
{
	struct found f = { .s = symbols_new(&(struct symbols_opts){ 0 }) };

	f.space = space_of_self(f.s, NULL);
	assert_true(space_find(f.s, f.space, 0, ip, &f.hit));
	return f;
}

static bool is_this_file(const char *path)
{
	size_t len = path ? strlen(path) : 0, n = strlen("symbols/line/dwarf.c");

	return len > n && !strcmp(path + len - n, "symbols/line/dwarf.c");
}

static void a_line_is_found(void **state)
{
	struct source_line l;
	struct place p;
	struct found f;

	plain_function(&p);
	f = find(p.ip - 1);
	assert_true(dso_source_line(f.s, f.hit.dso, f.hit.dso_off, &l));
	assert_true(is_this_file(l.file));
	assert_int_equal(l.line, p.outer);
	symbols_free(f.s);
}

static void inlined_calls_are_found_innermost_first(void **state)
{
	struct inline_frame frames[8];
	struct source_line l, outer;
	struct place p;
	struct found f;

	outer_function(&p);
	f = find(p.ip - 1);
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(dso_inlines(f.s, f.hit.dso, f.hit.dso_off, frames, 8, &outer), 2);
		assert_string_equal(frames[0].name, "inner_function");
		assert_string_equal(frames[1].name, "middle_function");
		assert_string_equal(dso_function(f.s, f.hit.dso, f.hit.dso_off), "outer_function");
		assert_true(is_this_file(frames[0].at.file) && is_this_file(frames[1].at.file) &&
			    is_this_file(outer.file));
		assert_int_equal(frames[0].at.line, p.inner);
		assert_int_equal(frames[1].at.line, p.middle);
		assert_int_equal(outer.line, p.outer);
	}
	assert_true(dso_source_line(f.s, f.hit.dso, f.hit.dso_off, &l));
	assert_int_equal(l.line, p.inner);
	assert_int_equal(dso_inlines(f.s, f.hit.dso, f.hit.dso_off, frames, 1, &outer), 1);
	assert_string_equal(frames[0].name, "inner_function");
	symbols_free(f.s);
}

static void code_that_nothing_was_put_into_has_no_frames(void **state)
{
	struct inline_frame frames[8];
	struct source_line outer;
	struct place p;
	struct found f;

	plain_function(&p);
	f = find(p.ip - 1);
	assert_int_equal(dso_inlines(f.s, f.hit.dso, f.hit.dso_off, frames, 8, &outer), 0);
	assert_int_equal(outer.line, p.outer);
	symbols_free(f.s);
}

static void objects_without_dwarf_have_no_lines(void **state)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ 0 });
	uint32_t dso = symbols_dso(s, &(struct dso_args){ .filename = "/nonexistent" });
	struct inline_frame frames[8];
	struct source_line l = { .file = "x" };

	assert_false(dso_source_line(s, dso, 0x1000, &l));
	assert_null(l.file);
	assert_int_equal(dso_inlines(s, dso, 0x1000, frames, 8, &l), 0);
	assert_int_equal(dso_inlines(s, DSO_UNKNOWN, 0x1000, frames, 8, &l), 0);
	assert_null(dso_function(s, dso, 0x1000));
	symbols_free(s);
}

static void addresses_outside_have_no_lines(void **state)
{
	struct inline_frame frames[8];
	struct source_line l;
	struct place p;
	struct found f;

	plain_function(&p);
	f = find(p.ip);
	assert_false(dso_source_line(f.s, f.hit.dso, 0, &l));
	assert_false(dso_source_line(f.s, f.hit.dso, UINT64_MAX, &l));
	assert_int_equal(dso_inlines(f.s, f.hit.dso, UINT64_MAX, frames, 8, &l), 0);
	symbols_free(f.s);
}

/* ---- other forms of the same object ---- */

static int run(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_section(struct elf_bytes object, const char *name)
{
	struct image im;
	GElf_Shdr h;
	bool found;

	assert_int_equal(image_open_memory(&im, object.data, object.len, NULL, NULL), 0);
	found = image_section(&im, name, &h);
	image_close(&im);
	return found;
}

/* The unit alone gives the same answers as the whole, and contains no other unit. */
static void check_near(struct dwarf_info *whole, struct elf_bytes object, uint64_t addr)
{
	struct dwarf_info *near = dwarf_info_new_near(object, addr, false, false);
	size_t n = 0;

	if (!near && !has_section(object, ".debug_aranges"))
		return;
	assert_non_null(near);
	for (uint64_t a = addr - 2048; a < addr + 2048; a++) {
		struct inline_frame f[8], g[8];
		struct source_line x, y;

		if (!dwarf_info_has(near, a))
			continue;
		n++;
		assert_int_equal(dwarf_info_line(whole, a, &x), dwarf_info_line(near, a, &y));
		assert_true(!x.file || (x.line == y.line && !strcmp(x.file, y.file)));
		assert_int_equal(dwarf_info_inlines(whole, a, f, 8, &x), dwarf_info_inlines(near, a, g, 8, &y));
		assert_true(!x.file || (x.line == y.line && !strcmp(x.file, y.file)));
	}
	assert_true(n > 100);
	assert_false(dwarf_info_has(near, addr + (1 << 24)));
	dwarf_info_free(near);
	assert_null(dwarf_info_new_near(object, UINT64_MAX, false, false));
}

static void check_own_object(const char *path, uint64_t addr, const struct place *p)
{
	struct dwarf_info *w;
	struct inline_frame frames[8];
	struct source_line outer;
	struct file_map m;

	assert_int_equal(file_map(&m, path, NULL), 0);
	w = dwarf_info_new((struct elf_bytes){ m.data, m.len }, (struct elf_bytes){ 0 }, NULL, false, false);
	assert_non_null(w);
	assert_int_equal(dwarf_info_inlines(w, addr, frames, 8, &outer), 2);
	assert_string_equal(frames[0].name, "inner_function");
	assert_int_equal(outer.line, p->outer);
	check_near(w, (struct elf_bytes){ m.data, m.len }, addr);
	dwarf_info_free(w);
	file_unmap(&m);
}

static void one_function_needs_one_unit(void **state)
{
	struct place p;
	struct found f;

	outer_function(&p);
	f = find(p.ip - 1);
	check_own_object(dso_file(f.s, f.hit.dso), dso_address(f.s, f.hit.dso, f.hit.dso_off), &p);
	symbols_free(f.s);
}

static void places_near_and_far_are_known(void **state)
{
	struct source_line l, near;
	struct place p;
	struct found f, whole;
	uint64_t far = (uintptr_t)file_map; /* of another unit */

	plain_function(&p);
	f = find(p.ip - 1);
	dso_expect_near(f.s, f.hit.dso, f.hit.dso_off);
	assert_true(dso_source_line(f.s, f.hit.dso, f.hit.dso_off, &near));
	assert_int_equal(near.line, p.outer);
	whole = find(far);
	assert_true(dso_source_line(whole.s, whole.hit.dso, whole.hit.dso_off, &l));
	assert_true(space_find(f.s, f.space, 0, far, &f.hit));
	assert_true(dso_source_line(f.s, f.hit.dso, f.hit.dso_off, &near));
	assert_string_equal(l.file, near.file);
	assert_int_equal(l.line, near.line);
	symbols_free(whole.s);
	symbols_free(f.s);
}

static void compressed_sections_are_inflated(void **state)
{
	char path[] = "/tmp/strobe-dwarf-XXXXXX", self[4096];
	int fd = mkstemp(path);
	struct place p;
	struct found f;
	int status;

	assert_true(fd >= 0);
	close(fd);
	outer_function(&p);
	f = find(p.ip - 1);
	snprintf(self, sizeof(self), "%s", dso_file(f.s, f.hit.dso));
	status = run((char *[]){ "objcopy", "--compress-debug-sections", self, path, NULL });
	if (!status)
		check_own_object(path, dso_address(f.s, f.hit.dso, f.hit.dso_off), &p);
	unlink(path);
	symbols_free(f.s);
	if (status) {
		print_message("objcopy is not here or cannot compress\n");
		skip();
	}
}

/* ---- .debug_aranges ---- */

enum { SET_HEADER = 16 }; /* with the padding before 64-bit ranges; DWARF 5, 6.1.2 */

/* Visit the sets of .debug_aranges in a copy of an object. Return their number. */
static unsigned each_set(struct elf_bytes copy, void (*change)(uint8_t *set, size_t len, unsigned number))
{
	struct image im;
	unsigned n = 0;
	GElf_Shdr h;

	assert_int_equal(image_open_memory(&im, copy.data, copy.len, NULL, NULL), 0);
	if (image_section(&im, ".debug_aranges", &h) && !(h.sh_flags & SHF_COMPRESSED))
		for (uint8_t *set = (uint8_t *)(uintptr_t)copy.data + h.sh_offset, *end = set + h.sh_size; set < end;) {
			size_t len = 4 + (size_t)load_u32(set);

			change(set, len, n++);
			set += len;
		}
	image_close(&im);
	return n;
}

/* The list cannot be read. */
static void spoil(uint8_t *set, size_t len, unsigned number) { set[4] = 99; /* version */ }

/* Each second unit is not in the list: its ranges begin at 0. */
static void hide_half(uint8_t *set, size_t len, unsigned number)
{
	for (size_t at = SET_HEADER; number % 2 && at + 16 <= len && load_u64(set + at + 8); at += 16)
		memset(set + at, 0, 8);
}

/* The ranges end behind the last address. */
static void overflow(uint8_t *set, size_t len, unsigned number)
{
	for (size_t at = SET_HEADER; at + 16 <= len && load_u64(set + at + 8); at += 16)
		memset(set + at + 8, 0xff, 8);
}

/* Each unit has a byte of code. */
static void shrink(uint8_t *set, size_t len, unsigned number)
{
	static const uint64_t one = 1;

	for (size_t at = SET_HEADER; at + 16 <= len && load_u64(set + at + 8); at += 16)
		memcpy(set + at + 8, &one, 8);
}

/* Return at how many addresses around this one the changed object has other answers than the object. */
static unsigned differ(struct elf_bytes object, uint64_t addr,
		       void (*change)(uint8_t *set, size_t len, unsigned number))
{
	uint8_t *bytes = memcpy(xmalloc(object.len), object.data, object.len);
	struct elf_bytes copy = { bytes, object.len };
	struct dwarf_info *a = dwarf_info_new(object, (struct elf_bytes){ 0 }, NULL, false, false), *b;
	unsigned n = 0;

	assert_true(each_set(copy, change) > 2);
	b = dwarf_info_new(copy, (struct elf_bytes){ 0 }, NULL, false, false);
	for (uint64_t at = addr - (1 << 14); at < addr + (1 << 14); at += 7) {
		struct inline_frame f[8], g[8];
		struct source_line x, y;

		n += dwarf_info_inlines(a, at, f, 8, NULL) != dwarf_info_inlines(b, at, g, 8, NULL) ||
		     dwarf_info_line(a, at, &x) != dwarf_info_line(b, at, &y) || x.line != y.line;
	}
	dwarf_info_free(a);
	dwarf_info_free(b);
	free(bytes);
	return n;
}

static void units_are_found_with_and_without_a_list(void **state)
{
	struct place p;
	struct found f;
	struct file_map m;
	struct elf_bytes object;
	uint64_t addr;
	bool listed;

	outer_function(&p);
	f = find(p.ip - 1);
	addr = dso_address(f.s, f.hit.dso, f.hit.dso_off);
	assert_int_equal(file_map(&m, dso_file(f.s, f.hit.dso), NULL), 0);
	object = (struct elf_bytes){ m.data, m.len };
	listed = has_section(object, ".debug_aranges");
	if (listed) {
		assert_int_equal(differ(object, addr, spoil), 0);
		assert_int_equal(differ(object, addr, hide_half), 0);
		assert_int_equal(differ(object, addr, overflow), 0);
		assert_int_not_equal(differ(object, addr, shrink), 0); /* the list is read */
	}
	file_unmap(&m);
	symbols_free(f.s);
	if (!listed) {
		print_message("this compiler writes no .debug_aranges\n");
		skip();
	}
}

/* ---- damage ---- */

static void no_damage_does_harm(void **state)
{
	struct file_map m;
	struct place p;
	struct found f;
	uint64_t seed = 7, addr;

	outer_function(&p);
	f = find(p.ip - 1);
	addr = dso_address(f.s, f.hit.dso, f.hit.dso_off);
	assert_int_equal(file_map(&m, dso_file(f.s, f.hit.dso), NULL), 0);
	for (int i = 0; i < 150; i++) {
		autofree uint8_t *copy = xmalloc(m.len);
		struct inline_frame frames[8];
		struct source_line l;
		struct dwarf_info *w;

		memcpy(copy, m.data, m.len);
		/* most of the file behind the code is DWARF and the section headers */
		for (int j = 0; j < 40; j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[m.len - 1 - (seed >> 33) % (m.len * 3 / 4)] = (uint8_t)(seed >> 20);
		}
		w = dwarf_info_new((struct elf_bytes){ copy, i % 3 ? m.len : m.len - (seed >> 40) % m.len },
				   (struct elf_bytes){ 0 }, NULL, false, false);
		for (int near = 0; near < 2; near++) {
			for (uint64_t a = addr - 40; w && a < addr + 40; a += 8) {
				dwarf_info_line(w, a, &l);
				dwarf_info_inlines(w, a, frames, 8, &l);
			}
			dwarf_info_free(w);
			w = near ? NULL : dwarf_info_new_near((struct elf_bytes){ copy, m.len }, addr, false, false);
		}
	}
	file_unmap(&m);
	symbols_free(f.s);
}

/* ---- threads of ours ---- */

struct job {
	struct found *f;
	bool good;
	const struct place *p;
};

static void *work(void *arg)
{
	struct job *j = arg;
	struct inline_frame frames[8];
	struct source_line outer, l;

	j->good = true;
	for (uint64_t i = 0; i < 300; i++) {
		uint64_t off = j->f->hit.dso_off;

		j->good &=
			dso_inlines(j->f->s, j->f->hit.dso, off, frames, 8, &outer) == 2 && outer.line == j->p->outer;
		dso_source_line(j->f->s, j->f->hit.dso, off - i * 4, &l);
	}
	return NULL;
}

static void many_threads_may_ask(void **state)
{
	struct job jobs[4];
	pthread_t threads[4];
	struct place p;
	struct found f;

	outer_function(&p);
	f = find(p.ip - 1);
	for (unsigned i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .f = &f, .p = &p };
		assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_true(jobs[i].good);
	}
	symbols_free(f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_found),
		cmocka_unit_test(inlined_calls_are_found_innermost_first),
		cmocka_unit_test(code_that_nothing_was_put_into_has_no_frames),
		cmocka_unit_test(objects_without_dwarf_have_no_lines),
		cmocka_unit_test(addresses_outside_have_no_lines),
		cmocka_unit_test(one_function_needs_one_unit),
		cmocka_unit_test(places_near_and_far_are_known),
		cmocka_unit_test(compressed_sections_are_inflated),
		cmocka_unit_test(units_are_found_with_and_without_a_list),
		cmocka_unit_test(no_damage_does_harm),
		cmocka_unit_test(many_threads_may_ask),
	};
	struct place p;
	struct source_line l;
	struct found f;
	bool have;

	plain_function(&p);
	f = find(p.ip - 1);
	have = dso_source_line(f.s, f.hit.dso, f.hit.dso_off, &l);
	symbols_free(f.s);
	if (!have) {
		print_message("this program was built without DWARF (-g)\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
