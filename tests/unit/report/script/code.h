#ifndef TESTS_UNIT_REPORT_SCRIPT_CODE_H
#define TESTS_UNIT_REPORT_SCRIPT_CODE_H

#include <elf.h>

#include "symbols/file/elf_make.h"
#include "tests/unit/report/script/printed.h"

/*
 * An x86-64 object of one function, "work", at CODE_AT of the file. Mapped at CODE_MAP, it runs from CODE_START:
 *
 *	+0  55        push   %rbp
 *	+1  48 89 e5  mov    %rsp,%rbp
 *	+4  85 ff     test   %edi,%edi
 *	+6  75 02     jne    +10
 *	+8  89 d0     mov    %edx,%eax
 *	+10 5d        pop    %rbp
 *	+11 c3        ret
 */
enum { CODE_AT = 0x80, CODE_MAP = 0x400000, CODE_START = CODE_MAP + CODE_AT };

/* Write the object and add its map to process 7. Returns the path, to be unlinked and freed. */
static inline char *code_map(struct build *b)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x85, 0xff, 0x75, 0x02, 0x89, 0xd0, 0x5d, 0xc3 };
	static const char strings[] = "\0work";
	const Elf64_Sym symbols[2] = { [1] = { .st_name = 1,
					       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					       .st_shndx = 1,
					       .st_value = CODE_AT,
					       .st_size = sizeof(code) } };
	const struct elf_part parts[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_AT, CODE_AT, 0, 0, 0, code, sizeof(code) },
		{ ".symtab", SHT_SYMTAB, 0, 0, 8, sizeof(*symbols), 3, 1, symbols, sizeof(symbols) },
		{ ".strtab", SHT_STRTAB, 0, 0, 1, 0, 0, 0, strings, sizeof(strings) },
	};
	char *path = xstrdup("/tmp/strobe-code-XXXXXX");
	int fd = mkstemp(path);
	size_t len;
	autofree void *bytes = elf_make(ET_DYN, EM_X86_64, parts, ARRAY_SIZE(parts), &len);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
	build_comm(b, .pid = 7, .tid = 7, .time = 1, .comm = "x");
	build_mmap(b, .pid = 7, .tid = 7, .time = 2, .start = CODE_MAP, .len = 0x1000, .filename = path);
	return path;
}

/* Compare the output with these fields to `want`; then release both. */
static inline void code_check(struct build *b, char *path, const char *fields, const char *want)
{
	const char *got = printed(b, fields, NULL, 1);

	unlink(path);
	free(path);
	build_release(b);
	assert_string_equal(got, want);
}

#endif
