#ifndef SYMBOLS_DECOMPRESS_H
#define SYMBOLS_DECOMPRESS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What gzip, xz or zstd compressed, malloc'd; NULL when it is none of these, damaged or over 64 MB. */
uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len);

/* The contents of a compressed section of ELF, which tell how long they are: `type` is ELFCOMPRESS_ZLIB or _ZSTD. False when they are damaged or another length. */
bool decompress_section(unsigned type, const uint8_t *from, size_t from_len, uint8_t *to, size_t len);

/* The same from the beginning only as far as it is wanted: the first `upto` bytes of `to` hold after a call; more is told by a further call. ELFCOMPRESS_ZLIB. */
struct section_stream;
struct section_stream *section_stream_open(const uint8_t *from, size_t from_len, uint8_t *to, size_t len);
bool section_stream_read(struct section_stream *s, size_t upto);
void section_stream_close(struct section_stream *s);

/* A compressed section (SHF_COMPRESSED): what its header says, and what is behind it. Source: System V gABI, chapter 4, "Section Compression". */
struct compressed { unsigned type; const uint8_t *from; size_t from_len, len; };
/* `bytes`: the section as it lies in the file. False when there is no such header, or it claims more than deflate can stand for: then it is damaged. */
bool compressed_header(Elf *elf, Elf_Scn *scn, const uint8_t *bytes, size_t len, struct compressed *c);

#endif
