#ifndef SYMBOLS_DECOMPRESS_H
#define SYMBOLS_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

/* What gzip, xz or zstd compressed, malloc'd; NULL when it is none of these, damaged or over 64 MB. */
uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len);

#endif
