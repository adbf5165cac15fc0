#ifndef BASE_WIDTH_H
#define BASE_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * The code point at s, of which n bytes may be looked at (n > 0). Returns its length in bytes, or 0 if the bytes are no
 * UTF-8: overlong forms, surrogates and numbers above U+10FFFF included. Source: RFC 3629, section 4.
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);

/*
 * Columns of a printable code point on a terminal: 0 for combining marks, 2 for wide and full-width characters, else 1.
 * Source: Unicode 14, general categories Mn and Me and EastAsianWidth W and F. Independent of the locale.
 */
int code_width(uint32_t code);

#endif
