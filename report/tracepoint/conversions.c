#include "report/tracepoint/payload.h"

struct layout_of {
	int width, precision;
	bool left;
}; /* -1: none */

static struct layout_of layout_of(const struct trace_payload *p, const struct trace_piece *piece)
{
	struct layout_of l = { piece->width, piece->precision, piece->left };

	if (piece->width_arg)
		l.width = (int)(int32_t)payload_value(p, piece->width_arg - 1);
	if (piece->precision_arg)
		l.precision = (int)(int32_t)payload_value(p, piece->precision_arg - 1);
	if (l.width < -1) { /* as printf does */
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

static void print_string(const struct trace_payload *p, const struct trace_piece *piece)
{
	struct layout_of l;
	struct out text;

	if (piece->width < 0 && !piece->shaped) {
		payload_print_text(p, piece->arg - 1, p->o);
		return;
	}
	l = layout_of(p, piece);
	out_init_mem(&text);
	payload_print_text(p, piece->arg - 1, &text);
	pad_out(p->o, text.buf, l.precision >= 0 ? MIN(text.len, (size_t)l.precision) : text.len, &l);
	out_release(&text);
}

/* Return the argument's value, cut to the width of the conversion. */
static uint64_t number_of(const struct trace_payload *p, const struct trace_piece *piece)
{
	const struct trace_direct *d = &piece->direct;
	const struct trace_quick *q = &piece->quick;
	uint64_t v;

	if (q->mask && (size_t)d->offset + 8 <= p->size && !p->swap && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return (((load_u64(p->data + d->offset) & q->mask) ^ q->sign) - q->sign) & q->cut;
	if (!d->size)
		v = payload_value(p, piece->arg - 1);
	else
		v = (size_t)d->offset + d->size > p->size ? 0
							  : payload_load(p, p->data + d->offset, d->size, d->is_signed);
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

/* Print with a width, a precision or flags, as printf does. */
static void print_shaped(const struct trace_payload *p, const struct trace_piece *piece, uint64_t v)
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

/* Print the usual shapes "%d", "%lx", "%08lx", "%03u" on a short path. */
void payload_print_number(const struct trace_payload *p, const struct trace_piece *piece)
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

/* Print the kernel function at an address, for %pS and similar. */
static void print_function(const struct trace_payload *p, uint64_t address, bool with_offset)
{
	struct symbols *s = p->session ? p->session->symbols : NULL;
	struct map_hit hit;
	uint32_t symbol = 0;

	if (!s && p->function && p->function(p->function_ctx, address, with_offset, p->o))
		return;
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
		out_hex(p->o, symbol_offset(s, hit.dso, symbol, hit.dso_off));
	}
	if (dso_kind(s, hit.dso) == DSO_KIND_MODULE) {
		out_char(p->o, ' ');
		out_name(p->o, dso_short_name(s, hit.dso));
	}
}

static void print_mac(struct out *o, const struct trace_span *s)
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

/*
 * Print eight groups. Shorten the longest run of zeroes to "::" unless `all` is set. Source: RFC
 * 5952, section 4.
 */
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

/*
 * Print a struct sockaddr: the family; for IPv4 and IPv6 also the address and port. Source: ip(7),
 * ipv6(7).
 */
static void print_sockaddr(const struct trace_payload *p, const struct trace_span *s, bool with_port)
{
	uint64_t family = s->len >= 2 ? payload_load(p, s->at, 2, false) : 0;
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

static void print_pointer(const struct trace_payload *p, const struct trace_piece *piece)
{
	struct trace_span s = payload_span(p, piece->arg - 1);
	const char *kind = piece->pointer;

	if (kind[0] && strchr("SFsf", kind[0])) {
		print_function(p, payload_value(p, piece->arg - 1), kind[0] == 'S' || kind[0] == 'F');
	} else if (!kind[0] || !s.at) {
		print_bare_pointer(p->o, payload_value(p, piece->arg - 1));
	} else if (kind[0] == 'M' || kind[0] == 'm') {
		print_mac(p->o, &s);
	} else if (kind[0] == 'b') {
		payload_print_bits(p, &s, p->o);
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

void payload_print_conversion(const struct trace_payload *p, const struct trace_piece *piece)
{
	char c;

	switch (piece->conversion) {
	case 's': print_string(p, piece); return;
	case 'p': print_pointer(p, piece); return;
	case 'c':
		c = (char)payload_value(p, piece->arg - 1);
		out_name_len(p->o, &c, 1);
		return;
	}
	payload_print_number(p, piece);
}
