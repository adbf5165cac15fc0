#include "report/tracepoint/trace_format_priv.h"

const struct trace_type_name trace_type_names[] = {
	{ "u8", 1, false },      { "u16", 2, false },        { "u32", 4, false },      { "u64", 8, false },
	{ "s8", 1, true },       { "s16", 2, true },         { "s32", 4, true },       { "s64", 8, true },
	{ "__u8", 1, false },    { "__u16", 2, false },      { "__u32", 4, false },    { "__u64", 8, false },
	{ "__s8", 1, true },     { "__s16", 2, true },       { "__s32", 4, true },     { "__s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false },   { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "int8_t", 1, true },   { "int16_t", 2, true },     { "int32_t", 4, true },   { "int64_t", 8, true },
	{ "bool", 1, false },    { "_Bool", 1, false },      { "dev_t", 4, false },    { "pid_t", 4, true },
	{ "gfp_t", 4, false },   { "size_t", 0, false },     { "ssize_t", 0, true },   { "sector_t", 8, false },
	{ "loff_t", 8, true },   { "dma_addr_t", 8, false }, { NULL, 0, false },
};

static bool is_shift(uint8_t op) { return op == TRACE_OP_SHL || op == TRACE_OP_SHR; }
static bool is_comparison(uint8_t op) { return op == '<' || op == '>' || (op >= TRACE_OP_LE && op <= TRACE_OP_NE); }

/* Return the type of a node's value after C's promotion to at least int. */
static struct trace_type type_of(const struct trace_format *f, uint32_t node)
{
	const struct trace_node *n = &f->nodes.items[node];

	if (n->kind == TRACE_BINARY && (is_comparison(n->op) || n->op == TRACE_OP_AND || n->op == TRACE_OP_OR))
		return (struct trace_type){ 4, true };
	if (n->size < 4)
		return (struct trace_type){ 4, true };
	return (struct trace_type){ n->size, n->is_signed };
}

/* Return the common type of two operands. */
static struct trace_type common_type(struct trace_type a, struct trace_type b)
{
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return (struct trace_type){ a.size, a.is_signed && b.is_signed };
}

/* Set the type of a node from its operands. */
static void set_type(const struct trace_format *f, struct trace_node *n)
{
	struct trace_type t = { 8, false };

	switch (n->kind) {
	case TRACE_CONST:
	case TRACE_CAST: return;
	case TRACE_FIELD:
		if (f->fields.items[n->a].size < 8)
			t = (struct trace_type){ 4, f->fields.items[n->a].size < 4 ||
							    f->fields.items[n->a].flags & TRACE_FIELD_SIGNED };
		else
			t.is_signed = f->fields.items[n->a].flags & TRACE_FIELD_SIGNED;
		break;
	case TRACE_UNARY: t = n->op == '!' ? (struct trace_type){ 4, true } : type_of(f, n->a); break;
	case TRACE_BINARY:
		t = is_shift(n->op) ? type_of(f, n->a) : common_type(type_of(f, n->a), type_of(f, n->b));
		break;
	case TRACE_COND: t = common_type(type_of(f, n->b), type_of(f, n->c)); break;
	case TRACE_DYNAMIC_LEN: t = (struct trace_type){ 4, true }; break;
	}
	n->size = t.size;
	n->is_signed = t.is_signed;
}

uint32_t trace_add_node(struct trace_parser *p, struct trace_node n)
{
	if (p->f->nodes.len >= TRACE_NODES_MAX)
		return trace_fail(p);
	set_type(p->f, &n);
	vec_push(&p->f->nodes, n);
	return (uint32_t)p->f->nodes.len - 1;
}

static uint64_t compare(uint8_t op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case '<': return less;
	case '>': return !less && a != b;
	case TRACE_OP_LE: return less || a == b;
	case TRACE_OP_GE: return !less;
	case TRACE_OP_EQ: return a == b;
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

bool trace_constant(const struct trace_format *f, uint32_t node, uint64_t *v)
{
	const struct trace_node *n = &f->nodes.items[node];
	uint64_t a = 0, b = 0;

	switch (n->kind) {
	case TRACE_CONST: *v = n->value; return true;
	case TRACE_CAST: return trace_constant(f, n->a, v);
	case TRACE_UNARY:
		if (!trace_constant(f, n->a, &a))
			return false;
		*v = n->op == '-' ? -a : n->op == '~' ? ~a : n->op == '!' ? !a : a;
		return true;
	case TRACE_BINARY:
		if (!trace_constant(f, n->a, &a) || !trace_constant(f, n->b, &b))
			return false;
		if (n->op == TRACE_OP_AND || n->op == TRACE_OP_OR)
			return false;
		*v = trace_binary(n, a, b);
		return true;
	}
	return false;
}
