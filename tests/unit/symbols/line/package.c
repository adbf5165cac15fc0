#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/line/package_priv.h"
#include "symbols/file/elf_make.h"

enum { ID = 0x1234 };

/* An index of version 5 for one unit in two slots: info at [4, 8) and string offsets at [0, 16) of their sections. */
static uint32_t cu_index[] = {
	5, 2, 1, 2, /* ids */ ID, 0, 0, 0, /* rows */ 1, 0, /* columns */ 1, 6, /* offsets */ 4, 0, /* sizes */ 4, 16
};
static uint32_t offsets[] = { 12, 5, 6, 0 };

static struct image package(void)
{
	struct elf_part parts[] = {
		{ .name = ".debug_cu_index",
		  .type = SHT_PROGBITS,
		  .align = 4,
		  .data = cu_index,
		  .len = sizeof(cu_index) },
		{ .name = ".debug_info.dwo", .type = SHT_PROGBITS, .align = 1, .data = "oldrUNITrest", .len = 12 },
		{ .name = ".debug_str_offsets.dwo",
		  .type = SHT_PROGBITS,
		  .align = 1,
		  .data = offsets,
		  .len = sizeof(offsets) },
		{ .name = ".debug_str.dwo", .type = SHT_PROGBITS, .align = 1, .data = "zero\0\0six", .len = 10 },
	};
	struct image im;
	size_t len;
	void *bytes = elf_make(ET_REL, 0, parts, ARRAY_SIZE(parts), &len);

	assert_int_equal(image_open_memory(&im, bytes, len, bytes, NULL), 0);
	return im;
}

static void expect_section(const struct image *im, const char *name, const void *want, size_t want_len)
{
	GElf_Shdr h;
	size_t len;

	assert_non_null(image_section(im, name, &h));
	assert_memory_equal(image_section_bytes(im, &h, &len), want, want_len);
	assert_int_equal(len, want_len);
}

static void a_unit_is_taken_out_with_its_strings(void **state)
{
	struct image im = package(), unit;
	struct file_map m;
	int fd = package_unit(&im, ID);

	assert_true(fd >= 0);
	assert_int_equal(file_map_fd(&m, fd, NULL), 0);
	assert_int_equal(image_open_map(&unit, &m, NULL, NULL), 0);
	expect_section(&unit, ".debug_info.dwo", "UNIT", 4);
	expect_section(&unit, ".debug_str_offsets.dwo", (uint32_t[]){ 12, 5, 0, 4 }, 16);
	expect_section(&unit, ".debug_str.dwo", "six\0zero", 9);
	image_close(&unit);
	image_close(&im);
}

static void a_unit_that_is_not_there(void **state)
{
	struct image im = package();

	assert_int_equal(package_unit(&im, ID + 1), -1);
	image_close(&im);
}

/* Replace every word of the index, one at a time, by each of some evil values. */
static void a_damaged_index_gives_nothing_or_less(void **state)
{
	static const uint32_t values[] = { 0, 1, 3, 0x7fffffff, 0x80000000, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(cu_index); i++) {
		uint32_t kept = cu_index[i];

		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct image im;
			int fd;

			cu_index[i] = values[v];
			im = package();
			fd = package_unit(&im, ID);
			if (fd >= 0)
				close(fd);
			image_close(&im);
		}
		cu_index[i] = kept;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_is_taken_out_with_its_strings),
		cmocka_unit_test(a_unit_that_is_not_there),
		cmocka_unit_test(a_damaged_index_gives_nothing_or_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
