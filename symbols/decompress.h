#ifndef SYMBOLS_DECOMPRESS_H
#define SYMBOLS_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What gzip, xz or zstd compressed, malloc'd; NULL when it is none of these, damaged or over 64 MB. */
uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len);

/* The contents of a compressed section of ELF, which tell how long they are: `type` is ELFCOMPRESS_ZLIB or _ZSTD. False when they are damaged or another length. */
bool decompress_section(unsigned type, const uint8_t *from, size_t from_len, uint8_t *to, size_t len);

#endif
