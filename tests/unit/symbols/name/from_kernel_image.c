#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/symbols/fixture.h"

/* An image like the kernel's: linked for the top of memory, but found elsewhere when it runs. */
static void make_image(void)
{
	fixture_need("gcc");
	fixture_need("ld");
	fixture_write(
		"v.s",
		".text\n.globl _text\n_text:\n.globl startup\n.type startup,@function\nstartup: nop\n.size startup,1\n"
		".p2align 4\n.type _ZN4workEv,@function\n_ZN4workEv: nop\n nop\n.size _ZN4workEv,2\n");
	if (fixture_run("as -o v.o v.s && ld -Ttext=0xffffffff81000000 --build-id=0x0102030405 -e startup -o vmlinux "
			"v.o")) {
		print_message("skipped: cannot link for kernel addresses here\n");
		skip();
	}
}

static const struct build_id id = { { 1, 2, 3, 4, 5 }, 5 }, other = { { 9 }, 5 };

static struct symbols *recorded_at(uint64_t start, const char *vmlinux, const char *symfs, const struct build_id *told)
{
	struct symbols_opts opts = {
		.foreign = true, .buildid_dir = "/dev/null", .vmlinux = vmlinux, .symfs = symfs, .osrelease = "1.2.3"
	};
	struct symbols *s = symbols_new(&opts);
	uint32_t d =
		symbols_dso(s, &(struct dso_args){ .filename = "[kernel.kallsyms]_text", .kernel = true, .id = told });

	space_map(s, SPACE_KERNEL, &(struct map_args){ .start = start, .len = 0x100000, .pgoff = start, .dso = d });
	return s;
}

static void an_image_serves_wherever_the_kernel_lay(void **state)
{
	static const uint64_t starts[] = { 0xffffffff81000000, 0xffffffff9a000000 };

	make_image();
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		struct symbols *s = recorded_at(starts[i], fixture_path("vmlinux"), NULL, &id);

		assert_string_equal(fixture_name(s, DSO_KERNEL, starts[i] + 0x11),
				    "_ZN4workEv"); /* the kernel is C: names stay */
		assert_string_equal(fixture_name(s, DSO_KERNEL, starts[i]), "startup");
		assert_string_equal(fixture_name(s, DSO_KERNEL, starts[i] + 0x2010), "");
		assert_string_equal(dso_file(s, DSO_KERNEL), fixture_path("vmlinux"));
		assert_string_equal(dso_name(s, DSO_KERNEL), "[kernel.kallsyms]");
		symbols_free(s);
	}
}

static void an_image_of_another_build_is_refused(void **state)
{
	struct symbols *s;

	make_image();
	s = recorded_at(0xffffffff81000000, fixture_path("vmlinux"), NULL, &other);
	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000011), 0);
	assert_non_null(dso_problem(s, DSO_KERNEL));
	symbols_free(s);
}

static void an_image_is_found_by_release_if_its_id_fits(void **state)
{
	struct symbols *s;

	make_image();
	assert_int_equal(fixture_run("mkdir -p root/boot && cp vmlinux root/boot/vmlinux-1.2.3"), 0);
	s = recorded_at(0xffffffff81000000, NULL, fixture_path("root"), &id);
	assert_string_equal(fixture_name(s, DSO_KERNEL, 0xffffffff81000011), "_ZN4workEv");
	symbols_free(s);
	s = recorded_at(0xffffffff81000000, NULL, fixture_path("root"), &other);
	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000011), 0);
	symbols_free(s);
	/* nothing proves it is the right one */
	s = recorded_at(0xffffffff81000000, NULL, fixture_path("root"), NULL);
	assert_int_equal(dso_find(s, DSO_KERNEL, 0xffffffff81000011), 0);
	symbols_free(s);
}

static void module_files_may_be_compressed(void **state)
{
	static const struct {
		const char *name, *how;
	} forms[] = {
		{ "m.ko", "cp m.o m.ko" },
		{ "m.ko.gz", "gzip -c m.o >m.ko.gz" },
		{ "m.ko.xz", "xz -c --check=crc32 m.o >m.ko.xz" },
		{ "m.ko.zst", "zstd -q -c m.o >m.ko.zst" },
	};

	fixture_need("gcc");
	fixture_write("m.s",
		      ".section .init.text,\"ax\"\n.type setup,@function\nsetup: nop\n.size setup,1\n"
		      ".text\n.skip 16\n.type mod_f,@function\nmod_f: nop\n nop\n.size mod_f,2\n"
		      ".section .note.gnu.build-id,\"a\",@note\n.long 4,5,3\n.asciz \"GNU\"\n.byte 1,2,3,4,5,0,0,0\n");
	assert_int_equal(fixture_run("as -o m.o m.s"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct symbols *s = fixture_store(NULL);
		const char *path = fixture_path(forms[i].name);
		uint32_t d;

		if (fixture_run(forms[i].how)) {
			print_message("no tool for %s here\n", forms[i].name);
			symbols_free(s);
			continue;
		}
		d = symbols_dso(s, &(struct dso_args){ .filename = path, .kernel = true, .id = &id });
		assert_string_equal(dso_short_name(s, d), "[m]");
		space_map(s, SPACE_KERNEL, &(struct map_args){ .start = 0xffffffffa0000000, .len = 0x1000, .dso = d });
		assert_string_equal(fixture_name(s, d, 0x11), "mod_f");
		assert_string_equal(fixture_name(s, d, 0), ""); /* the setup code is elsewhere, or gone */
		symbols_free(s);
		s = fixture_store(NULL);
		d = symbols_dso(s, &(struct dso_args){ .filename = path, .kernel = true, .id = &other });
		assert_string_equal(fixture_name(s, d, 0x11), "");
		symbols_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_serves_wherever_the_kernel_lay),
		cmocka_unit_test(an_image_of_another_build_is_refused),
		cmocka_unit_test(an_image_is_found_by_release_if_its_id_fits),
		cmocka_unit_test(module_files_may_be_compressed),
	};

	return cmocka_run_group_tests_name("from_kernel_image", tests, fixture_setup, fixture_teardown);
}
