#ifndef BASE_WIDTH_H
#define BASE_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode the code point at s, reading at most n bytes (n > 0). Return its length in bytes, or 0 if
 * the bytes are not valid UTF-8: overlong forms, surrogates and numbers above U+10FFFF are invalid
 * too. Source: RFC 3629, section 4.
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);

/*
 * Return the columns of a printable code point on a terminal: 0 for combining marks, 2 for wide and
 * full-width characters, else 1. Does not depend on the locale. Source: Unicode 14, general
 * categories Mn and Me, EastAsianWidth W and F.
 */
int code_width(uint32_t code);

#endif
