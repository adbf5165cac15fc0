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

void json_key_(struct json *j, const char *key)
{
	if (j->more & 1)
		put(j->o, j->comma);
	j->more |= 1;
	if (j->line)
		out_char(j->o, '\n');
	j->line = false;
	j->quick = j->compact;
	put(j->o, j->before);
	if (!key)
		return;
	json_quote(j->o, key);
	put(j->o, j->colon);
}

void json_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_quote(j->o, text);
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

void json_null(struct json *j, const char *key)
{
	json_key(j, key);
	out_str(j->o, "null");
}

void json_decimal(struct json *j, const char *key, uint64_t n, unsigned digits)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	json_key(j, key);
	out_u64(j->o, n / unit);
	out_char(j->o, '.');
	out_digits(j->o, n % unit, digits);
}

void json_members(struct json *j, const struct out *from)
{
	if (!from->len)
		return;
	json_key(j, NULL);
	out_mem(j->o, from->buf, from->len);
}
