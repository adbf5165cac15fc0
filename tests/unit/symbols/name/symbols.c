#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "tests/unit/symbols/fixture.h"

static const struct build_id id_1 = { { 1, 1, 1 }, 3 }, id_2 = { { 2, 2, 2 }, 3 };

static void check(struct symbols *s, uint32_t dso, const char *long_name, const char *short_name, enum dso_kind kind)
{
	assert_string_equal(dso_name(s, dso), long_name);
	assert_string_equal(dso_short_name(s, dso), short_name);
	assert_int_equal(dso_kind(s, dso), kind);
}

static uint32_t user(struct symbols *s, const char *name, bool exec)
{
	return symbols_dso(s, &(struct dso_args){ .filename = name, .pid = 7, .exec = exec });
}

static uint32_t kernel(struct symbols *s, const char *name)
{
	return symbols_dso(s, &(struct dso_args){ .filename = name, .kernel = true, .exec = true });
}

/* Names and kinds are those that perf 7.2 shows for such map records. */
static void names_tell_the_kind(void **state)
{
	struct symbols *s = fixture_store(NULL);

	check(s, DSO_UNKNOWN, "[unknown]", "[unknown]", DSO_KIND_UNKNOWN);
	check(s, 999, "[unknown]", "[unknown]", DSO_KIND_UNKNOWN);
	check(s, user(s, "/usr/lib/libc.so.6", true), "/usr/lib/libc.so.6", "libc.so.6", DSO_KIND_FILE);
	check(s, user(s, "//anon", true), "/tmp/perf-7.map", "[JIT] tid 7", DSO_KIND_JIT);
	check(s, user(s, "[heap]", true), "/tmp/perf-7.map", "[JIT] tid 7", DSO_KIND_JIT);
	check(s, user(s, "/SYSV00000000 (deleted)", true), "/tmp/perf-7.map", "[JIT] tid 7", DSO_KIND_JIT);
	check(s, user(s, "[heap]", false), "[heap]", "[heap]", DSO_KIND_ANON);
	check(s, user(s, "//anon", false), "//anon", "anon", DSO_KIND_ANON);
	check(s, user(s, "/tmp/perf-77.map", true), "/tmp/perf-77.map", "[JIT] tid 77", DSO_KIND_JIT);
	check(s, user(s, "/tmp/perf-77.mapx", true), "/tmp/perf-77.mapx", "perf-77.mapx", DSO_KIND_FILE);
	check(s, user(s, "/memfd:jit (deleted)", true), "/memfd:jit (deleted)", "memfd:jit (deleted)", DSO_KIND_JIT);
	check(s, user(s, "[vdso]", true), "[vdso]", "[vdso]", DSO_KIND_VDSO);
	check(s, user(s, "[vsyscall]", true), "[vsyscall]", "[vsyscall]", DSO_KIND_VSYSCALL);
	check(s, user(s, "[uprobes]", true), "[uprobes]", "[uprobes]", DSO_KIND_FILE);
	check(s, user(s, "/x/foo.ko", true), "/x/foo.ko", "foo.ko", DSO_KIND_FILE);
	check(s, user(s, "", true), "", "", DSO_KIND_FILE);
	check(s, kernel(s, "[mac80211]"), "[mac80211]", "[mac80211]", DSO_KIND_MODULE);
	check(s, kernel(s, "/lib/modules/6.1/kernel/snd-hda.ko.xz"), "[snd_hda]", "[snd_hda]", DSO_KIND_MODULE);
	check(s,
	      symbols_dso(s, &(struct dso_args){ .filename = "/lib/modules/6.1/kernel/x-y.ko",
						 .kernel = true,
						 .by_id = true }),
	      "/lib/modules/6.1/kernel/x-y.ko", "[x_y]", DSO_KIND_MODULE);
	check(s, kernel(s, "/lib/modules/6.1/kernel/x-y.ko"), "/lib/modules/6.1/kernel/x-y.ko", "[x_y]",
	      DSO_KIND_MODULE);
	check(s, kernel(s, "[kernel.kallsyms]_text"), "[kernel.kallsyms]", "[kernel.kallsyms]", DSO_KIND_KERNEL);
	check(s, kernel(s, "[guest.kernel.kallsyms]_text"), "[guest.kernel.kallsyms]", "[guest.kernel.kallsyms]",
	      DSO_KIND_KERNEL);
	check(s, symbols_ksymbol(s, "bpf_prog_1_x", 0x1000, 0x20), "bpf_prog_1_x", "bpf_prog_1_x", DSO_KIND_KSYMBOL);
	assert_int_equal(user(s, "/any/where", true),
			 symbols_dso(s, &(struct dso_args){ .filename = "/any/where", .exec = true }));
	check(s, symbols_dso(s, &(struct dso_args){ .filename = "/x", .pid = 9, .exec = true, .flags = MAP_HUGETLB }),
	      "/tmp/perf-9.map", "[JIT] tid 9", DSO_KIND_JIT);
	symbols_free(s);
}

static void a_kernel_image_told_by_a_build_id_record_gives_its_name(void **state)
{
	struct symbols *s = fixture_store(NULL);

	assert_int_equal(kernel(s, "/lib/modules/6.6.7/build/vmlinux"), DSO_KERNEL);
	assert_int_equal(kernel(s, "[kernel.kallsyms]_stext"), DSO_KERNEL);
	check(s, DSO_KERNEL, "/lib/modules/6.6.7/build/vmlinux", "[kernel.vmlinux]", DSO_KIND_KERNEL);
	symbols_free(s);
}

static void objects_differ_by_build_id(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t plain = user(s, "/a", true);
	uint32_t with_1, with_2;

	assert_int_equal(dso_build_id(s, plain)->size, 0);
	with_1 = symbols_dso(s, &(struct dso_args){ .filename = "/a", .id = &id_1, .exec = true });
	assert_int_equal(with_1, plain); /* the id was not known before */
	with_2 = symbols_dso(s, &(struct dso_args){ .filename = "/a", .id = &id_2, .exec = true });
	assert_int_not_equal(with_2, plain);
	assert_int_equal(symbols_dso(s, &(struct dso_args){ .filename = "/a", .id = &id_2, .exec = true }), with_2);
	assert_int_equal(dso_build_id(s, plain)->bytes[0], 1);
	assert_int_equal(user(s, "/a", true), plain);
	assert_int_equal(symbols_find_dso(s, "/a"), plain);
	assert_int_equal(symbols_find_dso(s, "a"), plain);
	assert_int_equal(symbols_find_dso(s, "nothing"), 0);
	symbols_free(s);
}

static void map_files_belong_to_a_process(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t a = symbols_dso(s, &(struct dso_args){ .filename = "/memfd:x", .pid = 1, .exec = true });
	uint32_t b = symbols_dso(s, &(struct dso_args){ .filename = "/memfd:x", .pid = 2, .exec = true });

	assert_int_not_equal(a, b);
	assert_int_equal(symbols_dso(s, &(struct dso_args){ .filename = "/memfd:x", .pid = 2, .exec = true }), b);
	symbols_free(s);
}

static void a_module_is_one_object_whether_by_path_or_name(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t module = kernel(s, "[snd_hda]");

	assert_int_equal(kernel(s, "/lib/modules/6.1/kernel/snd-hda.ko"), module);
	assert_string_equal(dso_name(s, module), "[snd_hda]");
	symbols_free(s);
}

static void guests_have_objects_of_their_own(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t guest = symbols_dso(s, &(struct dso_args){ .filename = "/bin/sh", .guest = true, .exec = true });

	assert_int_not_equal(guest, user(s, "/bin/sh", true));
	assert_int_equal(dso_find(s, guest, 0x1000), 0);
	assert_non_null(dso_problem(s, guest));
	assert_int_equal(
		symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]", .guest = true, .kernel = true }),
		DSO_GUEST_KERNEL);
	symbols_free(s);
}

static void code_the_kernel_made_has_one_symbol(void **state)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t d = symbols_ksymbol(s, "bpf_prog_6deef_x", 0xffffffffc0001000, 0x40), symbol;

	assert_int_equal(symbols_ksymbol(s, "bpf_prog_6deef_x", 0xffffffffc0001000, 0x40), d);
	assert_int_not_equal(symbols_ksymbol(s, "bpf_prog_6deef_x", 0xffffffffc0002000, 0x40), d);
	symbol = dso_find(s, d, 0xffffffffc0001010);
	assert_string_equal(symbol_name(s, d, symbol), "bpf_prog_6deef_x");
	assert_int_equal(dso_symbol(s, d, symbol)->start, 0xffffffffc0001000);
	assert_int_equal(dso_find(s, d, 0xffffffffc0001040), 0);
	assert_string_equal(symbol_name(s, d, 0), "[unknown]");
	assert_null(dso_symbol(s, d, 0));
	assert_null(dso_symbol(s, d, 2));
	symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_the_kind),
		cmocka_unit_test(a_kernel_image_told_by_a_build_id_record_gives_its_name),
		cmocka_unit_test(objects_differ_by_build_id),
		cmocka_unit_test(map_files_belong_to_a_process),
		cmocka_unit_test(a_module_is_one_object_whether_by_path_or_name),
		cmocka_unit_test(guests_have_objects_of_their_own),
		cmocka_unit_test(code_the_kernel_made_has_one_symbol),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
