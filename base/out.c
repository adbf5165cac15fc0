#include "base/out.h"

#include <errno.h>
#include <math.h>

#include "base/bytes.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/width.h"

#define FD_BUFFER ((size_t)64 << 10)

void out_init_fd(struct out *o, int fd) { *o = (struct out){ .buf = xmalloc(FD_BUFFER), .cap = FD_BUFFER, .fd = fd }; }

void out_init_mem(struct out *o) { *o = (struct out){ .fd = -1 }; }

void out_release(struct out *o)
{
	free(o->buf);
	*o = (struct out){ .fd = -1 };
}

int out_flush(struct out *o)
{
	if (o->fd < 0)
		return 0;
	if (!o->error && o->len && write_all(o->fd, o->buf, o->len) < 0)
		o->error = errno;
	o->len = 0;
	if (o->error)
		errno = o->error;
	return o->error ? -1 : 0;
}

int out_finish(struct out *o, struct err *e)
{
	int rc = out_flush(o);

	if (rc < 0) {
		errno = o->error;
		err_sys(e, "cannot write the output");
		if (o->error == EPIPE) {
			err_clear(e);
			err_exit(e, EXIT_PIPE_CLOSED);
		}
	}
	out_release(o);
	return rc;
}

void out_grow_(struct out *o, size_t n)
{
	size_t need;

	if (o->fd >= 0) {
		out_flush(o);
		if (o->cap >= n)
			return;
	}
	if (__builtin_add_overflow(o->len, n, &need))
		need = SIZE_MAX; /* makes the allocator end the program */
	o->cap = MAX(MAX(o->cap + o->cap / 2, need), (size_t)256);
	o->buf = xrealloc(o->buf, o->cap);
}

const char *out_text(struct out *o)
{
	*out_room(o, 1) = '\0';
	return o->buf;
}

/*
 * Copy a piece of text. Most pieces are a few bytes, for which two overlapping moves are faster
 * than a call of memcpy.
 */
static inline void copy(char *to, const char *s, size_t len)
{
	if (len > 16) {
		memcpy(to, s, len);
	} else if (len >= 8) {
		uint64_t a = load_u64(s), b = load_u64(s + len - 8);

		memcpy(to, &a, 8);
		memcpy(to + len - 8, &b, 8);
	} else if (len >= 4) {
		uint32_t a = load_u32(s), b = load_u32(s + len - 4);

		memcpy(to, &a, 4);
		memcpy(to + len - 4, &b, 4);
	} else {
		for (size_t i = 0; i < len; i++)
			to[i] = s[i];
	}
}

void out_mem(struct out *o, const char *s, size_t len)
{
	if (!len)
		return;
	copy(out_room(o, len), s, len);
	o->len += len;
}

void out_vfmt(struct out *o, const char *fmt, va_list ap)
{
	size_t room = 256;
	va_list again;
	char *at = out_room(o, room);
	int len;

	va_copy(again, ap);
	len = vsnprintf(at, room, fmt, ap);
	if (len >= 0 && (size_t)len >= room)
		len = vsnprintf(out_room(o, (size_t)len + 1), (size_t)len + 1, fmt, again);
	va_end(again);
	if (len > 0)
		o->len += (size_t)len;
}

void out_fmt(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out_vfmt(o, fmt, ap);
	va_end(ap);
}

enum { PAD_AT_ONCE = 16 };

void out_pad(struct out *o, char c, long n)
{
	if (n > 0 && n <= PAD_AT_ONCE) {
		memset(out_room(o, PAD_AT_ONCE), c, PAD_AT_ONCE);
		o->len += (size_t)n;
		return;
	}
	while (n > 0) {
		size_t part = MIN((size_t)n, (size_t)4096);

		memset(out_room(o, part), c, part);
		o->len += part;
		n -= (long)part;
	}
}

static bool plain(char c) { return c >= 0x20 && c < 0x7f; }

/*
 * Return true if a code point may be shown. Hide code points that control the terminal, change the
 * direction of text, or end a line.
 */
static bool shown(uint32_t c)
{
	return c >= 0xa0 && c != 0x2028 && c != 0x2029 && !(c >= 0x202a && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

/*
 * Return how many of the n bytes at s are handled together: one code point to show (*code is set),
 * or bytes to escape one by one (*code is 0).
 */
static size_t special(const char *s, size_t n, uint32_t *code)
{
	size_t len = utf8_decode(s, n, code);

	if (len && shown(*code))
		return len;
	*code = 0;
	return len ? len : 1;
}

/*
 * Return the end of the plain bytes at s. Look at eight bytes at a time, because nearly all names
 * are plain.
 */
static const char *skip_plain(const char *s, const char *end)
{
	const uint64_t ones = 0x0101010101010101u, high = ones << 7;

	for (; end - s >= 8; s += 8) {
		uint64_t v = load_u64(s), below_20 = (v - ones * 0x20) & ~v, is_7f = (v ^ ones * 0x7f) - ones;

		/*
		 * A borrow can mark one byte too many, but only behind a byte that is marked
		 * correctly.
		 */
		if ((below_20 | is_7f | v) & high)
			break;
	}
	while (s < end && plain(*s))
		s++;
	return s;
}

static void name(struct out *o, const char *s, const char *end)
{
	static const char hex[] = "0123456789abcdef";

	while (s < end) {
		const char *from = s;
		uint32_t code;
		size_t n;

		s = skip_plain(s, end);
		out_mem(o, from, (size_t)(s - from));
		if (s == end)
			return;
		n = special(s, (size_t)(end - s), &code);
		if (code) {
			out_mem(o, s, n);
		} else {
			for (size_t i = 0; i < n; i++) {
				unsigned char c = (unsigned char)s[i];

				out_mem(o, (char[]){ '\\', 'x', hex[c >> 4], hex[c & 15] }, 4);
			}
		}
		s += n;
	}
}

void out_name_len(struct out *o, const char *s, size_t len) { name(o, s, s + (len ? strnlen(s, len) : 0)); }

void out_name(struct out *o, const char *s) { name(o, s, s + strlen(s)); }

int out_name_width(const char *s)
{
	const char *end = s + strlen(s);
	int width = 0;

	while (s < end) {
		uint32_t code;
		size_t n;

		if (plain(*s)) {
			s++;
			width++;
			continue;
		}
		n = special(s, (size_t)(end - s), &code);
		width += code ? code_width(code) : 4 * (int)n;
		s += n;
	}
	return width;
}

void out_name_pad(struct out *o, const char *s, int width)
{
	long blanks = (width < 0 ? -(long)width : width) - out_name_width(s);

	if (width > 0)
		out_pad(o, ' ', blanks);
	out_name(o, s);
	if (width < 0)
		out_pad(o, ' ', blanks);
}

static unsigned decimal_len(uint64_t v)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is a little above log10(2): the guess is correct or one too high. */
	unsigned guess = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return guess + (v >= powers[guess]);
}

static const char pairs[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Write the digits of v backwards from `end`. */
static void decimal(char *end, uint64_t v)
{
	for (; v >= 100; v /= 100)
		memcpy(end -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(end - 2, pairs + v * 2, 2);
	else
		end[-1] = (char)('0' + v);
}

static unsigned hex_len(uint64_t v) { return (67 - (unsigned)__builtin_clzll(v | 1)) / 4; }

/*
 * Return eight hex digits, the first in the lowest byte of memory: put each half byte into a byte
 * of its own, then turn all of them into letters at once.
 */
static uint64_t hex_digits(uint32_t v)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t x = v;

	x = (x << 16 | x) & 0x0000ffff0000ffffu;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffu;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0fu;
	x += ones * '0' + ((x + ones * 6) >> 4 & ones) * ('a' - '0' - 10);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? x : __builtin_bswap64(x);
}

/* Write at most 16 bytes to `to`; the first `len` of them are the digits of v. */
static inline void hexadecimal(char *to, uint64_t v, unsigned len)
{
	uint64_t digits;

	v <<= 64 - 4 * len;
	digits = hex_digits((uint32_t)(v >> 32));
	memcpy(to, &digits, 8);
	if (len <= 8)
		return;
	digits = hex_digits((uint32_t)v);
	memcpy(to + 8, &digits, 8);
}

/*
 * Write the padding of a number with `len` digits to `width`. Return room for the digits and
 * PAD_AT_ONCE more bytes.
 */
static char *padded(struct out *o, unsigned len, int width, char pad)
{
	size_t blanks = width > (long)len ? (size_t)width - len : 0;
	char *to = out_room(o, blanks + len + PAD_AT_ONCE);

	if (blanks <= PAD_AT_ONCE)
		memset(to, pad, PAD_AT_ONCE);
	else
		memset(to, pad, blanks);
	o->len += blanks + len;
	return to + blanks;
}

void out_u64(struct out *o, uint64_t v)
{
	unsigned len = decimal_len(v);

	decimal(out_room(o, len) + len, v);
	o->len += len;
}

void out_u64_pad(struct out *o, uint64_t v, int width, char pad)
{
	unsigned len = decimal_len(v);

	decimal(padded(o, len, width, pad) + len, v);
}

void out_fixed(struct out *o, double v, unsigned decimals, int width)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000 };
	uint64_t power = powers[decimals], number;
	double scaled = v * (double)power, rest;
	char *to;

	number = v >= 0 && v < 1e6 && !signbit(v) ? (uint64_t)scaled : 0;
	rest = scaled - (double)number;
	/* printf rounds the exact value: let it handle values near the middle, and rare ones. */
	if (!(v >= 0 && v < 1e6) || signbit(v) || (rest > 0.499999 && rest < 0.500001)) {
		out_fmt(o, "%*.*f", width, (int)decimals, v);
		return;
	}
	number += rest > 0.5;
	if (!decimals) {
		out_u64_pad(o, number, width, ' ');
		return;
	}
	to = padded(o, decimal_len(number / power) + 1 + decimals, width, ' ');
	to += decimal_len(number / power);
	decimal(to, number / power);
	*to++ = '.';
	for (unsigned i = decimals; i--; number /= 10)
		to[i] = (char)('0' + number % 10);
}

void out_digits(struct out *o, uint64_t v, unsigned n)
{
	char *from = out_room(o, MAX(n, 8u)), *end = from + n;
	uint64_t digits;

	if (n <= 8) { /* take the last n of eight digits */
		static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };

		digits = digits_8((uint32_t)(v % powers[n]) * powers[8 - n]);
		memcpy(from, &digits, 8);
		o->len += n;
		return;
	}
	for (; end - from >= 2; v /= 100)
		memcpy(end -= 2, pairs + v % 100 * 2, 2);
	if (end > from)
		*from = (char)('0' + v % 10);
	o->len += n;
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void out_hex(struct out *o, uint64_t v)
{
	unsigned len = hex_len(v);

	hexadecimal(out_room(o, PAD_AT_ONCE), v, len);
	o->len += len;
}

void out_hex_pad(struct out *o, uint64_t v, int width, char pad)
{
	unsigned len = hex_len(v);

	if (pad == '0' && width <= 16) { /* zeros are digits, too */
		len = MAX(len, (unsigned)MAX(width, 0));
		hexadecimal(out_room(o, PAD_AT_ONCE), v, len);
		o->len += len;
		return;
	}
	hexadecimal(padded(o, len, width, pad), v, len);
}

void out_json(struct out *o, const char *s)
{
	const char *end = s + strlen(s), *from;

	for (;;) {
		uint32_t code;
		size_t n;

		for (from = s; s < end && plain(*s) && *s != '"' && *s != '\\' && *s != '<';)
			s++;
		out_mem(o, from, (size_t)(s - from));
		if (s == end)
			return;
		n = utf8_decode(s, (size_t)(end - s), &code);
		if (!n) {
			out_str(o, "\xef\xbf\xbd");
			n = 1;
		} else if (code == '"' || code == '\\') {
			out_char(o, '\\');
			out_char(o, *s);
		} else if (!shown(code)) {
			out_fmt(o, "\\u%04x", code);
		} else {
			out_mem(o, s, n);
		}
		s += n;
	}
}

void out_xml_len(struct out *o, const char *s, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		const char *escaped = s[i] == '&'    ? "&amp;"
				      : s[i] == '<'  ? "&lt;"
				      : s[i] == '>'  ? "&gt;"
				      : s[i] == '"'  ? "&quot;"
				      : s[i] == '\'' ? "&#39;"
						     : NULL;

		if (!escaped)
			continue;
		out_mem(o, s + from, i - from);
		out_str(o, escaped);
		from = i + 1;
	}
	out_mem(o, s + from, len - from);
}

void out_xml(struct out *o, const char *s)
{
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, s);
	out_xml_len(o, out_text(&escaped), escaped.len);
	out_release(&escaped);
}
