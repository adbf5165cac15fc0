#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <elf.h>

#include "probe/kernel_priv.h"
#include "probe/sdt_priv.h"

static const char list[] =
	"ffffffff81000000 T _text\nffffffff81001000 t start_it\nffffffff81002000 T foo\nffffffff81002100 t "
	"twin\nffffffff81003000 t twin\n"
	"ffffffff81004000 t gone.isra.0\nffffffff81005000 d data\n"
	"ffffffff81006000 T _sinittext\nffffffff81007000 T _einittext\nffffffffa0000000 t helper\t[my_mod]\n";

static struct kernel *started(void)
{
	struct kernel *k = kernel_new();

	kernel_set(k, kallsyms_parse(list, sizeof(list) - 1),
		   "0xffffffff81002000-0xffffffff81002100\tfoo\n0x0000000000000000-0x0000000000000000\thidden\n");
	return k;
}

static void names_lead_to_symbols(void **state)
{
	struct kernel *k = started();
	struct kernel_symbols found = { 0 };
	uint64_t text;

	assert_int_equal(kernel_find(k, "foo", NULL, &found, NULL), 0);
	assert_int_equal(found.len, 1);
	assert_true(found.items[0].address == 0xffffffff81002000 && found.items[0].end == 0xffffffff81002100 &&
		    !found.items[0].ambiguous);
	vec_clear(&found);
	kernel_find(k, "twin", NULL, &found, NULL);
	assert_true(found.len == 2 && found.items[0].ambiguous && found.items[1].ambiguous);
	vec_clear(&found);
	kernel_find(k, "gone", NULL, &found, NULL);
	assert_int_equal(found.len, 1);
	assert_string_equal(found.items[0].name, "gone.isra.0");
	vec_clear(&found);
	kernel_find(k, "data", NULL, &found, NULL);
	assert_int_equal(found.len, 0);
	kernel_find(k, "help*", "my-mod", &found, NULL);
	assert_int_equal(found.len, 1);
	assert_string_equal(found.items[0].module, "my_mod");
	assert_string_equal(kernel_near(k, "fooo"), "foo");
	assert_true(kernel_address_of(k, "_text", &text) && text == 0xffffffff81000000);
	vec_free(&found);
	kernel_free(k);
}

/* File names come from directories: a short one must not be read past its end. */
static void names_of_modules_are_compared_within_their_length(void **state)
{
	assert_true(module_name_begins("nf-nat.ko.xz", "nf_nat"));
	assert_true(module_name_begins("nf_nat", "nf-nat"));
	assert_false(module_name_begins("nf", "nf_nat"));
	assert_false(module_name_begins("nf\0nat.ko", "nf_nat"));
	assert_false(module_name_begins("nfs.ko", "nf_nat"));
}

static void blacklist_is_kept(void **state)
{
	struct kernel *k = started();

	assert_non_null(kernel_forbids(k, 0xffffffff81002000));
	assert_non_null(kernel_forbids(k, 0xffffffff810020ff));
	assert_null(kernel_forbids(k, 0xffffffff81002100));
	assert_null(kernel_forbids(k, 0));
	assert_non_null(strstr(kernel_forbids(k, 0xffffffff81006fff), "while the kernel started"));
	assert_null(kernel_forbids(k, 0xffffffff81007000));
	kernel_free(k);
}

static void operands_become_fetch_arguments(void **state)
{
	static const struct {
		uint16_t machine;
		const char *args, *want;
	} cases[] = {
		{ EM_X86_64, "8@%rdi -4@-20(%rbp) 4@$5", "arg1=%di:u64 arg2=-20(%bp):s32 arg3=\\5:u32 " },
		{ EM_X86_64, "1@%al 8@8(%rax,%rbx,4) 2@%r8w", "arg1=%ax:u8 arg3=%r8:u16 " },
		{ EM_AARCH64, "8@x0 -4@[sp, 16] 4@7 8@[x2]",
		  "arg1=%x0:u64 arg2=+16(%sp):s32 arg3=\\7:u32 arg4=+0(%x2):u64 " },
		{ EM_X86_64, "", "" },
		{ EM_X86_64, "99@%rdi 8@ @ 8@%", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sdt_marker m = { .args = cases[i].args };
		struct trace_probe t = { 0 };
		struct arena arena = { 0 };
		char text[300] = "";

		sdt_args(&m, cases[i].machine, &t, &arena);
		for (size_t j = 0; j < t.args.len; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s ", t.args.items[j].name,
				 t.args.items[j].fetch);
		assert_string_equal(text, cases[i].want);
		trace_probe_release(&t);
		arena_release(&arena);
	}
}

static void notes_are_read_up_to_their_end(void **state)
{
	uint8_t note[12 + 8 + 24 + 20] = {
		8, 0, 0, 0, 24 + 17, 0, 0, 0, 3, 0, 0, 0, 's', 't', 'a', 'p', 's', 'd', 't'
	};
	struct sdt_markers found = { 0 };
	struct arena arena = { 0 };

	note[20] = 0x40, note[28] = 0x10; /* address, and the base at link time */
	memcpy(note + 44,
	       "prov\0mark\0"
	       "4@$5\0",
	       15);
	sdt_parse(note, sizeof(note), false, true, 0x110, &found, &arena);
	assert_int_equal(found.len, 1);
	assert_int_equal(found.items[0].address, 0x140);
	assert_string_equal(found.items[0].name, "mark");
	vec_clear(&found);
	/* cut: no marker, and no read beyond the end */
	for (size_t len = 0; len < sizeof(note) - 3; len++)
		sdt_parse(note, len, false, true, 0, &found, &arena);
	assert_int_equal(found.len, 0);
	vec_free(&found);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_symbols),
		cmocka_unit_test(names_of_modules_are_compared_within_their_length),
		cmocka_unit_test(blacklist_is_kept),
		cmocka_unit_test(operands_become_fetch_arguments),
		cmocka_unit_test(notes_are_read_up_to_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
