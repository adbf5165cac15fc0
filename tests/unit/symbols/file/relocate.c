/* Relocatable objects: their sections get addresses, and debug information refers to these. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/file/elf_make.h"
#include "symbols/file/relocate.h"

enum { FIRST = 1, SECOND, DEBUG, RELA, SYMTAB, STRTAB };
enum { BOGUS_SYMBOL = 99 };

/* Two functions in sections of their own, and debug information with the addresses of both. */
static struct image object(uint16_t machine, uint32_t type_64, uint32_t type_32, uint64_t last_offset)
{
	static const uint8_t code[16], info[32] = { 0 };
	const Elf64_Sym symbols[] = {
		{ 0 },
		{ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = FIRST },
		{ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = SECOND, .st_value = 4 },
	};
	const Elf64_Rela relocations[] = {
		{ .r_offset = 0, .r_info = ELF64_R_INFO(1, type_64), .r_addend = 3 },
		{ .r_offset = 8, .r_info = ELF64_R_INFO(2, type_64), .r_addend = 0 },
		{ .r_offset = 16, .r_info = ELF64_R_INFO(2, type_32), .r_addend = 1 },
		{ .r_offset = 24, .r_info = ELF64_R_INFO(BOGUS_SYMBOL, type_64), .r_addend = 1 },
		{ .r_offset = last_offset, .r_info = ELF64_R_INFO(1, type_64), .r_addend = 1 },
	};
	const struct elf_part parts[] = {
		{ .name = ".text.first",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .align = 16,
		  .data = code,
		  .len = sizeof(code) },
		{ .name = ".text.second",
		  .type = SHT_PROGBITS,
		  .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .align = 16,
		  .data = code,
		  .len = sizeof(code) },
		{ .name = ".debug_info", .type = SHT_PROGBITS, .align = 8, .data = info, .len = sizeof(info) },
		{ .name = ".rela.debug_info",
		  .type = SHT_RELA,
		  .align = 8,
		  .entry_size = sizeof(Elf64_Rela),
		  .link = SYMTAB,
		  .info = DEBUG,
		  .data = relocations,
		  .len = sizeof(relocations) },
		{ .name = ".symtab",
		  .type = SHT_SYMTAB,
		  .align = 8,
		  .entry_size = sizeof(Elf64_Sym),
		  .link = STRTAB,
		  .info = 3,
		  .data = symbols,
		  .len = sizeof(symbols) },
		{ .name = ".strtab", .type = SHT_STRTAB, .align = 1, .data = "", .len = 1 },
	};
	struct image im;
	size_t len;
	void *bytes = elf_make(ET_REL, machine, parts, ARRAY_SIZE(parts), &len);

	assert_int_equal(image_open_memory(&im, bytes, len, bytes, NULL), 0);
	return im;
}

static void addresses_are_those_of_the_copys_sections(void **state)
{
	static const struct {
		uint16_t machine;
		uint32_t type_64, type_32;
	} machines[] = {
		{ EM_X86_64, R_X86_64_64, R_X86_64_32 },
		{ EM_AARCH64, R_AARCH64_ABS64, R_AARCH64_ABS32 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct image im = object(machines[i].machine, machines[i].type_64, machines[i].type_32, 4096);
		struct image *copy = relocated_copy(&im);
		GElf_Shdr first, second, info;
		const uint8_t *bytes;
		uint64_t words[4];
		size_t len;

		assert_non_null(copy);
		assert_non_null(image_section(copy, ".text.first", &first));
		assert_non_null(image_section(copy, ".text.second", &second));
		assert_non_null(image_section(copy, ".debug_info", &info));
		/* they do not overlap, as they did */
		assert_true(second.sh_addr >= first.sh_addr + first.sh_size);
		bytes = image_section_bytes(copy, &info, &len);
		assert_int_equal(len, sizeof(words));
		memcpy(words, bytes, sizeof(words));
		assert_int_equal(words[0], first.sh_addr + 3);
		assert_int_equal(words[1], second.sh_addr + 4);
		assert_int_equal(words[2], (uint32_t)(second.sh_addr + 5));
		assert_int_equal(words[3], 0); /* of a symbol that does not exist */
		/* the original stays as it is */
		assert_non_null(image_section(&im, ".debug_info", &info));
		memcpy(words, image_section_bytes(&im, &info, &len), sizeof(words));
		assert_int_equal(words[0] | words[1], 0);
		image_free(copy);
		image_close(&im);
	}
}

static void linked_objects_have_no_copy(void **state)
{
	struct image linked;
	size_t len;
	void *bytes = elf_make(ET_DYN, EM_X86_64, NULL, 0, &len);

	assert_int_equal(image_open_memory(&linked, bytes, len, bytes, NULL), 0);
	assert_null(relocated_copy(&linked));
	image_close(&linked);
}

static void relocations_of_unknown_machines_are_left_out(void **state)
{
	struct image im = object(77, 1, 1, 0);
	struct image *copy = relocated_copy(&im);
	GElf_Shdr info;
	uint64_t words[4];
	size_t len;

	if (copy) {
		assert_non_null(image_section(copy, ".debug_info", &info));
		memcpy(words, image_section_bytes(copy, &info, &len), sizeof(words));
		assert_int_equal(words[0] | words[1] | words[2], 0);
	}
	image_free(copy);
	image_close(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_those_of_the_copys_sections),
		cmocka_unit_test(linked_objects_have_no_copy),
		cmocka_unit_test(relocations_of_unknown_machines_are_left_out),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
