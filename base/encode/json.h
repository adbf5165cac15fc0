#ifndef BASE_ENCODE_JSON_H
#define BASE_ENCODE_JSON_H

#include <string.h>
#include "base/out.h"

/*
 * Write JSON. The writer puts brackets, names, separators and escapes. Programs read several of our formats by their
 * exact look, so a writer says how members are set apart: `comma` stands before each member but the first, then
 * `before` before every member, and `colon` between name and value. json_compact() has no blanks.
 *
 *	struct json j = json_compact(o);
 *	json_object(&j, NULL);
 *	json_text(&j, "name", name);
 *	json_array(&j, "sizes");
 *	json_unsigned(&j, NULL, 7);
 *	json_unsigned(&j, NULL, 8);
 *	json_end(&j, "]}");			{"name":"x","sizes":[7,8]}
 *
 * An element of an array has no name: its key is NULL. Names are constants or foreign text; texts are foreign and may
 * hold any bytes (out_json in base/out.h). A constant needs no escapes. Up to 63 objects and arrays lie in each other.
 */
struct json {
	struct out *o;
	const char *comma, *before, *colon; /* NULL = nothing */
	uint64_t more; /* bit 0: a member was written; the bits above tell the same of what encloses it */
	bool compact;  /* as json_compact() made it */
	bool line;     /* the next member begins a line */
	bool quick;    /* compact, and no line to begin */
};
static inline struct json json_compact(struct out *o)
{
	return (struct json){ .o = o, .comma = ",", .colon = ":", .compact = true, .quick = true };
}

/* Write all that comes before a value; the caller writes the value. */
static inline void json_key(struct json *j, const char *key);
/* Begin an object or an array. The next members are its own, until json_end(). */
static inline void json_object(struct json *j, const char *key);
static inline void json_array(struct json *j, const char *key);
/* End what was begun last, once for each bracket: "]", "}", "]}" ... */
static inline void json_end(struct json *j, const char *brackets);
/* The same behind a space or a new line: "{ }". */
static inline void json_end_spaced(struct json *j, const char *space, const char *brackets);
/* Put the next member on a new line. */
static inline void json_newline(struct json *j)
{
	j->line = true;
	j->quick = false;
}

void json_text(struct json *j, const char *key, const char *text);
static inline void json_number(struct json *j, const char *key, int64_t n);
static inline void json_unsigned(struct json *j, const char *key, uint64_t n);
/* As text, "0x1f": many readers cannot hold 64 bits in a number. */
void json_hex(struct json *j, const char *key, uint64_t n);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* Write n / 10^digits with `digits` digits behind the point: (12345, 3) is 12.345. */
void json_decimal(struct json *j, const char *key, uint64_t n, unsigned digits);
/* Add members that another writer has written to memory. */
void json_members(struct json *j, const struct out *from);
/* Write a text in quotes, escaped. */
void json_quote(struct out *o, const char *text);

/* Here, because numbers and names that are constants are the bulk of what exporters write. */
void json_key_(struct json *j, const char *key);
static inline void json_key(struct json *j, const char *key)
{
	if (!j->quick || (key && !__builtin_constant_p(strlen(key)))) {
		json_key_(j, key);
		return;
	}
	if (j->more & 1)
		out_char(j->o, ',');
	else
		j->more |= 1;
	if (key) {
		size_t len = strlen(key);
		char *to = out_room(j->o, len + 3);

		to[0] = '"';
		memcpy(to + 1, key, len);
		memcpy(to + 1 + len, "\":", 2);
		j->o->len += len + 3;
	}
}
static inline void json_begin_(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	out_char(j->o, bracket);
	j->more <<= 1;
}
static inline void json_object(struct json *j, const char *key) { json_begin_(j, key, '{'); }
static inline void json_array(struct json *j, const char *key) { json_begin_(j, key, '['); }
static inline void json_end(struct json *j, const char *brackets)
{
	out_str(j->o, brackets);
	j->more >>= strlen(brackets);
}
static inline void json_end_spaced(struct json *j, const char *space, const char *brackets)
{
	out_str(j->o, space);
	json_end(j, brackets);
}
static inline void json_number(struct json *j, const char *key, int64_t n)
{
	json_key(j, key);
	out_i64(j->o, n);
}
static inline void json_unsigned(struct json *j, const char *key, uint64_t n)
{
	json_key(j, key);
	out_u64(j->o, n);
}

#endif
