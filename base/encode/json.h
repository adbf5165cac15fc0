#ifndef BASE_ENCODE_JSON_H
#define BASE_ENCODE_JSON_H

#include "base/out.h"

/*
 * Write the members of one JSON object. The writer puts names, separators and escapes; the caller writes brackets and
 * nested values. Programs read several of our formats by their exact look, so each object says how its members are set
 * apart: `comma` stands before each member but the first, then `before` before every member, and `colon` between name
 * and value.
 *
 *	struct json j = { .o = o, .comma = ", ", .colon = ": " };
 *	out_str(o, "{ ");
 *	json_text(&j, "name", name);
 *	json_unsigned(&j, "size", size);
 *	out_str(o, " }");			{ "name": "x", "size": 7 }
 *
 * Names are constants or foreign text; texts are foreign and may hold any bytes (out_json in base/out.h).
 */
struct json {
	struct out *o;
	const char *comma, *before, *colon; /* NULL = nothing */
	bool more;                          /* a member was written */
};
/* Write all that comes before a value; the caller writes the value. */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *key, const char *text);
void json_number(struct json *j, const char *key, int64_t n);
void json_unsigned(struct json *j, const char *key, uint64_t n);
/* As text, "0x1f": many readers cannot hold 64 bits in a number. */
void json_hex(struct json *j, const char *key, uint64_t n);
void json_bool(struct json *j, const char *key, bool value);
/* Write a text in quotes, escaped. */
void json_quote(struct out *o, const char *text);

#endif
