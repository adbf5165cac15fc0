#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>

/*
 * Return the eight decimal digits of v (below 10^8) as text with leading zeros, the first one in the lowest byte of
 * memory. All digits are made at once: split the number into halves, pairs and digits, each in its own part of a word.
 */
static inline uint64_t digits_8(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, high;

	high = x * 10486 >> 20 & 0x0000007f0000007fu; /* x / 100 for x < 10^4 */
	x = high | (x - high * 100) << 16;
	high = x * 103 >> 10 & 0x000f000f000f000fu; /* x / 10 for x < 100 */
	x = high | (x - high * 10) << 8;
	x += 0x3030303030303030u;
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(x) : x;
}

#endif
