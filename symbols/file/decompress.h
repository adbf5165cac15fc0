#ifndef SYMBOLS_FILE_DECOMPRESS_H
#define SYMBOLS_FILE_DECOMPRESS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What gzip, xz or zstd compressed, malloc'd; NULL when it is none of these, damaged or over 64 MB. */
uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len);

/*
 * The contents of a compressed section of ELF, which tell how long they are: `type` is ELFCOMPRESS_ZLIB or _ZSTD. With
 * `upto` < len only its first bytes are wanted; what lies behind them then is of no meaning. False when they are
 * damaged, or the whole has another length.
 */
bool decompress_section(unsigned type, const uint8_t *from, size_t from_len, uint8_t *to, size_t len, size_t upto);

/* A compressed section (SHF_COMPRESSED): what its header says, and what is behind it. Source: System V gABI, chapter 4,
 * "Section Compression". */
struct compressed {
	unsigned type;
	const uint8_t *from;
	size_t from_len, len;
};
/* `bytes`: the section as it lies in the file. False when there is no such header, or it claims more than deflate can
 * stand for: then it is damaged. */
bool compressed_header(Elf *elf, Elf_Scn *scn, const uint8_t *bytes, size_t len, struct compressed *c);

#endif
