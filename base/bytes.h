#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>

/*
 * A bounds-checked cursor over untrusted bytes. A read past the end returns 0 (or NULL) and sets
 * `bad`, so a decoder can read a whole structure and check `bad` once. `swap`: the bytes have the
 * other byte order. Unaligned reads are allowed.
 */
struct bytes {
	const uint8_t *at, *end;
	bool swap, bad;
};

static inline struct bytes bytes_of(const void *p, size_t len, bool swap)
{
	return (struct bytes){ .at = p, .end = p ? (const uint8_t *)p + len : NULL, .swap = swap };
}
static inline size_t bytes_left(const struct bytes *b) { return (size_t)(b->end - b->at); }

/* Return the next len bytes as a view. Return NULL and set `bad` when fewer are left. */
static inline const uint8_t *bytes_take(struct bytes *b, uint64_t len)
{
	const uint8_t *p = b->at;

	if (b->bad || len > bytes_left(b)) {
		b->bad = true;
		return NULL;
	}
	b->at += len;
	return p;
}
static inline uint8_t bytes_u8(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 1);
	return p ? *p : 0;
}
static inline uint16_t bytes_u16(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, 2);
	return b->swap ? __builtin_bswap16(v) : v;
}
static inline uint32_t bytes_u32(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, 4);
	return b->swap ? __builtin_bswap32(v) : v;
}
static inline uint64_t bytes_u64(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, 8);
	return b->swap ? __builtin_bswap64(v) : v;
}
/*
 * Return the NUL-terminated string at the cursor and move the cursor behind its NUL. Return NULL
 * and set `bad` when there is no NUL.
 */
static inline const char *bytes_cstr(struct bytes *b)
{
	const uint8_t *nul = b->bad || b->at == b->end ? NULL : memchr(b->at, 0, bytes_left(b));
	const char *s = (const char *)b->at;

	if (!nul) {
		b->bad = true;
		return NULL;
	}
	b->at = nul + 1;
	return s;
}

/* Read a LEB128 number (DWARF 5, section 7.6). Drop the bits above the 64th. */
static inline uint64_t bytes_leb(struct bytes *b, bool is_signed)
{
	uint64_t v = 0;

	for (unsigned shift = 0;;) {
		uint8_t byte = bytes_u8(b);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
		if (!(byte & 0x80))
			return is_signed && shift < 64 && (byte & 0x40) ? v | UINT64_MAX << shift : v;
	}
}
static inline uint64_t bytes_uleb(struct bytes *b) { return bytes_leb(b, false); }
static inline int64_t bytes_sleb(struct bytes *b) { return (int64_t)bytes_leb(b, true); }

/* Unchecked loads in host byte order, from any alignment. */
static inline uint16_t load_u16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return v;
}
static inline uint32_t load_u32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
static inline uint64_t load_u64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

#endif
