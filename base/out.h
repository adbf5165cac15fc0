#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdarg.h>
#include "base/err.h"
#include "base/mem.h"

/*
 * Buffered text output to a descriptor or into memory. There are three kinds of text:
 *   out_str, out_fmt       our own text, written unchanged
 *   out_name               foreign text (names of files, threads, symbols, events; all text from a
 *                          file or the kernel): bytes below 0x20, 0x7f, C1 controls and invalid
 *                          UTF-8 become \xNN
 *   out_u64, out_hex, ...  numbers, without the cost of printf
 * After a write error `error` holds the errno and all further output is dropped. Check out_flush at
 * the end.
 */
struct out {
	char *buf;
	size_t len, cap;
	int fd;    /* -1: write to memory; buf grows and is the result */
	int error; /* errno of the first failed write, 0 if none */
};
void out_init_fd(struct out *o, int fd);
void out_init_mem(struct out *o);
void out_release(struct out *o); /* frees the buffer; does not flush or close fd */
int out_flush(struct out *o);    /* -1 if any write has failed; error holds the errno */
/*
 * Flush and release: a command ends its output with this. Return -1 with e when something could not be written. If
 * the reader went away (EPIPE), e has no text and has the exit status of SIGPIPE, 141.
 */
int out_finish(struct out *o, struct err *e);
/* memory only: the text so far with a NUL, valid until the next write */
const char *out_text(struct out *o);

static inline void out_char(struct out *o, char c);
static inline void out_str(struct out *o, const char *s);
void out_mem(struct out *o, const char *s, size_t len);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_vfmt(struct out *o, const char *fmt, va_list ap);
void out_pad(struct out *o, char c, long n); /* n <= 0: nothing */

void out_name(struct out *o, const char *s);                 /* foreign text, escaped */
void out_name_len(struct out *o, const char *s, size_t len); /* up to len bytes; stops at a NUL */
/*
 * Write escaped foreign text, padded with blanks to `width` columns: right aligned if width > 0,
 * left aligned if < 0. Wider text is not cut.
 */
void out_name_pad(struct out *o, const char *s, int width);
/*
 * Return the columns that out_name needs: the display width of the escaped text, in the C or a
 * UTF-8 locale.
 */
int out_name_width(const char *s);

void out_u64(struct out *o, uint64_t v);
void out_u64_pad(struct out *o, uint64_t v, int width, char pad); /* right aligned in width */
/* Write the last n digits of v with leading zeros. n is at most 20. */
void out_digits(struct out *o, uint64_t v, unsigned n);
void out_i64(struct out *o, int64_t v);
/* The text of printf's "%*.*f" with this width and number of decimals (at most 3). */
void out_fixed(struct out *o, double v, unsigned decimals, int width);
void out_hex(struct out *o, uint64_t v);                          /* no 0x, no padding */
void out_hex_pad(struct out *o, uint64_t v, int width, char pad); /* right aligned in width */
/*
 * Write the contents of a JSON string, without the quotes. Escape quotes, backslashes and controls,
 * write '<' as \u003c and invalid UTF-8 as U+FFFD.
 */
void out_json(struct out *o, const char *s);
/* Write text or an attribute's value of XML: what out_name would write, with entities for <, >, & and quotes. */
void out_xml(struct out *o, const char *s);
void out_xml_len(struct out *o, const char *s, size_t len); /* the same for text without control bytes, in UTF-8 */

/*
 * Make room for n more bytes and return their address; then add the bytes used to o->len. For hot
 * loops that format by hand.
 */
static inline char *out_room(struct out *o, size_t n);
void out_grow_(struct out *o, size_t n);
static inline char *out_room(struct out *o, size_t n)
{
	if (o->cap - o->len < n)
		out_grow_(o, n);
	return o->buf + o->len;
}
static inline void out_char(struct out *o, char c)
{
	*out_room(o, 1) = c;
	o->len++;
}
static inline void out_str(struct out *o, const char *s)
{
	out_mem(o, s, strlen(s)); /* the compiler usually knows the length */
}

#endif
