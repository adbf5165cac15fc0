#ifndef SYMBOLS_FILE_ELF_MAKE_H
#define SYMBOLS_FILE_ELF_MAKE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A section of an ELF object that elf_make() builds. The members are those of Elf64_Shdr;
 * `link` and `info` count sections from 1. Source: elf(5).
 */
struct elf_part {
	const char *name;
	uint32_t type;
	uint64_t flags, address, align, entry_size;
	uint32_t link, info;
	const void *data;
	size_t len;
};

/*
 * Build a 64-bit object in host byte order: these sections in this order, then a section with
 * their names. It has no segments. `machine` 0 means this machine. The caller frees the bytes.
 */
void *elf_make(uint16_t type, uint16_t machine, const struct elf_part *parts, size_t n, size_t *len);

#endif
