#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdarg.h>
#include "base/err.h"
#include "base/mem.h"

/*
 * Buffered text output to a descriptor or into memory. Three kinds of text, kept apart:
 *   out_str, out_fmt          our own text, written as it is
 *   out_name                  foreign text (names of files, threads, symbols, events; anything read from a file or the
 *                             kernel): bytes below 0x20, 0x7f, C1 controls and invalid UTF-8 become \xNN
 *   out_u64, out_hex, ...     numbers, without the cost of printf
 * A write error is remembered (`error` holds the errno) and output is dropped from then on; ask out_flush at the end.
 */
struct out {
	char *buf;
	size_t len, cap;
	int fd;    /* -1: memory sink, buf grows and is the result */
	int error; /* errno of the first failed write, 0 if none */
};
void out_init_fd(struct out *o, int fd);
void out_init_mem(struct out *o);
void out_release(struct out *o); /* frees the buffer; does not flush and does not close fd */
int out_flush(struct out *o);    /* -1 if any write failed so far; error holds the errno */
/*
 * Flush and release: how a command ends its output. -1 with e when something was not written; for a reader that went
 * away (EPIPE) without text and with the exit status that SIGPIPE would have given, 141.
 */
int out_finish(struct out *o, struct err *e);
const char *out_text(struct out *o); /* memory sink: NUL-terminated text so far, valid until the next write */

static inline void out_char(struct out *o, char c);
static inline void out_str(struct out *o, const char *s);
void out_mem(struct out *o, const char *s, size_t len);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_vfmt(struct out *o, const char *fmt, va_list ap);
void out_pad(struct out *o, char c, long n); /* n <= 0: nothing */

void out_name(struct out *o, const char *s);                 /* foreign text, escaped */
void out_name_len(struct out *o, const char *s, size_t len); /* up to len bytes; stops at a NUL */
/* Escaped, padded with blanks to `width` columns: right aligned if width > 0, left if < 0. Wider text is not cut. */
void out_name_pad(struct out *o, const char *s, int width);
/* Columns that out_name would take: display width of the escaped text in the C or UTF-8 locale. */
int out_name_width(const char *s);

void out_u64(struct out *o, uint64_t v);
void out_u64_pad(struct out *o, uint64_t v, int width, char pad); /* right aligned in width */
/* The last n digits of v, with zeros before them; n is 20 at most. */
void out_digits(struct out *o, uint64_t v, unsigned n);
void out_i64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v);                          /* no 0x, no padding */
void out_hex_pad(struct out *o, uint64_t v, int width, char pad); /* right aligned in width */
/* As JSON string contents without the quotes: escapes quotes, backslash, controls, '<' as \u003c; invalid UTF-8 as
 * U+FFFD. */
void out_json(struct out *o, const char *s);

/* Make room for n more bytes and return where they go; then o->len += used. For hot loops that format by hand. */
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
	out_mem(o, s, strlen(s)); /* which the compiler knows of most */
}

/*
 * "strobe record: what\n  why: ...\n  try: ...\n" on `o`, empty slots left out, foreign bytes escaped. `prefix` e.g.
 * "strobe record"; a `what` that begins with a blank (perf's "  Error: unknown switch `x'") goes without it. A `why`
 * that begins with a blank is drawn under `what` (perf's "event syntax error" and its caret): both are then lines of
 * their own.
 */
void err_print(struct out *o, const char *prefix, const struct err *e);

/*
 * The tool's own messages on stderr, one whole line each (the newline is added here), escaped as a whole. Level of -v:
 * 0 usual, 1.. more, -1 = -q. say() speaks unless -q; say_verbose(n, ...) only from -v times n. These and
 * stop_requested (base/signal.h) are the two globals we admit. Only cmd/ and record/'s console lines use them;
 * libraries return errors and notes.
 */
extern int verbose;
/* How far a long job is, on a terminal after its first second; `done` equal to `all` ends it and takes the line away.
 * `what` is a constant that tells jobs apart. */
void say_progress(const char *what, uint64_t done, uint64_t all);
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_verbose(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "strobe" or "perf": how we were called (argv[0]'s base name decides; set once by main). */
extern const char *tool_name;

#endif
