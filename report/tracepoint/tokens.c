#include "report/tracepoint/trace_format_priv.h"

uint32_t trace_fail(struct trace_parser *p)
{
	p->failed = true;
	p->kind = TOKEN_BAD;
	return 0;
}

/*
 * Read the escape sequence whose backslash is at *at. Move *at to its last letter and return the
 * character.
 */
static int escaped(const char **at, const char *end)
{
	const char *s = *at + 1;
	int c = 0;

	switch (*s) {
	case 'n': c = '\n'; break;
	case 't': c = '\t'; break;
	case 'r': c = '\r'; break;
	case '0': c = 0; break;
	case 'x':
		for (int digits = 0; digits < 2 && s + 1 < end && isxdigit((unsigned char)s[1]); digits++, s++)
			c = c * 16 + (isdigit((unsigned char)s[1]) ? s[1] - '0' : (s[1] | 32) - 'a' + 10);
		break;
	default: c = (unsigned char)*s;
	}
	*at = s;
	return c;
}

/* Read a literal in quotes of this kind and unescape it into the arena. A NUL byte ends it. */
static char *quoted(struct trace_parser *p, char quote)
{
	const char *s = p->at + 1, *close = s;
	size_t n = 0;
	char *text;

	while (close < p->end && *close != quote)
		close += 1 + (*close == '\\');
	if (close >= p->end)
		return NULL;
	text = arena_alloc(&p->f->arena, (size_t)(close - s) + 1);
	for (; s < close; s++)
		text[n++] = (char)(*s == '\\' ? escaped(&s, close) : *s);
	p->at = close + 1;
	return text;
}

static void number(struct trace_parser *p)
{
	char *end;

	/* The text ends with a NUL, so strtoull stays inside. */
	p->number = strtoull(p->at, &end, 0);
	p->at = end;
	p->number_type = (struct trace_type){ p->number > INT32_MAX ? 8 : 4, p->number <= INT64_MAX };
	for (; p->at < p->end && *p->at && strchr("uUlL", *p->at); p->at++) {
		if (*p->at == 'u' || *p->at == 'U')
			p->number_type.is_signed = false;
		else
			p->number_type.size = 8;
	}
	p->kind = p->at < p->end && trace_is_ident(*p->at) ? TOKEN_BAD : TOKEN_NUMBER;
}

static void operator(struct trace_parser *p)
{
	static const struct {
		char text[3];
		uint8_t op;
	} pairs[] = {
		{ "<<", TRACE_OP_SHL }, { ">>", TRACE_OP_SHR }, { "<=", TRACE_OP_LE },  { ">=", TRACE_OP_GE },
		{ "==", TRACE_OP_EQ },  { "!=", TRACE_OP_NE },  { "&&", TRACE_OP_AND }, { "||", TRACE_OP_OR },
	};

	p->kind = TOKEN_OP;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (p->end - p->at >= 2 && !memcmp(p->at, pairs[i].text, 2)) {
			p->op = pairs[i].op;
			p->at += 2;
			return;
		}
	p->op = (uint8_t)*p->at++;
	if (p->op >= 128)
		p->kind = TOKEN_BAD;
}

void trace_next(struct trace_parser *p)
{
	if (p->failed)
		return;
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
	p->start = p->at;
	if (p->at == p->end) {
		p->kind = TOKEN_END;
	} else if (isdigit((unsigned char)*p->at)) {
		number(p);
	} else if (trace_is_ident(*p->at)) {
		while (p->at < p->end && trace_is_ident(*p->at))
			p->at++;
		p->kind = TOKEN_IDENT;
	} else if (*p->at == '"' || *p->at == '\'') {
		bool is_char = *p->at == '\'';

		p->string = quoted(p, *p->at);
		p->kind = !p->string ? TOKEN_BAD : is_char ? TOKEN_NUMBER : TOKEN_STRING;
		if (is_char && p->string) {
			p->number = (unsigned char)p->string[0];
			p->number_type = (struct trace_type){ 4, true };
		}
	} else {
		operator(p);
	}
	p->len = (size_t)(p->at - p->start);
	if (p->kind == TOKEN_BAD)
		trace_fail(p);
}

bool trace_is_op(const struct trace_parser *p, uint8_t op) { return p->kind == TOKEN_OP && p->op == op; }

bool trace_is_word(const struct trace_parser *p, const char *word)
{
	return p->kind == TOKEN_IDENT && p->len == strlen(word) && !memcmp(p->start, word, p->len);
}

void trace_expect(struct trace_parser *p, uint8_t op)
{
	if (trace_is_op(p, op))
		trace_next(p);
	else
		trace_fail(p);
}
