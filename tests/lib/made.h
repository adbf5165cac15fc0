#ifndef TESTS_LIB_MADE_H
#define TESTS_LIB_MADE_H

#include <string.h>

#include "base/out.h"
#include "base/units.h"

/*
 * A recording in the pipe form that a program makes while a live session reads it. Random numbers are the same in every
 * run.
 *
 *	if (made_empty(&m))
 *		at = made_begin(&m.bytes, type, misc); made_u64(&m.bytes, ip); ... made_end(&m.bytes, at);
 *	return made_take(&m, to, room);
 */
struct made {
	struct out bytes; /* bytes made; those from `at` on are not taken yet */
	size_t at;
	uint32_t random;
};

static inline uint32_t made_any(struct made *m, uint32_t below)
{
	m->random = m->random * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)m->random * below >> 32);
}

static inline void made_u16(struct out *o, uint16_t v) { out_mem(o, (const char *)&v, 2); }
static inline void made_u32(struct out *o, uint32_t v) { out_mem(o, (const char *)&v, 4); }
static inline void made_u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, 8); }

/* Append a text with its NUL, padded to 8 bytes. */
static inline void made_text(struct out *o, const char *s)
{
	size_t len = strlen(s) + 1;

	out_mem(o, s, len);
	out_pad(o, '\0', (long)(ROUND_UP(len, (size_t)8) - len));
}

/* Begin a record; made_end() writes its size. */
static inline size_t made_begin(struct out *o, uint32_t type, uint16_t misc)
{
	size_t at = o->len;

	made_u32(o, type);
	made_u16(o, misc);
	made_u16(o, 0);
	return at;
}

static inline void made_end(struct out *o, size_t at)
{
	uint16_t size = (uint16_t)(o->len - at);

	memcpy(o->buf + at + 6, &size, 2);
}

/* Write the header of the pipe form, and one event with the id 1. */
static inline void made_header(struct out *o, const void *attr, size_t size)
{
	size_t at;

	out_mem(o, "PERFILE2", 8);
	made_u64(o, 16);
	at = made_begin(o, 64, 0);
	out_mem(o, attr, size);
	made_u64(o, 1);
	made_end(o, at);
}

static inline void made_round(struct out *o) { made_end(o, made_begin(o, 68, 0)); }

/* Return true if all bytes are taken, and forget them. */
static inline bool made_empty(struct made *m)
{
	if (m->at < m->bytes.len)
		return false;
	m->at = m->bytes.len = 0;
	return true;
}

static inline ssize_t made_take(struct made *m, void *to, size_t room)
{
	size_t n = MIN(room, m->bytes.len - m->at);

	memcpy(to, m->bytes.buf + m->at, n);
	m->at += n;
	return (ssize_t)n;
}

#endif
