#include "report/tracepoint/payload.h"

struct trace_span payload_field_span(const struct trace_payload *p, const struct trace_field *field)
{
	struct trace_span s = { .element = field->element_size, .is_signed = field->flags & TRACE_FIELD_SIGNED };
	uint64_t offset = field->offset, len = field->size, where;

	if (field->flags & TRACE_FIELD_DYNAMIC) {
		where = payload_field(p, field);
		offset = where & 0xffff;
		len = where >> 16 & 0xffff;
		if (field->flags & TRACE_FIELD_RELATIVE)
			offset += field->offset + field->size;
	}
	if (offset > p->size)
		return s;
	s.at = p->data + offset;
	s.len = MIN(len, p->size - offset);
	return s;
}

struct trace_span payload_span(const struct trace_payload *p, uint32_t node)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	struct trace_span s;

	switch (n->kind) {
	case TRACE_FIELD:
	case TRACE_GET_STR:
	case TRACE_DYNAMIC:
	case TRACE_BITMASK:
	case TRACE_CPUMASK:
		if (n->kind == TRACE_FIELD &&
		    !(p->f->fields.items[n->a].flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)))
			break;
		return payload_field_span(p, &p->f->fields.items[n->a]);
	case TRACE_CAST:
		s = payload_span(p, n->a);
		if (n->op) {
			s.element = n->op;
			s.is_signed = false;
		}
		return s;
	}
	return (struct trace_span){ 0 };
}

static uint64_t indexed(const struct trace_payload *p, const struct trace_node *n)
{
	struct trace_span s = payload_span(p, n->a);
	uint64_t i = payload_value(p, n->b);

	if (!s.element || i >= s.len / s.element)
		return 0;
	return payload_load(p, s.at + i * s.element, s.element, s.is_signed);
}

uint64_t payload_value(const struct trace_payload *p, uint32_t node)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	uint64_t a;

	switch (n->kind) {
	case TRACE_CONST: return n->value;
	case TRACE_FIELD: return payload_field(p, &p->f->fields.items[n->a]);
	case TRACE_CAST: return trace_cast(payload_value(p, n->a), n->size, n->is_signed);
	case TRACE_UNARY:
		a = payload_value(p, n->a);
		return n->op == '!' ? !a : trace_cast(n->op == '-' ? -a : n->op == '~' ? ~a : a, n->size, n->is_signed);
	case TRACE_BINARY:
		a = payload_value(p, n->a);
		if (n->op == TRACE_OP_AND)
			return a && payload_value(p, n->b);
		if (n->op == TRACE_OP_OR)
			return a || payload_value(p, n->b);
		return trace_binary(n, a, payload_value(p, n->b));
	case TRACE_COND: return payload_value(p, payload_value(p, n->a) ? n->b : n->c);
	case TRACE_INDEX: return indexed(p, n);
	case TRACE_DYNAMIC_LEN: return payload_field(p, &p->f->fields.items[n->a]) >> 16 & 0xffff;
	}
	return 0;
}
