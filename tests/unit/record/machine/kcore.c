#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "record/machine/kcore.h"

/*
 * Make a /proc: memory of 0x10000 bytes at KERNEL and at MODULES; each byte holds the number of
 * its page.
 */
#define KERNEL  0xffffffff81000000ull
#define MODULES 0xffffffffc0000000ull
enum { SIZE = 0x10000, PAGE = 4096 };

static char proc[] = "/tmp/strobe-kcore.XXXXXX";

static char *at(const char *name) { return xasprintf("%s/%s", proc, name); }

static void put(const char *name, const void *p, size_t len)
{
	autofree char *path = at(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, p, len), 0);
	close(fd);
}

static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static void put_kcore(void)
{
	static uint8_t file[PAGE + 2 * SIZE];
	Elf64_Ehdr h = { .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3 };
	Elf64_Phdr p[3] = { { .p_type = PT_NOTE, .p_vaddr = KERNEL, .p_memsz = SIZE } };

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	p[1] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_offset = PAGE, .p_vaddr = KERNEL, .p_filesz = SIZE, .p_memsz = SIZE
	};
	p[2] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_offset = PAGE + SIZE, .p_vaddr = MODULES, .p_filesz = SIZE, .p_memsz = SIZE
	};
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), p, sizeof(p));
	for (size_t i = PAGE; i < sizeof(file); i++)
		file[i] = (uint8_t)(i / PAGE);
	put("kcore", file, sizeof(file));
}

static const char names[] = "ffffffff81001000 T _stext\nffffffff81001010 T schedule\nffffffff81003800 T "
			    "_etext\nffffffffc0002010 t probe\t[mod]\n";

static int setup(void **state)
{
	strcpy(proc + strlen(proc) - 6, "XXXXXX");
	assert_non_null(mkdtemp(proc));
	put_kcore();
	put_text("kallsyms", names);
	put_text("modules", "mod 8192 1 - Live 0xffffffffc0002000 (OE)\nfar 4096 0 - Live 0xffffffffd0000000\nhidden "
			    "4096 0 - Live 0x0000000000000000\n");
	return 0;
}

static int teardown(void **state)
{
	static const char *const all[] = { "kcore_dir/kcore", "kcore_dir/kallsyms", "kcore_dir/modules", "kcore_dir",
					   "kcore",           "kallsyms",           "modules",           "" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		autofree char *path = at(all[i]);

		if (unlink(path) < 0)
			rmdir(path);
	}
	return 0;
}

static void code_of_kernel_and_modules_is_kept_and_no_more(void **state)
{
	struct err e = { 0 };
	autofree char *path = at("kcore_dir/kcore"), *copied = at("kcore_dir/kallsyms"), *dir = at("kcore_dir");
	autofree char *text = NULL;
	struct file_map m;
	const Elf64_Phdr *p;
	struct stat st;

	assert_int_equal(kcore_check(proc, &e), 0);
	assert_int_equal(kcore_copy(proc, proc, &(struct caller){ 0 }, &e), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	text = file_read(copied, 1 << 20, NULL, &e);
	assert_string_equal(text, names);
	assert_int_equal(file_map(&m, path, &e), 0);
	assert_int_equal(((const Elf64_Ehdr *)(const void *)m.data)->e_phnum, 2);
	p = (const Elf64_Phdr *)(const void *)(m.data + sizeof(Elf64_Ehdr));
	assert_true(p[0].p_vaddr == KERNEL + PAGE && p[0].p_filesz == 3 * PAGE); /* whole pages */
	assert_true(p[1].p_vaddr == MODULES + 2 * PAGE && p[1].p_filesz == 2 * PAGE);
	assert_int_equal(m.data[p[0].p_offset], 2);
	assert_int_equal(m.data[p[0].p_offset + p[0].p_filesz - 1], 4);
	assert_int_equal(m.data[p[1].p_offset], 1 + SIZE / PAGE + 2);
	assert_int_equal(m.len, p[1].p_offset + p[1].p_filesz);
	file_unmap(&m);
}

static void refused(const char *why)
{
	struct err e = { 0 };

	assert_int_equal(kcore_check(proc, &e), -1);
	assert_non_null(strstr(e.why[0] ? e.why : e.what, why));
	assert_true(e.fix[0]);
}

static void hidden_addresses_are_reported(void **state)
{
	put_text("kallsyms", "0000000000000000 T _stext\n0000000000000000 T _etext\n");
	refused("hidden");
}

static void a_kernel_without_readable_memory_is_reported(void **state)
{
	autofree char *path = at("kcore");

	unlink(path);
	refused("CONFIG_PROC_KCORE");
	put_text("kcore", "no ELF");
	refused("no ELF core");
}

static void memory_that_ends_early_is_an_error(void **state)
{
	autofree char *path = at("kcore");
	struct err e = { 0 };

	assert_int_equal(truncate(path, 2 * PAGE), 0);
	assert_int_equal(kcore_copy(proc, proc, &(struct caller){ 0 }, &e), -1);
	assert_non_null(strstr(e.what, "cannot copy"));
}

static void a_list_that_cannot_be_read_is_an_error(void **state)
{
	autofree char *path = at("modules");
	struct err e = { 0 };

	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0); /* opens, but cannot be read */
	assert_int_equal(kcore_copy(proc, proc, &(struct caller){ 0 }, &e), -1);
	assert_non_null(strstr(e.what, "modules"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(code_of_kernel_and_modules_is_kept_and_no_more, setup, teardown),
		cmocka_unit_test_setup_teardown(hidden_addresses_are_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kernel_without_readable_memory_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_that_ends_early_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_list_that_cannot_be_read_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
