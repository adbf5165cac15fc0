#include "base/encode/json.h"

static void put(struct out *o, const char *text)
{
	if (text)
		out_str(o, text);
}

void json_quote(struct out *o, const char *text)
{
	out_char(o, '"');
	out_json(o, text);
	out_char(o, '"');
}

void json_key(struct json *j, const char *key)
{
	if (j->more)
		put(j->o, j->comma);
	j->more = true;
	put(j->o, j->before);
	json_quote(j->o, key);
	put(j->o, j->colon);
}

void json_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_quote(j->o, text);
}

void json_number(struct json *j, const char *key, int64_t n)
{
	json_key(j, key);
	out_i64(j->o, n);
}

void json_unsigned(struct json *j, const char *key, uint64_t n)
{
	json_key(j, key);
	out_u64(j->o, n);
}

void json_hex(struct json *j, const char *key, uint64_t n)
{
	json_key(j, key);
	out_str(j->o, "\"0x");
	out_hex(j->o, n);
	out_char(j->o, '"');
}

void json_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	out_str(j->o, value ? "true" : "false");
}
