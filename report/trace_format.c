#include "report/trace_format.h"

#include <ctype.h>

#include "base/out.h"

enum {
	FORMAT_MAX = 128 << 10,	/* bytes of a format file */
	FIELDS_MAX = 1024,
	NODES_MAX = 4096,
	DEPTH_MAX = 256,	/* of expressions inside each other; a parenthesis counts as three */
};

struct type { uint8_t size; bool is_signed; };

enum token_kind { END, IDENT, NUMBER, STRING, OP, BAD };

/* Reads print fmt token by token, one ahead. */
struct parser {
	struct trace_format *f;
	const char *at, *end;
	enum token_kind kind;
	const char *start;	/* of the token */
	size_t len;
	uint64_t number;
	struct type number_type;
	uint8_t op;
	char *string;		/* of the format's arena */
	unsigned depth;
	bool failed;
};

static void next(struct parser *p);
static uint32_t expression(struct parser *p);

static uint32_t fail(struct parser *p)
{
	p->failed = true;
	p->kind = BAD;
	return 0;
}

/* ---- tokens ---- */

static bool is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The character that the backslash at *at begins; *at is moved to its last letter. */
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

/* A literal in quotes of that kind, unescaped into the arena; NUL bytes end it. */
static char *quoted(struct parser *p, char quote)
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

static void number(struct parser *p)
{
	char *end;

	/* The text ends with a NUL, so that this stays inside. */
	p->number = strtoull(p->at, &end, 0);
	p->at = end;
	p->number_type = (struct type){ p->number > INT32_MAX ? 8 : 4, p->number <= INT64_MAX };
	for (; p->at < p->end && *p->at && strchr("uUlL", *p->at); p->at++) {
		if (*p->at == 'u' || *p->at == 'U')
			p->number_type.is_signed = false;
		else
			p->number_type.size = 8;
	}
	p->kind = p->at < p->end && is_ident(*p->at) ? BAD : NUMBER;
}

static void operator(struct parser *p)
{
	static const struct { char text[3]; uint8_t op; } pairs[] = {
		{ "<<", TRACE_OP_SHL }, { ">>", TRACE_OP_SHR }, { "<=", TRACE_OP_LE }, { ">=", TRACE_OP_GE }, { "==", TRACE_OP_EQ },
		{ "!=", TRACE_OP_NE }, { "&&", TRACE_OP_AND }, { "||", TRACE_OP_OR },
	};

	p->kind = OP;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (p->end - p->at >= 2 && !memcmp(p->at, pairs[i].text, 2)) {
			p->op = pairs[i].op;
			p->at += 2;
			return;
		}
	p->op = (uint8_t)*p->at++;
	if (p->op >= 128)
		p->kind = BAD;
}

static void next(struct parser *p)
{
	if (p->failed)
		return;
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
	p->start = p->at;
	if (p->at == p->end) {
		p->kind = END;
	} else if (isdigit((unsigned char)*p->at)) {
		number(p);
	} else if (is_ident(*p->at)) {
		while (p->at < p->end && is_ident(*p->at))
			p->at++;
		p->kind = IDENT;
	} else if (*p->at == '"' || *p->at == '\'') {
		bool is_char = *p->at == '\'';

		p->string = quoted(p, *p->at);
		p->kind = !p->string ? BAD : is_char ? NUMBER : STRING;
		if (is_char && p->string) {
			p->number = (unsigned char)p->string[0];
			p->number_type = (struct type){ 4, true };
		}
	} else {
		operator(p);
	}
	p->len = (size_t)(p->at - p->start);
	if (p->kind == BAD)
		fail(p);
}

static bool is_op(const struct parser *p, uint8_t op)
{
	return p->kind == OP && p->op == op;
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->kind == IDENT && p->len == strlen(word) && !memcmp(p->start, word, p->len);
}

static void expect(struct parser *p, uint8_t op)
{
	if (is_op(p, op))
		next(p);
	else
		fail(p);
}

/* ---- nodes ---- */

static bool is_shift(uint8_t op) { return op == TRACE_OP_SHL || op == TRACE_OP_SHR; }
static bool is_comparison(uint8_t op) { return op == '<' || op == '>' || (op >= TRACE_OP_LE && op <= TRACE_OP_NE); }

/* The type of a node's value once C has made it at least an int. */
static struct type type_of(const struct trace_format *f, uint32_t node)
{
	const struct trace_node *n = &f->nodes.items[node];

	if (n->kind == TRACE_BINARY && (is_comparison(n->op) || n->op == TRACE_OP_AND || n->op == TRACE_OP_OR))
		return (struct type){ 4, true };
	if (n->size < 4)
		return (struct type){ 4, true };
	return (struct type){ n->size, n->is_signed };
}

/* What two operands become before they meet. */
static struct type common_type(struct type a, struct type b)
{
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return (struct type){ a.size, a.is_signed && b.is_signed };
}

/* Fill in the type of a node whose operands are known. */
static void set_type(const struct trace_format *f, struct trace_node *n)
{
	struct type t = { 8, false };

	switch (n->kind) {
	case TRACE_CONST:
	case TRACE_CAST:
		return;
	case TRACE_FIELD:
		if (f->fields.items[n->a].size < 8)
			t = (struct type){ 4, f->fields.items[n->a].size < 4 || f->fields.items[n->a].flags & TRACE_FIELD_SIGNED };
		else
			t.is_signed = f->fields.items[n->a].flags & TRACE_FIELD_SIGNED;
		break;
	case TRACE_UNARY:
		t = n->op == '!' ? (struct type){ 4, true } : type_of(f, n->a);
		break;
	case TRACE_BINARY:
		t = is_shift(n->op) ? type_of(f, n->a) : common_type(type_of(f, n->a), type_of(f, n->b));
		break;
	case TRACE_COND:
		t = common_type(type_of(f, n->b), type_of(f, n->c));
		break;
	case TRACE_DYNAMIC_LEN:
		t = (struct type){ 4, true };
		break;
	}
	n->size = t.size;
	n->is_signed = t.is_signed;
}

static uint32_t add_node(struct parser *p, struct trace_node n)
{
	if (p->f->nodes.len >= NODES_MAX)
		return fail(p);
	set_type(p->f, &n);
	vec_push(&p->f->nodes, n);
	return (uint32_t)p->f->nodes.len - 1;
}

/* Index + 1 of the field with the name of the current token, which is passed. */
static uint32_t field_name(struct parser *p)
{
	for (uint32_t i = 0; p->kind == IDENT && i < p->f->fields.len; i++)
		if (strlen(p->f->fields.items[i].name) == p->len && !memcmp(p->f->fields.items[i].name, p->start, p->len)) {
			next(p);
			return i + 1;
		}
	fail(p);
	return 0;
}

/* "__get_str(name)" and its like, behind the parenthesis. */
static uint32_t field_function(struct parser *p, enum trace_node_kind kind)
{
	uint32_t field = field_name(p);

	if (!field)
		return 0;
	expect(p, ')');
	return add_node(p, (struct trace_node){ .kind = kind, .a = field - 1 });
}

static uint64_t compare(uint8_t op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case '<':		return less;
	case '>':		return !less && a != b;
	case TRACE_OP_LE:	return less || a == b;
	case TRACE_OP_GE:	return !less;
	case TRACE_OP_EQ:	return a == b;
	}
	return a != b;
}

static uint64_t divide(uint8_t op, uint64_t a, uint64_t b, bool is_signed)
{
	if (!b)
		return 0;
	if (!is_signed)
		return op == '/' ? a / b : a % b;
	if ((int64_t)b == -1)
		return op == '/' ? -a : 0;
	return (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

uint64_t trace_binary(const struct trace_node *n, uint64_t a, uint64_t b)
{
	uint64_t v = 0;

	a = trace_cast(a, n->size, n->is_signed);
	if (!is_shift(n->op))
		b = trace_cast(b, n->size, n->is_signed);
	if (is_comparison(n->op))
		return compare(n->op, a, b, n->is_signed);
	switch (n->op) {
	case '+': v = a + b; break;
	case '-': v = a - b; break;
	case '*': v = a * b; break;
	case '/':
	case '%': v = divide(n->op, a, b, n->is_signed); break;
	case '&': v = a & b; break;
	case '|': v = a | b; break;
	case '^': v = a ^ b; break;
	case TRACE_OP_SHL: v = b < 64 ? a << b : 0; break;
	case TRACE_OP_SHR: v = b >= 64 ? 0 : n->is_signed ? (uint64_t)((int64_t)a >> b) : a >> b; break;
	}
	return trace_cast(v, n->size, n->is_signed);
}

/* Value of an expression made of numbers only; false for others. */
static bool constant(const struct trace_format *f, uint32_t node, uint64_t *v)
{
	const struct trace_node *n = &f->nodes.items[node];
	uint64_t a = 0, b = 0;

	switch (n->kind) {
	case TRACE_CONST:
		*v = n->value;
		return true;
	case TRACE_CAST:
		return constant(f, n->a, v);
	case TRACE_UNARY:
		if (!constant(f, n->a, &a))
			return false;
		*v = n->op == '-' ? -a : n->op == '~' ? ~a : n->op == '!' ? !a : a;
		return true;
	case TRACE_BINARY:
		if (!constant(f, n->a, &a) || !constant(f, n->b, &b))
			return false;
		if (n->op == TRACE_OP_AND || n->op == TRACE_OP_OR)
			return false;
		*v = trace_binary(n, a, b);
		return true;
	}
	return false;
}

/* One or more string literals next to each other, which are one. */
static char *strings(struct parser *p)
{
	char *text = p->string;
	struct out all;

	next(p);
	if (p->kind == STRING && !p->failed) {
		out_init_mem(&all);
		out_str(&all, text);
		for (; p->kind == STRING && !p->failed; next(p))
			out_str(&all, p->string);
		text = arena_strdup(&p->f->arena, out_text(&all));
		out_release(&all);
	}
	return text;
}

/* "{ value, "name" }, ..." up to the closing parenthesis. */
static bool name_list(struct parser *p, uint32_t *from, uint32_t *n)
{
	*from = (uint32_t)p->f->names.len;
	while (is_op(p, ',') && !p->failed) {
		uint64_t value = 0;
		const char *name;
		uint32_t node;
		bool known;

		next(p);
		if (is_op(p, ')'))
			break;
		expect(p, '{');
		node = expression(p);
		known = !p->failed && constant(p->f, node, &value);
		expect(p, ',');
		if (p->failed || p->f->names.len >= NODES_MAX)
			return fail(p);
		name = p->kind == STRING ? strings(p) : NULL;
		if (!name)	/* { 0, NULL } ends some lists */
			expression(p);
		expect(p, '}');
		if (known && name && !p->failed)	/* else an enum's name, whose value the recording does not tell */
			vec_push(&p->f->names, (struct trace_name){ value, name });
	}
	*n = (uint32_t)p->f->names.len - *from;
	expect(p, ')');
	return !p->failed;
}

static uint32_t print_flags(struct parser *p, bool flags)
{
	struct trace_node n = { .kind = flags ? TRACE_FLAGS : TRACE_SYMBOLIC };

	n.a = expression(p);
	if (flags) {
		expect(p, ',');
		if (p->kind != STRING)
			return fail(p);
		n.text = strings(p);
	}
	if (p->failed || !name_list(p, &n.b, &n.c))
		return fail(p);
	return add_node(p, n);
}

/* Functions of two or three expressions. */
static uint32_t print_bytes(struct parser *p, enum trace_node_kind kind)
{
	struct trace_node n = { .kind = kind };

	n.a = expression(p);
	expect(p, ',');
	n.b = expression(p);
	if (kind == TRACE_ARRAY) {
		expect(p, ',');
		n.c = expression(p);
	}
	expect(p, ')');
	return p->failed ? 0 : add_node(p, n);
}

static const struct { const char *name; uint8_t size; bool is_signed; } type_names[] = {
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false }, { "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true },
	{ "s64", 8, true }, { "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false }, { "__u64", 8, false }, { "__s8", 1, true },
	{ "__s16", 2, true }, { "__s32", 4, true }, { "__s64", 8, true }, { "uint8_t", 1, false }, { "uint16_t", 2, false },
	{ "uint32_t", 4, false }, { "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true },
	{ "int64_t", 8, true }, { "bool", 1, false }, { "_Bool", 1, false }, { "dev_t", 4, false }, { "pid_t", 4, true }, { "gfp_t", 4, false },
	{ "size_t", 0, false }, { "ssize_t", 0, true }, { "sector_t", 8, false }, { "loff_t", 8, true }, { "dma_addr_t", 8, false },
};

/*
 * A type between parentheses: size and sign of what is cast to it, and of a pointer the size of what it points to; false if this is none. Size 0: a
 * long of the recording's machine. On success the closing parenthesis is passed, else nothing is.
 */
static bool type_name(struct parser *p, uint8_t *size, bool *is_signed, uint8_t *pointed)
{
	struct parser start = *p;
	bool any = false, is_unsigned = false, pointer = false;
	unsigned longs = 0;

	*size = 4;
	*is_signed = true;
	for (; p->kind == IDENT; next(p)) {
		any = true;
		if (is_word(p, "unsigned")) is_unsigned = true;
		else if (is_word(p, "long")) longs++;
		else if (is_word(p, "short")) *size = 2;
		else if (is_word(p, "char")) *size = 1;
		else if (is_word(p, "struct") || is_word(p, "enum") || is_word(p, "const") || is_word(p, "int") || is_word(p, "signed"))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
			if (is_word(p, type_names[i].name)) {
				*size = type_names[i].size;
				*is_signed = type_names[i].is_signed;
			}
	}
	for (; is_op(p, '*'); next(p))
		pointer = true;
	if (!any || !is_op(p, ')')) {
		*p = start;
		return false;
	}
	if (longs)
		*size = longs > 1 ? 8 : 0;
	*pointed = 0;
	if (pointer) {
		*pointed = *size ? *size : p->f->long_size;
		*size = 8;
	}
	*is_signed &= !is_unsigned && !pointer;
	next(p);
	return true;
}

static uint32_t unary(struct parser *p);
static uint32_t record_field(struct parser *p);

/* What begins with a parenthesis, which is passed: a cast or an expression. */
static uint32_t parenthesis(struct parser *p)
{
	struct trace_node n = { .kind = TRACE_CAST };
	uint32_t inner;

	if (is_word(p, "REC")) {	/* (REC)->name */
		struct parser start = *p;

		next(p);
		if (is_op(p, ')')) {
			next(p);
			return record_field(p);
		}
		*p = start;
	}
	if (p->kind == IDENT && !is_word(p, "REC") && p->len < 64) {
		struct parser start = *p;

		if (type_name(p, &n.size, &n.is_signed, &n.op)) {
			bool operand = p->kind == IDENT || p->kind == NUMBER || p->kind == STRING || is_op(p, '(') || is_op(p, '~') ||
				       is_op(p, '-') || is_op(p, '!') || is_op(p, '&');

			if (operand && !p->failed) {
				n.a = unary(p);
				if (!n.size)
					n.size = p->f->long_size;
				return p->failed ? 0 : add_node(p, n);
			}
			*p = start;
		}
	}
	inner = expression(p);
	expect(p, ')');
	return inner;
}

static uint32_t size_of(struct parser *p)
{
	uint8_t size, pointed;
	bool is_signed;

	expect(p, '(');
	if (p->failed || !type_name(p, &size, &is_signed, &pointed))
		return fail(p);
	return add_node(p, (struct trace_node){ .kind = TRACE_CONST, .size = 8, .value = size ? size : p->f->long_size });
}

/* "->name" */
static uint32_t record_field(struct parser *p)
{
	uint32_t field;

	expect(p, '-');
	expect(p, '>');
	field = field_name(p);
	return field ? add_node(p, (struct trace_node){ .kind = TRACE_FIELD, .a = field - 1 }) : 0;
}

/* "__print_dynamic_array(name, size)" is __print_array of all elements of that size. */
static uint32_t print_dynamic_array(struct parser *p)
{
	struct trace_node n = { .kind = TRACE_ARRAY };
	uint32_t field, len;

	next(p);
	expect(p, '(');
	field = field_name(p);
	expect(p, ',');
	n.c = expression(p);
	expect(p, ')');
	if (p->failed || !field)
		return 0;
	n.a = add_node(p, (struct trace_node){ .kind = TRACE_DYNAMIC, .a = field - 1 });
	len = add_node(p, (struct trace_node){ .kind = TRACE_DYNAMIC_LEN, .a = field - 1 });
	n.b = add_node(p, (struct trace_node){ .kind = TRACE_BINARY, .op = '/', .a = len, .b = n.c });
	return p->failed ? 0 : add_node(p, n);
}

/* "__print_ns_to_secs(ns)" and its rest: whole seconds, and what is left of them. */
static uint32_t part_of_time(struct parser *p, uint8_t op)
{
	uint32_t ns, second;

	next(p);
	expect(p, '(');
	ns = expression(p);
	expect(p, ')');
	second = add_node(p, (struct trace_node){ .kind = TRACE_CONST, .value = 1000000000, .size = 8 });
	return p->failed ? 0 : add_node(p, (struct trace_node){ .kind = TRACE_BINARY, .op = op, .a = ns, .b = second });
}

/* An identifier that is no type: a field, or one of the kernel's functions. */
static uint32_t named(struct parser *p)
{
	static const struct { const char *name; enum trace_node_kind kind; } functions[] = {
		{ "__get_str", TRACE_GET_STR }, { "__get_rel_str", TRACE_GET_STR }, { "__get_dynamic_array", TRACE_DYNAMIC },
		{ "__get_rel_dynamic_array", TRACE_DYNAMIC }, { "__get_dynamic_array_len", TRACE_DYNAMIC_LEN },
		{ "__get_rel_dynamic_array_len", TRACE_DYNAMIC_LEN }, { "__get_bitmask", TRACE_BITMASK }, { "__get_rel_bitmask", TRACE_BITMASK },
		{ "__get_cpumask", TRACE_CPUMASK }, { "__get_rel_cpumask", TRACE_CPUMASK }, { "__print_flags", TRACE_FLAGS },
		{ "__print_flags_u64", TRACE_FLAGS }, { "__print_symbolic", TRACE_SYMBOLIC }, { "__print_symbolic_u64", TRACE_SYMBOLIC },
		{ "__get_sockaddr", TRACE_DYNAMIC }, { "__get_rel_sockaddr", TRACE_DYNAMIC }, { "__print_hex", TRACE_HEX }, { "__print_hex_str", TRACE_HEX_STR }, { "__print_array", TRACE_ARRAY },
	};
	if (is_word(p, "REC")) {
		next(p);
		return record_field(p);
	}
	if (is_word(p, "__builtin_expect")) {
		uint32_t node;

		next(p);
		expect(p, '(');
		node = expression(p);
		expect(p, ',');
		expression(p);
		expect(p, ')');
		return node;
	}
	if (is_word(p, "sizeof")) {
		next(p);
		return size_of(p);
	}
	if (is_word(p, "__print_dynamic_array"))
		return print_dynamic_array(p);
	if (is_word(p, "__print_ns_to_secs"))
		return part_of_time(p, '/');
	if (is_word(p, "__print_ns_without_secs"))
		return part_of_time(p, '%');
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!is_word(p, functions[i].name))
			continue;
		next(p);
		expect(p, '(');
		switch (functions[i].kind) {
		case TRACE_FLAGS:
		case TRACE_SYMBOLIC:	return print_flags(p, functions[i].kind == TRACE_FLAGS);
		case TRACE_HEX:
		case TRACE_HEX_STR:
		case TRACE_ARRAY:	return print_bytes(p, functions[i].kind);
		default:		return field_function(p, functions[i].kind);
		}
	}
	next(p);	/* a name of the kernel's that the recording says nothing of, as in page addresses */
	return is_op(p, '(') ? fail(p) : add_node(p, (struct trace_node){ .kind = TRACE_UNKNOWN });
}

static uint32_t primary(struct parser *p)
{
	uint32_t node;

	if (p->kind == NUMBER) {
		node = add_node(p, (struct trace_node){ .kind = TRACE_CONST, .value = p->number, .size = p->number_type.size,
			.is_signed = p->number_type.is_signed });
		next(p);
	} else if (p->kind == STRING) {
		const char *text = strings(p);

		node = p->failed ? 0 : add_node(p, (struct trace_node){ .kind = TRACE_STRING, .text = text });
	} else if (is_op(p, '(')) {
		next(p);
		node = parenthesis(p);
	} else if (p->kind == IDENT) {
		node = named(p);
	} else {
		return fail(p);
	}
	while (is_op(p, '[')) {
		struct trace_node n = { .kind = TRACE_INDEX, .a = node };

		next(p);
		n.b = expression(p);
		expect(p, ']');
		node = p->failed ? 0 : add_node(p, n);
	}
	return node;
}

static uint32_t unary(struct parser *p)
{
	struct trace_node n = { .kind = TRACE_UNARY, .op = p->op };
	uint32_t node;

	if (p->failed || ++p->depth > DEPTH_MAX)
		return fail(p);
	if (is_op(p, '!') || is_op(p, '~') || is_op(p, '-') || is_op(p, '+')) {
		next(p);
		n.a = unary(p);
		node = p->failed ? 0 : add_node(p, n);
	} else if (is_op(p, '&')) {	/* the address of an array or of bytes is what we hold of them anyway */
		next(p);
		node = unary(p);
	} else {
		node = primary(p);
	}
	p->depth--;
	return node;
}

/* How tightly a binary operator binds; 0: it is none. */
static unsigned binding(const struct parser *p)
{
	if (p->kind != OP)
		return 0;
	switch (p->op) {
	case TRACE_OP_OR: return 1;
	case TRACE_OP_AND: return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case TRACE_OP_EQ: case TRACE_OP_NE: return 6;
	case '<': case '>': case TRACE_OP_LE: case TRACE_OP_GE: return 7;
	case TRACE_OP_SHL: case TRACE_OP_SHR: return 8;
	case '+': case '-': return 9;
	case '*': case '/': case '%': return 10;
	}
	return 0;
}

static uint32_t binary(struct parser *p, unsigned least)
{
	uint32_t left = unary(p);

	if (p->failed || ++p->depth > DEPTH_MAX)
		return fail(p);
	for (unsigned b; !p->failed && (b = binding(p)) && b >= least;) {
		struct trace_node n = { .kind = TRACE_BINARY, .op = p->op, .a = left };

		next(p);
		n.b = binary(p, b + 1);
		left = p->failed ? 0 : add_node(p, n);
	}
	p->depth--;
	return left;
}

static uint32_t expression(struct parser *p)
{
	struct trace_node n = { .kind = TRACE_COND };

	if (p->failed || ++p->depth > DEPTH_MAX)
		return fail(p);
	n.a = binary(p, 1);
	p->depth--;
	if (!is_op(p, '?') || p->failed)
		return n.a;
	p->depth++;
	next(p);
	n.b = expression(p);
	expect(p, ':');
	n.c = expression(p);
	p->depth--;
	return p->failed ? 0 : add_node(p, n);
}

/* ---- the format string ---- */

static void add_literal(struct trace_format *f, const char *text, size_t len)
{
	struct trace_piece *piece;
	struct out o;

	if (!len)
		return;
	out_init_mem(&o);
	out_name_len(&o, text, len);
	piece = vec_add(&f->pieces, 1);
	piece->text_len = (uint32_t)o.len;
	out_pad(&o, ' ', TRACE_TEXT_SLACK);
	piece->text = arena_memdup(&f->arena, o.buf, o.len);
	out_release(&o);
}

/* An argument of the format string: the expression behind the next comma, as node + 1. */
static uint32_t argument(struct parser *p)
{
	uint32_t node;

	expect(p, ',');
	node = expression(p);
	return p->failed ? 0 : node + 1;
}

/* Digits or '*'; -1 when there are none. */
static int16_t count(struct parser *p, const char **at, uint32_t *arg)
{
	const char *s = *at;
	int n = 0;

	if (*s == '*') {
		*arg = argument(p);
		*at = s + 1;
		return -1;
	}
	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++)
		n = MIN(n * 10 + (*s - '0'), 4096);
	*at = s;
	return (int16_t)n;
}

/* The letters that may follow %p, longest first where one begins another. */
static void pointer_letters(struct trace_piece *piece, const char **at)
{
	static const char *const kinds[] = { "I4", "i4", "I6", "i6", "IS", "iS", "S", "s", "F", "f", "M", "m", "U", "b" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i]);

		if (strncmp(*at, kinds[i], len))
			continue;
		memcpy(piece->pointer, kinds[i], len);
		*at += len;
		break;
	}
	/* Variants of the same: %pI6c, %pI4h, %pUb, %pbl, %pISpc, %pSR. Of these only the port makes a difference here. */
	if (*piece->pointer && strchr("IiUbMm", *piece->pointer))
		for (; **at && strchr("chnblLBRpsF", **at); ++*at)
			piece->pointer[2] = **at == 'p' ? 'p' : piece->pointer[2];
	else if (*piece->pointer && strchr("SF", *piece->pointer))
		while (**at == 'R' || **at == 'b')
			++*at;
}

static void length(struct trace_piece *piece, const char **at)
{
	const char *s = *at;

	if (s[0] == 'h')
		piece->length = s[1] == 'h' ? 'H' : 'h';
	else if (s[0] == 'l')
		piece->length = s[1] == 'l' ? 'L' : 'l';
	else if (*s && strchr("LqjzZt", *s))
		piece->length = *s == 'L' || *s == 'q' || *s == 'j' ? 'L' : 'l';
	else
		return;
	*at = s + 1 + (piece->length == 'H' || (piece->length == 'L' && s[0] == 'l'));
}

/* Behind the '%'. Returns what follows the conversion, NULL for one that is not known. */
static const char *conversion(struct parser *p, const char *s)
{
	struct trace_piece piece = { .precision = -1 };

	for (;; s++) {
		if (*s == '-') piece.left = true;
		else if (*s == '0') piece.zero = true;
		else if (*s == '#') piece.alternate = true;
		else if (*s == '+') piece.plus = true;
		else if (*s == ' ') piece.blank = true;
		else break;
	}
	piece.width = count(p, &s, &piece.width_arg);
	if (*s == '.') {
		s++;
		piece.precision = count(p, &s, &piece.precision_arg);
		if (piece.precision < 0 && !piece.precision_arg)
			piece.precision = 0;
	}
	length(&piece, &s);
	if (!*s || !strchr("diuxXocsp", *s))
		return NULL;
	piece.conversion = *s++;
	if (piece.conversion == 'p')
		pointer_letters(&piece, &s);
	piece.shaped = piece.left || piece.alternate || piece.plus || piece.blank || piece.precision >= 0 || piece.width_arg || piece.precision_arg ||
		       strchr("oX", piece.conversion);
	piece.arg = argument(p);
	if (p->failed)
		return NULL;
	vec_push(&p->f->pieces, piece);
	return s;
}

static bool format_string(struct parser *p)
{
	const char *s;

	next(p);
	if (p->kind != STRING)
		return false;
	s = strings(p);
	if (p->failed)
		return false;
	while (s && *s) {
		size_t plain = strcspn(s, "%");

		add_literal(p->f, s, plain);
		s += plain;
		if (s[0] == '%' && s[1] == '%') {
			add_literal(p->f, "%", 1);
			s += 2;
		} else if (*s) {
			s = conversion(p, s + 1);
		}
	}
	return s && p->kind == END && !p->failed;
}

/* ---- the fields ---- */

/* "name:value;" in a line of a field; false if it is not there or no number in range. */
static bool number_of(const char *line, const char *name, uint64_t *value)
{
	const char *s = strstr(line, name);
	char *end;

	if (!s || !isdigit((unsigned char)s[strlen(name)]))
		return false;
	*value = strtoull(s + strlen(name), &end, 10);
	return *end == ';';
}

static bool has_word(const char *type, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = strstr(type, word); s; s = strstr(s + 1, word))
		if ((s == type || !is_ident(s[-1])) && !is_ident(s[len]))
			return true;
	return false;
}

/* Bytes of one element, by the name of its type; 0: as large as it says. */
static uint32_t element_size(const struct trace_format *f, const char *type)
{
	if (strchr(type, '*') || (has_word(type, "long") && !strstr(type, "long long")))
		return f->long_size;
	if (has_word(type, "char"))
		return 1;
	if (has_word(type, "short"))
		return 2;
	if (strstr(type, "long long"))
		return 8;
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
		if (has_word(type, type_names[i].name))
			return type_names[i].size ? type_names[i].size : f->long_size;
	return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

/* "__data_loc char[] name", "char comm[16]", "unsigned long ip": the declaration in front of its ';'. */
static bool declaration(struct trace_format *f, char *text, struct trace_field *field)
{
	char *bracket, *name;

	if (!strncmp(text, "__data_loc ", 11)) {
		field->flags |= TRACE_FIELD_DYNAMIC;
		text += 11;
	} else if (!strncmp(text, "__rel_loc ", 10)) {
		field->flags |= TRACE_FIELD_DYNAMIC | TRACE_FIELD_RELATIVE;
		text += 10;
	}
	bracket = strrchr(text, '[');
	if (bracket && !(field->flags & TRACE_FIELD_DYNAMIC)) {
		field->flags |= TRACE_FIELD_ARRAY;
		*bracket = 0;
	}
	name = text + strlen(text);
	while (name > text && is_ident(name[-1]))
		name--;
	if (!*name || name == text)
		return false;
	field->name = arena_strdup(&f->arena, name);
	*name = 0;
	field->type = arena_strdup(&f->arena, text);
	if (strchr(text, '*'))
		field->flags |= TRACE_FIELD_POINTER;
	if (has_word(text, "char") && field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) && !strchr(text, '*'))
		field->flags |= TRACE_FIELD_STRING;
	if (has_word(text, "long"))
		field->flags |= TRACE_FIELD_LONG;
	return true;
}

static bool field_line(struct trace_format *f, char *line, bool common)
{
	struct trace_field field = { .flags = common ? TRACE_FIELD_COMMON : 0 };
	uint64_t offset, size, is_signed = 0;
	char *end = strchr(line, ';');

	if (!end || !number_of(end, "offset:", &offset) || !number_of(end, "size:", &size) || offset > TRACE_PAYLOAD_MAX ||
	    size > TRACE_PAYLOAD_MAX || offset + size > TRACE_PAYLOAD_MAX || f->fields.len >= FIELDS_MAX)
		return false;
	if (number_of(end, "signed:", &is_signed) && is_signed)
		field.flags |= TRACE_FIELD_SIGNED;
	*end = 0;
	if (!declaration(f, line, &field) || (field.flags & TRACE_FIELD_DYNAMIC && size != 4))
		return false;
	field.offset = (uint32_t)offset;
	field.size = (uint32_t)size;
	field.element_size = element_size(f, field.type);
	if (!field.element_size || field.element_size > MAX(field.size, 1u))
		field.element_size = field.flags & TRACE_FIELD_DYNAMIC ? 1 : MAX(field.size, 1u);
	vec_push(&f->fields, field);
	return true;
}

/* Is the node's value what lies in the payload, extended to 64 bits? */
static bool find_direct(const struct trace_format *f, uint32_t node, struct trace_direct *d)
{
	const struct trace_node *n = &f->nodes.items[node];
	const struct trace_field *field;

	if (n->kind == TRACE_FIELD) {
		field = &f->fields.items[n->a];
		if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) || (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
			return false;
		*d = (struct trace_direct){ .offset = field->offset, .size = (uint8_t)field->size, .is_signed = field->flags & TRACE_FIELD_SIGNED };
		return true;
	}
	if (n->kind != TRACE_CAST || !find_direct(f, n->a, d))
		return false;
	if (n->size != 1 && n->size != 2 && n->size != 4)
		return true;	/* trace_cast leaves it as it is */
	if (n->size == d->size)
		d->is_signed = n->is_signed;
	return n->size == d->size || (n->size > d->size && (n->is_signed || !d->is_signed));
}

/* What need not be found out again with every payload. */
static void prepare_numbers(struct trace_format *f)
{
	for (size_t i = 0; i < f->pieces.len; i++) {
		struct trace_piece *piece = &f->pieces.items[i];

		piece->number_signed = piece->conversion == 'd' || piece->conversion == 'i';
		piece->number_size = piece->length == 'H' ? 1 : piece->length == 'h' ? 2 : piece->length == 'L' ? 8 : piece->length == 'l' ? f->long_size : 4;
		if (!piece->text && (!piece->arg || !find_direct(f, piece->arg - 1, &piece->direct)))
			piece->direct.size = 0;
	}
}

static void print_line(struct trace_format *f, const char *text)
{
	struct parser p = { .f = f, .at = text, .end = text + strlen(text) };

	f->understood = format_string(&p);
	if (f->understood)
		prepare_numbers(f);
}

int trace_format_parse(struct trace_format *f, const char *text, size_t len, unsigned long_size, struct err *e)
{
	bool common = true, fields = true, id = false;
	char *copy, *rest;

	*f = (struct trace_format){ .long_size = long_size == 4 ? 4 : 8 };
	if (len > FORMAT_MAX)
		return err_set(e, "format of %zu bytes", len);
	copy = arena_strndup(&f->arena, text, len);
	/* Not strtok: an empty line tells where the common fields end. */
	for (char *line = copy; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = 0;
		if (!strncmp(line, "name: ", 6))
			f->name = line + 6;
		else if (!strncmp(line, "ID: ", 4))
			id = (f->id = strtoull(line + 4, NULL, 10)) > 0;
		else if (!strncmp(line, "\tfield:", 7))
			fields &= field_line(f, line + 7, common);
		else if (!*line && f->fields.len)
			common = false;
		else if (!strncmp(line, "print fmt: ", 11) && fields) {
			if (rest)
				rest[-1] = '\n';	/* its strings may run over lines */
			print_line(f, line + 11);
			break;
		}
	}
	return f->name && id && fields && f->fields.len ? 0 : err_set(e, "no format of a tracepoint");
}

void trace_format_release(struct trace_format *f)
{
	vec_free(&f->fields);
	vec_free(&f->nodes);
	vec_free(&f->names);
	vec_free(&f->pieces);
	arena_release(&f->arena);
}
