/* Source: RFC 8259. */
#include "base/encode/json_read.h"

#include <ctype.h>

enum { DEEPEST = 32, VALUES_MAX = 8 << 20 };

struct json_reader {
	struct json_document *d;
	const char *text, *at, *end;
	unsigned depth;
	struct err *e;
};

static int complain(struct json_reader *r, const char *what)
{
	size_t line = 1;

	for (const char *p = r->text; p < r->at; p++)
		line += *p == '\n';
	return err_set(r->e, "bad JSON in line %zu: %s", line, what);
}

static void skip(struct json_reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

/* Skip blanks, and take the character if it comes next. */
static bool take(struct json_reader *r, char c)
{
	skip(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Read four hex digits at r->at. */
static int hex4(struct json_reader *r, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (r->at == r->end || !isxdigit((unsigned char)*r->at))
			return complain(r, "four hex digits are expected behind \\u");
		*code = *code << 4 |
			(uint32_t)(isdigit((unsigned char)*r->at) ? *r->at - '0'
								  : tolower((unsigned char)*r->at) - 'a' + 10);
	}
	return 0;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/*
 * Read what follows "\u". Two surrogates make one character. The output is never longer than the
 * input.
 */
static int unicode(struct json_reader *r, char **to)
{
	uint32_t code, low;

	if (hex4(r, &code) < 0)
		return -1;
	if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (hex4(r, &low) < 0)
			return -1;
		if (low < 0xdc00 || low > 0xdfff)
			return complain(r, "half a character behind \\u");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	if (!code || (code >= 0xd800 && code <= 0xdfff))
		return complain(r, "\\u is followed by no character");
	*to = put_utf8(*to, code);
	return 0;
}

static int escape(struct json_reader *r, char **to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (r->at == r->end)
		return complain(r, "a text is not closed");
	if (*r->at == 'u') {
		r->at++;
		return unicode(r, to);
	}
	found = *r->at ? strchr(letters, *r->at) : NULL;
	if (!found)
		return complain(r, "an unknown character follows '\\'");
	*(*to)++ = meant[found - letters];
	r->at++;
	return 0;
}

/* Read a text, from behind its first quote, into the arena. Return NULL with the error. */
static const char *read_text(struct json_reader *r)
{
	const char *from = r->at;
	char *text, *to;

	for (; from < r->end && *from != '"'; from++)
		from += *from == '\\' && from + 1 < r->end;
	text = to = arena_alloc(&r->d->arena, (size_t)(from - r->at) + 1);
	while (r->at < r->end && *r->at != '"') {
		if ((unsigned char)*r->at < ' ') {
			complain(r, "a text is not closed");
			return NULL;
		}
		if (*r->at != '\\') {
			*to++ = *r->at++;
			continue;
		}
		r->at++;
		if (escape(r, &to) < 0)
			return NULL;
	}
	if (r->at == r->end) {
		complain(r, "a text is not closed");
		return NULL;
	}
	r->at++;
	*to = '\0';
	return text;
}

static int value(struct json_reader *r, const char *key, uint32_t *index);

/* Read the items up to `close`; in an object each has a key. */
static int items(struct json_reader *r, uint32_t parent, char close)
{
	uint32_t last = 0, index;

	if (take(r, close))
		return 0;
	do {
		const char *key = NULL;

		if (close == '}' && !take(r, '"'))
			return complain(r, "a name in quotes is expected");
		if (close == '}' && !(key = read_text(r)))
			return -1;
		if (close == '}' && !take(r, ':'))
			return complain(r, "':' is expected");
		if (value(r, key, &index) < 0)
			return -1;
		if (last)
			r->d->values.items[last - 1].next = index;
		else
			r->d->values.items[parent - 1].first = index;
		last = index;
	} while (take(r, ','));
	return take(r, close) ? 0 : complain(r, close == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
}

/* Read a number or one of the three words. */
static int scalar(struct json_reader *r, struct json_value *v)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = { { "true", JSON_BOOL }, { "false", JSON_BOOL }, { "null", JSON_NULL } };
	const char *start = r->at;

	while (r->at < r->end && (isalnum((unsigned char)*r->at) || (*r->at && strchr("+-.", *r->at))))
		r->at++;
	v->text = arena_strndup(&r->d->arena, start, (size_t)(r->at - start));
	v->kind = JSON_NUMBER;
	if (isdigit((unsigned char)v->text[0]) || (v->text[0] == '-' && isdigit((unsigned char)v->text[1])))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(v->text, words[i].word)) {
			v->kind = words[i].kind;
			return 0;
		}
	}
	r->at = start;
	return complain(r, "a value is expected");
}

static int value(struct json_reader *r, const char *key, uint32_t *index)
{
	struct json_value v = { .key = key, .text = "" };
	char open;
	int result;

	skip(r);
	if (r->d->values.len == VALUES_MAX)
		return complain(r, "too many values");
	if (r->at == r->end)
		return complain(r, "the text ends too early");
	open = *r->at;
	v.kind = open == '[' ? JSON_ARRAY : open == '{' ? JSON_OBJECT : JSON_TEXT;
	if (open == '[' || open == '{' || open == '"')
		r->at++;
	else if (scalar(r, &v) < 0)
		return -1;
	if (open == '"' && !(v.text = read_text(r)))
		return -1;
	vec_push(&r->d->values, v);
	*index = (uint32_t)r->d->values.len;
	if (open != '[' && open != '{')
		return 0;
	if (++r->depth > DEEPEST)
		return complain(r, "nested too deep");
	result = items(r, *index, open == '[' ? ']' : '}');
	r->depth--;
	return result;
}

int json_read(struct json_document *d, const char *text, size_t len, struct err *e)
{
	struct json_reader r = { .d = d, .text = text, .at = text, .end = text + len, .e = e };
	uint32_t root;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* the byte order mark that some editors write */
		r.at += 3;
	if (value(&r, NULL, &root) < 0)
		return -1;
	skip(&r);
	return r.at == r.end ? 0 : complain(&r, "nothing more is expected");
}

static const struct json_value *at(const struct json_document *d, uint32_t index)
{
	return index ? &d->values.items[index - 1] : NULL;
}

const struct json_value *json_root(const struct json_document *d) { return at(d, d->values.len ? 1 : 0); }

const struct json_value *json_first(const struct json_document *d, const struct json_value *v)
{
	return v ? at(d, v->first) : NULL;
}

const struct json_value *json_next(const struct json_document *d, const struct json_value *v) { return at(d, v->next); }

const struct json_value *json_find(const struct json_document *d, const struct json_value *v, const char *key)
{
	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	for (const struct json_value *m = json_first(d, v); m; m = json_next(d, m))
		if (!strcmp(m->key, key))
			return m;
	return NULL;
}

const char *json_member(const struct json_document *d, const struct json_value *v, const char *key)
{
	const struct json_value *m = json_find(d, v, key);

	return m && (m->kind == JSON_TEXT || m->kind == JSON_NUMBER) ? m->text : "";
}

void json_release(struct json_document *d)
{
	vec_free(&d->values);
	arena_release(&d->arena);
}
