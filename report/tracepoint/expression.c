#include "report/tracepoint/trace_format_priv.h"

#include "base/out.h"

/* Read the current token as the name of a field and step over it. Return the field's index + 1. */
static uint32_t field_name(struct trace_parser *p)
{
	for (uint32_t i = 0; p->kind == TOKEN_IDENT && i < p->f->fields.len; i++)
		if (strlen(p->f->fields.items[i].name) == p->len &&
		    !memcmp(p->f->fields.items[i].name, p->start, p->len)) {
			trace_next(p);
			return i + 1;
		}
	trace_fail(p);
	return 0;
}

/* Read "__get_str(name)" and similar, after the opening parenthesis. */
static uint32_t field_function(struct trace_parser *p, enum trace_node_kind kind)
{
	uint32_t field = field_name(p);

	if (!field)
		return 0;
	trace_expect(p, ')');
	return trace_add_node(p, (struct trace_node){ .kind = kind, .a = field - 1 });
}

char *trace_strings(struct trace_parser *p)
{
	char *text = p->string;
	struct out all;

	trace_next(p);
	if (p->kind == TOKEN_STRING && !p->failed) {
		out_init_mem(&all);
		out_str(&all, text);
		for (; p->kind == TOKEN_STRING && !p->failed; trace_next(p))
			out_str(&all, p->string);
		text = arena_strdup(&p->f->arena, out_text(&all));
		out_release(&all);
	}
	return text;
}

/* Read "{ value, "name" }, ..." up to the closing parenthesis. */
static bool name_list(struct trace_parser *p, uint32_t *from, uint32_t *n)
{
	*from = (uint32_t)p->f->names.len;
	while (trace_is_op(p, ',') && !p->failed) {
		uint64_t value = 0;
		const char *name;
		uint32_t node;
		bool known;

		trace_next(p);
		if (trace_is_op(p, ')'))
			break;
		trace_expect(p, '{');
		node = trace_expression(p);
		known = !p->failed && trace_constant(p->f, node, &value);
		trace_expect(p, ',');
		if (p->failed || p->f->names.len >= TRACE_NODES_MAX)
			return trace_fail(p);
		name = p->kind == TOKEN_STRING ? trace_strings(p) : NULL;
		if (!name) /* { 0, NULL } ends some lists */
			trace_expression(p);
		trace_expect(p, '}');
		/* if not known: the value is an enum's name, and the recording does not contain its number */
		if (known && name && !p->failed)
			vec_push(&p->f->names, (struct trace_name){ value, name });
	}
	*n = (uint32_t)p->f->names.len - *from;
	trace_expect(p, ')');
	return !p->failed;
}

static uint32_t print_flags(struct trace_parser *p, bool flags)
{
	struct trace_node n = { .kind = flags ? TRACE_FLAGS : TRACE_SYMBOLIC };

	n.a = trace_expression(p);
	if (flags) {
		trace_expect(p, ',');
		if (p->kind != TOKEN_STRING)
			return trace_fail(p);
		n.text = trace_strings(p);
	}
	if (p->failed || !name_list(p, &n.b, &n.c))
		return trace_fail(p);
	return trace_add_node(p, n);
}

/* Read a function with two or three arguments that are expressions. */
static uint32_t print_bytes(struct trace_parser *p, enum trace_node_kind kind)
{
	struct trace_node n = { .kind = kind };

	n.a = trace_expression(p);
	trace_expect(p, ',');
	n.b = trace_expression(p);
	if (kind == TRACE_ARRAY) {
		trace_expect(p, ',');
		n.c = trace_expression(p);
	}
	trace_expect(p, ')');
	return p->failed ? 0 : trace_add_node(p, n);
}

/*
 * Read a type between parentheses. Store its size, its sign and, for a pointer, the size of what it points to. Size 0:
 * a long of the recorded machine. Return true with the parser after the closing parenthesis; return false, and do not
 * move the parser, if this is not a type.
 */
static bool type_name(struct trace_parser *p, uint8_t *size, bool *is_signed, uint8_t *pointed)
{
	struct trace_parser start = *p;
	bool any = false, is_unsigned = false, pointer = false;
	unsigned longs = 0;

	*size = 4;
	*is_signed = true;
	for (; p->kind == TOKEN_IDENT; trace_next(p)) {
		any = true;
		if (trace_is_word(p, "unsigned"))
			is_unsigned = true;
		else if (trace_is_word(p, "long"))
			longs++;
		else if (trace_is_word(p, "short"))
			*size = 2;
		else if (trace_is_word(p, "char"))
			*size = 1;
		else if (trace_is_word(p, "struct") || trace_is_word(p, "enum") || trace_is_word(p, "const") ||
			 trace_is_word(p, "int") || trace_is_word(p, "signed"))
			continue;
		for (const struct trace_type_name *t = trace_type_names; t->name; t++)
			if (trace_is_word(p, t->name)) {
				*size = t->size;
				*is_signed = t->is_signed;
			}
	}
	for (; trace_is_op(p, '*'); trace_next(p))
		pointer = true;
	if (!any || !trace_is_op(p, ')')) {
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
	trace_next(p);
	return true;
}

static uint32_t unary(struct trace_parser *p);
static uint32_t record_field(struct trace_parser *p);

/* Read a cast or an expression, after the opening parenthesis. */
static uint32_t parenthesis(struct trace_parser *p)
{
	struct trace_node n = { .kind = TRACE_CAST };
	uint32_t inner;

	if (trace_is_word(p, "REC")) { /* (REC)->name */
		struct trace_parser start = *p;

		trace_next(p);
		if (trace_is_op(p, ')')) {
			trace_next(p);
			return record_field(p);
		}
		*p = start;
	}
	if (p->kind == TOKEN_IDENT && !trace_is_word(p, "REC") && p->len < 64) {
		struct trace_parser start = *p;

		if (type_name(p, &n.size, &n.is_signed, &n.op)) {
			bool operand = p->kind == TOKEN_IDENT || p->kind == TOKEN_NUMBER || p->kind == TOKEN_STRING ||
				       trace_is_op(p, '(') || trace_is_op(p, '~') || trace_is_op(p, '-') ||
				       trace_is_op(p, '!') || trace_is_op(p, '&');

			if (operand && !p->failed) {
				n.a = unary(p);
				if (!n.size)
					n.size = p->f->long_size;
				return p->failed ? 0 : trace_add_node(p, n);
			}
			*p = start;
		}
	}
	inner = trace_expression(p);
	trace_expect(p, ')');
	return inner;
}

static uint32_t size_of(struct trace_parser *p)
{
	uint8_t size, pointed;
	bool is_signed;

	trace_expect(p, '(');
	if (p->failed || !type_name(p, &size, &is_signed, &pointed))
		return trace_fail(p);
	return trace_add_node(
		p, (struct trace_node){ .kind = TRACE_CONST, .size = 8, .value = size ? size : p->f->long_size });
}

/* Read "->name". */
static uint32_t record_field(struct trace_parser *p)
{
	uint32_t field;

	trace_expect(p, '-');
	trace_expect(p, '>');
	field = field_name(p);
	return field ? trace_add_node(p, (struct trace_node){ .kind = TRACE_FIELD, .a = field - 1 }) : 0;
}

/* Read "__print_dynamic_array(name, size)": it is __print_array of all elements, each `size` bytes long. */
static uint32_t print_dynamic_array(struct trace_parser *p)
{
	struct trace_node n = { .kind = TRACE_ARRAY };
	uint32_t field, len;

	trace_next(p);
	trace_expect(p, '(');
	field = field_name(p);
	trace_expect(p, ',');
	n.c = trace_expression(p);
	trace_expect(p, ')');
	if (p->failed || !field)
		return 0;
	n.a = trace_add_node(p, (struct trace_node){ .kind = TRACE_DYNAMIC, .a = field - 1 });
	len = trace_add_node(p, (struct trace_node){ .kind = TRACE_DYNAMIC_LEN, .a = field - 1 });
	n.b = trace_add_node(p, (struct trace_node){ .kind = TRACE_BINARY, .op = '/', .a = len, .b = n.c });
	return p->failed ? 0 : trace_add_node(p, n);
}

/* Read "__print_ns_to_secs(ns)", the whole seconds, or "__print_ns_without_secs(ns)", the rest. */
static uint32_t part_of_time(struct trace_parser *p, uint8_t op)
{
	uint32_t ns, second;

	trace_next(p);
	trace_expect(p, '(');
	ns = trace_expression(p);
	trace_expect(p, ')');
	second = trace_add_node(p, (struct trace_node){ .kind = TRACE_CONST, .value = 1000000000, .size = 8 });
	return p->failed
		       ? 0
		       : trace_add_node(p, (struct trace_node){ .kind = TRACE_BINARY, .op = op, .a = ns, .b = second });
}

/* Read "__builtin_expect(expression, hint)": it is the expression. */
static uint32_t expected(struct trace_parser *p)
{
	uint32_t node;

	trace_next(p);
	trace_expect(p, '(');
	node = trace_expression(p);
	trace_expect(p, ',');
	trace_expression(p);
	trace_expect(p, ')');
	return node;
}

/* Read a call of a kernel function whose value is a node of one kind. Return false if the word names none of them. */
static bool kernel_function(struct trace_parser *p, uint32_t *node)
{
	static const struct {
		const char *name;
		enum trace_node_kind kind;
	} functions[] = {
		{ "__get_str", TRACE_GET_STR },
		{ "__get_rel_str", TRACE_GET_STR },
		{ "__get_dynamic_array", TRACE_DYNAMIC },
		{ "__get_rel_dynamic_array", TRACE_DYNAMIC },
		{ "__get_dynamic_array_len", TRACE_DYNAMIC_LEN },
		{ "__get_rel_dynamic_array_len", TRACE_DYNAMIC_LEN },
		{ "__get_bitmask", TRACE_BITMASK },
		{ "__get_rel_bitmask", TRACE_BITMASK },
		{ "__get_cpumask", TRACE_CPUMASK },
		{ "__get_rel_cpumask", TRACE_CPUMASK },
		{ "__print_flags", TRACE_FLAGS },
		{ "__print_flags_u64", TRACE_FLAGS },
		{ "__print_symbolic", TRACE_SYMBOLIC },
		{ "__print_symbolic_u64", TRACE_SYMBOLIC },
		{ "__get_sockaddr", TRACE_DYNAMIC },
		{ "__get_rel_sockaddr", TRACE_DYNAMIC },
		{ "__print_hex", TRACE_HEX },
		{ "__print_hex_str", TRACE_HEX_STR },
		{ "__print_array", TRACE_ARRAY },
	};
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!trace_is_word(p, functions[i].name))
			continue;
		trace_next(p);
		trace_expect(p, '(');
		switch (functions[i].kind) {
		case TRACE_FLAGS:
		case TRACE_SYMBOLIC: *node = print_flags(p, functions[i].kind == TRACE_FLAGS); break;
		case TRACE_HEX:
		case TRACE_HEX_STR:
		case TRACE_ARRAY: *node = print_bytes(p, functions[i].kind); break;
		default: *node = field_function(p, functions[i].kind);
		}
		return true;
	}
	return false;
}

/* Read an identifier that is not a type: a field, or one of the kernel's functions. */
static uint32_t named(struct trace_parser *p)
{
	uint32_t node;

	if (trace_is_word(p, "REC")) {
		trace_next(p);
		return record_field(p);
	}
	if (trace_is_word(p, "__builtin_expect"))
		return expected(p);
	if (trace_is_word(p, "sizeof")) {
		trace_next(p);
		return size_of(p);
	}
	if (trace_is_word(p, "__print_dynamic_array"))
		return print_dynamic_array(p);
	if (trace_is_word(p, "__print_ns_to_secs"))
		return part_of_time(p, '/');
	if (trace_is_word(p, "__print_ns_without_secs"))
		return part_of_time(p, '%');
	if (kernel_function(p, &node))
		return node;
	trace_next(p); /* the recording does not define this name of the kernel, as in page addresses */
	return trace_is_op(p, '(') ? trace_fail(p) : trace_add_node(p, (struct trace_node){ .kind = TRACE_UNKNOWN });
}

static uint32_t primary(struct trace_parser *p)
{
	uint32_t node;

	if (p->kind == TOKEN_NUMBER) {
		node = trace_add_node(p, (struct trace_node){ .kind = TRACE_CONST,
							      .value = p->number,
							      .size = p->number_type.size,
							      .is_signed = p->number_type.is_signed });
		trace_next(p);
	} else if (p->kind == TOKEN_STRING) {
		const char *text = trace_strings(p);

		node = p->failed ? 0 : trace_add_node(p, (struct trace_node){ .kind = TRACE_STRING, .text = text });
	} else if (trace_is_op(p, '(')) {
		trace_next(p);
		node = parenthesis(p);
	} else if (p->kind == TOKEN_IDENT) {
		node = named(p);
	} else {
		return trace_fail(p);
	}
	while (trace_is_op(p, '[')) {
		struct trace_node n = { .kind = TRACE_INDEX, .a = node };

		trace_next(p);
		n.b = trace_expression(p);
		trace_expect(p, ']');
		node = p->failed ? 0 : trace_add_node(p, n);
	}
	return node;
}

static uint32_t unary(struct trace_parser *p)
{
	struct trace_node n = { .kind = TRACE_UNARY, .op = p->op };
	uint32_t node;

	if (p->failed || ++p->depth > TRACE_DEPTH_MAX)
		return trace_fail(p);
	if (trace_is_op(p, '!') || trace_is_op(p, '~') || trace_is_op(p, '-') || trace_is_op(p, '+')) {
		trace_next(p);
		n.a = unary(p);
		node = p->failed ? 0 : trace_add_node(p, n);
	} else if (trace_is_op(p, '&')) { /* arrays and byte spans already are addresses */
		trace_next(p);
		node = unary(p);
	} else {
		node = primary(p);
	}
	p->depth--;
	return node;
}

/* Return the precedence of a binary operator; 0: the token is not one. */
static unsigned binding(const struct trace_parser *p)
{
	if (p->kind != TOKEN_OP)
		return 0;
	switch (p->op) {
	case TRACE_OP_OR: return 1;
	case TRACE_OP_AND: return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case TRACE_OP_EQ:
	case TRACE_OP_NE: return 6;
	case '<':
	case '>':
	case TRACE_OP_LE:
	case TRACE_OP_GE: return 7;
	case TRACE_OP_SHL:
	case TRACE_OP_SHR: return 8;
	case '+':
	case '-': return 9;
	case '*':
	case '/':
	case '%': return 10;
	}
	return 0;
}

static uint32_t binary(struct trace_parser *p, unsigned least)
{
	uint32_t left = unary(p);

	if (p->failed || ++p->depth > TRACE_DEPTH_MAX)
		return trace_fail(p);
	for (unsigned b; !p->failed && (b = binding(p)) && b >= least;) {
		struct trace_node n = { .kind = TRACE_BINARY, .op = p->op, .a = left };

		trace_next(p);
		n.b = binary(p, b + 1);
		left = p->failed ? 0 : trace_add_node(p, n);
	}
	p->depth--;
	return left;
}

uint32_t trace_expression(struct trace_parser *p)
{
	struct trace_node n = { .kind = TRACE_COND };

	if (p->failed || ++p->depth > TRACE_DEPTH_MAX)
		return trace_fail(p);
	n.a = binary(p, 1);
	p->depth--;
	if (!trace_is_op(p, '?') || p->failed)
		return n.a;
	p->depth++;
	trace_next(p);
	n.b = trace_expression(p);
	trace_expect(p, ':');
	n.c = trace_expression(p);
	p->depth--;
	return p->failed ? 0 : trace_add_node(p, n);
}
