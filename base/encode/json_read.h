#ifndef BASE_ENCODE_JSON_READ_H
#define BASE_ENCODE_JSON_READ_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Read a JSON text (RFC 8259) into a tree of values. A zeroed document is valid and empty.
 *
 *	for (v = json_first(&d, json_root(&d)); v; v = json_next(&d, v))
 *		name = json_member(&d, v, "EventName");
 *
 * Texts, keys and numbers lie in the document's arena. Numbers stay text, as written.
 */
enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };
struct json_value {
	enum json_kind kind;
	const char *key;      /* of a member of an object; NULL in arrays and at the root */
	const char *text;     /* of a text, number, "true", "false", "null"; "" for arrays and objects */
	uint32_t first, next; /* index + 1 of the first item, and of the next one beside it; 0 = none */
};
struct json_document {
	VEC(struct json_value) values;
	struct arena arena;
};

/*
 * Parse `len` bytes. On failure return -1; e->what says what is wrong and in which line. Release d
 * in every case.
 */
int json_read(struct json_document *d, const char *text, size_t len, struct err *e);
const struct json_value *json_root(const struct json_document *d); /* NULL if empty */
/* The first item of an array or object, and the one behind an item; NULL if there is none. */
const struct json_value *json_first(const struct json_document *d, const struct json_value *v);
const struct json_value *json_next(const struct json_document *d, const struct json_value *v);
/* The member of an object, NULL if it has none of this name; v may be NULL. Keys are case-sensitive. */
const struct json_value *json_find(const struct json_document *d, const struct json_value *v, const char *key);
/* The text of a member that is a text or number; "" for anything else. */
const char *json_member(const struct json_document *d, const struct json_value *v, const char *key);
void json_release(struct json_document *d);

#endif
