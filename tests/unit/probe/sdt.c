/* Markers of programs: the notes, and the operands that compilers write into them. */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <elf.h>
#include <string.h>

#include "probe/sdt_priv.h"
#include "symbols/arch/arch.h"

static struct arena arena;
static uint8_t notes[512];
static size_t len;

static void put(const void *bytes, size_t n)
{
	memcpy(notes + len, bytes, n);
	len += n;
}
static void put32(uint32_t v) { put(&v, 4); }
static void put64(uint64_t v) { put(&v, 8); }

/* A 64-bit note; `texts` are provider, name and arguments, each with its NUL. */
static void note(uint32_t type, uint64_t address, uint64_t base, uint64_t semaphore, const char *texts, size_t size)
{
	static const char pad[4];

	put32(8);
	put32((uint32_t)(24 + size));
	put32(type);
	put("stapsdt", 8);
	put64(address);
	put64(base);
	put64(semaphore);
	put(texts, size);
	put(pad, (4 - size % 4) % 4);
}
#define TEXTS(s) s, sizeof(s)

static int start(void **state)
{
	len = 0;
	return 0;
}

static void notes_give_names_and_addresses(void **state)
{
	struct sdt_markers m = { 0 };

	note(3, 0x1000, 0, 0x2000,
	     TEXTS("libc\0setjmp\0"
		   "8@%rdi -4@-20(%rbp)"));
	note(3, 0x1100, 0, 0, TEXTS("p\0n\0"));
	sdt_parse(notes, len, false, true, 0, &m, &arena);
	assert_int_equal(m.len, 2);
	assert_string_equal(m.items[0].provider, "libc");
	assert_string_equal(m.items[0].name, "setjmp");
	assert_string_equal(m.items[0].args, "8@%rdi -4@-20(%rbp)");
	assert_int_equal(m.items[0].address, 0x1000);
	assert_int_equal(m.items[0].semaphore, 0x2000);
	assert_int_equal(m.items[1].semaphore, 0);
	assert_string_equal(m.items[1].args, "");
	vec_free(&m);
}

static void addresses_move_with_the_base_section(void **state)
{
	struct sdt_markers m = { 0 };

	note(3, 0x1000, 0x8000, 0x2000, TEXTS("p\0n\0"));
	sdt_parse(notes, len, false, true, 0x9000, &m, &arena);
	assert_int_equal(m.items[0].address, 0x2000);
	assert_int_equal(m.items[0].semaphore, 0x3000);
	vec_free(&m);
}

static void other_notes_and_nameless_markers_are_left_out(void **state)
{
	struct sdt_markers m = { 0 };

	note(1, 0x1000, 0, 0, TEXTS("p\0n\0"));
	note(3, 0x1000, 0, 0, TEXTS("p\0\0"));
	note(3, 0x1000, 0, 0, TEXTS("p\0kept\0"));
	sdt_parse(notes, len, false, true, 0, &m, &arena);
	assert_int_equal(m.len, 1);
	assert_string_equal(m.items[0].name, "kept");
	vec_free(&m);
}

static void a_cut_section_gives_what_is_whole(void **state)
{
	size_t first;

	note(3, 0x1000, 0, 0, TEXTS("p\0n\0"));
	first = len;
	note(3, 0x1100, 0, 0, TEXTS("p\0m\0"));
	for (size_t cut = 0; cut <= len; cut++) {
		struct sdt_markers m = { 0 };

		sdt_parse(notes, cut, false, true, 0, &m, &arena);
		assert_int_equal(m.len, cut < first ? 0 : cut < len ? 1 : 2);
		vec_free(&m);
	}
}

/* The fetch texts of a marker's arguments, joined by blanks. */
static void fetched(uint16_t machine, const char *args, const char *wanted)
{
	struct sdt_marker m = { .args = args };
	struct trace_probe t = { 0 };
	char text[256] = "";

	sdt_args(&m, machine, &t, &arena);
	for (size_t i = 0; i < t.args.len; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%s", i ? " " : "",
			 t.args.items[i].name, t.args.items[i].fetch);
	assert_string_equal(text, wanted);
	trace_probe_release(&t);
}

static void operands_become_fetch_texts(void **state)
{
	fetched(EM_X86_64, "8@%rdi -4@%esi", "arg1=%di:u64 arg2=%si:s32");
	fetched(EM_X86_64, "-4@-20(%rbp)", "arg1=-20(%bp):s32");
	fetched(EM_X86_64, "1@%r8b 2@8(%rsp)", "arg1=%r8:u8 arg2=+8(%sp):u16");
	fetched(EM_AARCH64, "8@x0 4@[sp, 16]", "arg1=%x0:u64 arg2=+16(%sp):u32");
}

static void unfetchable_arguments_are_left_out(void **state)
{
	fetched(EM_X86_64, "8@(%rax,%rbx,4) 8@%rdx", "arg2=%dx:u64");
	fetched(EM_X86_64, "536870913@%rax -2147483648@%rbx 3@%rcx 8@%rdx", "arg4=%dx:u64");
	fetched(EM_X86_64, "8@%xmm0", "");
	fetched(EM_X86_64, "", "");
	fetched(EM_AARCH64, "8@x31", "");
}

/*
 * To add an architecture with probes, add its syntax to sdt.c, or list it here: then its markers have no arguments.
 * Source: the constraints that <sys/sdt.h> gives to the compiler write constants as "$5" or "5".
 */
static void each_architecture_with_probes_has_a_syntax(void **state)
{
	static const char *const without[] = { "arm*", "s390x", "ppc64le*", "ppc64*", "riscv64*", "riscv*" };
	struct sdt_marker m = { .args = "4@$5 4@5" };
	const struct arch *a;

	for (size_t i = 0; (a = arch_at(i)); i++) {
		struct trace_probe t = { 0 };
		bool listed = !a->probe_regs;

		for (size_t k = 0; k < ARRAY_SIZE(without); k++)
			listed |= !strcmp(a->machines[0], without[k]);
		sdt_args(&m, a->elf_machine, &t, &arena);
		if (listed == (t.args.len > 0))
			fail_msg("%s: %s", a->machines[0],
				 listed ? "has a syntax: do not list it" : "has no syntax in sdt.c");
		trace_probe_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(notes_give_names_and_addresses, start),
		cmocka_unit_test_setup(addresses_move_with_the_base_section, start),
		cmocka_unit_test_setup(other_notes_and_nameless_markers_are_left_out, start),
		cmocka_unit_test_setup(a_cut_section_gives_what_is_whole, start),
		cmocka_unit_test(operands_become_fetch_texts),
		cmocka_unit_test(each_architecture_with_probes_has_a_syntax),
		cmocka_unit_test(unfetchable_arguments_are_left_out),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
