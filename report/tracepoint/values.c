#include "report/tracepoint/payload.h"

/* Return the value cut to its own bits, for lists of flags and names. */
static uint64_t unsigned_value(const struct trace_payload *p, uint32_t node)
{
	return trace_cast(payload_value(p, node), p->f->nodes.items[node].size, false);
}

static void print_flags(const struct trace_payload *p, const struct trace_node *n, struct out *o)
{
	uint64_t left = unsigned_value(p, n->a);
	bool any = false;

	for (uint32_t i = n->b; i < n->b + n->c && left; i++) {
		const struct trace_name *name = &p->f->names.items[i];

		if (!name->value || (left & name->value) != name->value)
			continue;
		if (any)
			out_name(o, n->text);
		out_name(o, name->text);
		any = true;
		left &= ~name->value;
	}
	if (!left)
		return;
	if (any)
		out_name(o, n->text);
	out_str(o, "0x");
	out_hex(o, left);
}

static void print_symbolic(const struct trace_payload *p, const struct trace_node *n, struct out *o)
{
	unsigned size = p->f->nodes.items[n->a].size;
	uint64_t v = unsigned_value(p, n->a);

	for (uint32_t i = n->b; i < n->b + n->c; i++)
		if (trace_cast(p->f->names.items[i].value, size, false) == v) {
			out_name(o, p->f->names.items[i].text);
			return;
		}
	out_str(o, "0x");
	out_hex(o, v);
}

static void print_hex(const struct trace_payload *p, const struct trace_node *n, struct out *o)
{
	struct trace_span s = payload_span(p, n->a);
	uint64_t len = MIN(payload_value(p, n->b), (uint64_t)s.len);

	for (uint64_t i = 0; i < len; i++) {
		if (i && n->kind == TRACE_HEX)
			out_char(o, ' ');
		out_hex_pad(o, s.at[i], 2, '0');
	}
}

static void print_array(const struct trace_payload *p, const struct trace_node *n, struct out *o)
{
	struct trace_span s = payload_span(p, n->a);
	uint64_t element = payload_value(p, n->c), count;

	if (element != 1 && element != 2 && element != 4 && element != 8)
		return;
	count = MIN(payload_value(p, n->b), s.len / element);
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			out_char(o, ' ');
		out_u64(o, payload_load(p, s.at + i * element, element, false));
	}
}

/*
 * Return a group of 32 bits of a mask, "00000000,00000003". In the payload, the lowest word (a long of the recorded
 * machine) comes first.
 */
static uint32_t mask_word(const struct trace_payload *p, const struct trace_span *s, size_t i)
{
	size_t word = p->f->long_size;
	uint64_t v = payload_load(p, s->at + i * 4 / word * word, word, false);

	return (uint32_t)(word == 8 && i % 2 ? v >> 32 : v);
}

static void print_bitmask(const struct trace_payload *p, const struct trace_span *s, struct out *o)
{
	for (size_t i = s->len / p->f->long_size * p->f->long_size / 4; i-- > 0;) {
		out_hex_pad(o, mask_word(p, s, i), 8, '0');
		if (i)
			out_char(o, ',');
	}
}

void payload_print_bits(const struct trace_payload *p, const struct trace_span *s, struct out *o)
{
	size_t bits = s->len / p->f->long_size * p->f->long_size * 8, from = bits;
	bool any = false;

	for (size_t i = 0; i <= bits; i++) {
		bool set = i < bits && mask_word(p, s, i / 32) >> i % 32 & 1;

		if (set && from == bits)
			from = i;
		if (set || from == bits)
			continue;
		if (any)
			out_char(o, ',');
		out_u64(o, from);
		if (i - 1 > from) {
			out_char(o, '-');
			out_u64(o, i - 1);
		}
		any = true;
		from = bits;
	}
}

/* Print the bytes of a %s up to a NUL. */
void payload_print_span(const struct trace_span *s, struct out *o)
{
	if (s->at)
		out_name_len(o, (const char *)s->at, s->len);
}

void payload_print_address(const struct trace_payload *p, uint64_t address, struct out *o)
{
	const uint32_t *known = p->strings ? u64map_find(&p->strings->by_address, address) : NULL;

	if (known)
		out_name(o, p->strings->texts.items[*known]);
	else
		out_hex(o, address);
}

void payload_print_text(const struct trace_payload *p, uint32_t node, struct out *o)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	struct trace_span s;

	switch (n->kind) {
	case TRACE_STRING: out_name(o, n->text); return;
	case TRACE_COND: payload_print_text(p, payload_value(p, n->a) ? n->b : n->c, o); return;
	case TRACE_FLAGS: print_flags(p, n, o); return;
	case TRACE_SYMBOLIC: print_symbolic(p, n, o); return;
	case TRACE_HEX:
	case TRACE_HEX_STR: print_hex(p, n, o); return;
	case TRACE_ARRAY: print_array(p, n, o); return;
	case TRACE_BITMASK:
		s = payload_span(p, node);
		print_bitmask(p, &s, o);
		return;
	case TRACE_CPUMASK:
		s = payload_span(p, node);
		payload_print_bits(p, &s, o);
		return;
	case TRACE_CAST: payload_print_text(p, n->a, o); return;
	}
	s = payload_span(p, node);
	if (s.at)
		payload_print_span(&s, o);
	else
		payload_print_address(p, payload_value(p, node), o);
}
