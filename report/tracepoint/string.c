#include "report/tracepoint/trace_format_priv.h"

#include "base/out.h"

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

/* Read an argument of the format string: the expression after the next comma. Return node + 1. */
static uint32_t argument(struct trace_parser *p)
{
	uint32_t node;

	trace_expect(p, ',');
	node = trace_expression(p);
	return p->failed ? 0 : node + 1;
}

/* Read digits or '*'; return -1 if there are none. */
static int16_t count(struct trace_parser *p, const char **at, uint32_t *arg)
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

/* Read the letters that may follow %p. In the table, a longer entry comes before its own prefix. */
static void pointer_letters(struct trace_piece *piece, const char **at)
{
	static const char *const kinds[] = {
		"I4", "i4", "I6", "i6", "IS", "iS", "S", "s", "F", "f", "M", "m", "U", "b"
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i]);

		if (strncmp(*at, kinds[i], len))
			continue;
		memcpy(piece->pointer, kinds[i], len);
		*at += len;
		break;
	}
	/* Step over variants: %pI6c, %pI4h, %pUb, %pbl, %pISpc, %pSR. Only 'p', the port, changes our text. */
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

/* Read a conversion after its '%'. Return what follows it, NULL for an unknown one. */
static const char *conversion(struct trace_parser *p, const char *s)
{
	struct trace_piece piece = { .precision = -1 };

	for (;; s++) {
		if (*s == '-')
			piece.left = true;
		else if (*s == '0')
			piece.zero = true;
		else if (*s == '#')
			piece.alternate = true;
		else if (*s == '+')
			piece.plus = true;
		else if (*s == ' ')
			piece.blank = true;
		else
			break;
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
	piece.shaped = piece.left || piece.alternate || piece.plus || piece.blank || piece.precision >= 0 ||
		       piece.width_arg || piece.precision_arg || strchr("oX", piece.conversion);
	piece.arg = argument(p);
	if (p->failed)
		return NULL;
	vec_push(&p->f->pieces, piece);
	return s;
}

static bool format_string(struct trace_parser *p)
{
	const char *s;

	trace_next(p);
	if (p->kind != TOKEN_STRING)
		return false;
	s = trace_strings(p);
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
	return s && p->kind == TOKEN_END && !p->failed;
}

/* Is the node's value a field of the payload, which we only need to extend to 64 bits? */
static bool find_direct(const struct trace_format *f, uint32_t node, struct trace_direct *d)
{
	const struct trace_node *n = &f->nodes.items[node];
	const struct trace_field *field;

	if (n->kind == TRACE_FIELD) {
		field = &f->fields.items[n->a];
		if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) ||
		    (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8))
			return false;
		*d = (struct trace_direct){ .offset = field->offset,
					    .size = (uint8_t)field->size,
					    .is_signed = field->flags & TRACE_FIELD_SIGNED };
		return true;
	}
	if (n->kind != TRACE_CAST || !find_direct(f, n->a, d))
		return false;
	if (n->size != 1 && n->size != 2 && n->size != 4)
		return true; /* trace_cast does not change it */
	if (n->size == d->size)
		d->is_signed = n->is_signed;
	return n->size == d->size || (n->size > d->size && (n->is_signed || !d->is_signed));
}

/* Join the field's extension to 64 bits with the cast to the conversion's width. */
static void find_quick(struct trace_piece *piece)
{
	unsigned size = piece->direct.size, to = piece->number_size;
	bool is_signed = piece->direct.is_signed;

	if (!size || piece->shaped || !strchr("diux", piece->conversion))
		return;
	if (to != 1 && to != 2 && to != 4)
		to = 8; /* trace_cast leaves it as it is */
	if (to <= size) {
		is_signed = to < 8 && piece->number_signed;
		size = to;
	}
	piece->quick = (struct trace_quick){
		.mask = ~0ull >> (64 - 8 * size),
		.sign = is_signed ? 1ull << (8 * size - 1) : 0,
		.cut = piece->number_signed ? ~0ull : ~0ull >> (64 - 8 * to),
	};
}

/* Prepare all that is the same for every payload. */
static void prepare_numbers(struct trace_format *f)
{
	for (size_t i = 0; i < f->pieces.len; i++) {
		struct trace_piece *piece = &f->pieces.items[i];

		piece->number_signed = piece->conversion == 'd' || piece->conversion == 'i';
		piece->number_size = piece->length == 'H'   ? 1
				     : piece->length == 'h' ? 2
				     : piece->length == 'L' ? 8
				     : piece->length == 'l' ? f->long_size
							    : 4;
		if (!piece->text && (!piece->arg || !find_direct(f, piece->arg - 1, &piece->direct)))
			piece->direct.size = 0;
		if (!piece->text)
			find_quick(piece);
	}
}

void trace_print_format(struct trace_format *f, const char *text)
{
	struct trace_parser p = { .f = f, .at = text, .end = text + strlen(text) };

	f->understood = format_string(&p);
	if (f->understood)
		prepare_numbers(f);
}
