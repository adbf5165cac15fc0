#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>

#include "base/file.h"
#include "tests/unit/symbols/fixture.h"

/*
 * Several names at one address, functions without size, labels, hidden and nested ones. The
 * expected names are those that perf 7.2 prints for the same file, except for the nested
 * function: perf finds the function around it only by luck.
 */
static const char aliases[] =
	".text\n"
	".globl main\n.type main,@function\nmain: ret\n.size main,.-main\n.p2align 4\n"
	".globl _ZN3FooC1Ev\n.type _ZN3FooC1Ev,@function\n.globl abcdefghij_k\n.type abcdefghij_k,@function\n"
	".globl _ZN3FooC2Ev\n.type _ZN3FooC2Ev,@function\n"
	"_ZN3FooC1Ev:\nabcdefghij_k:\n_ZN3FooC2Ev:\n nop\n ret\n"
	".size _ZN3FooC1Ev,2\n.size abcdefghij_k,2\n.size _ZN3FooC2Ev,2\n.p2align 4\n"
	".globl _Z1av\n.type _Z1av,@function\n.globl _bbbbbbbbbbbbbbbbbbbb\n.type _bbbbbbbbbbbbbbbbbbbb,@function\n"
	"_bbbbbbbbbbbbbbbbbbbb:\n_Z1av: nop\n ret\n.size _Z1av,2\n.size _bbbbbbbbbbbbbbbbbbbb,2\n.p2align 4\n"
	".globl outer\n.type outer,@function\nouter: .skip 4,0x90\n.type inner,@function\ninner: .skip 2,0x90\n"
	".size inner,2\n .skip 4,0x90\n.size outer,.-outer\n.p2align 4\n"
	".globl outer2\n.type outer2,@function\nouter2: .skip 3,0x90\nmylabel: .skip 2,0x90\n.size outer2,.-outer2\n"
	".globl hid\n.hidden hid\nhid: nop\n.p2align 5\n"
	".globl after\n.type after,@function\nafter: nop\n.size after,1\n.p2align 5\n"
	"z1:\nz2:\nz3: .skip 2,0x90\n.globl g1\ng1: nop\n.type ob,@object\nob: .byte 1,2,3\n.size ob,3\n.p2align 5\n"
	".globl weak_one\n.weak weak_one\n.type weak_one,@function\n.type local,@function\n.globl glob\n.type "
	"glob,@function\n"
	"weak_one:\nlocal:\nglob: nop\n.size weak_one,1\n.size local,1\n.size glob,1\n.p2align 5\n"
	".globl big\n.type big,@function\n.globl small_with_longer_name\n.type small_with_longer_name,@function\n"
	"big:\nsmall_with_longer_name: .skip 8,0x90\n.size big,8\n.size small_with_longer_name,4\n.p2align 5\n"
	".globl _f\n.type _f,@function\n.globl __f_longer\n.type __f_longer,@function\n_f:\n__f_longer: nop\n.size "
	"_f,1\n.size __f_longer,1\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static uint32_t load(struct symbols *s, const char *name) { return fixture_file(s, fixture_path(name)); }

/* Return what is shown n bytes behind a symbol. */
static const char *behind(struct symbols *s, uint32_t d, uint64_t start, uint64_t n)
{
	return fixture_name(s, d, start + n);
}

static void the_best_of_several_names_is_shown(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint64_t at;
	uint32_t d, symbol;

	fixture_need("gcc");
	fixture_write("a.s", aliases);
	assert_int_equal(fixture_run("gcc -o a a.s"), 0);
	d = load(s, "a");
	at = fixture_offset(s, d, "main");
	assert_null(dso_problem(s, d));
	assert_string_equal(behind(s, d, at, 1), "");
	assert_string_equal(behind(s, d, at, 0x11), "abcdefghij_k");
	assert_string_equal(behind(s, d, at, 0x20), "a()");
	assert_string_equal(behind(s, d, at, 0x33), "outer");
	assert_string_equal(behind(s, d, at, 0x34), "inner");
	assert_string_equal(behind(s, d, at, 0x36), "outer");
	assert_string_equal(behind(s, d, at, 0x42), "outer2");
	assert_string_equal(behind(s, d, at, 0x43), "mylabel");
	assert_string_equal(behind(s, d, at, 0x5f), "mylabel");
	assert_string_equal(behind(s, d, at, 0x60), "after");
	assert_string_equal(behind(s, d, at, 0x61), "");
	assert_string_equal(behind(s, d, at, 0x80), "z3");
	assert_string_equal(behind(s, d, at, 0x82), "g1");
	assert_string_equal(behind(s, d, at, 0x83), "ob");
	assert_string_equal(behind(s, d, at, 0xa0), "glob");
	assert_string_equal(behind(s, d, at, 0xc0), "small_with_longer_name");
	assert_string_equal(behind(s, d, at, 0xe0), "_f");
	symbol = dso_find(s, d, at + 0x11);
	assert_int_equal(dso_address(s, d, at + 0x11) - dso_symbol(s, d, symbol)->start, 1);
	symbols_free(s);
}

static void raw_names_on_request(void **state)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null", .no_demangle = true };
	struct symbols *s = symbols_new(&opts);

	fixture_need("gcc");
	fixture_write(
		"r.s",
		".text\n.globl main\n.globl _Z3foov\n.type _Z3foov,@function\n_Z3foov:\nmain: ret\n.size _Z3foov,1\n");
	assert_int_equal(fixture_run("gcc -o r r.s"), 0);
	fixture_offset(s, load(s, "r"), "_Z3foov");
	symbols_free(s);
}

static const char calls[] =
	"#include <stdio.h>\n#include <unistd.h>\n__attribute__((noinline)) int work(int n) { return n + getpid(); }\n"
	"int main(void) { puts(\"x\"); printf(\"%p %d\", (void *)getppid, getppid()); return work(1); }\n";

/* Make the same program in all forms that linkers produce. */
static void stubs_bear_the_names_of_their_targets(void **state)
{
	static const char *const flags[] = { "",
					     "-no-pie",
					     "-Wl,-z,now",
					     "-s",
					     "-fcf-protection -Wl,-z,ibtplt",
					     "-Wl,-z,separate-code",
					     "-Wl,-z,noseparate-code",
					     "-no-pie -Wl,-Ttext-segment=0x10000000" };

	fixture_need("gcc");
#ifndef __x86_64__
	skip();
#endif
	fixture_write("c.c", calls);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct symbols *s = fixture_store(NULL);
		autofree char *command = xasprintf("gcc -O1 -U_FORTIFY_SOURCE %s -o c c.c", flags[i]);
		uint64_t puts_at, header;
		uint32_t d;

		assert_int_equal(fixture_run(command), 0);
		d = load(s, "c");
		puts_at = fixture_offset(s, d, "puts@plt");
		assert_string_equal(behind(s, d, puts_at, 15), "puts@plt");
		fixture_offset(s, d, "printf@plt");
		header = fixture_offset(s, d, ".plt");
		assert_string_equal(behind(s, d, header, 15), ".plt");
		if (!strcmp(flags[i], "-s"))
			assert_non_null(dso_problem(s, d));
		else
			fixture_offset(s, d, "work");
		symbols_free(s);
	}
}

/* perf names the stubs of indirect functions by the function, and so do we. */
static void a_static_program_has_stubs_too(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t d, found = 0;

	fixture_need("gcc");
#ifndef __x86_64__
	skip();
#endif
	fixture_write("c.c", calls);
	if (fixture_run("gcc -O1 -static -o static c.c")) {
		print_message("skipped: no static libc here\n");
		skip();
	}
	d = load(s, "static");
	for (uint64_t off = 0x1000; off < 0x2000 && !found; off += 8)
		found = !strcmp(fixture_name(s, d, off), "strlen@plt");
	assert_true(found);
	symbols_free(s);
}

static void embedded_debug_data_adds_what_the_dynamic_table_lacks(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t d;

	fixture_need("gcc");
	fixture_need("objcopy");
	fixture_need("xz");
	fixture_write("m.c", "static __attribute__((noinline,used)) int hidden_one(int n) { return n * 3; }\nint "
			     "shown(int n) { return hidden_one(n); }\n");
	assert_int_equal(fixture_run("gcc -O1 -g -fPIC -shared -o full.so m.c && objcopy -S --remove-section "
				     ".gnu_debuglink full.so m.so && "
				     "objcopy --only-keep-debug full.so mini && objcopy -g mini mini && xz -k mini && "
				     "objcopy --add-section .gnu_debugdata=mini.xz m.so"),
			 0);
	d = load(s, "m.so");
	fixture_offset(s, d, "hidden_one");
	fixture_offset(s, d, "shown");
	assert_null(dso_problem(s, d));
	symbols_free(s);
}

/* The sweep must find the same as single lookups. */
static void a_sweep_finds_what_single_lookups_find(void **state)
{
	enum { N = 20000 };
	struct symbols *s = fixture_store(NULL);
	static uint64_t offs[N];
	static uint32_t symbols[N];
	uint32_t d, hits = 0;

	fixture_need("gcc");
	fixture_write("a.s", aliases);
	assert_int_equal(fixture_run("gcc -o a a.s"), 0);
	d = load(s, "a");
	for (uint32_t i = 0; i < N; i++)
		offs[i] = i;
	dso_find_sorted(s, d, offs, symbols, N);
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(symbols[i], dso_find(s, d, offs[i]));
		hits += symbols[i] != 0;
	}
	assert_true(hits > 100);
	/* Few lookups, far apart. */
	for (uint32_t i = 0; i < 50; i++)
		offs[i] = i * 397;
	dso_find_sorted(s, d, offs, symbols, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(symbols[i], dso_find(s, d, offs[i]));
	symbols_free(s);
}

/* Count the pages of the file in memory; with `drop` remove them first. */
static size_t resident(const char *path, bool drop)
{
	struct file_map m;
	unsigned char *pages;
	size_t n, sum = 0;

	assert_int_equal(file_map(&m, path, NULL), 0);
	if (drop) {
		fsync(m.fd);
		posix_fadvise(m.fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	n = m.len / (size_t)sysconf(_SC_PAGESIZE);
	pages = xmalloc(n + 1);
	assert_int_equal(mincore((void *)m.data, m.len, pages), 0);
	for (size_t i = 0; i < n; i++)
		sum += pages[i] & 1;
	free(pages);
	file_unmap(&m);
	return sum;
}

/*
 * Finding a function of a large object must read its symbols, but not the megabytes between
 * them that the kernel would read ahead.
 */
static void unneeded_data_is_not_read(void **state)
{
	struct symbols *s = fixture_store(NULL);
	struct build_id id;

	fixture_need("gcc");
	fixture_write("big.s", ".text\n.globl asked\n.type asked,@function\nasked: ret\n.size asked,1\n.section "
			       ".rodata\n.fill 4000000,4,7\n");
	assert_int_equal(fixture_run("gcc -shared -Wl,--build-id -o big.so big.s"), 0);
	if (resident(fixture_path("big.so"), true)) {
		print_message("skipped: files of this directory stay in memory\n");
		skip();
	}
	assert_int_equal(build_id_of_file(fixture_path("big.so"), &id, NULL), 0);
	fixture_offset(s, load(s, "big.so"), "asked");
	assert_true(resident(fixture_path("big.so"), false) < 400); /* of 3,900 */
	symbols_free(s);
}

static void other_files_than_objects_are_reported(void **state)
{
	struct symbols *s = fixture_store(NULL);

	fixture_write("text", "no object\n");
	fixture_write("empty", "");
	fixture_write("short", "\177ELF");
	assert_int_equal(mkfifo(fixture_path("fifo"), 0600), 0);
	assert_int_equal(dso_find(s, load(s, "text"), 0), 0);
	assert_string_equal(dso_problem(s, load(s, "text")), "not an ELF object");
	assert_int_equal(dso_find(s, load(s, "empty"), 0), 0);
	assert_int_equal(dso_find(s, load(s, "short"), 0), 0);
	assert_int_equal(dso_find(s, load(s, "fifo"), 0), 0);
	assert_string_equal(dso_problem(s, load(s, "fifo")), "not a regular file");
	assert_int_equal(dso_find(s, fixture_file(s, "/dev/zero0"), 0), 0);
	assert_int_equal(dso_find(s, fixture_file(s, "/dev/null"), 0), 0);
	assert_int_equal(dso_find(s, fixture_file(s, "relative/path"), 0), 0);
	assert_string_equal(dso_problem(s, fixture_file(s, "relative/path")), "not a file");
	assert_int_equal(dso_find(s, load(s, "missing"), 0), 0);
	assert_string_equal(dso_problem(s, load(s, "missing")), "no such file");
	assert_null(dso_file(s, load(s, "missing")));
	symbols_free(s);
}

/* Damage of every kind: lookups must end and stay inside the file (sanitizers watch). */
static void damaged_objects_do_no_harm(void **state)
{
	struct file_map m;
	uint64_t seed = 1;

	fixture_need("gcc");
	fixture_write("c.c", calls);
	assert_int_equal(fixture_run("gcc -O1 -o c c.c"), 0);
	assert_int_equal(file_map(&m, fixture_path("c"), NULL), 0);
	for (int i = 0; i < 400; i++) {
		autofree uint8_t *bytes = xmalloc(m.len);
		struct symbols *s;
		size_t len = m.len;
		uint32_t d, headers = i % 4;

		memcpy(bytes, m.data, m.len);
		for (int n = 0; n < 1 + i % 20; n++) {
			size_t at;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/*
			 * Put half of the damage into the headers at both ends, where it hurts
			 * most.
			 */
			at = headers == 0   ? (seed >> 33) % 64
			     : headers == 1 ? m.len - 1 - (seed >> 33) % 2400
					    : (seed >> 33) % m.len;
			bytes[at] = (uint8_t)(seed >> 24 & 1 ? 0xff : seed >> 16);
		}
		if (i % 10 == 9)
			len = (seed >> 33) % m.len;
		fixture_write_bytes("bad", bytes, len);
		s = fixture_store(NULL);
		d = load(s, "bad");
		for (uint64_t off = 0; off < 0x5000; off += 13)
			fixture_name(s, d, off);
		symbols_free(s);
	}
	file_unmap(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_of_several_names_is_shown),
		cmocka_unit_test(raw_names_on_request),
		cmocka_unit_test(stubs_bear_the_names_of_their_targets),
		cmocka_unit_test(a_static_program_has_stubs_too),
		cmocka_unit_test(embedded_debug_data_adds_what_the_dynamic_table_lacks),
		cmocka_unit_test(a_sweep_finds_what_single_lookups_find),
		cmocka_unit_test(unneeded_data_is_not_read),
		cmocka_unit_test(other_files_than_objects_are_reported),
		cmocka_unit_test(damaged_objects_do_no_harm),
	};

	return cmocka_run_group_tests_name("from_elf", tests, fixture_setup, fixture_teardown);
}
