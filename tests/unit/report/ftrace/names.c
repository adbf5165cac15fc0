#include "report/ftrace/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Not in the order of addresses; two names of one place; data between code; a module between two others. */
static const char kernel[] = "ffffffff81002000 t second\n"
			     "ffffffff81001000 T first\n"
			     "ffffffff81002000 W alias\n"
			     "ffffffff81001800 D data\n"
			     "ffffffff81003000 W bad\x1bname\n"
			     "ffffffffc0100000 t sync\t[ext4]\n"
			     "ffffffffc0100400 t last\t[ext4]\n"
			     "ffffffffc0200000 t sync\t[xfs]\n"
			     "ffffffffc0300000 t bpf_prog_1\t[bpf]\n"
			     "ffffffffc0400000 t ftrace_trampoline\t[__builtin__ftrace]\n";
static const char modules[] = "xfs 4096 0 - Live 0xffffffffc0200000\n"
			      "hidden 4096 0 - Live 0x0000000000000000\n"
			      "ext4 8192 1 xfs, Live 0xffffffffc0100000\n";

static struct ftrace_names *names_of(const char *text, const char *mods)
{
	return ftrace_names_new(kallsyms_parse(text, strlen(text)), mods);
}

/* Fail unless the address has this name, "+", and offset; NULL: none. */
static void check(struct ftrace_names *n, uint64_t address, const char *want)
{
	struct ftrace_name found;
	autofree char *text = NULL;

	if (!ftrace_names_find(n, address, &found)) {
		if (want)
			fail_msg("%#llx is not %s", (unsigned long long)address, want);
		return;
	}
	text = xasprintf("%s%s+%llu", found.name, found.module ? found.module : "", (unsigned long long)found.offset);
	if (!want || strcmp(text, want))
		fail_msg("%#llx is %s instead of %s", (unsigned long long)address, text, want);
}

static void the_last_function_before_an_address(void **state)
{
	struct ftrace_names *n = names_of(kernel, modules);

	check(n, 0xffffffff81000fff, NULL);
	check(n, 0xffffffff81001000, "first+0");
	check(n, 0xffffffff81001fff, "first+4095"); /* data has no code */
	check(n, 0xffffffff81002000, "second+0");   /* the kernel takes the first name of a place */
	check(n, 0xffffffff81002001, "second+1");
	check(n, 0, NULL);
	check(n, 0xffffffff81002001, "second+1"); /* known by now */
	ftrace_names_free(n);
}

static void modules_end_where_the_kernel_says(void **state)
{
	struct ftrace_names *n = names_of(kernel, modules);

	check(n, 0xffffffffc0100400, "last[ext4]+0");
	check(n, 0xffffffffc0101fff, "last[ext4]+7167");
	check(n, 0xffffffffc0102000, NULL); /* between ext4 and xfs */
	check(n, 0xffffffffc0200fff, "sync[xfs]+4095");
	check(n, 0xffffffffc0201000, NULL);
	check(n, 0xffffffff81103000, NULL); /* of the kernel, which is no module */
	ftrace_names_free(n);
}

/* The kernel itself, and modules when nothing tells their sizes: a megabyte. */
static void other_names_reach_a_megabyte(void **state)
{
	struct ftrace_names *n = names_of(kernel, NULL);

	check(n, 0xffffffff810fffff + 0x3000, "bad\x1bname+1048575");
	check(n, 0xffffffff81100000 + 0x3000, NULL);
	check(n, 0xffffffffc01fffff, "last[ext4]+1047551");
	check(n, UINT64_MAX, NULL);
	ftrace_names_free(n);
}

/* /proc/modules is foreign text, and without rights it has no addresses. */
static void damaged_lists_of_modules(void **state)
{
	static const char *const lists[] = {
		"",
		"\n\n\n",
		"ext4 8192 1 xfs, Live 0x0000000000000000\n",
		"ext4 eight 1 - Live 0xffffffffc0100000\n",
		"ext4 8192 1 - Live\n",
		"ext4",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct ftrace_names *n = names_of(kernel, lists[i]);

		check(n, 0xffffffffc0110000, "last[ext4]+64512"); /* as without a list */
		ftrace_names_free(n);
	}
	{
		struct ftrace_names *n = names_of(kernel, "ext4 18446744073709551615 1 - Live 0xffffffffc0100000\n"
							  "a-very-long-name-of-a-module-that-nobody-would-ever-load-"
							  "into-a-kernel 4096 0 - Live 0xffffffffc0200000 (OE)");

		check(n, 0xffffffffc0110000, NULL); /* such an end lies before the start */
		check(n, 0xffffffffc0200fff, "sync[xfs]+4095");
		check(n, 0xffffffff81001000, "first+0");
		ftrace_names_free(n);
	}
}

/* The kernel's own text does not name what it made at run time, but a list of its stacks may. */
static void code_made_at_run_time(void **state)
{
	struct ftrace_names *n = names_of(kernel, NULL);
	struct ftrace_name found;

	check(n, 0xffffffffc0400010, NULL);
	assert_true(ftrace_names_find_all(n, 0xffffffffc0400010, &found));
	assert_string_equal(found.name, "ftrace_trampoline");
	assert_int_equal(found.offset, 0x10);
	assert_false(ftrace_names_find_all(n, 0x1000, &found));
	check(n, 0xffffffffc0300000, "bpf_prog_1[bpf]+0");
	ftrace_names_free(n);
}

static void names_are_printed_as_foreign_text(void **state)
{
	struct ftrace_names *n = names_of(kernel, modules);
	struct out o;

	out_init_mem(&o);
	ftrace_names_print(n, 0xffffffff81003004, true, &o);
	out_char(&o, '\n');
	ftrace_names_print(n, 0xffffffffc0100000, true, &o);
	out_char(&o, '\n');
	ftrace_names_print(n, 0xffffffffc0100000, false, &o);
	out_char(&o, '\n');
	ftrace_names_print(n, 0x1234, true, &o);
	out_char(&o, '\n');
	ftrace_names_print(NULL, 0xffffffffc0100000, true, &o);
	assert_string_equal(out_text(&o), "bad\\x1bname\nsync [ext4]\nsync\n0x00001234\n0xffffffffc0100000");
	out_release(&o);
	ftrace_names_free(n);
}

static void addresses_and_numbers_of_names(void **state)
{
	struct ftrace_names *n = names_of(kernel, modules);
	uint32_t first, unknown;

	assert_int_equal(ftrace_names_address(n, "data"), 0xffffffff81001800);
	assert_int_equal(ftrace_names_address(n, "alias"), 0xffffffff81002000);
	assert_int_equal(ftrace_names_address(n, "sync"), 0); /* of a module */
	assert_int_equal(ftrace_names_address(n, "firs"), 0);
	assert_int_equal(ftrace_names_address(NULL, "first"), 0);
	first = ftrace_names_id(n, 0xffffffff81001000);
	unknown = ftrace_names_id(n, 0x1234);
	assert_int_equal(ftrace_names_id(n, 0xffffffff81001010), first);
	assert_int_equal(ftrace_names_id(n, 0xffffffffc0100000), ftrace_names_id(n, 0xffffffffc0200000));
	assert_int_not_equal(ftrace_names_id(n, 0x1235), unknown);
	assert_string_equal(ftrace_names_text(n, first), "first");
	assert_string_equal(ftrace_names_text(n, unknown), "0x1234");
	ftrace_names_free(n);
}

static void a_kernel_without_functions_names_nothing(void **state)
{
	static const char *const texts[] = { "", "ffffffff81001000 D data\n", "0000000000000000 T hidden\n" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct ftrace_names *n = names_of(texts[i], modules);

		check(n, 0xffffffff81001000, NULL);
		check(n, 0, NULL);
		ftrace_names_free(n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_function_before_an_address),
		cmocka_unit_test(modules_end_where_the_kernel_says),
		cmocka_unit_test(other_names_reach_a_megabyte),
		cmocka_unit_test(damaged_lists_of_modules),
		cmocka_unit_test(code_made_at_run_time),
		cmocka_unit_test(names_are_printed_as_foreign_text),
		cmocka_unit_test(addresses_and_numbers_of_names),
		cmocka_unit_test(a_kernel_without_functions_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
