/* Opened objects: addresses and offsets, sections, and what damaged files may not do. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <link.h>
#include <sys/auxv.h>

#include "symbols/file/elf_make.h"
#include "symbols/file/image.h"

static void addresses_and_offsets_follow_the_segments(void **state)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM), seen = 0;
	struct image im;
	uint64_t offset, distance = 0;

	assert_int_equal(image_open(&im, "/proc/self/exe", NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const ElfW(Phdr) *h = &headers[i];

		if (h->p_type != PT_LOAD || h->p_filesz < 2)
			continue;
		seen++;
		distance = h->p_vaddr - h->p_offset;
		assert_true(image_offset(&im, h->p_vaddr + 1, &offset));
		assert_int_equal(offset, h->p_offset + 1);
		assert_int_equal(image_address(&im, h->p_offset + h->p_filesz - 1), h->p_vaddr + h->p_filesz - 1);
		/* memory that is not in the file has no offset */
		if (h->p_memsz > h->p_filesz)
			assert_false(image_offset(&im, h->p_vaddr + h->p_filesz, &offset));
	}
	assert_true(seen >= 2);
	assert_false(image_offset(&im, UINT64_MAX, &offset));
	/* an offset behind all segments continues the last one, whose distance depends on the linker */
	assert_int_equal(image_address(&im, 1ull << 60), (1ull << 60) + distance);
	image_close(&im);
}

static void sections_without_segments_count_if_they_are_code(void **state)
{
	const struct elf_part parts[] = {
		{ .name = ".text",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .address = 0x1000,
		  .align = 64,
		  .data = "0123456789abcdef",
		  .len = 16 },
		{ .name = ".data",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC,
		  .address = 0x2000,
		  .align = 64,
		  .data = "xy",
		  .len = 2 },
	};
	struct image im;
	GElf_Shdr text;
	uint64_t offset;
	size_t len;
	void *bytes = elf_make(ET_DYN, 0, parts, ARRAY_SIZE(parts), &len);

	assert_int_equal(image_open_memory(&im, bytes, len, bytes, NULL), 0);
	assert_non_null(image_section(&im, ".text", &text));
	assert_string_equal(image_section_name(&im, &text), ".text");
	assert_true(image_offset(&im, 0x1005, &offset));
	assert_int_equal(offset, text.sh_offset + 5);
	assert_false(image_offset(&im, 0x1010, &offset));
	assert_null(image_section(&im, ".nothing", &text));
	image_close(&im);
}

static void sections_outside_the_file_have_no_bytes(void **state)
{
	const struct elf_part parts[] = {
		{ .name = ".a", .type = SHT_PROGBITS, .align = 1, .data = "12345678", .len = 8 },
		{ .name = ".none", .type = SHT_NOBITS, .align = 1 }
	};
	struct image im;
	GElf_Shdr h;
	size_t len, got = 1;
	void *bytes = elf_make(ET_DYN, 0, parts, ARRAY_SIZE(parts), &len);

	assert_int_equal(image_open_memory(&im, bytes, len, bytes, NULL), 0);
	assert_non_null(image_section(&im, ".a", &h));
	assert_memory_equal(image_section_bytes(&im, &h, &got), "12345678", 8);
	assert_int_equal(got, 8);
	h.sh_size = len;
	assert_null(image_section_bytes(&im, &h, &got));
	assert_int_equal(got, 0);
	h.sh_size = 8;
	h.sh_offset = UINT64_MAX - 3;
	assert_null(image_section_bytes(&im, &h, &got));
	h.sh_name = 1 << 30;
	assert_string_equal(image_section_name(&im, &h), "");
	assert_non_null(image_section(&im, ".none", &h));
	assert_null(image_section_bytes(&im, &h, &got));
	image_close(&im);
}

static void other_files_are_refused(void **state)
{
	struct err e = { 0 };
	struct image im;

	assert_int_equal(image_open(&im, "/dev/null", &e), -1);
	assert_true(e.what[0]);
	assert_int_equal(image_open(&im, "/proc/self/status", &e), -1);
	assert_int_equal(image_open(&im, "/nonexistent", &e), -1);
	assert_int_equal(image_open_memory(&im,
					   "\x7f"
					   "ELF",
					   4, NULL, &e),
			 -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_offsets_follow_the_segments),
		cmocka_unit_test(sections_without_segments_count_if_they_are_code),
		cmocka_unit_test(sections_outside_the_file_have_no_bytes),
		cmocka_unit_test(other_files_are_refused),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
