#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/file/elf_make.h"
#include "symbols/name/symbols_priv.h"

static void added_symbols_are_found(void **state)
{
	struct elf_part parts[] = {
		{ .name = ".text",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .address = 0x1080,
		  .align = 0x80,
		  .data = "code",
		  .len = 4 },
		{ .name = ".empty", .type = SHT_PROGBITS, .align = 1 },
		{ .name = ".more",
		  .type = SHT_PROGBITS,
		  .align = 8,
		  .data = "12345678",
		  .len = 8,
		  .link = 1,
		  .info = 2 },
	};
	struct image im;
	GElf_Shdr h;
	size_t len;
	void *bytes = elf_make(ET_DYN, EM_AARCH64, parts, ARRAY_SIZE(parts), &len);

	assert_int_equal(image_open_memory(&im, bytes, len, bytes, NULL), 0);
	assert_int_equal(im.type, ET_DYN);
	assert_int_equal(im.machine, EM_AARCH64);
	assert_non_null(image_section(&im, ".text", &h));
	assert_int_equal(h.sh_offset, 0x80);
	assert_memory_equal(image_section_bytes(&im, &h, &len), "code", 4);
	assert_int_equal(image_address(&im, 0x82), 0x1082);
	assert_non_null(image_section(&im, ".empty", &h));
	assert_null(image_section_bytes(&im, &h, &len));
	assert_non_null(image_section(&im, ".more", &h));
	assert_int_equal(h.sh_offset % 8, 0);
	assert_int_equal(h.sh_link, 1);
	assert_int_equal(h.sh_info, 2);
	assert_memory_equal(image_section_bytes(&im, &h, &len), "12345678", 8);
	assert_null(image_section(&im, ".none", &h));
	image_close(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(added_symbols_are_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
