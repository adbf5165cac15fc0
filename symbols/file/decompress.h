#ifndef SYMBOLS_FILE_DECOMPRESS_H
#define SYMBOLS_FILE_DECOMPRESS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompress gzip, xz or zstd data; the caller frees the result. Return NULL when the data is
 * none of these, is damaged or expands to over 64 MB.
 */
uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len);
/* Return whether the data begin like one of these formats. */
bool is_compressed(const uint8_t *from, size_t from_len);

/*
 * Expand one zstd frame to exactly `len` bytes; the caller frees them. NULL when it is damaged or has another length.
 * zstd_pack is the opposite: *len gets the size of the frame.
 */
void *zstd_expand(const void *from, size_t from_len, size_t len);
void *zstd_pack(const void *from, size_t from_len, size_t *len);

/*
 * Decompress the contents of an ELF section to `to`. `type` is ELFCOMPRESS_ZLIB or _ZSTD; `len`
 * is the length that the section's header states. With `upto` < len only the first `upto` bytes
 * are valid afterwards, but `to` needs room for `len` bytes of zeros. Return false when the
 * data is damaged or has another length.
 */
bool decompress_section(unsigned type, const uint8_t *from, size_t from_len, uint8_t *to, size_t len, size_t upto);

/*
 * Limits on all inflated sections of an object together: FREE_GROWTH bytes plus MAX_GROWTH times its length. Debug
 * information shrinks to a third or a fifth; a file that claims to grow far more is made to fill the memory.
 */
enum { MAX_GROWTH = 16, FREE_GROWTH = 64 << 20 };
/*
 * A compressed section (SHF_COMPRESSED): the fields of its header, and the data behind it.
 * Source: System V gABI, chapter 4, "Section Compression".
 */
struct compressed {
	unsigned type;
	const uint8_t *from;
	size_t from_len, len;
};
/*
 * Read the header of the compressed section whose bytes in the file are `bytes`. Return false
 * when there is no such header, or when it states a length that deflate cannot reach: then it
 * is damaged.
 */
bool compressed_header(Elf *elf, Elf_Scn *scn, const uint8_t *bytes, size_t len, struct compressed *c);

#endif
