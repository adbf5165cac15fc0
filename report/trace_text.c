#include "report/trace_text.h"

#include "base/bytes.h"
#include "report/trace_format.h"
#include "report/trace_plugin.h"

/* Strings of the kernel that payloads point to: address -> index in `texts`. */
struct kernel_strings { struct u64map by_address; VEC(const char *) texts; struct arena arena; };

struct trace_text {
	struct session *session;
	struct trace_format **formats;	/* by event of the input; NULL: none */
	bool swap;			/* payloads are of the other byte order */
	struct trace_plugins *plugins;	/* NULL: none */
	struct kernel_strings strings;
};

/* A payload being printed. */
struct payload {
	struct session *session;	/* NULL: no kernel functions */
	const struct kernel_strings *strings;	/* NULL: none */
	bool swap;
	const struct trace_format *f;
	const uint8_t *data;
	size_t size;
	struct out *o;
};

/* Bytes inside a payload, and how they are divided. */
struct span { const uint8_t *at; size_t len, element; bool is_signed; };

/* ---- numbers ---- */

static uint64_t load(const struct payload *p, const uint8_t *at, size_t size, bool is_signed)
{
	uint64_t v;

	switch (size) {
	case 1: v = *at; break;
	case 2: v = p->swap ? __builtin_bswap16(load_u16(at)) : load_u16(at); break;
	case 4: v = p->swap ? __builtin_bswap32(load_u32(at)) : load_u32(at); break;
	case 8: return p->swap ? __builtin_bswap64(load_u64(at)) : load_u64(at);
	default: return 0;
	}
	return trace_cast(v, (unsigned)size, is_signed);
}

static uint64_t field_value(const struct payload *p, const struct trace_field *field)
{
	if ((size_t)field->offset + field->size > p->size)
		return 0;
	return load(p, p->data + field->offset, field->size, field->flags & TRACE_FIELD_SIGNED);
}

/* What a field of several elements, or a dynamic one, names. Empty when it would lie outside. */
static struct span field_span(const struct payload *p, const struct trace_field *field)
{
	struct span s = { .element = field->element_size, .is_signed = field->flags & TRACE_FIELD_SIGNED };
	uint64_t offset = field->offset, len = field->size, where;

	if (field->flags & TRACE_FIELD_DYNAMIC) {
		where = field_value(p, field);
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

static uint64_t value(const struct payload *p, uint32_t node);

/* The bytes that an expression stands for; empty for numbers. */
static struct span span_of(const struct payload *p, uint32_t node)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	struct span s;

	switch (n->kind) {
	case TRACE_FIELD:
	case TRACE_GET_STR:
	case TRACE_DYNAMIC:
	case TRACE_BITMASK:
	case TRACE_CPUMASK:
		if (n->kind == TRACE_FIELD && !(p->f->fields.items[n->a].flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)))
			break;
		return field_span(p, &p->f->fields.items[n->a]);
	case TRACE_CAST:
		s = span_of(p, n->a);
		if (n->op) {
			s.element = n->op;
			s.is_signed = false;
		}
		return s;
	}
	return (struct span){ 0 };
}

static uint64_t indexed(const struct payload *p, const struct trace_node *n)
{
	struct span s = span_of(p, n->a);
	uint64_t i = value(p, n->b);

	if (!s.element || i >= s.len / s.element)
		return 0;
	return load(p, s.at + i * s.element, s.element, s.is_signed);
}

static uint64_t value(const struct payload *p, uint32_t node)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	uint64_t a;

	switch (n->kind) {
	case TRACE_CONST:
		return n->value;
	case TRACE_FIELD:
		return field_value(p, &p->f->fields.items[n->a]);
	case TRACE_CAST:
		return trace_cast(value(p, n->a), n->size, n->is_signed);
	case TRACE_UNARY:
		a = value(p, n->a);
		return n->op == '!' ? !a : trace_cast(n->op == '-' ? -a : n->op == '~' ? ~a : a, n->size, n->is_signed);
	case TRACE_BINARY:
		a = value(p, n->a);
		if (n->op == TRACE_OP_AND)
			return a && value(p, n->b);
		if (n->op == TRACE_OP_OR)
			return a || value(p, n->b);
		return trace_binary(n, a, value(p, n->b));
	case TRACE_COND:
		return value(p, value(p, n->a) ? n->b : n->c);
	case TRACE_INDEX:
		return indexed(p, n);
	case TRACE_DYNAMIC_LEN:
		return field_value(p, &p->f->fields.items[n->a]) >> 16 & 0xffff;
	}
	return 0;
}

/* ---- text of values ---- */

/* Flags and names are shown of the bits that a value has. */
static uint64_t unsigned_value(const struct payload *p, uint32_t node)
{
	return trace_cast(value(p, node), p->f->nodes.items[node].size, false);
}

static void print_flags(const struct payload *p, const struct trace_node *n, struct out *o)
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

static void print_symbolic(const struct payload *p, const struct trace_node *n, struct out *o)
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

static void print_hex(const struct payload *p, const struct trace_node *n, struct out *o)
{
	struct span s = span_of(p, n->a);
	uint64_t len = MIN(value(p, n->b), (uint64_t)s.len);

	for (uint64_t i = 0; i < len; i++) {
		if (i && n->kind == TRACE_HEX)
			out_char(o, ' ');
		out_hex_pad(o, s.at[i], 2, '0');
	}
}

static void print_array(const struct payload *p, const struct trace_node *n, struct out *o)
{
	struct span s = span_of(p, n->a);
	uint64_t element = value(p, n->c), count;

	if (element != 1 && element != 2 && element != 4 && element != 8)
		return;
	count = MIN(value(p, n->b), s.len / element);
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			out_char(o, ' ');
		out_u64(o, load(p, s.at + i * element, element, false));
	}
}

/* Groups of 32 bits, the highest first: "00000000,00000003". Words of the recording's long lie lowest first. */
static uint32_t mask_word(const struct payload *p, const struct span *s, size_t i)
{
	size_t word = p->f->long_size;
	uint64_t v = load(p, s->at + i * 4 / word * word, word, false);

	return (uint32_t)(word == 8 && i % 2 ? v >> 32 : v);
}

static void print_bitmask(const struct payload *p, const struct span *s, struct out *o)
{
	for (size_t i = s->len / p->f->long_size * p->f->long_size / 4; i-- > 0;) {
		out_hex_pad(o, mask_word(p, s, i), 8, '0');
		if (i)
			out_char(o, ',');
	}
}

/* "0-3,8" */
static void print_bit_list(const struct payload *p, const struct span *s, struct out *o)
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

/* The bytes of a %s up to a NUL. */
static void print_span(const struct span *s, struct out *o)
{
	if (s->at)
		out_name_len(o, (const char *)s->at, s->len);
}

/* Where it lies in the kernel, if the recording does not tell what lies there. */
static void print_kernel_string(const struct payload *p, uint64_t address, struct out *o)
{
	const uint32_t *known = p->strings ? u64map_find(&p->strings->by_address, address) : NULL;

	if (known)
		out_name(o, p->strings->texts.items[*known]);
	else
		out_hex(o, address);
}

static void print_text(const struct payload *p, uint32_t node, struct out *o)
{
	const struct trace_node *n = &p->f->nodes.items[node];
	struct span s;

	switch (n->kind) {
	case TRACE_STRING:
		out_name(o, n->text);
		return;
	case TRACE_COND:
		print_text(p, value(p, n->a) ? n->b : n->c, o);
		return;
	case TRACE_FLAGS:
		print_flags(p, n, o);
		return;
	case TRACE_SYMBOLIC:
		print_symbolic(p, n, o);
		return;
	case TRACE_HEX:
	case TRACE_HEX_STR:
		print_hex(p, n, o);
		return;
	case TRACE_ARRAY:
		print_array(p, n, o);
		return;
	case TRACE_BITMASK:
		s = span_of(p, node);
		print_bitmask(p, &s, o);
		return;
	case TRACE_CPUMASK:
		s = span_of(p, node);
		print_bit_list(p, &s, o);
		return;
	case TRACE_CAST:
		print_text(p, n->a, o);
		return;
	}
	s = span_of(p, node);
	if (s.at)
		print_span(&s, o);
	else
		print_kernel_string(p, value(p, node), o);
}

/* ---- conversions ---- */

struct layout_of { int width, precision; bool left; };	/* -1: none */

static struct layout_of layout_of(const struct payload *p, const struct trace_piece *piece)
{
	struct layout_of l = { piece->width, piece->precision, piece->left };

	if (piece->width_arg)
		l.width = (int)(int32_t)value(p, piece->width_arg - 1);
	if (piece->precision_arg)
		l.precision = (int)(int32_t)value(p, piece->precision_arg - 1);
	if (l.width < -1) {	/* as printf has it */
		l.left = true;
		l.width = -l.width;
	}
	l.width = MIN(l.width, 4096);
	l.precision = MIN(l.precision, 4096);
	return l;
}

static void pad_out(struct out *o, const char *text, size_t len, const struct layout_of *l)
{
	if (!l->left)
		out_pad(o, ' ', l->width - (long)len);
	out_mem(o, text, len);
	if (l->left)
		out_pad(o, ' ', l->width - (long)len);
}

static void print_string(const struct payload *p, const struct trace_piece *piece)
{
	struct layout_of l;
	struct out text;

	if (piece->width < 0 && !piece->shaped) {
		print_text(p, piece->arg - 1, p->o);
		return;
	}
	l = layout_of(p, piece);
	out_init_mem(&text);
	print_text(p, piece->arg - 1, &text);
	pad_out(p->o, text.buf, l.precision >= 0 ? MIN(text.len, (size_t)l.precision) : text.len, &l);
	out_release(&text);
}

/* The piece's value, as wide as the conversion says. */
static uint64_t number_of(const struct payload *p, const struct trace_piece *piece)
{
	const struct trace_direct *d = &piece->direct;
	uint64_t v;

	if (!d->size)
		v = value(p, piece->arg - 1);
	else
		v = (size_t)d->offset + d->size > p->size ? 0 : load(p, p->data + d->offset, d->size, d->is_signed);
	return trace_cast(v, piece->number_size, piece->number_signed);
}

static size_t digits(char *end, uint64_t v, unsigned base, bool upper)
{
	const char *names = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char *at = end;

	do
		*--at = names[v % base];
	while (v /= base);
	return (size_t)(end - at);
}

/* With a width, a precision or flags: as printf does it. */
static void print_shaped(const struct payload *p, const struct trace_piece *piece, uint64_t v)
{
	bool negative = (piece->conversion == 'd' || piece->conversion == 'i') && (int64_t)v < 0;
	unsigned base = strchr("xX", piece->conversion) ? 16 : piece->conversion == 'o' ? 8 : 10;
	struct layout_of l = layout_of(p, piece);
	const char *prefix = negative ? "-" : "";
	char text[32];
	size_t len = digits(text + sizeof(text), negative ? -v : v, base, piece->conversion == 'X');
	long zeros = l.precision - (long)len;

	if (piece->conversion == 'd' && !negative)
		prefix = piece->plus ? "+" : piece->blank ? " " : "";
	else if (piece->alternate && v)
		prefix = piece->conversion == 'x' ? "0x" : piece->conversion == 'X' ? "0X" : base == 8 ? "0" : "";
	if (piece->zero && !l.left && l.precision < 0)
		zeros = l.width - (long)(len + strlen(prefix));
	zeros = MAX(zeros, 0L);
	if (!l.left)
		out_pad(p->o, ' ', l.width - (long)(len + strlen(prefix)) - zeros);
	out_str(p->o, prefix);
	out_pad(p->o, '0', zeros);
	out_mem(p->o, text + sizeof(text) - len, len);
	if (l.left)
		out_pad(p->o, ' ', l.width - (long)(len + strlen(prefix)) - zeros);
}

/* The usual shapes, "%d", "%lx", "%08lx", "%03u", without the cost of the rest. */
static void print_number(const struct payload *p, const struct trace_piece *piece)
{
	uint64_t v = number_of(p, piece);
	int width = MAX(piece->width, 0);
	char pad = piece->zero ? '0' : ' ';

	if (piece->shaped)
		print_shaped(p, piece, v);
	else if (piece->conversion == 'x')
		out_hex_pad(p->o, v, width, pad);
	else if (piece->conversion == 'u' || (int64_t)v >= 0)
		out_u64_pad(p->o, v, width, pad);
	else if (!width)
		out_i64(p->o, (int64_t)v);
	else
		print_shaped(p, piece, v);
}

/* %pS and its like: the kernel function at an address. */
static void print_function(const struct payload *p, uint64_t address, bool with_offset)
{
	struct symbols *s = p->session ? p->session->symbols : NULL;
	struct map_hit hit;
	uint32_t symbol = 0;

	if (s && space_find(s, SPACE_KERNEL, UINT32_MAX, address, &hit))
		symbol = dso_find(s, hit.dso, hit.dso_off);
	if (!symbol) {
		out_str(p->o, "0x");
		out_hex(p->o, address);
		return;
	}
	out_name(p->o, symbol_name(s, hit.dso, symbol));
	if (with_offset) {
		out_str(p->o, "+0x");
		out_hex(p->o, dso_address(s, hit.dso, hit.dso_off) - dso_symbol(s, hit.dso, symbol)->start);
	}
	if (dso_kind(s, hit.dso) == DSO_KIND_MODULE) {
		out_char(p->o, ' ');
		out_name(p->o, dso_short_name(s, hit.dso));
	}
}

static void print_mac(struct out *o, const struct span *s)
{
	for (size_t i = 0; i < 6 && i < s->len; i++) {
		if (i)
			out_char(o, ':');
		out_hex_pad(o, s->at[i], 2, '0');
	}
}

static void print_ip4(struct out *o, const uint8_t *at, bool leading_zeros)
{
	for (size_t i = 0; i < 4; i++) {
		if (i)
			out_char(o, '.');
		out_u64_pad(o, at[i], leading_zeros ? 3 : 0, '0');
	}
}

/* Eight groups, the longest run of zeroes as "::" unless all are wanted. Source: RFC 5952, section 4. */
static void print_ip6(struct out *o, const uint8_t *at, bool all)
{
	size_t run = 0, run_len = 1;

	for (size_t i = 0; i < 8 && !all; i++) {
		size_t n = i;

		while (n < 8 && !at[2 * n] && !at[2 * n + 1])
			n++;
		if (n - i > run_len) {
			run = i;
			run_len = n - i;
		}
	}
	for (size_t i = 0; i < 8; i++) {
		if (run_len > 1 && i == run) {
			out_str(o, i ? ":" : "::");
			i += run_len - 1;
			continue;
		}
		out_hex_pad(o, (uint64_t)at[2 * i] << 8 | at[2 * i + 1], all ? 4 : 0, '0');
		if (i < 7)
			out_char(o, ':');
	}
}

static void print_uuid(struct out *o, const uint8_t *at)
{
	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(o, '-');
		out_hex_pad(o, at[i], 2, '0');
	}
}

/* struct sockaddr: family, then port and address of the two that have them. Source: ip(7), ipv6(7). */
static void print_sockaddr(const struct payload *p, const struct span *s, bool with_port)
{
	uint64_t family = s->len >= 2 ? load(p, s->at, 2, false) : 0;
	bool v4 = family == 2 && s->len >= 8, v6 = family == 10 && s->len >= 24;

	if (v4) {
		print_ip4(p->o, s->at + 4, false);
	} else if (v6) {
		out_str(p->o, with_port ? "[" : "");
		print_ip6(p->o, s->at + 8, false);
		out_str(p->o, with_port ? "]" : "");
	}
	if (with_port && (v4 || v6)) {
		out_char(p->o, ':');
		out_u64(p->o, (uint64_t)s->at[2] << 8 | s->at[3]);
	}
}

static void print_bare_pointer(struct out *o, uint64_t v)
{
	out_str(o, v ? "0x" : "(nil)");
	if (v)
		out_hex(o, v);
}

static void print_pointer(const struct payload *p, const struct trace_piece *piece)
{
	struct span s = span_of(p, piece->arg - 1);
	const char *kind = piece->pointer;

	if (kind[0] && strchr("SFsf", kind[0])) {
		print_function(p, value(p, piece->arg - 1), kind[0] == 'S' || kind[0] == 'F');
	} else if (!kind[0] || !s.at) {
		print_bare_pointer(p->o, value(p, piece->arg - 1));
	} else if (kind[0] == 'M' || kind[0] == 'm') {
		print_mac(p->o, &s);
	} else if (kind[0] == 'b') {
		print_bit_list(p, &s, p->o);
	} else if (kind[1] == '4' && s.len >= 4) {
		print_ip4(p->o, s.at, kind[0] == 'i');
	} else if (kind[1] == '6' && s.len >= 16) {
		print_ip6(p->o, s.at, false);
	} else if (kind[0] == 'U' && s.len >= 16) {
		print_uuid(p->o, s.at);
	} else if (kind[1] == 'S') {
		print_sockaddr(p, &s, kind[2] == 'p');
	} else {
		out_str(p->o, "0x0");
	}
}

static void print_conversion(const struct payload *p, const struct trace_piece *piece)
{
	char c;

	switch (piece->conversion) {
	case 's':
		print_string(p, piece);
		return;
	case 'p':
		print_pointer(p, piece);
		return;
	case 'c':
		c = (char)value(p, piece->arg - 1);
		out_name_len(p->o, &c, 1);
		return;
	}
	print_number(p, piece);
}

/* ---- payloads whose print fmt nobody understands: field by field ---- */

static void print_field_array(const struct payload *p, const struct trace_field *field)
{
	struct span s = field_span(p, field);

	if (field->flags & TRACE_FIELD_STRING) {
		print_span(&s, p->o);
		return;
	}
	out_str(p->o, "ARRAY[");
	for (size_t i = 0; i < s.len; i++) {
		if (i)
			out_str(p->o, ", ");
		out_hex_pad(p->o, s.at[i], 2, '0');
	}
	out_char(p->o, ']');
}

static void print_field_value(const struct payload *p, const struct trace_field *field)
{
	uint64_t v;

	if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)) {
		print_field_array(p, field);
		return;
	}
	v = field_value(p, field);
	if (field->flags & TRACE_FIELD_POINTER || (field->flags & TRACE_FIELD_LONG && !(field->flags & TRACE_FIELD_SIGNED))) {
		out_str(p->o, "0x");
		out_hex(p->o, v);
	} else if (field->flags & TRACE_FIELD_SIGNED) {
		out_i64(p->o, (int64_t)v);
	} else {
		out_u64(p->o, v);
	}
}

static void print_field(const struct payload *p, const struct trace_field *field)
{
	out_char(p->o, ' ');
	out_name(p->o, field->name);
	out_char(p->o, '=');
	print_field_value(p, field);
}

/* Always the same number of bytes for the short ones: a copy of just as many would have to ask how many. */
static inline void print_literal(const struct trace_piece *piece, struct out *o)
{
	if (piece->text_len > TRACE_TEXT_SLACK) {
		out_mem(o, piece->text, piece->text_len);
		return;
	}
	memcpy(out_room(o, TRACE_TEXT_SLACK), piece->text, TRACE_TEXT_SLACK);
	o->len += piece->text_len;
}

/* ---- strings of the kernel ---- */

/*
 * Lines of the kernel's printk_formats: 0xffffffff8281a411 : "text". Foreign text.
 * Source: Documentation/trace/ftrace.rst, "printk_formats".
 */
static void read_strings(struct kernel_strings *k, const char *text, size_t len)
{
	const char *end = text + len, *next;

	for (const char *line = text; line && line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *from, *to;
		autofree char *own = NULL;
		uint64_t address;
		char *rest;

		next = stop ? stop + 1 : NULL;
		own = xstrndup(line, (size_t)((stop ? stop : end) - line));
		address = strtoull(own, &rest, 16);
		from = strchr(rest, '"');
		to = from ? strrchr(rest, '"') : NULL;
		if (rest == own || !from || to == from)
			continue;
		if (to - from > 2 && to[-2] == '\\' && to[-1] == 'n')
			to -= 2;
		*u64map_put(&k->by_address, address, NULL) = (uint32_t)k->texts.len;
		own[to - own] = '\0';
		vec_push(&k->texts, arena_strdup(&k->arena, from + 1));
	}
}

/* ---- the door ---- */

struct trace_text *trace_text_new(struct session *s)
{
	const struct perfdata *pd = s->pd;
	const struct feature_raw *raw = &pd->features.tracing_data;
	struct trace_text *t = xcalloc(1, sizeof(*t));
	struct tracing_data td;

	t->session = s;
	t->formats = xcalloc(pd->n_events, sizeof(*t->formats));
	if (!raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return t;
	t->swap = td.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (size_t i = 0; i < pd->n_events; i++) {
		const struct tracing_format *text = pd->events[i].attr.type == ATTR_TYPE_TRACEPOINT ?
			tracing_data_find(&td, pd->events[i].attr.config) : NULL;
		struct trace_format *f = text ? xcalloc(1, sizeof(*f)) : NULL;

		if (!f)
			continue;
		if (trace_format_parse(f, text->text, text->len, td.long_size, NULL) == 0) {
			f->system = arena_strdup(&f->arena, text->system);
			t->formats[i] = f;
			continue;
		}
		trace_format_release(f);
		free(f);
	}
	read_strings(&t->strings, td.printk, td.printk_len);
	tracing_data_release(&td);
	t->plugins = trace_plugins_new(pd);
	return t;
}

void trace_text_free(struct trace_text *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->session->pd->n_events; i++) {
		if (t->formats[i])
			trace_format_release(t->formats[i]);
		free(t->formats[i]);
	}
	free(t->formats);
	u64map_free(&t->strings.by_address);
	vec_free(&t->strings.texts);
	arena_release(&t->strings.arena);
	trace_plugins_free(t->plugins);
	free(t);
}

const struct trace_format *trace_text_format(const struct trace_text *t, uint32_t event) { return t->formats[event]; }

void trace_text_value(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size, struct trace_value *v)
{
	struct payload p = { .swap = t->swap, .data = raw, .size = size };
	struct span s;

	*v = (struct trace_value){ 0 };
	if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)) {
		s = field_span(&p, field);
		v->bytes = s.at;
		v->len = s.len;
	} else {
		v->number = field_value(&p, field);
	}
}

/* Whether print fmt prints what the field points to as a string of the kernel. */
static bool is_kernel_string(const struct trace_format *f, const struct trace_field *field)
{
	for (size_t i = 0; f->understood && i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i];
		const struct trace_node *n = piece->text || !piece->arg ? NULL : &f->nodes.items[piece->arg - 1];

		if (n && piece->conversion == 's' && n->kind == TRACE_FIELD && &f->fields.items[n->a] == field)
			return true;
	}
	return false;
}

/* The conversion of print fmt that prints just this number; NULL if there is none. *hex: a literal 0x stands before it. */
static const struct trace_piece *number_piece(const struct trace_format *f, const struct trace_field *field, bool *hex)
{
	for (size_t i = 0; f->understood && i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i], *before = i ? piece - 1 : NULL;

		if (piece->text || !strchr("diuxXo", piece->conversion) || !piece->direct.size || piece->direct.offset != field->offset)
			continue;
		*hex = before && before->text && before->text_len >= 2 && !memcmp(before->text + before->text_len - 2, "0x", 2);
		return piece;
	}
	return NULL;
}

void trace_text_field(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size, struct out *o)
{
	struct payload p = { .session = t->session, .swap = t->swap, .data = raw, .size = size, .o = o };

	print_field_value(&p, field);
}

void trace_text_own_field(const struct trace_text *t, uint32_t event, const struct trace_field *field, const uint8_t *raw, size_t size, struct out *o)
{
	struct payload p = { .session = t->session, .strings = &t->strings, .swap = t->swap, .f = t->formats[event], .data = raw, .size = size, .o = o };
	bool hex = false, plain = !(field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC));
	const struct trace_piece *piece = plain ? number_piece(p.f, field, &hex) : NULL;

	if (hex)
		out_str(o, "0x");
	if (piece)
		print_number(&p, piece);
	else if (plain && is_kernel_string(p.f, field))
		print_kernel_string(&p, field_value(&p, field), o);
	else if (field->flags & TRACE_FIELD_POINTER && plain && !field_value(&p, field))
		out_str(o, "(nil)");
	else
		print_field_value(&p, field);
}

static void print_payload(const struct payload *p)
{
	const struct trace_format *f = p->f;

	if (!f->understood) {
		out_str(p->o, "[FAILED TO PARSE]");
		for (size_t i = 0; i < f->fields.len; i++)
			if (!(f->fields.items[i].flags & TRACE_FIELD_COMMON))
				print_field(p, &f->fields.items[i]);
		return;
	}
	for (size_t i = 0; i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i];

		if (piece->text)
			print_literal(piece, p->o);
		else
			print_conversion(p, piece);
	}
}

void trace_format_print(const struct trace_format *f, struct session *s, bool swap, const uint8_t *raw, size_t size, struct out *o)
{
	print_payload(&(struct payload){ .session = s, .swap = swap, .f = f, .data = raw, .size = size, .o = o });
}

bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size, struct out *o)
{
	if (t->plugins && trace_plugins_print(t->plugins, event, cpu, raw, size, o))
		return true;
	if (!t->formats[event])
		return false;
	print_payload(&(struct payload){ .session = t->session, .strings = &t->strings, .swap = t->swap, .f = t->formats[event], .data = raw, .size = size,
					 .o = o });
	return true;
}
